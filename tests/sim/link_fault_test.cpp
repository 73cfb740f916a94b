#include "sim/fault_injector.hpp"
#include "tests/sim/fault_world.hpp"
#include "tests/sim/scripted.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

namespace lockstep::sim::link_fault_tests {

using test::Lines;

constexpr ProcessId a(1), b(2), c(3);

/// Three that log what they hear, an armed plan, and what was told of links. Message kinds are
/// `seven` and `eight`.
struct Three : test::ScriptedWorld {
    test::Roles roles;
    std::optional<FaultInjector> injector;

    explicit Three(FaultPlan plan, LinkMode mode = LinkMode::Ordered, std::uint64_t seed = 1)
        : ScriptedWorld(seed) {
        for (const char* name : {"a", "b", "c"}) add_logger(name);
        LinkModel model;
        model.mode = mode;
        model.delay = {milliseconds(1), milliseconds(1)};
        world.network().set_default(model);
        const auto number = [](Trigger::On, std::string_view name) {
            return std::optional<std::uint32_t>(name == "eight" ? 8u : 7u);
        };
        injector.emplace(world, std::move(plan), Ppm{10'000}, roles, number);
        injector->arm();
    }
    void run_to(std::int64_t ms) { world.run_until(SimTime{} + milliseconds(ms)); }
    const FaultTally& tally(FaultKind kind) const {
        return injector->tally()[static_cast<std::size_t>(kind)];
    }
    /// `1>2 on`, `1>2 cut`, `1>2 off`, ... since the last call, in order.
    std::string troubles() {
        std::string text;
        for (; looked_at < events.size(); ++looked_at) {
            const auto* told = std::get_if<LinkTroubled>(&events[looked_at].event);
            if (told == nullptr) continue;
            text += fmt::format("{}{}>{} {}", text.empty() ? "" : ", ",
                                events[looked_at].process.value, told->peer.value,
                                !told->on   ? "off"
                                : told->cut ? "cut"
                                            : "on");
        }
        return text;
    }
    std::size_t looked_at = 0;
};

Fault make(FaultKind kind, Duration at, Duration lasts, const char* peer = "b") {
    Fault fault;
    fault.kind = kind;
    fault.aim = {Aim::By::Process, "a"};
    fault.peers = {peer};
    fault.start = at;
    fault.duration = lasts;
    return fault;
}

Fault outward(Fault fault) {
    fault.direction = Direction::Out;
    return fault;
}

TEST_CASE("fault: what is sent into a black hole is gone, and nobody is told, then or later") {
    for (const LinkMode mode : {LinkMode::Ordered, LinkMode::Datagram}) {
        Three w({outward(make(FaultKind::BlackHole, seconds(1), seconds(20))),
                 outward(make(FaultKind::BlackHole, seconds(2), seconds(1)))},
                mode);
        w.world.trace_messages(true);
        w.run_to(999);
        w.send(a, b, 1);  // arrives within it
        w.run_to(1'500);
        w.send(a, b, 2);
        w.send(b, a, 3);  // the other way
        w.send(a, c, 4);  // to somebody else
        w.run_to(20'900);
        Lines said = w.said();
        std::sort(said.begin(), said.end());
        CHECK(said == Lines{"a got 3", "b got 1", "c got 4"});
        CHECK(w.traced[1].dropped == "vanished");
        w.send(a, b, 5);
        w.run_to(21'500);
        w.send(a, b, 6);
        w.run_to(60'000);
        CHECK(w.said() == Lines{"b got 6"});
        CHECK(w.count<LinkWasReset>() == 0);
        CHECK(w.world.network().drained());
        CHECK(w.troubles() == "1>2 cut, 1>2 off");
        CHECK(w.tally(FaultKind::BlackHole).ended == 2);
    }
}

TEST_CASE("fault: a black hole that is healed lets through what is sent from then on") {
    Three w({make(FaultKind::BlackHole, seconds(1), seconds(50))});
    w.run_to(1'500);
    w.send(a, b, 1);
    w.send(b, a, 2);
    w.run_to(2'000);
    w.injector->heal();
    w.send(a, b, 3);
    w.send(b, a, 4);
    w.run_to(60'000);
    Lines said = w.said();
    std::sort(said.begin(), said.end());
    CHECK(said == Lines{"a got 4", "b got 3"});
    CHECK(w.troubles() == "1>2 cut, 2>1 cut, 1>2 off, 2>1 off");
}

TEST_CASE("fault: a reset loses what is in flight, tells both ends, and is over at once") {
    Three w({make(FaultKind::Reset, milliseconds(10), {}),
             make(FaultKind::Reset, milliseconds(10), {}, "c")});
    w.run_to(9);
    w.world.run_until(SimTime{} + microseconds(9'500));
    w.send(a, b, 1);
    w.send(b, a, 2);
    w.run_to(10);
    CHECK(w.injector->quiet());
    w.send(a, b, 3);
    w.run_to(10'000);
    Lines said = w.said();
    std::sort(said.begin(), said.end());
    CHECK(said == Lines{"a reset by 2", "b got 3", "b reset by 1"});
    CHECK(w.tally(FaultKind::Reset).started == 2);
    CHECK(w.tally(FaultKind::Reset).ended == 2);
    // With c there was no connection.
    CHECK(w.count<LinkWasReset>() == 2);
    const std::string told = w.troubles();
    for (const char* blip : {"1>2 on, 1>2 off", "2>1 on, 2>1 off"})
        CHECK(told.find(blip) != std::string::npos);
}

TEST_CASE("fault: a fault of one kind of message leaves the others alone") {
    Fault loss = outward(make(FaultKind::Loss, milliseconds(1), seconds(1)));
    loss.ppm = 1'000'000;
    loss.message = "eight";
    Fault late = outward(make(FaultKind::Delay, milliseconds(1), seconds(1), "c"));
    late.amount = milliseconds(300);
    late.message = "eight";
    Fault twice = make(FaultKind::Duplicate, milliseconds(1), seconds(1), "c");
    twice.direction = Direction::In;
    twice.ppm = 1'000'000;
    twice.message = "seven";
    Three w({loss, late, twice}, LinkMode::Datagram);
    w.run_to(2);
    w.send(a, b, 1);
    w.send(a, b, 1'001);
    w.send(b, a, 1'002);
    w.send(a, c, 2);
    w.send(a, c, 1'003);
    w.send(c, a, 3);
    w.send(c, a, 1'004);
    w.run_to(200);
    Lines said = w.said();
    std::sort(said.begin(), said.end());
    CHECK(said == Lines{"a got 1002", "a got 1004", "a got 3", "a got 3", "b got 1", "c got 2"});
    const std::string on = w.troubles();  // a duplicate harms nobody
    CHECK((on == "1>2 on, 1>3 on" || on == "1>3 on, 1>2 on"));
    w.run_to(302);
    CHECK(w.said().empty());
    w.run_to(400);
    CHECK(w.said() == Lines{"c got 1003"});
    w.run_to(1'500);
    const std::string off = w.troubles();
    CHECK((off == "1>2 off, 1>3 off" || off == "1>3 off, 1>2 off"));
    w.send(a, b, 1'005);
    w.send(a, c, 1'006);
    w.send(c, a, 4);
    w.run_to(1'600);
    said = w.said();
    std::sort(said.begin(), said.end());
    CHECK(said == Lines{"a got 4", "b got 1005", "c got 1006"});
}

TEST_CASE(
    "fault: on an ordered link the lost kind of message keeps back what follows, until the end") {
    Fault loss = outward(make(FaultKind::Loss, milliseconds(1), seconds(2)));
    loss.ppm = 1'000'000;
    loss.message = "eight";
    Fault wider = loss;
    wider.message.clear();
    wider.ppm = 10'000;
    wider.duration = seconds(1);
    Three w({loss, wider});
    w.run_to(2);
    w.send(a, b, 1);
    w.send(a, b, 1'001);
    w.send(a, b, 2);
    w.run_to(1'900);
    CHECK(w.said() == Lines{"b got 1"});
    w.run_to(3'000);
    CHECK(w.said() == Lines{"b got 1001", "b got 2"});
    CHECK(w.count<LinkWasReset>() == 0);
}

TEST_CASE("fault: nested troubles of a link are told as one, and a change to a cut and back") {
    Fault late = outward(make(FaultKind::Delay, seconds(1), seconds(9)));
    late.amount = milliseconds(5);
    Fault loss = outward(make(FaultKind::Loss, seconds(2), seconds(2)));
    loss.ppm = 10'000;
    Fault all = outward(make(FaultKind::Loss, seconds(8), seconds(1)));
    all.ppm = 1'000'000;
    Three w({late, loss, outward(make(FaultKind::Cut, seconds(3), seconds(3))),
             outward(make(FaultKind::BlackHole, seconds(5), seconds(2))), all});
    const auto until = [&w](std::int64_t s) {
        w.run_to(s * 1'000 + 500);
        return w.troubles();
    };
    CHECK(until(1) == "1>2 on");
    CHECK(until(2).empty());
    CHECK(until(3) == "1>2 cut");
    CHECK(until(6).empty());
    CHECK(until(7) == "1>2 on");
    CHECK(until(8) == "1>2 cut");
    CHECK(until(9) == "1>2 on");
    CHECK(until(10) == "1>2 off");
}

TEST_CASE("fault: a lost message is a trouble of that instant") {
    Fault drop = make(FaultKind::DropMessage, milliseconds(1), {});
    drop.message = "eight";
    drop.peers.clear();
    Three w({outward(drop)});
    w.run_to(500);
    CHECK(w.troubles().empty());
    w.send(a, c, 1'001);
    CHECK(w.troubles() == "1>3 on, 1>3 off");
    w.send(a, c, 1'002);
    w.run_to(600);
    CHECK(w.said() == Lines{"c got 1002"});
    CHECK(w.troubles().empty());
}

TEST_CASE("fault: a drop whose end has come is missed, and without an end waits until healing") {
    Fault until = outward(make(FaultKind::DropMessage, seconds(1), seconds(2)));
    until.message = "eight";
    Fault waits = until;
    waits.peers = {"c"};
    waits.duration = {};
    Three w({until, waits});
    w.run_to(3'500);
    CHECK(w.tally(FaultKind::DropMessage).missed == 1);
    w.send(a, b, 1'001);
    w.run_to(3'600);
    CHECK(w.said() == Lines{"b got 1001"});
    w.run_to(20'000);
    w.send(a, c, 1'002);
    CHECK(w.tally(FaultKind::DropMessage).started == 1);
    CHECK(w.tally(FaultKind::DropMessage).ended == 1);
    w.injector->heal();
    CHECK(w.tally(FaultKind::DropMessage).missed == 1);
    CHECK(w.count<FaultEnded>() == 1);
}

TEST_CASE("fault: a swizzle cuts a group off one by one, and lets it come back in another order") {
    std::set<std::string> leaving;
    std::set<std::string> last_back;
    std::set<std::string> pairs;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Fault swizzle = make(FaultKind::Swizzle, seconds(1), seconds(6));
        swizzle.aim = {Aim::By::Group, "clients"};  // all three
        swizzle.peers.clear();
        Three w({swizzle}, LinkMode::Ordered, seed);
        const Network& net = w.world.network();
        const auto off = [&net] {
            // Who has no link to any other.
            std::string who;
            for (const auto& [p, q, r] : {std::tuple(a, b, c), {b, a, c}, {c, a, b}})
                if (net.is_cut(p, q) && net.is_cut(q, p) && net.is_cut(p, r)) who += '0' + p.value;
            return who;
        };
        std::string first;
        std::vector<std::size_t> cut_links;
        for (std::int64_t ms = 500; ms < 8'000; ms += 1'000) {
            w.run_to(ms);
            std::size_t links = 0;
            for (const ProcessId p : {a, b, c})
                for (const ProcessId q : {a, b, c}) links += net.is_cut(p, q) ? 1 : 0;
            cut_links.push_back(links);
            if (ms == 1'500) first = off();
            if (ms == 6'500) {
                last_back.insert(off());
                pairs.insert(first + off());
            }
        }
        // One out of three: 4 links. Two: all 6.
        CHECK(cut_links == std::vector<std::size_t>{0, 4, 6, 6, 6, 6, 4, 0});
        CHECK(w.tally(FaultKind::Swizzle).ended == 1);
        leaving.insert(first);
    }
    CHECK(last_back == std::set<std::string>{"1", "2", "3"});
    CHECK(pairs.size() > 5);  // neither order follows from the other
    CHECK(leaving == std::set<std::string>{"1", "2", "3"});
}

TEST_CASE("fault: a swizzle that is healed in the middle leaves no link cut, and goes on no more") {
    for (const std::int64_t at : {1'500, 2'500, 4'500, 5'500, 6'500}) {
        Fault swizzle = make(FaultKind::Swizzle, seconds(1), seconds(6));
        swizzle.aim = {Aim::By::Group, "clients"};
        Three w({swizzle, make(FaultKind::Cut, seconds(1), seconds(50), "c")});
        w.run_to(at);
        w.injector->heal();
        for (const ProcessId p : {a, b, c})
            for (const ProcessId q : {a, b, c})
                CHECK(w.world.network().health(p, q) == Network::Health::Good);
        w.run_to(20'000);
        CHECK(!w.world.network().is_cut(a, b));
        CHECK(w.injector->quiet());
    }
}

}  // namespace lockstep::sim::link_fault_tests
