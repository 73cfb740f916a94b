#include "core/resource/store.hpp"

#include "core/base/assert.hpp"
#include "tests/support/catch.hpp"

#include <optional>
#include <string_view>

namespace lockstep::test::stores {
namespace {

using resource::Fencing;
using resource::Record;
using Story = std::vector<std::string_view>;

/// A store whose disk and callers are the test.
struct StoreDriver {
    explicit StoreDriver(Fencing mode, Record recovered = {}) : store(mode, recovered) {}

    void write(std::uint64_t token, std::uint64_t n, std::uint64_t op, std::uint64_t value = 0) {
        step(resource::Request{NodeId(7), wire::Write{LockId(1), FencingToken(token), n, op,
                                                      store.record().version, value}});
    }
    void read(std::uint64_t token, std::uint64_t op = 0) {
        step(resource::Request{NodeId(7), wire::Read{LockId(1), FencingToken(token), op}});
    }
    void persisted(std::uint64_t id) { step(resource::Persisted{id}); }
    /// Everything asked for so far becomes durable, and the answers come out.
    void sync() {
        if (asked > 0) persisted(asked);
    }
    void step(resource::Input input) {
        effects.clear();
        store.step(std::move(input), effects);
        if (!effects.persist.empty()) asked = effects.persist.back().id;
    }
    /// The answer to a write that is, or becomes, durable.
    wire::WriteReply wrote(std::uint64_t token, std::uint64_t n, std::uint64_t op,
                           std::uint64_t value = 0) {
        write(token, n, op, value);
        if (effects.replies.empty()) sync();
        REQUIRE(effects.replies.size() == 1);
        return std::get<wire::WriteReply>(effects.replies[0].reply);
    }
    wire::ReadReply got(std::uint64_t token) {
        read(token);
        if (effects.replies.empty()) sync();
        REQUIRE(effects.replies.size() == 1);
        return std::get<wire::ReadReply>(effects.replies[0].reply);
    }
    Story story() const {
        Story names;
        for (const auto& event : effects.events) names.push_back(events::kind_name(event.index()));
        return names;
    }

