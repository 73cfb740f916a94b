#include "core/base/prng.hpp"
#include "core/lock/table.hpp"
#include "tests/rapid/lock_model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rapid.hpp"

#include <map>
#include <ostream>

namespace lockstep::test {
namespace {

/// One entry, as numbers that are given their meaning by what there is when its turn comes.
struct Step {
    int kind;     ///< see command_of
    int who;      ///< a session, of those that ever were
    int seq;      ///< 1 to 6: so few that repeats and crossings are common
    int mark;     ///< mostly low, or everything would be stale
    int lock;     ///< 1 to 3
    int variant;  ///< try-only, right or wrong token, right or wrong term
};

std::ostream& operator<<(std::ostream& out, const Step& s) {
    static const char* const kinds[] = {"open",     "close",     "acquire",    "acquire",
                                        "acquire",  "acquire",   "cancel",     "release",
                                        "release",  "expire",    "snapshot",   "no-op",
                                        "end-hold", "end-delay", "checkpoint", "clear"};
    return out << kinds[s.kind] << "{who " << s.who << " seq " << s.seq << " mark " << s.mark
               << " lock " << s.lock << " variant " << s.variant << "}";
}

rc::Gen<Step> step_gen() {
    return rc::gen::build<Step>(
        rc::gen::set(&Step::kind, rc::gen::inRange(0, 16)),
        rc::gen::set(&Step::who, rc::gen::inRange(0, 8)),
        rc::gen::set(&Step::seq, rc::gen::inRange(1, 7)),
        rc::gen::set(&Step::mark, rc::gen::weightedElement<int>({{12, 1}, {2, 2}, {1, 3}, {1, 5}})),
        rc::gen::set(&Step::lock, rc::gen::inRange(1, 4)),
        rc::gen::set(&Step::variant, rc::gen::inRange(0, 4)));
}

rc::Gen<std::vector<Step>> steps_gen() {
    return rc::gen::scale(2.0, rc::gen::container<std::vector<Step>>(step_gen()));
}

constexpr Term term(4);

/// Nothing for what is not a command (snapshot, no-op).
std::optional<lock::Command> command_of(const Step& s, const LockModel& model) {
    const auto count = static_cast<int>(model.sessions.size());
    // Mostly the newest sessions, of which some live.
    const int place = std::max(0, count - 1 - s.who);
    const SessionId session = count == 0 ? SessionId(1) : model.sessions[place].id;
    const RequestSeq seq(s.seq), mark(s.mark);
    const LockId lock(s.lock);
    switch (s.kind) {
        case 0: {
            const NodeId client(1 + s.who % 3);
            // A nonce of the past one time in four.
            const Nonce nonce(s.variant == 0 ? 1 + s.seq : 1 + count);
            return lock::Open{nonce, seconds(s.seq), client};
        }
        case 1:
            return lock::Close{session, seq};
        case 2:
        case 3:
        case 4:
        case 5:
            return lock::Acquire{session, seq, mark, lock, s.variant == 0};
        case 6:
            return lock::Cancel{session, seq, mark, lock};
        case 7:
        case 8: {
            const LockModel::Hold* hold = model.hold_of(lock);
            FencingToken token = hold == nullptr ? FencingToken(1) : hold->token;
            if (s.variant == 0) token = FencingToken(token.value - 1);
            // One time in two by who holds it.
            const bool by_holder = s.variant % 2 == 1 && hold != nullptr;
            return lock::Release{by_holder ? hold->by.session : session, seq, mark, lock, token};
        }
        case 9:
            return lock::Expire{session, s.variant == 0 ? term.prev() : term,
                                seconds(s.variant == 1 ? s.seq : 0)};
        case 12:
        case 13: {
            // Mostly the grant or delay that there is, in this term.
            const auto* of = s.kind == 12 ? model.hold_of(lock) : model.delay_of(lock);
            FencingToken token = of == nullptr ? FencingToken(s.seq) : of->token;
            if (s.variant == 0) token = FencingToken(token.value - 1);
            const Term in = s.variant == 1 ? term.prev() : term;
            if (s.kind == 12) return lock::EndHold{lock, token, in};
            return lock::EndDelay{lock, token, in};
        }
        case 14: {
            lock::Checkpoint checkpoint{s.variant == 0 ? term.prev() : term, {}};
            for (const auto& known : model.sessions)
                if (known.id.value % 4 != static_cast<std::uint64_t>(s.variant))
                    checkpoint.leases.push_back({known.id, seconds(s.seq - 1)});
            return checkpoint;
        }
        case 15:
            return lock::ClearCheckpoint{session};
        default:
            return std::nullopt;
    }
}

std::vector<std::byte> bytes_of(const lock::Table& table) {
    Writer out;
    table.encode(out);
    return {out.bytes().begin(), out.bytes().end()};
}

void compare_states(const lock::Table& table, const LockModel& model) {
    std::size_t live = 0;
    for (const auto& session : model.sessions) {
        RC_ASSERT(table.live(session.id) == session.live);
        live += session.live ? 1 : 0;
        std::vector<wire::HeldGrant> expected, grants;
        for (const auto& h : model.holds)
            if (h.by.session == session.id) expected.push_back({h.lock, h.by.seq, h.token});
        std::sort(expected.begin(), expected.end(),
                  [](const auto& a, const auto& b) { return a.lock < b.lock; });
        table.grants(session.id, grants);
        RC_ASSERT((grants == expected));
        std::vector<RequestSeq> waiting;
        table.waits(session.id, waiting);
        const auto waits = std::count_if(model.waits.begin(), model.waits.end(),
                                         [&](const auto& w) { return w.by.session == session.id; });
        RC_ASSERT(static_cast<std::ptrdiff_t>(waiting.size()) == waits);
    }
    RC_ASSERT(table.session_count() == live);
    table.for_each_session([&](SessionId id, Duration, const std::optional<Duration>& left) {
        RC_ASSERT((left == model.checkpoint_of(id)));
    });
    for (std::uint32_t id = 1; id <= 3; ++id) {
        const auto* hold = model.hold_of(LockId(id));
        RC_ASSERT(table.holder(LockId(id)).value == (hold == nullptr ? 0 : hold->by.session.value));
        RC_ASSERT(table.delayed(LockId(id)) == (model.delay_of(LockId(id)) != nullptr));
        RC_ASSERT(table.waiters(LockId(id)) == model.queue(LockId(id)).size());
    }
}

void compare_answers(const lock::Outcome& out, const LockModel::Told& told,
                     const LockModel& model) {
    RC_ASSERT(out.answer.status == told.status);
    RC_ASSERT(out.answer.token.value == told.token.value);
    RC_ASSERT(out.answer.other_seq.value == told.other.value);
    if (out.answer.operation == Operation::Open)
        RC_ASSERT(out.answer.session.value == told.session.value);
    RC_ASSERT(out.notices.size() == model.granted.size());
    for (std::size_t i = 0; i < out.notices.size(); ++i) {
        const auto& expected = model.granted[i];
        RC_ASSERT(out.notices[i].session.value == expected.by.session.value);
        RC_ASSERT((out.notices[i].grant ==
                   wire::HeldGrant{expected.lock, expected.by.seq, expected.token}));
    }
}

/// None that is met, or so low that most are.
lock::Limits limits_of(bool low) {
    lock::Limits limits;
    if (low) limits = {4, 2, 4, 1};
    return limits;
}

/// What the outcome says of grants and delays, for who times them, against what the table says.
void compare_timers(const lock::Table& before, const lock::Table& after, const lock::Outcome& out) {
    std::map<lock::Hold, Duration> timed;
    before.for_each_lock([&](const lock::Hold& h, Duration delay) { timed[h] = delay; });
    for (const lock::Hold& h : out.ended_holds) RC_ASSERT(timed.erase(h) == 1);
    for (const lock::Hold& h : out.ended_delays) RC_ASSERT(timed.erase(h) == 1);
    for (const lock::Delay& d : out.delayed) RC_ASSERT(timed.emplace(d.after, d.span).second);
    for (const lock::Hold& h : out.granted) RC_ASSERT(timed.emplace(h, Duration()).second);
    std::map<lock::Hold, Duration> expected;
    after.for_each_lock([&](const lock::Hold& h, Duration delay) { expected[h] = delay; });
    RC_ASSERT((timed == expected));
}

/// The entries of a case, applied; calls `each(command, outcome)` after every one.
template <class Each>
lock::Table play(const std::vector<Step>& steps, Each&& each) {
    lock::Table table;
    LockModel model;
    lock::Outcome out;
    for (const Step& step : steps) {
        const auto command = command_of(step, model);
        const LogIndex index = table.applied().next();
        if (!command) {
            table.skip(index);
            continue;
        }
        model.apply(*command, index, term);
        table.apply(*command, index, term, out);
        each(*command, out);
    }
    return table;
}

}  // namespace

TEST_CASE("lock: the table does what the model does") {
    check_property("lock table against its model", [] {
        const lock::Limits limits = limits_of(*rc::gen::arbitrary<bool>());
        lock::Table table(limits);
        LockModel model(limits);
        lock::Outcome out;
        for (const Step& step : *steps_gen()) {
            const auto command = command_of(step, model);
            const LogIndex index = table.applied().next();
            if (command) {
                const lock::Table before = table;
                const auto told = model.apply(*command, index, term);
                table.apply(*command, index, term, out);
                compare_answers(out, told, model);
                compare_timers(before, table, out);
            } else if (step.kind == 10) {
                const auto bytes = bytes_of(table);
                auto copy = lock::Table::decode(bytes, limits);
                RC_ASSERT(copy.has_value());
                RC_ASSERT(copy->state_hash() == table.state_hash());
                RC_ASSERT((bytes_of(*copy) == bytes));
                table = *std::move(copy);
            } else {
                table.skip(index);
            }
            compare_states(table, model);
        }
    });
}

TEST_CASE("lock: a request applied twice in a row is as one applied once") {
    check_property("repeats change nothing", [] {
        const lock::Limits limits = limits_of(*rc::gen::arbitrary<bool>());
        lock::Table table(limits);
        LockModel model(limits);
        for (const Step& step : *steps_gen()) {
            const auto command = command_of(step, model);
            const LogIndex index = table.applied().next();
            if (!command) continue;
            lock::Outcome first, second;
            model.apply(*command, index, term);
            table.apply(*command, index, term, first);
            lock::Table undisturbed = table;
            undisturbed.skip(index.next());
            model.apply(*command, index.next(), term);
            table.apply(*command, index.next(), term, second);
            // A checkpoint written again is one more, of the same.
            RC_ASSERT(
                (second.events.empty() || std::holds_alternative<lock::Checkpoint>(*command)));
            RC_ASSERT(second.notices.empty());
            RC_ASSERT(table.state_hash() == undisturbed.state_hash());
            if (std::holds_alternative<lock::Close>(*command)) continue;
            RC_ASSERT(first.answer.status == second.answer.status);
            RC_ASSERT(first.answer.token.value == second.answer.token.value);
            RC_ASSERT(first.answer.session.value == second.answer.session.value);
        }
    });
}

TEST_CASE("lock: waiters are served in the order in which they came") {
    check_property("queues are first in, first out", [] {
        std::map<LockId, std::vector<std::pair<SessionId, RequestSeq>>> queues;
        std::map<LockId, FencingToken> tokens;
        const auto left = [&](LockId lock, SessionId session, RequestSeq seq) {
            std::erase(queues[lock], std::pair(session, seq));
        };
        play(*steps_gen(), [&](const lock::Command&, const lock::Outcome& out) {
            for (const auto& event : out.events) {
                if (const auto* e = std::get_if<events::Queued>(&event)) {
                    RC_ASSERT(e->position == queues[e->lock].size());
                    queues[e->lock].emplace_back(e->session, e->seq);
                } else if (const auto* cancelled = std::get_if<events::Cancelled>(&event)) {
                    if (cancelled->effect == events::CancelEffect::LeftQueue)
                        left(cancelled->lock, cancelled->session, cancelled->seq);
                } else if (const auto* ended = std::get_if<events::SessionEnded>(&event)) {
                    for (auto& [lock, queue] : queues)
                        std::erase_if(queue, [&](auto& w) { return w.first == ended->session; });
                } else if (const auto* granted = std::get_if<events::Granted>(&event)) {
                    auto& queue = queues[granted->lock];
                    if (!queue.empty()) {
                        RC_ASSERT((queue.front() == std::pair(granted->session, granted->seq)));
                        queue.erase(queue.begin());
                    }
                    RC_ASSERT(granted->token > tokens[granted->lock]);
                    tokens[granted->lock] = granted->token;
                }
            }
        });
    });
}

TEST_CASE("lock: a damaged snapshot is refused, or is a table that works") {
    check_property("damaged snapshots", [] {
        auto bytes = bytes_of(play(*steps_gen(), [](const auto&, const auto&) {}));
        const auto seed = *rc::gen::arbitrary<std::uint64_t>();
        Prng prng(seed);
        const std::uint64_t changes = 1 + prng.below(3);
        for (std::uint64_t i = 0; i < changes; ++i) {
            const std::uint64_t at = prng.below(bytes.size());
            bytes[at] = static_cast<std::byte>(prng.chance(500'000) ? prng.below(12) : prng.next());
        }
        auto table = lock::Table::decode(bytes);
        RC_CLASSIFY(table.has_value());
        if (!table) return;
        RC_ASSERT((bytes_of(*table) == bytes));
        if (table->applied() == LogIndex(UINT64_MAX)) return;
        const LockModel nobody;
        lock::Outcome out;
        for (const Step& step : *steps_gen()) {
            auto command = command_of(step, nobody);
            if (!command) continue;
            const SessionId session(prng.below(12));
            std::visit(
                [&](auto& c) {
                    if constexpr (requires { c.session; }) c.session = session;
                },
                *command);
            table->apply(*command, table->applied().next(), term, out);
        }
        const auto again = lock::Table::decode(bytes_of(*table));
        RC_ASSERT(again.has_value());
        RC_ASSERT(again->state_hash() == table->state_hash());
    });
}

TEST_CASE("lock: arbitrary bytes are a command, a snapshot, or refused") {
    check_property("arbitrary bytes", [](const std::vector<std::uint8_t>& raw) {
        const auto bytes = std::as_bytes(std::span(raw));
        lock::Command command;
        if (lock::decode(bytes, command)) RC_ASSERT(lock::encode(command) == Blob::copy_of(bytes));
        if (const auto table = lock::Table::decode(bytes))
            RC_ASSERT(std::ranges::equal(bytes_of(*table), bytes));
    });
}

}  // namespace lockstep::test
