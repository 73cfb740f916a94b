#pragma once

#include "core/lock/table.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace lockstep::test {

using events::AnswerStatus;
using events::Operation;

/// The lock service as one would explain it: lists of facts, searched from end to end, and one rule
/// that looks after every entry for free locks that somebody waits for.
class LockModel {
public:
    struct Session {
        SessionId id;
        NodeId client;
        Nonce nonce;
        bool live = true;
        RequestSeq mark{1};
    };
    struct Request {
        SessionId session;
        RequestSeq seq;
        bool operator==(const Request&) const = default;
    };
    struct Answer {
        Request to;
        bool of_release;
        AnswerStatus status;
        LockId lock;
        FencingToken token{};
        RequestSeq other{};
    };
    struct Hold {
        LockId lock;
        Request by;
        FencingToken token;
    };
    struct Wait {
        LockId lock;
        Request by;
    };
    struct Checkpoint {
        SessionId session;
        Duration left;
    };

    explicit LockModel(lock::Limits limits = {}) : limits_(limits) {}

    struct Told {
        AnswerStatus status{};
        FencingToken token{};
        RequestSeq other{};
        SessionId session{};
    };

    Told apply(const lock::Command& command, LogIndex index, Term term) {
        index_ = index;
        granted.clear();
        const Told told = std::visit(
            [&](const auto& c) {
                if constexpr (requires { c.term; }) {
                    if (c.term == term) on(c);
                    return Told{};
                } else {
                    return on(c);
                }
            },
            command);
        serve_waiters();
        return told;
    }

    Session* live(SessionId id) {
        for (Session& s : sessions)
            if (s.id == id && s.live) return &s;
        return nullptr;
    }
    const Hold* hold_of(LockId lock) const {
        for (const Hold& h : holds)
            if (h.lock == lock) return &h;
        return nullptr;
    }
    const Hold* delay_of(LockId lock) const {
        for (const Hold& d : delays)
            if (d.lock == lock) return &d;
        return nullptr;
    }
    std::optional<Duration> checkpoint_of(SessionId session) const {
        for (const Checkpoint& c : checkpoints)
            if (c.session == session) return c.left;
        return std::nullopt;
    }
    std::vector<Wait> queue(LockId lock) const {
        std::vector<Wait> in_order;
        for (const Wait& w : waits)
            if (w.lock == lock) in_order.push_back(w);
        return in_order;
    }

    std::vector<Session> sessions;
    std::vector<Session> ended;  ///< in the order in which they ended
    std::vector<Answer> answers;
    std::vector<Hold> holds;
    std::vector<Wait> waits;    ///< of all locks, in the order of the log
    std::vector<Hold> granted;  ///< to waiters, by the last entry
    std::vector<Hold> delays;   ///< by the grants that expired
    std::vector<Checkpoint> checkpoints;

private:
    Told on(const lock::Open& c) {
        for (const Session& s : sessions) {
            if (s.live && s.client == c.client && s.nonce == c.nonce)
                return {AnswerStatus::Ok, {}, {}, s.id};
        }
        std::vector<Nonce> over;
        for (const Session& s : ended)
            if (s.client == c.client) over.push_back(s.nonce);
        const auto kept = std::min(over.size(), lock::Table::ended_nonces_kept);
        if (std::count(over.end() - static_cast<std::ptrdiff_t>(kept), over.end(), c.nonce) > 0)
            return {AnswerStatus::SessionOver};
        const auto alive = std::count_if(sessions.begin(), sessions.end(),
                                         [](const Session& s) { return s.live; });
        if (static_cast<std::uint64_t>(alive) >= limits_.sessions)
            return {AnswerStatus::LimitReached};
        sessions.push_back({SessionId(index_.value), c.client, c.nonce});
        return {AnswerStatus::Ok, {}, {}, sessions.back().id};
    }
    Told on(const lock::Close& c) {
        if (live(c.session) == nullptr) return {AnswerStatus::SessionOver};
        end(c.session);
        return {AnswerStatus::Ok};
    }
    Told on(const lock::Acquire& c) {
        if (const auto over = outside(c)) return *over;
        const Request me{c.session, c.seq};
        if (answer_to(me) == nullptr) answers.push_back(decide(c, me));
        return told(me);
    }
    Answer decide(const lock::Acquire& c, Request me) {
        const Hold* hold = hold_of(c.lock);
        if (hold != nullptr && hold->by.session == c.session)
            return {me, false, AnswerStatus::AlreadyHeld, c.lock, hold->token, hold->by.seq};
        for (const Wait& w : waits)
            if (w.lock == c.lock && w.by.session == c.session)
                return {me, false, AnswerStatus::AlreadyWaiting, c.lock, {}, w.by.seq};
        const auto his = [&](const auto& what) { return what.by.session == c.session; };
        const auto has = std::count_if(holds.begin(), holds.end(), his) +
                         std::count_if(waits.begin(), waits.end(), his);
        if (static_cast<std::uint64_t>(has) >= limits_.locks_per_session)
            return {me, false, AnswerStatus::LimitReached, c.lock};
        if (hold == nullptr && delay_of(c.lock) == nullptr) {
            holds.push_back({c.lock, me, FencingToken(index_.value)});
            return {me, false, AnswerStatus::Granted, c.lock, holds.back().token};
        }
        if (c.try_only) return {me, false, AnswerStatus::Held, c.lock};
        if (queue(c.lock).size() >= limits_.waiters)
            return {me, false, AnswerStatus::LimitReached, c.lock};
        waits.push_back({c.lock, me});
        return {me, false, AnswerStatus::Queued, c.lock};
    }
    Told on(const lock::Cancel& c) {
        if (const auto over = outside(c)) return *over;
        const Request me{c.session, c.seq};
        if (answer_to(me) == nullptr)
            answers.push_back({me, false, AnswerStatus::Cancelled, c.lock});
        Answer& a = *answer_to(me);
        const bool ends = a.status == AnswerStatus::Queued || a.status == AnswerStatus::Granted;
        if (ends) {
            std::erase_if(waits, [&](const Wait& w) { return w.by == me && w.lock == a.lock; });
            std::erase_if(holds, [&](const Hold& h) { return h.by == me && h.lock == a.lock; });
            a = {me, false, AnswerStatus::Cancelled, a.lock};
        }
        return told(me);
    }
    Told on(const lock::Release& c) {
        if (const auto over = outside(c)) return *over;
        const Request me{c.session, c.seq};
        if (answer_to(me) == nullptr) {
            const auto freed = std::erase_if(holds, [&](const Hold& h) {
                return h.lock == c.lock && h.by.session == c.session && h.token == c.token;
            });
            answers.push_back(
                {me, true, freed > 0 ? AnswerStatus::Ok : AnswerStatus::NotHeld, c.lock});
        }
        return told(me);
    }

