#include "harness/lease/sweep.hpp"

#include "tests/support/catch.hpp"

#include <cmath>
#include <tuple>

namespace lockstep::test {
namespace {

using lease::Setting;
using lease::SettingResult;
using lease::Sweep;
using lease::SweepPlan;

Setting with_lease(Duration lease) {
    Setting setting;
    setting.lease = lease;
    setting.renew_every = lease / 3;
    return setting;
}

/// A day of short stops, with one of 17 s.
SweepPlan small_plan() {
    SweepPlan plan;
    for (const std::int64_t s : {5, 15, 20, 30}) plan.settings.push_back(with_lease(seconds(s)));
    data::Series& pauses = plan.world.pauses.series;
    for (std::uint32_t i = 1; i < 500; ++i)
        pauses.points.push_back({seconds(170) * i, milliseconds(1 + i % 50), 0, 10 * i});
    pauses.points[250].length = seconds(17);
    pauses.timed = true;
    pauses.observed = seconds(86'400);
    plan.world.crashes.per_day = 1;
    plan.world.crashes.longest = plan.world.crashes.shortest = seconds(5);
    plan.span = seconds(30 * 86'400);
    return plan;
}

auto essence(const SettingResult& result) {
    const lease::Figures& f = result.figures;
    std::vector<double> numbers;
    for (const lease::Figure* figure :
         {&f.losses, &f.stood_down, &f.taken_over, &f.refused_writes, &f.double_belief,
          &f.crash_p50, &f.crash_p99, &f.without_holder, &f.renewals}) {
        for (const double x : {figure->value, figure->simulation.low, figure->simulation.high,
                               figure->data.low, figure->data.high})
            numbers.push_back(x);
    }
    return std::tuple{result.setting.lease.ns, result.digest, result.steps, result.counts, numbers};
}

}  // namespace

TEST_CASE("lease-sweep: results depend on the seed alone, and shards make the whole") {
    SweepPlan plan = small_plan();
    const Sweep one = lease::sweep(plan).value();
    REQUIRE(one.results.size() == 4);
    plan.jobs = 3;
    const Sweep three = lease::sweep(plan).value();
    for (std::size_t i = 0; i < 4; ++i) CHECK(essence(one.results[i]) == essence(three.results[i]));
    plan.shards = 3;
    std::size_t all = 0;
    for (plan.shard = 0; plan.shard < 3; ++plan.shard) {
        const Sweep part = lease::sweep(plan).value();
        for (std::size_t i = 0; i < part.results.size(); ++i, ++all)
            CHECK(essence(part.results[i]) == essence(one.results[plan.shard + 3 * i]));
    }
    CHECK(all == 4);
    plan = small_plan();
    plan.seed = 2;
    CHECK(essence(lease::sweep(plan).value().results[2]) != essence(one.results[2]));
}

TEST_CASE("lease-sweep: losses, their intervals, and what did the harm") {
    const Sweep sweep = lease::sweep(small_plan()).value();
    const lease::SettingResult& short_lease = sweep.results[1];
    // One stop in a day, 30 days: each time, but for the first round.
    CHECK(short_lease.counts.losses == 30);
    CHECK(short_lease.figures.losses.value == Approx(30));
    CHECK(short_lease.figures.losses.simulation.low <= 30);
    // Seen once in a day: between 0.025 and 5.6 a day.
    CHECK(short_lease.figures.losses.data.low == Approx(30 * 0.0253).epsilon(0.01));
    CHECK(short_lease.figures.losses.data.high == Approx(30 * 5.572).epsilon(0.01));
    REQUIRE(short_lease.harms.size() == 1);
    CHECK(short_lease.harms[0].kind == lease::Harm::Kind::Pause);
    CHECK(short_lease.harms[0].where.starts_with("line 2510, "));
    CHECK(short_lease.harms[0].length == seconds(17));
    CHECK(short_lease.harms[0].times == 30);
    CHECK(short_lease.harms[0].losses == 30);

    const lease::SettingResult& long_lease = sweep.results[3];
    CHECK(long_lease.counts.losses == 0);
    CHECK(long_lease.figures.losses.simulation.high == Approx(2.9957).epsilon(0.01));
    CHECK(long_lease.figures.losses.data.high == Approx(30 * 2.9957).epsilon(0.01));
    CHECK(long_lease.harms.empty());
}

TEST_CASE("lease-sweep: what differs by name alone comes out the same") {
    SweepPlan plan = small_plan();
    plan.marked = {plan.settings[1], lease::preset("etcd")->setting};
    plan.marked[0].name = "somebody's";
    plan.now = plan.settings[1];
    const Sweep sweep = lease::sweep(plan).value();
    REQUIRE(sweep.now);
    CHECK(essence(*sweep.now) == essence(sweep.results[1]));
    CHECK(essence(sweep.marked[0]) == essence(sweep.results[1]));
    CHECK(sweep.marked[0].setting.name == "somebody's");
    CHECK(sweep.marked[0].position == 4);
    CHECK(sweep.now->position == 6);
    CHECK(sweep.marked[1].digest != sweep.marked[0].digest);
    CHECK(sweep.marked[1].digest != 0);
}

TEST_CASE("lease-sweep: outages up to what is borne cost nothing, and longer ones do") {
    std::vector<Setting> settings{with_lease(seconds(15)), lease::preset("kubernetes")->setting,
                                  lease::preset("openshift")->setting};
    settings.push_back(settings[1]);
    settings.back().deadline = seconds(11);  // between two attempts
    for (const Setting& setting : settings) {
        SweepPlan plan;
        plan.settings = {setting};
        plan.span = seconds(20 * 86'400);
        // Apart, so that no two of them make a longer one, and at all phases of renewals.
        const auto losses = [&plan](Duration length) {
            data::Series& series = plan.world.outages.series;
            series.points.clear();
            for (std::uint32_t i = 1; i < 1'700; ++i)
                series.points.push_back({milliseconds(1'000'737) * i, length, 0, i});
            series.timed = true;
            series.observed = plan.span;
            return lease::sweep(plan).value().results[0].counts.losses;
        };
        CAPTURE(setting.name, setting.lease.ns);
        const Duration borne = lease::sweep(plan).value().results[0].figures.outage_borne;
        CHECK(losses(borne - milliseconds(50)) == 0);
        CHECK(losses(borne + setting.retry_every + seconds(1)) > 0);
    }
}

TEST_CASE("lease-sweep: what nobody measured has no data interval of its own") {
    SweepPlan plan = small_plan();
    plan.world.pauses = {};
    plan.world.pauses.per_day = 1;
    plan.world.pauses.shortest = plan.world.pauses.longest = seconds(17);
    const Sweep sweep = lease::sweep(plan).value();
    const lease::Figure& losses = sweep.results[0].figures.losses;
    CHECK(losses.value > 15);
    CHECK(losses.data == lease::Interval{losses.value, losses.value});
    CHECK(losses.simulation.high > losses.value);
    const lease::Figure& dark = sweep.results[0].figures.without_holder;
    CHECK(dark.data == lease::Interval{dark.value, dark.value});
}

TEST_CASE("lease-sweep: longer spans narrow the simulation's interval, and not the data's") {
    SweepPlan plan = small_plan();
    plan.settings = {with_lease(seconds(20))};
    const auto width = [](const lease::Interval& interval) { return interval.high - interval.low; };
    const lease::Figure little = lease::sweep(plan).value().results[0].figures.losses;
    plan.span = seconds(360 * 86'400);
    const lease::Figure much = lease::sweep(plan).value().results[0].figures.losses;
    CHECK(width(much.simulation) < width(little.simulation) / 2);
    CHECK(width(much.data) > width(little.data) / 2);
    CHECK(width(much.data) > 10 * width(much.simulation));
}

TEST_CASE("lease-sweep: bootstrap and batches give intervals to the other figures") {
    SweepPlan plan = small_plan();
    plan.settings = {with_lease(seconds(15))};
    const lease::Figures traced = lease::sweep(plan).value().results[0].figures;
    CHECK(traced.without_holder.data.low < traced.without_holder.value);
    CHECK(traced.without_holder.data.high > traced.without_holder.value);
    CHECK(traced.crash_p99.data.low <= traced.crash_p99.value);
    CHECK(traced.crash_p99.data.high >= traced.crash_p99.value);
    plan.world.pauses.series.timed = false;
    const lease::Figures drawn = lease::sweep(plan).value().results[0].figures;
    CHECK(drawn.without_holder.data.low < drawn.without_holder.value);
    CHECK(drawn.without_holder.data.high > drawn.without_holder.value);
    CHECK(drawn.losses.value == Approx(30).margin(18));
}

TEST_CASE("lease-sweep: a budget ends settings early and says so") {
    SweepPlan plan = small_plan();
    plan.span = seconds(3'600 * 86'400LL);
    plan.budget = std::chrono::milliseconds(1);
    const Sweep sweep = lease::sweep(plan).value();
    CHECK_FALSE(sweep.whole);
    for (const SettingResult& result : sweep.results) {
        CHECK(result.simulated >= seconds(3'600));
        CHECK(result.simulated < plan.span);
    }
}

TEST_CASE("lease-sweep: the whole cluster makes figures of the same kind") {
    SweepPlan plan = small_plan();
    plan.settings = {with_lease(seconds(9))};
    plan.fidelity = lease::Fidelity::Full;
    plan.world.crashes.per_day = 100;
    plan.span = seconds(6 * 3'600);
    plan.world.pauses.series.points.erase(plan.world.pauses.series.points.begin(),
                                          plan.world.pauses.series.points.begin() + 240);
    plan.world.pauses.series.points.resize(25);
    for (data::Point& point : plan.world.pauses.series.points) point.at -= seconds(170 * 235);
    plan.world.pauses.series.observed = seconds(7'200);
    const Sweep sweep = lease::sweep(plan).value();
    const SettingResult& result = sweep.results.at(0);
    CHECK(result.simulated == plan.span);
    CHECK(result.counts.losses >= 2);
    CHECK(result.counts.losses <= 3);
    CHECK(result.counts.crashes > 10);
    REQUIRE(result.harms.size() == 1);
    CHECK(result.harms[0].where.starts_with("line 2510, "));
    CHECK(result.figures.crash_p50.value > 5);
    CHECK(result.figures.crash_worst.value < 9.2);
    CHECK(essence(lease::sweep(plan).value().results[0]) == essence(result));
}

TEST_CASE("lease-sweep: plans that make no sense are refused") {
    const auto refused = [](auto change) {
        SweepPlan plan = small_plan();
        change(plan);
        return lease::sweep(plan).ok() ? std::string() : lease::sweep(plan).error().message;
    };
    CHECK(refused([](SweepPlan& p) { p.settings.clear(); }) == "no setting to try");
    CHECK(refused([](SweepPlan& p) { p.settings[0].renew_every = seconds(3); }) != "");
    CHECK(refused([](SweepPlan& p) { p.span = seconds(10); }) != "");
    CHECK(refused([](SweepPlan& p) { p.jobs = 0; }) != "");
    CHECK(refused([](SweepPlan& p) { p.shard = 1; }) != "");
    CHECK(refused([](SweepPlan& p) {
              p.world.pauses.series.observed = {};
          }).starts_with("pauses: nothing says"));
    CHECK(refused([](SweepPlan& p) { p.world.pauses.series.observed = seconds(100); }) != "");
    CHECK(refused([](SweepPlan& p) { p.world.pauses.series.points[3].length = seconds(-1); }) !=
          "");
    CHECK(refused([](SweepPlan& p) {
              std::swap(p.world.pauses.series.points[3], p.world.pauses.series.points[4]);
          }) != "");
    CHECK(refused([](SweepPlan& p) {
              p.world.pauses.series.timed = false;
              p.world.pauses.series.observed = milliseconds(400);
          }).ends_with("nothing happens so often"));
    CHECK(refused([](SweepPlan& p) {
              p.fidelity = lease::Fidelity::Full;
              p.settings[0].poll_every = seconds(1);
          }) != "");
    CHECK(refused([](SweepPlan& p) { p.world.crashes.per_day = -1; }) != "");
    CHECK(refused([](SweepPlan& p) { p.world.outages.shortest = seconds(5); }) != "");
}

}  // namespace lockstep::test
