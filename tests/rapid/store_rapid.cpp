#include "core/resource/record_codec.hpp"
#include "core/resource/store.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rapid.hpp"

#include <deque>
#include <ostream>
#include <utility>

namespace lockstep::test::stores {
namespace {

using resource::Fencing;
using resource::Record;

struct StoreStep {
    enum Kind { Write, Read, Sync, Crash } kind;
    std::uint64_t token;
    std::uint64_t n;
    std::uint64_t op;
    std::size_t keep;  ///< Sync: so many of the writes in flight; Crash: likewise survive
};

std::ostream& operator<<(std::ostream& out, const StoreStep& s) {
    static const char* const kinds[] = {"write", "read", "sync", "crash"};
    return out << kinds[s.kind] << "{token " << s.token << " n " << s.n << " op " << s.op
               << " keep " << s.keep << "}";
}

rc::Gen<StoreStep> store_step() {
    using Kind = StoreStep::Kind;
    return rc::gen::build<StoreStep>(
        rc::gen::set(&StoreStep::kind, rc::gen::weightedElement<Kind>({{6, StoreStep::Write},
                                                                       {3, StoreStep::Read},
                                                                       {4, StoreStep::Sync},
                                                                       {1, StoreStep::Crash}})),
        rc::gen::set(&StoreStep::token, rc::gen::inRange<std::uint64_t>(1, 5)),
        rc::gen::set(&StoreStep::n, rc::gen::inRange<std::uint64_t>(1, 4)),
        rc::gen::set(&StoreStep::op, rc::gen::inRange<std::uint64_t>(1, 3)),
        rc::gen::set(&StoreStep::keep, rc::gen::inRange<std::size_t>(0, 4)));
}

/// What the rules say, told the plain way: a pair that is compared as a pair, no ids, no waiting.
struct StoreModel {
    Fencing mode;
    Record at;

    bool write(const StoreStep& s) {
        const std::pair asked(s.token, s.n), held(at.token.value, at.n);
        if (asked == held && s.op == at.op) return true;
        if (mode != Fencing::None && asked <= held) return false;
        at = Record{s.op * 10, at.version + 1, FencingToken(s.token), s.n, s.op};
        return true;
    }
    bool read(const StoreStep& s) {
        if (mode != Fencing::Fenced) return true;
        if (s.token < at.token.value) return false;
        if (s.token > at.token.value) {
            at.token = FencingToken(s.token);
            at.n = 0;
        }
        return true;
    }
};

FencingToken held_token(const wire::ResourceReply& reply) {
    const auto* write = std::get_if<wire::WriteReply>(&reply);
    return write != nullptr ? write->held_token : std::get<wire::ReadReply>(reply).held_token;
}

struct Expected {
    bool accepted;
    Record after;
};

struct StoreRun {
    explicit StoreRun(Fencing m) : mode(m), store(m, Record{}), model{m, Record{}} {}

    void step(const StoreStep& s) {
        switch (s.kind) {
            case StoreStep::Write:
                return ask(s, true);
            case StoreStep::Read:
                return ask(s, false);
            case StoreStep::Sync:
                return sync(s.keep);
            case StoreStep::Crash:
                return crash(s.keep);
        }
    }

    void ask(const StoreStep& s, bool write) {
        const bool accepted = write ? model.write(s) : model.read(s);
        expected.push_back({accepted, model.at});
        const FencingToken token(s.token);
        if (write)
            hand(resource::Request{NodeId(1),
                                   wire::Write{LockId(1), token, s.n, s.op, 0, s.op * 10}});
        else
            hand(resource::Request{NodeId(1), wire::Read{LockId(1), token, s.op}});
        RC_ASSERT(store.record() == model.at);
    }

    /// Up to `keep` of the appends in flight reach the disk, in order; one Persisted stands for
    /// all.
    void sync(std::size_t keep) {
        keep = std::min(keep, in_flight.size());
        if (keep == 0) return;
        std::uint64_t last = 0;
        for (; keep > 0; --keep, in_flight.pop_front()) {
            encode(std::get<Record>(in_flight.front().entry), disk);
            last = in_flight.front().id;
        }
        hand(resource::Persisted{last});
    }