    Told on(const lock::Expire& c) {
        if (live(c.session) == nullptr) return {};
        if (c.delay.ns > 0)
            for (const Hold& h : holds)
                if (h.by.session == c.session) delays.push_back(h);
        end(c.session);
        return {};
    }
    Told on(const lock::EndHold& c) {
        std::erase_if(holds, [&](const Hold& h) { return h.lock == c.lock && h.token == c.token; });
        return {};
    }
    Told on(const lock::EndDelay& c) {
        std::erase_if(delays,
                      [&](const Hold& d) { return d.lock == c.lock && d.token == c.token; });
        return {};
    }
    Told on(const lock::Checkpoint& c) {
        for (const lock::Remaining& lease : c.leases) {
            on(lock::ClearCheckpoint{lease.session});
            if (live(lease.session) != nullptr) checkpoints.push_back({lease.session, lease.left});
        }
        return {};
    }
    Told on(const lock::ClearCheckpoint& c) {
        std::erase_if(checkpoints, [&](const Checkpoint& o) { return o.session == c.session; });
        return {};
    }

    std::optional<Told> outside(const auto& c) {
        Session* s = live(c.session);
        if (s == nullptr) return Told{AnswerStatus::SessionOver};
        s->mark = std::max(s->mark, c.mark);
        std::erase_if(answers,
                      [&](const Answer& a) { return a.to.session == s->id && a.to.seq < s->mark; });
        if (c.seq < s->mark) return Told{AnswerStatus::Stale};
        const auto kept = std::count_if(answers.begin(), answers.end(),
                                        [&](const Answer& a) { return a.to.session == s->id; });
        if (static_cast<std::uint64_t>(kept) >= limits_.requests_per_session &&
            answer_to({c.session, c.seq}) == nullptr)
            return Told{AnswerStatus::LimitReached};
        return std::nullopt;
    }
    void end(SessionId id) {
        Session* s = live(id);
        s->live = false;
        ended.push_back(*s);
        std::erase_if(waits, [&](const Wait& w) { return w.by.session == id; });
        std::erase_if(holds, [&](const Hold& h) { return h.by.session == id; });
        std::erase_if(answers, [&](const Answer& a) { return a.to.session == id; });
        std::erase_if(checkpoints, [&](const Checkpoint& c) { return c.session == id; });
    }
    void serve_waiters() {
        std::map<LockId, Wait> first;
        for (const Wait& w : waits)
            if (hold_of(w.lock) == nullptr && delay_of(w.lock) == nullptr) first.emplace(w.lock, w);
        for (const auto& [lock, w] : first) {
            holds.push_back({lock, w.by, FencingToken(index_.value)});
            granted.push_back(holds.back());
            std::erase_if(waits, [&](const Wait& o) { return o.lock == lock && o.by == w.by; });
            if (Answer* a = answer_to(w.by))
                *a = {w.by, false, AnswerStatus::Granted, lock, holds.back().token};
        }
    }
    Answer* answer_to(Request r) {
        for (Answer& a : answers)
            if (a.to == r) return &a;
        return nullptr;
    }
    Told told(Request r) {
        const Answer& a = *answer_to(r);
        return {a.status, a.token, a.other, {}};
    }

    lock::Limits limits_;
    LogIndex index_;
};

}  // namespace lockstep::test
