// What is known of a run when it is over, or as far as it came.
#include "harness/observers.hpp"
#include "harness/services.hpp"
#include "harness/simulation.hpp"
#include "sim/network.hpp"

#include <fmt/format.h>

namespace lockstep::harness {

void Simulation::report(Outcome& outcome) const {
    outcome.digest = world_.digest();
    outcome.steps = world_.steps();
    outcome.events = recorder_.events();
    outcome.messages = world_.network().sent();
    outcome.simulated = world_.now() - sim::SimTime{};
    if (end_ == sim::RunEnd::StuckInInstant || end_ == sim::RunEnd::StuckInRun) {
        outcome.end = End::Stuck;
        outcome.end_detail = fmt::format(
            "{} at {}.{:03} s",
            end_ == sim::RunEnd::StuckInInstant ? "too many steps in one instant"
                                                : "too many steps in one run",
            world_.now().ns / 1'000'000'000, world_.now().ns % 1'000'000'000 / 1'000'000);
    }
    if (out_of_time_) {
        outcome.end = End::OutOfTime;
        outcome.end_detail =
            fmt::format("at {}.{:03} s of simulated time", world_.now().ns / 1'000'000'000,
                        world_.now().ns % 1'000'000'000 / 1'000'000);
    }
    if (unsettled_) {
        outcome.end = End::Stuck;
        outcome.end_detail = fmt::format("messages were still held up {} s after healing",
                                         longest_settling().ns / 1'000'000'000);
    }
    outcome.reports = properties_->suite.reports();
    for (properties::Report& report : outcome.reports)
        if (!has_evidence(*find_service(settings_.service), report.id))
            report = {report.id, properties::Verdict::Idle, {}, 0, 0, report.needs, false};
    for (std::size_t i = 0; i < mark_count; ++i) {
        const auto mark = static_cast<Mark>(i);
        outcome.marks.push_back({std::string(to_string(mark)), marks_.count(mark)});
    }
    for (std::size_t i = 0; i < sim::fault_kinds; ++i) {
        const auto& tally = injector_->tally()[i];
        if (tally.planned == 0) continue;
        outcome.faults.push_back({std::string(sim::to_string(static_cast<sim::FaultKind>(i))),
                                  tally.planned, tally.started, tally.missed});
    }
    for (const auto& [role, hits] : injector_->hits_by_role())
        outcome.roles.push_back({role, hits});
    outcome.triggers = {injector_->triggers().waited, injector_->triggers().met};
    outcome.checkpoints = world_.checkpoints();
    if (cut_ && end_ == sim::RunEnd::ReachedEnd && !out_of_time_) {
        outcome.end = End::Cut;
        outcome.end_detail = "as asked";
    }
    for (std::uint32_t p = 1; p <= world_.processes(); ++p) {
        outcome.process_names.push_back(world_.process(sim::ProcessId(p)).name());
        outcome.process_kinds.push_back(world_.process(sim::ProcessId(p)).kind());
    }
    outcome.lock_names = settings_.locks;
    outcome.point_names.assign(scenario::point_names.begin(), scenario::point_names.end());
    outcome.resolved_lines = settings_.drawn;
    if (log_) outcome.log = log_->events;
}

}  // namespace lockstep::harness
