#include "properties/rapid/exhaustive_lin.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

namespace lockstep::properties::rapid {
namespace {

using Outcome = LinCall::Outcome;

/// The sequential object, and which steps have been taken.
class Search {
public:
    explicit Search(const LinHistory& history) : history_(history) {}

    bool run() { return step(State()); }

private:
    struct Lock {
        int holder = -1;  ///< the acquire that was granted
        std::uint64_t token = 0;
        std::int64_t since = 0;
        bool delay = false;
        auto operator<=>(const Lock&) const = default;
    };
    struct State {
        std::uint32_t taken = 0;
        std::uint32_t ended = 0;
        std::int64_t now = INT64_MIN;
        std::array<Lock, 3> locks;
        auto operator<=>(const State&) const = default;
    };

    const LinCall& call(int i) const { return history_.calls[static_cast<std::size_t>(i)]; }

    bool step(const State& state) {
        if (!seen_.insert(state).second) return false;
        if (complete(state)) return true;
        for (int i = 0; i < static_cast<int>(history_.calls.size()); ++i)
            if (!(state.taken >> i & 1) && take(state, i)) return true;
        for (std::uint32_t s = 0; s < history_.sessions.size(); ++s)
            if (!(state.ended >> s & 1) && end_session(state, s)) return true;
        for (std::uint32_t l = 1; l < 3; ++l)
            if (state.locks[l].holder >= 0 && end_alone(state, l)) return true;
        return false;
    }

    bool complete(const State& state) const {
        for (int i = 0; i < static_cast<int>(history_.calls.size()); ++i)
            if (!(state.taken >> i & 1) && !call(i).is_maybe() &&
                call(i).outcome != Outcome::ReleaseUnknown)
                return false;
        for (std::uint32_t s = 0; s < history_.sessions.size(); ++s)
            if (!(state.ended >> s & 1) && history_.sessions[s].over != INT64_MAX) return false;
        for (const Lock& lock : state.locks)
            if (lock.holder >= 0 && call(lock.holder).outcome == Outcome::Cancelled) return false;
        return true;
    }

    /// An acquire that is said to hold nothing by its answer has ended by then.
    bool may_free(const Lock& lock, std::int64_t now) const {
        return call(lock.holder).outcome != Outcome::Cancelled || now <= call(lock.holder).answered;
    }

    /// A release follows the answer that gave its token, be it of the same instant.
    bool before_its_grant(const State& state, const LinCall& release) const {
        for (int i = 0; i < static_cast<int>(history_.calls.size()); ++i)
            if (!(state.taken >> i & 1) && call(i).outcome == Outcome::Granted &&
                call(i).lock == release.lock && call(i).session == release.session &&
                call(i).token == release.token)
                return true;
        return false;
    }

    bool take(State state, int i) {
        const LinCall& c = call(i);
        Lock& lock = state.locks[c.lock];
        const bool open_end = c.outcome == Outcome::Unknown ||
                              c.outcome == Outcome::UnknownGivenBack ||
                              c.outcome == Outcome::ReleaseUnknown;
        if (c.is_release() && before_its_grant(state, c)) return false;
        state.now = std::max(state.now, c.called);
        if (!open_end && state.now > c.answered) return false;
        state.taken |= 1U << i;
        const bool alive = !(state.ended >> (c.session - 1) & 1);
        const bool holds = lock.holder >= 0 && !call(lock.holder).is_maybe() &&
                           lock.token == c.token && call(lock.holder).session == c.session;
        switch (c.outcome) {
            case Outcome::Granted:
                if (lock.holder >= 0 || !alive || c.token <= lock.token) return false;
                lock = Lock{i, c.token, state.now, false};
                break;
            case Outcome::Refused:
                if (lock.holder < 0 && !(history_.rules.lock_delay && lock.delay)) return false;
                break;
            case Outcome::Cancelled:
            case Outcome::Unknown:
            case Outcome::UnknownGivenBack:
                if (lock.holder >= 0 || !alive) return false;
                lock = Lock{i, lock.token + 1, state.now, false};
                break;
            case Outcome::Released:
            case Outcome::ReleaseUnknown:
                if (!holds || !alive) return false;
                lock.holder = -1;
                lock.delay = c.outcome != Outcome::Released;
                break;
            case Outcome::NotHeld:
                if (holds) return false;
                break;
        }
        return step(state);
    }

