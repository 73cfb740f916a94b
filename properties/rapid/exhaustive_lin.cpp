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