    /// Some of what was in flight survives, the next one torn. What was answered must be found.
    void crash(std::size_t keep) {
        for (; keep > 0 && !in_flight.empty(); --keep, in_flight.pop_front())
            encode(std::get<Record>(in_flight.front().entry), disk);
        std::vector<std::byte> file(disk.bytes().begin(), disk.bytes().end());
        if (!in_flight.empty()) {
            Writer torn;
            encode(std::get<Record>(in_flight.front().entry), torn);
            const auto part = torn.bytes().first(resource::record_bytes - 1);
            file.insert(file.end(), part.begin(), part.end());
        }
        const auto found = resource::recover(file);
        RC_ASSERT(found.valid_bytes == disk.size());
        RC_ASSERT(found.record.version >= answered.version);
        if (mode != Fencing::None) {
            const std::pair said(answered.token.value, answered.n);
            const std::pair kept(found.record.token.value, found.record.n);
            RC_ASSERT(kept >= said);
        }
        in_flight.clear();
        expected.clear();  // callers hear nothing; that they could not tell is the point
        store = resource::Store(mode, found.record);
        model.at = found.record;
    }

    void hand(resource::Input input) {
        effects.clear();
        store.step(std::move(input), effects);
        for (const auto& persist : effects.persist) in_flight.push_back(persist);
        RC_ASSERT(effects.events.size() == effects.replies.size());
        for (const auto& reply : effects.replies) check(reply.reply);
    }

    void check(const wire::ResourceReply& reply) {
        RC_ASSERT(!expected.empty());
        const Expected want = expected.front();
        expected.pop_front();
        const bool accepted = std::visit([](const auto& r) { return r.accepted; }, reply);
        const FencingToken held = held_token(reply);
        RC_ASSERT(accepted == want.accepted);
        RC_ASSERT(held == want.after.token);
        if (const auto* read = std::get_if<wire::ReadReply>(&reply); read != nullptr && accepted) {
            RC_ASSERT(read->value == want.after.value);
            RC_ASSERT(read->version == want.after.version);
        }
        // Durable before said: the disk as it is now tells the same.
        RC_ASSERT(resource::recover(disk.bytes()).record.version >= want.after.version);
        answered = want.after;
    }

    Fencing mode;
    resource::Store store;
    StoreModel model;
    resource::Effects effects;
    Writer disk;
    std::deque<resource::Persist> in_flight;
    std::deque<Expected> expected;
    Record answered;
};

}  // namespace

TEST_CASE("resource: the store decides as its rules say, and says nothing that a crash undoes") {
    check_property("store against its model", [] {
        const auto mode = *rc::gen::element(Fencing::Fenced, Fencing::WriteOnly, Fencing::None);
        const auto steps =
            *rc::gen::scale(2.0, rc::gen::container<std::vector<StoreStep>>(store_step()));
        StoreRun run(mode);
        for (const StoreStep& s : steps) run.step(s);
        run.sync(run.in_flight.size());
        RC_ASSERT(run.expected.empty());
    });
}

TEST_CASE("resource: records are found again, and any bytes are read without harm") {
    check_property("record round trip", [](std::uint64_t value, std::uint64_t version,
                                           std::uint64_t token, std::uint64_t n, std::uint64_t op) {
        const Record record{value, version, FencingToken(token), n, op};
        Writer out;
        encode(record, out);
        RC_ASSERT(resource::recover(out.bytes()).record == record);
    });
    check_property("any bytes", [](const std::vector<std::uint8_t>& noise) {
        const auto found = resource::recover(std::as_bytes(std::span(noise)));
        RC_ASSERT(found.valid_bytes <= noise.size());
        RC_ASSERT(found.valid_bytes % resource::record_bytes == 0);
    });
}

}  // namespace lockstep::test::stores
