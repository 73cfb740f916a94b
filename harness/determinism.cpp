#include "harness/determinism.hpp"

#include "harness/describe.hpp"
#include "harness/explore.hpp"
#include "harness/stop_signals.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <variant>

namespace lockstep::harness {
namespace {

constexpr std::uint64_t steps_per_checkpoint = 4'096;

std::string line_of(const Outcome& outcome, std::size_t i) {
    if (i >= outcome.log.size()) return "nothing, the run is over";
    const LoggedEvent& logged = outcome.log[i];
    const sim::FaultPlan no_plan;
    const Names names(outcome, no_plan);
    const std::string what = std::visit(
        [&](const auto& w) -> std::string {
            if constexpr (std::is_same_v<std::decay_t<decltype(w)>, MessageLine>)
                return w.text;
            else if constexpr (std::is_same_v<std::decay_t<decltype(w)>, MessageTaken>)
                return fmt::format("is handed message {}", w.number);
            else
                return describe(names, w);
        },
        logged.what);
    return fmt::format("{}  {}  {}", seconds_text(logged.at.ns), names.process(logged.process),
                       what);
}

bool same(const Outcome& a, const Outcome& b) {
    return a.digest == b.digest && a.checkpoints == b.checkpoints && a.steps == b.steps &&
           a.events == b.events && a.end == b.end;
}

std::string explain(const RunWith& run, std::uint64_t seed, const Outcome& a, const Outcome& b) {
    std::string text = first_difference(a, b);
    if (a.end != b.end)
        text +=
            fmt::format("\nthe second run {}",
                        b.end == End::Finished ? "ended well, the first did not: " + a.end_detail
                                               : "ended before its time: " + b.end_detail);
    RunOptions logged;
    logged.keep_log = true;
    const Outcome again_a = run(seed, logged);
    const HeapNoise noise(seed + 1);
    const Outcome again_b = run(seed, logged);
    const std::string event = first_difference(again_a, again_b);
    return text + (event.empty()
                       ? "\ntwo more runs with the log on, in one process, came out the same"
                       : "\nin two more runs, " + event);
}

}  // namespace

HeapNoise::HeapNoise(std::uint64_t salt) {
    Prng prng(salt);
    constexpr std::size_t count = 4'000;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t exponent = prng.below(12);
        const std::uint64_t size = 8 + prng.below(std::uint64_t{8} << exponent);
        blocks_.push_back(std::make_unique<std::byte[]>(size));
    }
    for (auto& block : blocks_)
        if (prng.below(2) == 0) block.reset();
}

TwiceResult run_twice(const RunWith& run, std::uint64_t first_seed, std::uint64_t seeds) {
    RunOptions options;
    options.checkpoints = true;
    TwiceResult result;
    std::vector<Outcome> first;
    for (std::uint64_t i = 0; i < seeds; ++i) {
        Outcome outcome = run(first_seed + i, options);
        if (StopSignals::caught()) {
            result.unfinished = true;
            return result;
        }
        first.push_back(std::move(outcome));
        result.digests.push_back({first_seed + i, first.back().digest});
    }
    Outcome came_out;
    // A worker counts up; what it runs counts down.
    ExplorePlan plan;
    plan.first_seed = 0;
    plan.seeds = seeds;
    const auto seed_of = [&](std::uint64_t turn) { return first_seed + (seeds - 1 - turn); };
    const Exploration exploration = explore(
        plan,
        [&](std::size_t, std::uint64_t turn) {
            const HeapNoise noise(seed_of(turn));
            return run(seed_of(turn), options);
        },
        [&](std::size_t, const Outcome& second) {
            const std::uint64_t seed = seed_of(second.seed);
            const Outcome& before = first[seed - first_seed];
            if (same(before, second)) return;
            result.different = seed;
            came_out = second;
        },
        {});
    if (result.different)
        result.explanation =
            explain(run, *result.different, first[*result.different - first_seed], came_out);
    result.unfinished = exploration.interrupted || !exploration.given_up.empty();
    return result;
}

std::string first_difference(const Outcome& a, const Outcome& b) {
    if (!a.log.empty() && !b.log.empty()) {
        const std::size_t n = std::max(a.log.size(), b.log.size());
        for (std::size_t i = 0; i < n; ++i) {
            const std::string line_a = line_of(a, i);
            const std::string line_b = line_of(b, i);
            if (line_a != line_b)
                return fmt::format("event {} differs:\n  {}\n  {}", i + 1, line_a, line_b);
        }
    }
    for (std::size_t i = 0; i < std::min(a.checkpoints.size(), b.checkpoints.size()); ++i)
        if (a.checkpoints[i] != b.checkpoints[i])
            return fmt::format("they part between steps {} and {}", i * steps_per_checkpoint,
                               (i + 1) * steps_per_checkpoint);
    if (!same(a, b))
        return fmt::format(
            "they part after the last common checkpoint: {} and {} steps, digests "
            "{:016x} and {:016x}",
            a.steps, b.steps, a.digest, b.digest);
    return "";
}

}  // namespace lockstep::harness
