#include "harness/lease/report.hpp"
#include "tests/support/catch.hpp"

#include <string>
#include <utility>
#include <vector>

namespace lockstep::test {
namespace {

lease::SweepPlan plan_of_files() {
    lease::SweepPlan plan;
    for (const std::int64_t s : {5, 15, 30}) {
        lease::Setting setting;
        setting.lease = seconds(s);
        setting.renew_every = setting.lease / 3;
        plan.settings.push_back(setting);
    }
    plan.marked = {lease::preset("kubernetes")->setting, lease::preset("consul")->setting};
    plan.now = lease::preset("dynamodb")->setting;
    plan.axes = {"lease"};
    plan.world.pauses.per_day = 3;
    plan.world.pauses.shortest = seconds(1);
    plan.world.pauses.longest = seconds(20);
    plan.world.pauses.said = "3/day x 1s..20s";
    plan.world.crashes.per_day = 1;
    plan.span = seconds(5 * 86'400);
    return plan;
}

std::string json_of(const lease::Sweep& sweep) {
    lease::Told told;
    told.command = "lockstep lease --seed 1";
    if (sweep.shards == 1) told.answer = lease::answer(sweep, {}, {sweep.crashes_a_month, 0});
    return lease::sweep_json(sweep, told);
}

lease::Sweep back(const std::string& json) {
    std::string command;
    auto sweep = lease::read_sweep("x.json", json, command);
    REQUIRE(sweep);
    CHECK(command == "lockstep lease --seed 1");
    return std::move(sweep).value();
}

std::string why_not_merged(std::vector<lease::Sweep> parts) {
    const auto merged = lease::merge(std::move(parts));
    return merged ? "" : merged.error().message;
}

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("lease-files: what is kept comes back whole") {
    const lease::Sweep sweep = lease::sweep(plan_of_files()).value();
    CHECK(sweep.total == 6);
    REQUIRE(sweep.now);
    CHECK(sweep.now->setting.name == "dynamodb");
    CHECK(sweep.marked.size() == 2);
    const std::string json = json_of(sweep);
    CHECK(json_of(back(json)) == json);
}

TEST_CASE("lease-files: the parts of a sweep make the same as the whole") {
    const std::string whole = json_of(lease::sweep(plan_of_files()).value());
    std::vector<lease::Sweep> parts;
    for (const std::uint64_t shard : {2, 0, 3, 1}) {
        lease::SweepPlan plan = plan_of_files();
        plan.shards = 4;
        plan.shard = shard;
        parts.push_back(back(json_of(lease::sweep(plan).value())));
    }
    CHECK(json_of(lease::merge(parts).value()) == whole);
    std::vector<lease::Sweep> some{parts[0], parts[1], parts[2]};
    CHECK(why_not_merged(some) == "part 2/4 is missing");
    some.push_back(parts[0]);
    CHECK(why_not_merged(some) == "part 3/4 is there twice");
    lease::SweepPlan other = plan_of_files();
    other.shards = 4;
    other.shard = 1;
    other.seed = 2;
    some.back() = lease::sweep(other).value();
    CHECK(holds(why_not_merged(some), "different sweeps"));
    CHECK(why_not_merged({}) == "nothing to merge");
}

TEST_CASE("lease-files: what is no kept sweep is refused with its name") {
    const std::string json = json_of(lease::sweep(plan_of_files()).value());
    const auto changed = [&](const std::string& from, const std::string& to) {
        std::string text = json;
        const auto at = text.find(from);
        REQUIRE(at != std::string::npos);
        return text.replace(at, from.size(), to);
    };
    const auto refused = [](const std::string& text) {
        std::string command;
        const auto sweep = lease::read_sweep("x.json", text, command);
        CHECK_FALSE(sweep);
        CHECK((sweep || sweep.error().file == "x.json"));
        CHECK((sweep || holds(sweep.error().message, "no result of")));
    };
    refused("");
    refused("{}");
    refused("[1]");
    refused("\xff\x00");
    refused(json.substr(0, json.size() / 2));
    refused(changed("\"lockstep_lease\": 1", "\"lockstep_lease\": 2"));
    refused(changed("\"lease_s\": 5.0", "\"lease_s\": -5.0"));
    refused(changed("\"lease_s\": 5.0", "\"lease_s\": 1e300"));
    refused(changed("\"lease_s\": 5.0", "\"lease_s\": null"));
    refused(changed("\"shards\": 1", "\"shards\": 0"));
    refused(changed("\"kind\": \"stop\"", "\"kind\": \"flood\""));
    refused(changed("\"identity\": \"", "\"identity\": \"zz"));
}

}  // namespace lockstep::test