    bool end_session(State state, std::uint32_t s) {
        const LinSession& session = history_.sessions[s];
        state.now = std::max(state.now, std::min(session.promised, session.may_end));
        if (state.now > session.over) return false;
        state.ended |= 1U << s;
        for (Lock& lock : state.locks) {
            if (lock.holder < 0 || call(lock.holder).session != s + 1) continue;
            if (!may_free(lock, state.now)) return false;
            lock.holder = -1;
            lock.delay = true;
        }
        return step(state);
    }

    /// A cancel, or the end of hold.
    bool end_alone(State state, std::uint32_t l) {
        Lock& lock = state.locks[l];
        const Outcome outcome = call(lock.holder).outcome;
        const bool given_back =
            outcome == Outcome::Cancelled || outcome == Outcome::UnknownGivenBack;
        if (!given_back) {
            if (history_.rules.hold_least.ns == 0) return false;
            state.now = std::max(state.now, lock.since + history_.rules.hold_least.ns);
        }
        if (!may_free(lock, state.now)) return false;
        lock.holder = -1;
        lock.delay = true;
        return step(state);
    }

    const LinHistory& history_;
    std::set<State> seen_;
};

/// Numbers out of bytes; zero once they are used up, so that less is simpler.
class Draw {
public:
    explicit Draw(const std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}
    std::int64_t below(std::int64_t n) {
        if (at_ == bytes_.size()) return 0;
        return bytes_[at_++] % n;
    }
    bool done() const { return at_ == bytes_.size(); }

private:
    const std::vector<std::uint8_t>& bytes_;
    std::size_t at_ = 0;
};

/// A service that does what it should, step by step.
class Service {
public:
    Service(LinHistory& history, Draw& draw) : history_(history), draw_(draw) {}

    void step() {
        now_ += draw_.below(3);
        const auto session = static_cast<std::uint64_t>(1 + draw_.below(3));
        const auto lock = static_cast<std::uint32_t>(1 + draw_.below(2));
        Lock& held = locks_[lock];
        const std::int64_t what = draw_.below(8);
        if (what == 0 && !ended_[session])
            end(session);
        else if (held.holder != 0 && what < 5)
            release(held, lock);
        else
            acquire(held, lock, session);
    }

private:
    struct Lock {
        std::uint64_t holder = 0;
        std::size_t call = 0;
    };