    resource::Store store;
    resource::Effects effects;
    std::uint64_t asked = 0;
};

}  // namespace

TEST_CASE("resource: a fenced write is accepted if its token and n are higher, and only then") {
    StoreDriver d(Fencing::Fenced);
    const auto first = d.wrote(5, 1, 100, 42);
    CHECK(first.accepted);
    CHECK(first.op == 100);
    CHECK(first.version == 1);
    CHECK(d.store.record() == Record{42, 1, FencingToken(5), 1, 100});
    CHECK(d.wrote(5, 2, 101, 43).accepted);
    CHECK(d.wrote(5, 4, 102, 44).accepted);  // gaps are no matter
    CHECK(d.wrote(6, 1, 103, 45).accepted);  // a higher token, from any n
    const Record held = d.store.record();

    const auto refused = d.wrote(5, 9, 104, 66);
    CHECK_FALSE(refused.accepted);
    CHECK(refused.held_token == FencingToken(6));
    CHECK(d.story() == Story{"write-rejected"});
    const auto& event = std::get<events::WriteRejected>(d.effects.events.at(0));
    CHECK(event.token == FencingToken(5));
    CHECK(event.held_token == FencingToken(6));
    CHECK(event.held_n == 1);
    CHECK(d.effects.persist.empty());
    CHECK(d.store.record() == held);
    CHECK(d.wrote(6, 2, 105).accepted);
    CHECK_FALSE(d.wrote(6, 1, 103).accepted);  // an old copy of the write before
}

TEST_CASE("resource: an equal token and n get the answer of before") {
    const Fencing mode = GENERATE(Fencing::Fenced, Fencing::WriteOnly);
    StoreDriver d(mode);
    const auto first = d.wrote(5, 1, 100, 42);
    const auto again = d.wrote(5, 1, 100, 42);
    CHECK(again.accepted);
    CHECK(again.version == first.version);
    CHECK(d.story() == Story{"write-repeated"});
    CHECK(d.effects.persist.empty());
    // The number was given to two operations: the second was never done, and must not hear yes.
    CHECK_FALSE(d.wrote(5, 1, 101, 99).accepted);
    CHECK(d.store.record().value == 42);
}

TEST_CASE("resource: a write reports the version it read, the one it met, and the one it made") {
    StoreDriver d(Fencing::Fenced, Record{1, 7, FencingToken(3), 2, 50});
    d.step(resource::Request{NodeId(9), wire::Write{LockId(1), FencingToken(4), 1, 51, 6, 8}});
    d.sync();
    const auto& e = std::get<events::WriteAccepted>(d.effects.events.at(0));
    CHECK(e.token == FencingToken(4));
    CHECK(e.n == 1);
    CHECK(e.op == 51);
    CHECK(e.read_version == 6);
    CHECK(e.prior_version == 7);
    CHECK(e.version == 8);
    CHECK(d.effects.replies.at(0).to == NodeId(9));
}

TEST_CASE(
    "resource: a fenced read with a higher token raises the mark, durably, before its answer") {
    StoreDriver d(Fencing::Fenced);
    d.wrote(5, 3, 100, 42);
    d.read(6, 200);
    CHECK(d.effects.replies.empty());
    CHECK(d.effects.events.empty());
    REQUIRE(d.effects.persist.size() == 1);
    CHECK(d.effects.persist[0].entry == resource::Entry(Record{42, 1, FencingToken(6), 0, 100}));
    d.sync();
    const auto reply = std::get<wire::ReadReply>(d.effects.replies.at(0).reply);
    CHECK(reply.accepted);
    CHECK(reply.op == 200);
    CHECK(reply.value == 42);
    CHECK(reply.version == 1);
    CHECK(reply.held_token == FencingToken(6));
    CHECK(std::get<events::ReadAccepted>(d.effects.events.at(0)).held_token == FencingToken(5));

    // The older writer cannot slip in between the newer holder's read and its write.
    CHECK_FALSE(d.wrote(5, 4, 101, 66).accepted);
    CHECK_FALSE(d.wrote(5, 3, 100, 42).accepted);  // nor hear yes again for what it wrote before
    CHECK_FALSE(d.wrote(6, 0, 102, 66).accepted);  // n counts from one
    CHECK(d.wrote(6, 1, 103, 43).accepted);
}

TEST_CASE("resource: a fenced read with the token held changes nothing; a lower one is refused") {
    StoreDriver d(Fencing::Fenced);
    d.wrote(5, 3, 100, 42);
    CHECK(d.got(5).accepted);
    CHECK(d.effects.persist.empty());
    CHECK(d.store.record().n == 3);
    const auto refused = d.got(4);
    CHECK_FALSE(refused.accepted);
    CHECK(refused.value == 0);
    CHECK(refused.held_token == FencingToken(5));
    CHECK(d.story() == Story{"read-rejected"});
    CHECK(d.wrote(5, 4, 101).accepted);
}

TEST_CASE("resource: write_only fences writes, and lets an old writer in after a new reader") {
    StoreDriver d(Fencing::WriteOnly);
    d.wrote(5, 1, 100, 42);
    CHECK(d.got(6).accepted);
    CHECK(d.effects.persist.empty());
    CHECK(d.got(4).accepted);
    CHECK(d.wrote(5, 2, 101, 66).accepted);  // what `fenced` exists to refuse
    CHECK(d.wrote(6, 1, 102, 43).accepted);
    CHECK_FALSE(d.wrote(5, 3, 103, 67).accepted);
}

TEST_CASE("resource: without fencing everything is accepted, but for a copy of the last write") {
    StoreDriver d(Fencing::None);
    CHECK(d.wrote(5, 1, 100, 42).version == 1);
    CHECK(d.wrote(5, 1, 100, 42).version == 1);
    CHECK(d.story() == Story{"write-repeated"});
    CHECK(d.wrote(3, 9, 101, 43).version == 2);
    CHECK(d.wrote(5, 1, 100, 42).version == 3);  // a late copy undoes what came between
    CHECK(d.store.record().value == 42);
    CHECK(d.got(1).accepted);
}

TEST_CASE("resource: nothing is answered, nor reported, before what it rests on is durable") {
    StoreDriver d(Fencing::Fenced);
    d.write(5, 1, 100, 42);
    REQUIRE(d.effects.persist.size() == 1);
    CHECK(d.effects.persist[0].id == 1);
    CHECK(d.effects.replies.empty());
    CHECK(d.effects.events.empty());
    SECTION("a repeat") {
        d.write(5, 1, 100, 42);
    }
    SECTION("a refusal, which tells the token held") {
        d.write(4, 1, 101);
    }
    SECTION("a read that raises nothing") {
        d.read(5);
    }
    SECTION("a refused read") {
        d.read(4);
    }
    CHECK(d.effects.persist.empty());
    CHECK(d.effects.replies.empty());
    CHECK(d.effects.events.empty());
    d.persisted(1);
    CHECK(d.effects.replies.size() == 2);
    CHECK(d.effects.events.size() == 2);
    CHECK(d.story()[0] == "write-accepted");
}

TEST_CASE("resource: answers come in the order of the decisions, each when its record is durable") {
    StoreDriver d(Fencing::Fenced);
    d.write(5, 1, 100);
    d.write(5, 2, 101);
    d.read(5, 102);
    d.read(6, 103);
    d.write(5, 3, 104);
    CHECK(d.asked == 3);

    SECTION("one by one") {
        d.persisted(1);
        CHECK(d.story() == Story{"write-accepted"});
        d.persisted(2);
        CHECK(d.story() == Story{"write-accepted", "read-accepted"});
        d.persisted(3);
        CHECK(d.story() == Story{"read-accepted", "write-rejected"});
    }
    SECTION("one for all before") {
        d.persisted(3);
        CHECK(d.story() == Story{"write-accepted", "write-accepted", "read-accepted",
                                 "read-accepted", "write-rejected"});
        CHECK(d.effects.replies.size() == 5);
    }
    d.read(6);
    CHECK(d.effects.replies.size() == 1);  // all is durable: at once
}

TEST_CASE("resource: a record that was recovered is durable") {
    StoreDriver d(Fencing::Fenced, Record{42, 7, FencingToken(5), 2, 100});
    d.write(5, 2, 100, 42);  // its answer was lost in the crash
    REQUIRE(d.effects.replies.size() == 1);
    CHECK(std::get<wire::WriteReply>(d.effects.replies[0].reply).accepted);
    CHECK(std::get<wire::WriteReply>(d.effects.replies[0].reply).version == 7);
    CHECK_FALSE(d.wrote(5, 1, 99).accepted);
    CHECK(d.wrote(5, 3, 101).version == 8);
}

TEST_CASE("resource: a disk that answers for what it was not asked is a mistake of the driver's") {
    StoreDriver d(Fencing::Fenced);
    CHECK_THROWS_AS(d.persisted(1), AssertionFailed);
    d.write(5, 1, 100);
    d.write(5, 2, 101);
    d.persisted(2);
    CHECK_THROWS_AS(d.persisted(1), AssertionFailed);
}

}  // namespace lockstep::test::stores
