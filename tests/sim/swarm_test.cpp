#include "sim/swarm.hpp"

#include "core/base/hash.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <set>
#include <span>

namespace lockstep::sim::swarm_tests {

SwarmInput input_of(std::uint64_t seed) {
    SwarmInput input;
    input.seed = seed;
    input.servers = {"n1", "n2", "n3", "n4", "n5"};
    input.clients = {"a", "b", "c"};
    input.resources = {"store"};
    input.interesting = {seconds(2), milliseconds(700), milliseconds(500)};
    input.between_servers = {"append", "append-reply"};
    input.from_clients = {"acquire"};
    input.to_clients = {"acquire-reply"};
    input.roles = {"leader", "holder", "next-waiter"};
    input.from = seconds(1);
    input.to = seconds(30);
    input.break_clocks = true;
    return input;
}

/// Faults of a kind that many seeds draw.
FaultPlan many(FaultKind kind, const SwarmInput& like, std::uint64_t seeds = 300) {
    FaultPlan all;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        SwarmInput input = like;
        input.seed = seed;
        input.kinds = {kind};
        for (const Fault& fault : draw_swarm(input).faults) all.push_back(fault);
    }
    return all;
}

std::set<std::string> aims(const FaultPlan& plan) {
    std::set<std::string> names;
    for (const Fault& fault : plan) names.insert(fault.aim.name);
    return names;
}

// Seeds must go on to mean what they meant. The number was taken when there were no other kinds.
TEST_CASE("swarm: the plan for the first kinds of faults is what it was before the others came") {
    std::uint64_t digest = 0;
    std::size_t faults = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        SwarmInput input = input_of(seed);
        input.break_disks = true;
        input.groups = {"zone-1", "zone-2"};
        for (Fault fault : draw_swarm(input).faults) {
            if (fault.kind > FaultKind::DropMessage) continue;
            // The kind of message is a later draw.
            if (fault.kind != FaultKind::DropMessage) fault.message.clear();
            const std::string text = fault.label();
            ++faults;
            digest = hash_words(digest, hash_bytes(std::as_bytes(std::span(text))),
                                static_cast<std::uint64_t>(fault.start.ns),
                                static_cast<std::uint64_t>(fault.clock));
        }
    }
    CHECK(faults == 3'414);
    CHECK(digest == 18'042'968'916'010'343'517ULL);
}

TEST_CASE("swarm: some faults of links concern one kind of message, most all of them") {
    for (const FaultKind kind :
         {FaultKind::Loss, FaultKind::Delay, FaultKind::Duplicate, FaultKind::Reorder}) {
        INFO(to_string(kind));
        const FaultPlan plan = many(kind, input_of(0));
        std::set<std::string> named;
        std::size_t alone = 0;
        for (const Fault& fault : plan) {
            alone += fault.message.empty() ? 0 : 1;
            if (fault.message.empty()) continue;
            named.insert(fault.message);
            const bool of_servers = fault.message.starts_with("append");
            const std::string& peers = fault.peers.front();
            CHECK((!of_servers || peers == "servers" || peers == "others"));
        }
        CHECK((alone > plan.size() / 6 && alone < plan.size() / 3));
        CHECK(named == std::set<std::string>{"append", "append-reply", "acquire", "acquire-reply"});
    }
    SwarmInput nameless = input_of(0);
    nameless.from_clients.clear();
    nameless.to_clients.clear();
    nameless.between_servers.clear();
    for (const Fault& fault : many(FaultKind::Loss, nameless, 50)) CHECK(fault.message.empty());
}

TEST_CASE("swarm: a zone is lost only if a majority of the servers is left, or none need be") {
    SwarmInput input = input_of(0);
    CHECK(many(FaultKind::ZoneLoss, input).empty());
    input.groups = {"zone-1", "zone-2"};  // n1, n3, n5 and n2, n4
    const FaultPlan some = many(FaultKind::ZoneLoss, input);
    CHECK(aims(some) == std::set<std::string>{"zone-2"});
    for (const Fault& fault : some) CHECK(fault.aim.by == Aim::By::Group);
    input.unlimited = true;
    CHECK(aims(many(FaultKind::ZoneLoss, input)) == std::set<std::string>{"zone-1", "zone-2"});
    input.unlimited = false;
    input.groups = {"zone-1"};
    CHECK(many(FaultKind::ZoneLoss, input).empty());
    input.groups = {"zone-1", "zone-2", "zone-3"};
    CHECK(aims(many(FaultKind::ZoneLoss, input)) ==
          std::set<std::string>{"zone-1", "zone-2", "zone-3"});
}

TEST_CASE("swarm: kinds that act on a group are aimed at one, and no others are") {
    SwarmInput input = input_of(0);
    input.groups = {"zone-1", "zone-2"};
    input.break_disks = true;
    for (std::size_t i = 0; i < fault_kinds; ++i) {
        const auto kind = static_cast<FaultKind>(i);
        INFO(to_string(kind));
        const FaultPlan plan = many(kind, input, 60);
        CHECK(!plan.empty());
        for (const Fault& fault : plan)
            CHECK((fault.aim.by == Aim::By::Group) == fields_of(kind).group);
    }
    CHECK(aims(many(FaultKind::RestartAll, input)) ==
          std::set<std::string>{"servers", "clients", "resources"});
    CHECK(aims(many(FaultKind::Swizzle, input)) ==
          std::set<std::string>{"servers", "clients", "zone-1", "zone-2"});
}

TEST_CASE("swarm: drawn amounts can be had") {
    SwarmInput input = input_of(0);
    input.break_disks = true;
    for (const Fault& fault : many(FaultKind::CrashLoop, input)) {
        CHECK((fault.amount >= milliseconds(1) && fault.amount < fault.period));
        CHECK(fault.aim.by != Aim::By::Group);
    }
    std::uint32_t largest = 0;
    for (const Fault& fault : many(FaultKind::CrashAtSync, input)) {
        CHECK((fault.count >= 1 && fault.count <= 16));
        largest = std::max(largest, fault.count);
    }
    CHECK(largest > 8);
    for (const Fault& fault : many(FaultKind::ClockStrobe, input)) {
        CHECK(fault.amount != Duration{});
        CHECK(fault.period >= milliseconds(10));
        CHECK(fault.duration.ns / fault.period.ns <= 41);
    }
    for (const Fault& fault : many(FaultKind::DiskSlow, input)) CHECK(fault.amount > Duration{});
    for (const FaultKind kind : {FaultKind::DiskError, FaultKind::DiskFull})
        for (const Fault& fault : many(kind, input)) CHECK(fault.duration <= seconds(3));
    for (const FaultKind kind : {FaultKind::Reset, FaultKind::DiskRot})
        for (const Fault& fault : many(kind, input)) CHECK(fault.duration == Duration{});
}

}  // namespace lockstep::sim::swarm_tests