    LinCall& add(std::uint32_t lock, std::uint64_t session, Outcome outcome) {
        const std::int64_t before = draw_.below(4);
        const std::int64_t after = draw_.below(4);
        history_.calls.push_back({outcome, lock, session, 0, now_ - before, now_ + after});
        return history_.calls.back();
    }
    void end(std::uint64_t session) {
        LinSession& facts = history_.sessions[session - 1];
        ended_[session] = true;
        (draw_.below(2) == 0 ? facts.promised : facts.may_end) = now_ - draw_.below(3);
        if (facts.promised == INT64_MIN) facts.promised = INT64_MAX;
        if (draw_.below(2) == 0) facts.over = now_ + draw_.below(4);
        for (Lock& lock : locks_)
            if (lock.holder == session) lock.holder = 0;
    }
    void release(Lock& held, std::uint32_t lock) {
        LinCall& grant = history_.calls[held.call];
        if (grant.is_maybe()) {
            if (grant.outcome == Outcome::Unknown) return;
            grant.answered = std::max(grant.answered, now_);
            held.holder = 0;
            return;
        }
        const std::uint64_t token = grant.token;
        const std::uint64_t session = held.holder;
        grant.answered = std::min(grant.answered, now_);
        const std::int64_t told = grant.answered;
        LinCall& call =
            add(lock, session, draw_.below(3) == 0 ? Outcome::ReleaseUnknown : Outcome::Released);
        call.token = token;
        call.called = std::max(call.called, told);
        held.holder = 0;
    }
    void acquire(Lock& held, std::uint32_t lock, std::uint64_t session) {
        if (held.holder != 0) {
            add(lock, session, Outcome::Refused);
            return;
        }
        if (ended_[session]) return;
        static constexpr std::array<Outcome, 8> outcomes{
            Outcome::Granted, Outcome::Granted,   Outcome::Granted,          Outcome::Granted,
            Outcome::Unknown, Outcome::Cancelled, Outcome::UnknownGivenBack, Outcome::Granted};
        LinCall& call = add(lock, session, outcomes[static_cast<std::size_t>(draw_.below(8))]);
        tokens_[lock] += 1 + static_cast<std::uint64_t>(draw_.below(2));
        if (call.outcome == Outcome::Granted) call.token = tokens_[lock];
        held = Lock{session, history_.calls.size() - 1};
    }

