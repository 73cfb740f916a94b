#include "core/resource/row.hpp"

#include "tests/support/catch.hpp"

#include <string_view>

namespace lockstep::test::rows {
namespace {

using resource::Record;
using resource::Row;

/// A row whose disk and callers are the test.
struct RowDriver {
    explicit RowDriver(Record recovered = {}) : row(recovered) {}

    void step(resource::Input input) {
        effects.clear();
        row.step(std::move(input), effects);
        if (!effects.persist.empty()) asked = effects.persist.back().id;
    }
    void ask(wire::ResourceRequest request) { step(resource::Request{NodeId(7), request}); }
    void sync() { step(resource::Persisted{asked}); }
    /// The answer, once it is durable.
    template <class Answer>
    Answer told(wire::ResourceRequest request) {
        ask(std::move(request));
        if (effects.replies.empty()) sync();
        REQUIRE(effects.replies.size() == 1);
        return std::get<Answer>(effects.replies[0].reply);
    }
    wire::WriteReply wrote(std::uint64_t read_version, std::uint64_t op, std::uint64_t token = 5) {
        return told<wire::WriteReply>(
            wire::Write{LockId(1), FencingToken(token), 1, op, read_version, op * 10});
    }
    template <class Event>
    Event only() const {
        REQUIRE(effects.events.size() == 1);
        return std::get<Event>(effects.events[0]);
    }

    Row row;
    resource::Effects effects;
    std::uint64_t asked = 0;
};

}  // namespace

TEST_CASE("resource: a row takes a write on the version that it has, and no other") {
    RowDriver d;
    CHECK(d.wrote(0, 100).version == 1);
    const auto taken = d.only<events::WriteAccepted>();
    CHECK(taken.read_version == 0);
    CHECK(taken.prior_version == 0);
    CHECK(taken.version == 1);
    CHECK(d.wrote(1, 101).version == 2);

    for (const std::uint64_t version : {0U, 1U, 3U}) {
        const auto refused = d.wrote(version, 200 + version, 99);  // however high its token
        CHECK_FALSE(refused.accepted);
        CHECK(refused.version == 2);
        const auto event = d.only<events::WriteRejected>();
        CHECK(event.op == 200 + version);
        CHECK_FALSE(event.held_token);  // a row holds none
    }
    CHECK(d.row.record().value == 1010);
    CHECK(d.wrote(2, 102, 1).accepted);  // however low
}

TEST_CASE("resource: a row answers the last write again, and no earlier one") {
    RowDriver d(Record{7, 4, FencingToken(3), 1, 99, 3});
    CHECK(d.wrote(3, 99).accepted);
    CHECK(d.only<events::WriteRepeated>().op == 99);
    CHECK(d.effects.persist.empty());
    CHECK(d.row.record().version == 4);
    CHECK(d.wrote(4, 100).version == 5);
    CHECK_FALSE(d.wrote(3, 99).accepted);
    CHECK_FALSE(RowDriver().wrote(1, 0).accepted);  // a new row has seen no operation, not even 0
}

TEST_CASE("resource: a row lets everybody read, and that changes nothing") {
    RowDriver d(Record{7, 4, FencingToken(3), 1, 99, 3});
    for (const std::uint64_t token : {1U, 9U}) {
        const auto read = d.told<wire::ReadReply>(wire::Read{LockId(1), FencingToken(token), 200});
        CHECK(read.accepted);
        CHECK(read.value == 7);
        CHECK(read.version == 4);
        CHECK(d.only<events::ReadAccepted>().token == FencingToken(token));
        CHECK(d.effects.persist.empty());
    }
    CHECK_FALSE(d.told<wire::CallReply>(wire::Call{LockId(1), {}, 5, 6, 7}).accepted);
    CHECK(d.effects.events.empty());
}

TEST_CASE("resource: a row says nothing that a crash could undo") {
    RowDriver d;
    d.ask(wire::Write{LockId(1), FencingToken(5), 1, 100, 0, 42});
    REQUIRE(d.effects.persist.size() == 1);
    CHECK(d.effects.persist[0].entry == resource::Entry(Record{42, 1, FencingToken(5), 1, 100, 0}));
    CHECK(d.effects.replies.empty());
    CHECK(d.effects.events.empty());
    d.ask(wire::Read{LockId(1), FencingToken(5), 101});
    CHECK(d.effects.replies.empty());
    d.ask(wire::Write{LockId(1), FencingToken(5), 1, 102, 0, 43});
    CHECK(d.effects.replies.empty());
    d.sync();
    CHECK(d.effects.replies.size() == 3);
    CHECK(d.effects.events.size() == 3);
}

}  // namespace lockstep::test::rows
