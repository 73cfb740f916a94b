#include "core/resource/endpoint.hpp"

#include "tests/support/catch.hpp"

#include <optional>

namespace lockstep::test::endpoints {
namespace {

using resource::call_key;
using resource::Endpoint;

/// An endpoint whose disk and callers are the test.
struct EndpointDriver {
    void step(resource::Input input) {
        effects.clear();
        endpoint.step(std::move(input), effects);
        if (!effects.persist.empty()) asked = effects.persist.back().id;
    }
    void call(std::uint64_t key, std::uint64_t op, std::uint64_t value) {
        step(resource::Request{NodeId(7), wire::Call{LockId(1), FencingToken(5), key, op, value}});
    }
    void sync() { step(resource::Persisted{asked}); }
    wire::CallReply called(std::uint64_t key, std::uint64_t op, std::uint64_t value = 1) {
        call(key, op, value);
        if (effects.replies.empty()) sync();
        REQUIRE(effects.replies.size() == 1);
        return std::get<wire::CallReply>(effects.replies[0].reply);
    }
    /// Whether the call that was answered last was reported as one that took effect; nothing if it
    /// was not reported.
    std::optional<bool> first() const {
        if (effects.events.empty()) return std::nullopt;
        REQUIRE(effects.events.size() == 1);
        return std::get<events::CallAccepted>(effects.events[0]).first;
    }
    std::size_t remembered() const {
        std::size_t calls = 0;
        endpoint.for_each([&](const resource::TakenCall&) { ++calls; });
        return calls;
    }

    Endpoint endpoint;
    resource::Effects effects;
    std::uint64_t asked = 0;
};

}  // namespace

TEST_CASE(
    "resource: of the calls with one key the first takes effect, and all are answered alike") {
    EndpointDriver d;
    const auto taken = d.called(call_key(1, 1), 100, 42);
    CHECK(taken.accepted);
    CHECK(taken.first);
    CHECK(taken.value == 42);
    CHECK(d.first() == true);

    const auto copy = d.called(call_key(1, 1), 100, 42);
    CHECK(copy.accepted);
    CHECK(copy.first);  // it is this attempt that took effect
    CHECK(copy.value == 42);
    CHECK(d.first() == false);  // once
    CHECK(d.effects.persist.empty());

    const auto other = d.called(call_key(1, 1), 101, 43);
    CHECK(other.accepted);
    CHECK_FALSE(other.first);
    CHECK(other.value == 42);
    CHECK(d.first() == false);
    CHECK(d.effects.persist.empty());

    CHECK(d.called(call_key(1, 2), 102, 44).value == 44);
    CHECK(d.called(call_key(2, 1), 103, 45).value == 45);  // another series
    CHECK(d.remembered() == 3);
}

TEST_CASE("resource: an endpoint answers a call when it is durable, and its repeats no sooner") {
    EndpointDriver d;
    d.call(call_key(1, 1), 100, 42);
    REQUIRE(d.effects.persist.size() == 1);
    CHECK(d.effects.persist[0].entry ==
          resource::Entry(resource::TakenCall{call_key(1, 1), 100, 42, FencingToken(5)}));
    CHECK(d.effects.replies.empty());
    CHECK(d.effects.events.empty());
    d.call(call_key(1, 1), 101, 43);
    CHECK(d.effects.persist.empty());
    CHECK(d.effects.replies.empty());
    d.sync();
    CHECK(d.effects.replies.size() == 2);
    CHECK(d.effects.events.size() == 2);
}

TEST_CASE("resource: an endpoint takes keys out of order, as far back as it remembers") {
    EndpointDriver d;
    const std::uint32_t newest = 1'000;
    d.called(call_key(1, newest), 1);
    CHECK(d.called(call_key(1, newest - Endpoint::kept + 1), 2).first);
    const auto old = d.called(call_key(1, newest - Endpoint::kept), 3);
    CHECK_FALSE(old.accepted);
    CHECK_FALSE(d.first().has_value());
    CHECK(d.effects.persist.empty());
    CHECK(d.called(call_key(2, 1), 4).first);  // that is for each series
}

TEST_CASE("resource: what an endpoint has forgotten it does not take again") {
    EndpointDriver d;
    for (std::uint32_t k = 1; k <= 10'000; ++k) {
        CHECK(d.called(call_key(1, k), k).first);
        CHECK(d.remembered() <= Endpoint::kept);
    }
    CHECK(d.endpoint.find(call_key(1, 10'000 - Endpoint::kept)) == nullptr);
    CHECK_FALSE(d.called(call_key(1, 10'000 - Endpoint::kept), 20'000).accepted);
    CHECK_FALSE(d.called(call_key(1, 1), 20'001).accepted);
    CHECK(d.called(call_key(1, 10'001 - Endpoint::kept), 20'002).accepted);
    CHECK(d.first() == false);
    // The numbers may end where they can.
    CHECK(d.called(call_key(1, UINT32_MAX), 20'003).first);
    CHECK(d.remembered() == 1);
    CHECK_FALSE(d.called(call_key(1, 10'000), 20'004).accepted);
}

TEST_CASE("resource: an endpoint knows what was found in its file") {
    EndpointDriver d;
    d.endpoint.restore({call_key(1, 5), 100, 42, FencingToken(3)});
    const auto again = d.called(call_key(1, 5), 101, 43);
    CHECK(again.accepted);
    CHECK_FALSE(again.first);
    CHECK(again.value == 42);
    CHECK(d.first() == false);
}

TEST_CASE("resource: an endpoint is no store") {
    EndpointDriver d;
    d.step(resource::Request{NodeId(7), wire::Write{LockId(1), FencingToken(5), 1, 100, 0, 42}});
    CHECK_FALSE(std::get<wire::WriteReply>(d.effects.replies.at(0).reply).accepted);
    d.step(resource::Request{NodeId(7), wire::Read{LockId(1), FencingToken(5), 101}});
    CHECK_FALSE(std::get<wire::ReadReply>(d.effects.replies.at(0).reply).accepted);
    CHECK(d.effects.events.empty());
}

}  // namespace lockstep::test::endpoints
