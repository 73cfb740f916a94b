#include "harness/lease/model.hpp"

#include "tests/support/catch.hpp"

#include <vector>

/// One setting, and few things that happen at known times.
namespace lockstep::test {
namespace {

using lease::Conditions;
using lease::Counts;
using lease::Setting;
using lease::Source;
using lease::Tally;

/// Once, an hour and a half after the start of the observation, or some time in two days.
Source once(Duration length) {
    Source source;
    source.series.points = {{seconds(5'400), length, 0, 1}};
    source.series.timed = true;
    source.series.observed = seconds(2 * 86'400);
    return source;
}

Setting of(Duration lease) {
    Setting setting;
    setting.lease = lease;
    setting.renew_every = lease / 3;
    return setting;
}

Tally two_days(const Setting& setting, const Conditions& world, std::uint64_t seed = 1) {
    return lease::simulate(setting, world, seed, seconds(2 * 86'400), seconds(3'600));
}

Counts counts(const Tally& tally) {
    Counts sum;
    for (const lease::Bin& bin : tally.bins) {
        sum.losses += bin.counts.losses;
        sum.stood_down += bin.counts.stood_down;
        sum.taken_over += bin.counts.taken_over;
        sum.refused_writes += bin.counts.refused_writes;
        sum.crashes += bin.counts.crashes;
        sum.releases += bin.counts.releases;
        sum.renewals += bin.counts.renewals;
    }
    return sum;
}

double without_holder(const Tally& tally) {
    Duration sum{};
    for (const lease::Bin& bin : tally.bins) sum += bin.without_holder;
    return static_cast<double>(sum.ns) / 1e9;
}

double double_belief(const Tally& tally) {
    Duration sum{};
    for (const lease::Bin& bin : tally.bins) sum += bin.double_belief;
    return static_cast<double>(sum.ns) / 1e9;
}

}  // namespace

TEST_CASE("lease: where nothing happens nothing is lost") {
    const Tally tally = two_days(of(seconds(15)), {});
    const Counts sum = counts(tally);
    CHECK(sum.losses == 0);
    CHECK(sum.refused_writes == 0);
    CHECK(sum.renewals > 2 * 86'400 / 5);
    CHECK(double_belief(tally) == 0);
    CHECK(without_holder(tally) < 0.1);
    CHECK(tally.crashes.size() > 200);
}

TEST_CASE("lease: a stop beyond the lease costs it, and the write that was under way") {
    Conditions world;
    world.pauses = once(seconds(20));
    const Tally tally = two_days(of(seconds(15)), world);
    const Counts sum = counts(tally);
    CHECK(sum.losses == 1);
    CHECK(sum.stood_down == 1);
    CHECK(sum.taken_over == 1);
    CHECK(sum.refused_writes == 1);
    REQUIRE(tally.losses.size() == 1);
    CHECK(tally.losses[0].kind == lease::Harm::Kind::Pause);
    CHECK(tally.losses[0].length == seconds(20));
    // From 10 to 15 s after the start of the stop another has the lock.
    CHECK(double_belief(tally) > 4.9);
    CHECK(double_belief(tally) < 10.1);
    CHECK(without_holder(tally) + double_belief(tally) == Approx(20).margin(0.1));
}

TEST_CASE("lease: a stop within the lease costs nothing but its own time") {
    Conditions world;
    world.pauses = once(seconds(20));
    const Tally tally = two_days(of(seconds(31)), world);
    CHECK(counts(tally).losses == 0);
    CHECK(counts(tally).refused_writes == 0);
    CHECK(without_holder(tally) == Approx(20).margin(0.1));
}

TEST_CASE("lease: stops too short to matter are counted, and not simulated") {
    Conditions world;
    world.pauses.per_day = 1e6;
    world.pauses.shortest = world.pauses.longest = milliseconds(10);
    const Tally tally = two_days(of(seconds(15)), world);
    CHECK(counts(tally).losses == 0);
    CHECK(without_holder(tally) == Approx(20'000).epsilon(0.01));
    CHECK(tally.happened[0].at(0) == Approx(2e6).epsilon(0.01));
    CHECK(tally.steps < 300'000);
    // Simulated, they come to the same.
    world.pauses.per_day = 1e5;
    const auto share = without_holder(two_days(of(seconds(6)), world));
    CHECK(share == Approx(without_holder(two_days(of(seconds(15)), world))).epsilon(0.02));
}

TEST_CASE("lease: an outage makes the holder stand down, and nobody take over") {
    Conditions world;
    world.outages = once(seconds(25));
    const Tally tally = two_days(of(seconds(15)), world);
    CHECK(counts(tally).stood_down == 1);
    CHECK(counts(tally).taken_over == 0);
    CHECK(double_belief(tally) == 0);
    CHECK(without_holder(tally) > 10);
    CHECK(without_holder(tally) < 16);

    // After a longer one the client has given up to close its session, which the service gives a
    // whole lease more: it waits for the end of that.
    world.outages = once(seconds(31));
    const Tally longer = two_days(of(seconds(15)), world);
    CHECK(counts(longer).losses == 1);
    CHECK(counts(longer).taken_over == 1);
    CHECK(without_holder(longer) > 16 + 15);

    Setting strict = of(seconds(15));
    strict.failover_extends = false;
    const Tally cut = two_days(strict, world);
    CHECK(counts(cut).losses == 1);
    CHECK(counts(cut).taken_over == 1);
    CHECK(double_belief(cut) == 0);
}

TEST_CASE("lease: a short outage is borne, and the retries decide how long one may be") {
    Conditions world;
    world.outages = once(seconds(8));
    Setting setting = of(seconds(15));
    CHECK(counts(two_days(setting, world)).losses == 0);
    setting.retry_every = seconds(5);
    setting.deadline = seconds(10);
    CHECK(counts(two_days(setting, world)).losses == 1);
}

TEST_CASE("lease: who is cut off stands down before another takes over") {
    Conditions world;
    world.partitions = once(seconds(30));
    const Tally tally = two_days(of(seconds(15)), world);
    CHECK(counts(tally).stood_down == 1);
    CHECK(counts(tally).taken_over == 1);
    CHECK(double_belief(tally) == 0);
    REQUIRE(tally.losses.size() == 1);
    CHECK(tally.losses[0].kind == lease::Harm::Kind::Partition);
}

TEST_CASE("lease: a deadline beyond the lease lets two believe, and write") {
    Conditions world;
    world.partitions = once(seconds(30));
    Setting setting = of(seconds(15));
    setting.deadline = seconds(20);
    const Tally tally = two_days(setting, world);
    CHECK(double_belief(tally) == Approx(5).margin(0.1));
    // One write each tenth of a second.
    CHECK(counts(tally).refused_writes >= 49);
    CHECK(counts(tally).refused_writes <= 52);
}

TEST_CASE("lease: a clock that is slower than the bound allows lets two believe") {
    Conditions world;
    world.partitions = once(seconds(30));
    world.drift = {100'000};
    Setting setting = of(seconds(15));
    CHECK(double_belief(two_days(setting, world)) > 1);
    setting.drift_bound = {110'000};
    CHECK(double_belief(two_days(setting, world)) == 0);
}

TEST_CASE("lease: lock delay and looks at the lock come on top of a takeover") {
    const auto shortest = [](const Setting& setting) {
        Duration least = Duration::max();
        for (const auto& takeover : two_days(setting, {}).crashes)
            least = std::min(least, takeover.takes);
        return least;
    };
    Setting setting = of(seconds(15));
    const Duration plain = shortest(setting);
    CHECK(plain >= seconds(10));
    CHECK(plain < seconds(11));
    setting.lock_delay = seconds(7);
    CHECK(shortest(setting) - plain == seconds(7));
    setting.lock_delay = {};
    setting.poll_every = seconds(2);
    CHECK(shortest(setting) >= plain);
    CHECK(shortest(setting) < plain + seconds(2));
}

TEST_CASE("lease: after a release the next one has the lock in a round trip, or at its next look") {
    Conditions world;
    world.deploys.per_day = 20;
    world.deploys.shortest = world.deploys.longest = seconds(1);
    world.round_trip.shortest = world.round_trip.longest = milliseconds(10);
    Setting setting = of(seconds(15));
    const Tally tally = two_days(setting, world);
    CHECK(tally.releases.size() == counts(tally).releases);
    REQUIRE(tally.releases.size() > 20);
    for (const auto& release : tally.releases) CHECK(release.takes == milliseconds(10));
    setting.poll_every = seconds(2);
    Duration longest{};
    for (const auto& release : two_days(setting, world).releases)
        longest = std::max(longest, release.takes);
    CHECK(longest > seconds(1));
    CHECK(longest <= seconds(2) + milliseconds(10));
}

TEST_CASE("lease: a crash leaves the lock to the end of the lease") {
    Conditions world;
    world.crashes.per_day = 20;
    world.crashes.shortest = world.crashes.longest = seconds(60);
    const Tally tally = two_days(of(seconds(15)), world);
    const auto crashes = static_cast<double>(counts(tally).crashes);
    REQUIRE(crashes > 20);
    CHECK(counts(tally).losses == 0);
    CHECK(without_holder(tally) / crashes > 10);
    CHECK(without_holder(tally) / crashes < 15.1);
}

TEST_CASE("lease: a failover in a takeover starts the lease anew") {
    Conditions world;
    world.failovers.per_day = 0.001;
    world.failovers.shortest = world.failovers.longest = seconds(3);
    Setting setting = of(seconds(15));
    const auto adds = [&] {
        double sum = 0;
        const Tally tally = two_days(setting, world);
        for (const auto& failover : tally.failovers)
            sum += static_cast<double>(failover.takes.ns) / 1e9;
        return sum / static_cast<double>(tally.failovers.size());
    };
    // At a random time of some 12.6 s comes an outage of 3 s, and then the lease: 3 + 15 - 6.3.
    CHECK(adds() == Approx(11.7).margin(0.5));
    // Else it costs what of it lies beyond the end of the lease.
    setting.failover_extends = false;
    CHECK(adds() == Approx(0.36).margin(0.15));
}

TEST_CASE("lease: round trips beyond the deadline cost the lease, and are named for it") {
    Conditions world;
    world.round_trip.shortest = milliseconds(1);
    world.round_trip.longest = seconds(3);
    const Tally tally = two_days(of(seconds(3)), world);
    REQUIRE(counts(tally).losses > 10);
    CHECK(tally.losses[0].kind == lease::Harm::Kind::RoundTrip);
    CHECK(counts(two_days(of(seconds(30)), world)).losses == 0);
}

}  // namespace lockstep::test
