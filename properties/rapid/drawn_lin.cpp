#include "properties/rapid/exhaustive_lin.hpp"

#include <algorithm>
#include <array>

/// Histories out of bytes: right ones, and what becomes of them when one thing in them is changed.
namespace lockstep::properties::rapid {
namespace {

using Outcome = LinCall::Outcome;

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
            // What is cancelled holds the lock until its answer at the latest.
            LinCall& holder = history_.calls[held.call];
            if (holder.outcome == Outcome::Cancelled)
                holder.answered = std::max(holder.answered, now_);
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

}  // namespace

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

}  // namespace lockstep::properties::rapid
