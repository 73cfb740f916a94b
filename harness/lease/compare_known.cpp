#include "core/base/prng.hpp"
#include "core/wire/messages.hpp"
#include "harness/lease/compare_support.hpp"
#include "harness/lease/figures.hpp"
#include "harness/lease/model.hpp"
#include "harness/lease/statistics.hpp"
#include "scenarios/world/payloads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <tuple>
#include <vector>

namespace lockstep::lease {
namespace {

/// Reads now and then, for which it needs a lease, and asks for one whenever it has none: the
/// client of Gray and Cheriton's model.
class Reader final : public sim::Program {
public:
    Reader(sim::ProcessId service, Duration mean_gap, Duration term)
        : service_(service), mean_gap_(mean_gap), term_(term) {}

    void start(sim::Process& process) override { arm(process); }
    void on_message(sim::Process&, sim::Envelope&) override { ++messages_; }
    void on_timer(sim::Process& process, sim::TimerId) override {
        if (process.now() >= until_) {
            ++messages_;
            ++asked_;
            until_ = process.now() + term_;
            process.send(service_, sim::Payload::make(wire::Request(
                                       wire::Open{Nonce(asked_), SendingNo(asked_), term_})));
        }
        arm(process);
    }
    std::uint64_t messages() const { return messages_; }

private:
    /// Reads are independent: in each hundredth of the mean gap there is one with the same chance.
    void arm(sim::Process& process) {
        const Duration step = mean_gap_ / 100;
        Duration wait = step;
        while (!process.prng().chance(10'000)) wait += step;
        process.set_timer(0, process.now() + wait);
    }

    const sim::ProcessId service_;
    const Duration mean_gap_;
    const Duration term_;
    LocalTime until_{};
    std::uint64_t asked_ = 0;
    std::uint64_t messages_ = 0;
};

class Deaf final : public sim::Listener, public ServiceListener {
    void on_world_event(sim::SimTime, sim::ProcessId, const sim::WorldEvent&) override {}
    void on_point(sim::SimTime, sim::ProcessId, std::uint32_t) override {}
    void on_expired(SessionId, bool) override {}
    void on_renewed(SessionId, sim::SimTime) override {}
    void on_next_granted() override {}
    void on_next_told() override {}
};

/// Messages of one client in the span.
std::uint64_t on_demand(Duration mean_gap, Duration term, Duration span, std::uint64_t seed) {
    Deaf deaf;
    sim::StackPool stacks;
    sim::World world(seed, stacks, deaf, {100'000, UINT64_MAX});
    const Conditions conditions;
    Links links(world, conditions, seed);
    Setting setting;
    setting.lease = term;
    Reader* reader = nullptr;
    const sim::ProcessId service = world.add_process(
        "service", sim::ProcessKind::Server,
        [&](sim::Process&) { return std::make_unique<Service>(setting, links, deaf); });
    const sim::ProcessId client =
        world.add_process("reader", sim::ProcessKind::Client, [&](sim::Process&) {
            auto made = std::make_unique<Reader>(service, mean_gap, term);
            reader = made.get();
            return made;
        });
    world.start(service);
    world.start(client);
    world.run_until(sim::SimTime{} + span);
    return reader->messages();
}

Compared exactly(std::string what, double known, double ours, double within) {
    return {std::move(what), known, ours, {ours - within, ours + within}};
}

/// From a crash to the next holder, drawn without a simulator: the leader renews every 2 s, waiters
/// look every 2 to 4.4 s, and take over at the first look 15 s after the one that saw the last
/// renewal.
std::vector<double> drawn_takeovers(std::uint64_t seed) {
    Prng prng(seed);
    const double span = 2e6;
    std::vector<double> looks{0};
    while (looks.back() < span)
        looks.push_back(looks.back() + in_seconds(prng.between(seconds(2), milliseconds(4'400))));
    const auto look = [&looks](double from) { return *std::ranges::lower_bound(looks, from); };
    std::vector<double> takes;
    while (takes.size() < 100'000) {
        const double crash = in_seconds(prng.between(seconds(100), seconds(1'900'000)));
        const double renewed = crash - in_seconds(prng.between(Duration{}, seconds(2)));
        takes.push_back(look(look(renewed) + 15) - crash);
    }
    std::ranges::sort(takes);
    return takes;
}

/// Whether no outage of that length costs a lease, of hundreds.
double survives(const Setting& setting, Duration length, std::uint64_t seed) {
    Conditions world;
    const Duration span = seconds(4 * 86'400);
    world.outages = apart({length}, seconds(400), seconds(500), span, seed);
    return simulate(setting, world, seed, span, seconds(3'600)).losses.empty() ? 1 : 0;
}

}  // namespace

Comparison compare_traffic(std::uint64_t seed) {
    Comparison made{"What leases cost in messages",
                    "sessions over interval; Gray and Cheriton (1989): 2NR / (1 + R t)",
                    "a second, of 1,000 sessions",
                    {}};
    for (const std::int64_t s : {6, 15, 60}) {
        Setting setting;
        setting.lease = seconds(s);
        setting.renew_every = setting.lease / 3;
        const Tally tally =
            simulate(setting, Conditions(), seed, seconds(30 * 86'400), seconds(3'600));
        std::vector<double> rates;
        for (const Bin& bin : tally.bins)
            rates.push_back(static_cast<double>(bin.counts.renewals) * 1'000 / 3'600);
        const double m = mean(rates);
        const double half = (mean_interval(rates).high - m) * z999 / 1.96;
        // The jitter makes the gaps 0.95 of the interval in the mean.
        made.rows.push_back({fmt::format("renewals, lease {} s", s),
                             1'000 / (0.95 * in_seconds(setting.renew_every)),
                             m,
                             {m - half - 0.01, m + half + 0.01}});
    }
    const Duration span = seconds(3 * 86'400);
    for (const auto& [gap_s, term_s] : {std::pair{1, 10}, {10, 10}, {10, 2}, {30, 60}}) {
        const double known = 2'000.0 / (gap_s + term_s);
        const auto messages =
            static_cast<double>(on_demand(seconds(gap_s), seconds(term_s), span, seed));
        const double ours = messages * 1'000 / in_seconds(span);
        // Pairs of messages come no more irregularly than a Poisson process.
        const double half = z999 * std::sqrt(messages * 2) * 1'000 / in_seconds(span);
        made.rows.push_back(exactly(
            fmt::format("messages, read every {} s, term {} s", gap_s, term_s), known, ours, half));
    }
    return made;
}

Comparison compare_kubernetes(std::uint64_t seed) {
    Comparison made{
        "Kubernetes' leader election",
        "client-go: the skew tolerated is leaseDuration over renewDeadline; OpenShift "
        "(library-go): 137/107/26 s for 30 s of skew and 78 s without API server, worst "
        "takeover 163 s, 26 s after a release",
        "",
        {}};
    // Their reckoning leaves out that waiters look at jittered times, and from when they count.
    const auto reckoned = [](const char* name) {
        Setting setting = preset(name)->setting;
        setting.poll_jitter_percent = 0;
        setting.waiters_count_lease = false;
        return setting;
    };
    const auto run_of = [&](const Setting& setting) {
        SweepPlan plan;
        plan.settings = {setting};
        plan.seed = seed;
        plan.span = seconds(60 * 86'400);
        plan.world.deploys.per_day = 200;
        plan.world.deploys.shortest = plan.world.deploys.longest = seconds(30);
        // Each life renews at a phase of its own.
        plan.world.crashes.per_day = 100;
        plan.world.crashes.shortest = plan.world.crashes.longest = seconds(10);
        return sweep(plan).value().results.front().figures;
    };
    const auto run = [&](const char* name) { return run_of(reckoned(name)); };
    const Figures kubernetes = run("kubernetes");
    made.rows.push_back(exactly("15/10/2 s: skew, as a ratio", 1.5, kubernetes.skew_ratio, 1e-9));
    made.rows.push_back(
        exactly("15/10/2 s: outage borne, s", 8, in_seconds(kubernetes.outage_borne), 1e-9));
    made.rows.push_back(exactly("15/10/2 s: outages of 7.5 s that cost no lease: all", 1,
                                survives(reckoned("kubernetes"), milliseconds(7'500), seed), 0));
    const Figures looking = run_of(preset("kubernetes")->setting);
    const auto drawn = drawn_takeovers(seed);
    for (const auto& [share, figure, name] :
         {std::tuple{0.5, &looking.crash_p50, "p50"}, {0.99, &looking.crash_p99, "p99"}}) {
        // Both are drawn.
        const double half = (figure->simulation.high - figure->simulation.low) * z999 / 1.96;
        made.rows.push_back({fmt::format("15/10/2 s as client-go looks: {} after a crash, s", name),
                             quantile(drawn, share),
                             figure->value,
                             {figure->value - half, figure->value + half}});
    }
    const Setting openshift = reckoned("openshift");
    const Figures f = run("openshift");
    made.rows.push_back(exactly("137/107/26 s: skew, s", 30, in_seconds(f.skew), 1e-9));
    made.rows.push_back(
        exactly("137/107/26 s: outage borne, s", 78, in_seconds(f.outage_borne), 1e-9));
    made.rows.push_back(exactly("137/107/26 s: outages of 77 s that cost no lease: all", 1,
                                survives(openshift, seconds(77), seed), 0));
    made.rows.push_back(exactly("137/107/26 s: outages of 79 s that cost no lease: not all", 0,
                                survives(openshift, seconds(79), seed), 0));
    // The worst of thousands comes within a second of what is possible.
    made.rows.push_back({"137/107/26 s: worst takeover after a crash, s",
                         163,
                         f.crash_worst.value,
                         {f.crash_worst.value - 0.1, f.crash_worst.value + 1}});
    made.rows.push_back({"137/107/26 s: worst takeover after a release, s",
                         26,
                         f.release_worst.value,
                         {f.release_worst.value - 0.1, f.release_worst.value + 1}});
    return made;
}

}  // namespace lockstep::lease