    LinHistory& history_;
    Draw& draw_;
    std::int64_t now_ = 4;
    std::array<Lock, 3> locks_;
    std::array<std::uint64_t, 3> tokens_{};
    std::array<bool, 4> ended_{};
};

struct Telling {
    std::int64_t at;
    int order;
    std::uint64_t tie;
    std::size_t what;
};

}  // namespace

bool explainable(const LinHistory& history) {
    for (const LinCall& call : history.calls) {
        if (call.outcome != Outcome::Released) continue;
        const bool granted =
            std::any_of(history.calls.begin(), history.calls.end(), [&](const LinCall& other) {
                return other.outcome == Outcome::Granted && other.lock == call.lock &&
                       other.session == call.session && other.token == call.token;
            });
        if (!granted) return false;
    }
    return Search(history).run();
}

LinHistory lin_history(const std::vector<std::uint8_t>& bytes, std::size_t most) {
    LinHistory history;
    history.sessions.resize(3);
    Draw draw(bytes);
    history.rules.lock_delay = draw.below(4) == 1;
    if (draw.below(4) == 1) history.rules.hold_least = nanoseconds(1 + draw.below(4));
    Service service(history, draw);
    for (int i = 0; i < 64 && history.calls.size() < most && !draw.done(); ++i) service.step();
    return history;
}

void distort(LinHistory& history, const std::vector<std::uint8_t>& bytes) {
    if (history.calls.empty()) return;
    Draw draw(bytes);
    const auto size = static_cast<std::int64_t>(history.calls.size());
    LinCall& call = history.calls[static_cast<std::size_t>(draw.below(size))];
    switch (draw.below(6)) {
        case 0:
            if (call.token > 1) call.token -= 1;
            break;
        case 1:
            if (call.outcome == Outcome::Refused) call.outcome = Outcome::Cancelled;
            if (call.outcome == Outcome::Granted) call.outcome = Outcome::Refused;
            break;
        case 2:
            if (call.outcome == Outcome::Released) call.outcome = Outcome::NotHeld;
            break;
        case 3:
            call.called += draw.below(6);
            call.answered = std::max(call.answered, call.called);
            break;
        case 4: {
            LinSession& session = history.sessions[call.session - 1];
            session.promised = draw.below(20);
            if (draw.below(2) == 0) session.over = draw.below(20);
            break;
        }
        default:
            call.answered = std::max(call.called, call.answered - draw.below(6));
            break;
    }
    // A release follows the answer that gave its token.
    for (LinCall& release : history.calls)
        for (const LinCall& grant : history.calls)
            if (release.is_release() && grant.outcome == Outcome::Granted &&
                grant.token == release.token && grant.lock == release.lock) {
                release.called = std::max(release.called, grant.answered);
                release.answered = std::max(release.answered, release.called);
            }
}

lin::History tell(const LinHistory& history, std::uint64_t turn) {
    std::vector<Telling> order;
    const std::size_t calls = history.calls.size();
    for (std::size_t i = 0; i < calls; ++i) {
        const LinCall& call = history.calls[i];
        const int base = call.is_release() ? 2 : 0;
        const std::uint64_t tie = (i + 1) * (turn * 2 + 1) % 11;
        order.push_back({call.called, base, tie, i});
        order.push_back({call.answered, base + 1, tie, i + calls});
    }
    for (std::size_t s = 0; s < history.sessions.size(); ++s) {
        const int when = turn % 2 == 0 ? -1 : 4;
        if (history.sessions[s].may_end != INT64_MAX)
            order.push_back({history.sessions[s].may_end, when, s, 2 * calls + 2 * s});
        if (history.sessions[s].over != INT64_MAX)
            order.push_back({history.sessions[s].over, when, s, 2 * calls + 2 * s + 1});
    }
    std::sort(order.begin(), order.end(), [](const Telling& a, const Telling& b) {
        return std::tie(a.at, a.order, a.tie, a.what) < std::tie(b.at, b.order, b.tie, b.what);
    });

    lin::History told(history.rules);
    for (std::size_t s = 0; s < history.sessions.size(); ++s)
        told.promised(SessionId(s + 1), sim::SimTime{history.sessions[s].promised},
                      sim::SimTime{-10});
    std::vector<lin::CallId> ids(calls);
    for (const Telling& telling : order) {
        const sim::SimTime at{telling.at};
        if (telling.what >= 2 * calls) {
            const SessionId session((telling.what - 2 * calls) / 2 + 1);
            if ((telling.what - 2 * calls) % 2 == 0)
                told.may_end(session, at);
            else
                told.over(session, at);
            continue;
        }
        const LinCall& call = history.calls[telling.what % calls];
        lin::CallId& id = ids[telling.what % calls];
        const LockId lock(call.lock);
        const SessionId session(call.session);
        if (telling.what < calls) {
            id = call.is_release() ? told.release(lock, session, FencingToken(call.token), at)
                                   : told.acquire(lock, session, at);
            continue;
        }
        switch (call.outcome) {
            case Outcome::Granted:
                told.granted(id, FencingToken(call.token), at);
                break;
            case Outcome::Refused:
                told.refused(id, at);
                break;
            case Outcome::Cancelled:
                told.cancelled(id, at);
                break;
            case Outcome::Unknown:
                told.acquire_unknown(id, false, at);
                break;
            case Outcome::UnknownGivenBack:
                told.acquire_unknown(id, true, at);
                break;
            case Outcome::Released:
                told.released(id, at);
                break;
            case Outcome::NotHeld:
                told.not_held(id, at);
                break;
            case Outcome::ReleaseUnknown:
                told.release_unknown(id, at);
                break;
        }
    }
    told.finish(sim::SimTime{1000});
    return told;
}

std::ostream& operator<<(std::ostream& out, const LinHistory& history) {
    static constexpr std::array<const char*, 8> names{"granted",  "refused",     "cancelled",
                                                      "unknown",  "given back?", "released",
                                                      "not held", "released?"};
    out << "delay " << history.rules.lock_delay << " hold " << history.rules.hold_least.ns << '\n';
    for (const LinCall& c : history.calls)
        out << "  [" << c.called << ", " << c.answered << "] lock " << c.lock << " session "
            << c.session << " token " << c.token << ' '
            << names[static_cast<std::size_t>(c.outcome)] << '\n';
    for (const LinSession& s : history.sessions)
        out << "  session: promised " << s.promised << " may end " << s.may_end << " over "
            << s.over << '\n';
    return out;
}

}  // namespace lockstep::properties::rapid
