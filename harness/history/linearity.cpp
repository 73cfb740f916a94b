#include "harness/history/linearity.hpp"

#include "harness/history/checker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lockstep::history {
namespace {

namespace lin = properties::lin;

/// Numbers of leases without a name say whose they are.
constexpr std::uint64_t lease_bit = std::uint64_t{1} << 63;
constexpr int process_bits = 22;
constexpr std::uint64_t process_mask = (std::uint64_t{1} << process_bits) - 1;

LockId lock_id(const OpenCall& call) {
    return LockId(call.lock + 1);
}

}  // namespace

Linearity::Linearity(const Terms& terms, Findings& findings, const Names& processes,
                     const Names& locks)
    : terms_(terms),
      findings_(findings),
      processes_(processes),
      locks_(locks),
      history_({}, {[this](LockId lock) {
                        const std::string& name = locks_.name_of(lock.value - 1);
                        return name.empty() ? std::string("the lock") : name;
                    },
                    [this](SessionId session) { return name_of(session); }}) {
    if (terms.clock_error > 0)
        stop("needs stamps of one clock: it is about the order of all calls and answers");
}

/// Evidence counts time from the first line, as all other does.
sim::SimTime Linearity::at(std::int64_t time) const {
    return sim::SimTime{time == INT64_MAX ? time : time - first_};
}

Linearity::SessionId Linearity::named(const std::string& session) {
    const auto found = named_.find(session);
    if (found != named_.end()) return found->second;
    session_names_.push_back(session);
    promised_.push_back(false);
    const SessionId id(session_names_.size());
    named_.emplace(session, id);
    return id;
}

Linearity::SessionId Linearity::next_lease(std::uint32_t process) {
    return SessionId(lease_bit | ++leases_ << process_bits | (process & process_mask));
}

std::string Linearity::name_of(SessionId session) const {
    if ((session.value & lease_bit) == 0) return "session " + session_names_[session.value - 1];
    const auto process = static_cast<std::uint32_t>(session.value & process_mask);
    return processes_.name_of(process) + "'s lease";
}

void Linearity::called(OpenCall& call) {
    if (!on()) return;
    if (call.op == Op::Acquire) {
        const SessionId session =
            call.session.empty() ? next_lease(call.process) : named(call.session);
        call.lease = session.value;
        call.explains = history_.acquire(lock_id(call), session, at(call.time)).value;
    } else if (call.op == Op::Release) {
        const auto held = held_.find(key_of(call));
        // A release of what was never granted is GRANT-1's.
        if (held == held_.end()) return;
        call.lease = held->second.session.value;
        call.released = held->second.token.value;
        call.explains =
            history_.release(lock_id(call), held->second.session, held->second.token, at(call.time))
                .value;
    } else {
        return;
    }
    look(call.line);
}

void Linearity::ended(const OpenCall& call, const End& end) {
    if (!on()) return;
    const lin::CallId id(call.explains);
    switch (call.op) {
        case Op::Acquire:
            // Why an acquire was refused, a history does not say: it may have been for a limit.
            if (end.kind == Kind::No) history_.turned_away(id, at(end.time));
            if (end.kind == Kind::Unknown) history_.acquire_unknown(id, true, at(end.time));
            if (end.kind == Kind::Ok)
                granted(call, end);
            else if ((call.lease & lease_bit) != 0)
                history_.gone(SessionId(call.lease), at(end.time));
            break;
        case Op::Release:
            if (!id) return;
            // Both readings of a refused one will do.
            if (end.kind != Kind::Ok) history_.release_unknown(id, at(end.time));
            if (end.kind == Kind::Ok) history_.released(id, at(end.time));
            if ((call.lease & lease_bit) != 0) history_.gone(SessionId(call.lease), at(end.time));
            // By then the process may have been granted the lock anew.
            if (const auto held = held_.find(key_of(call));
                held != held_.end() && held->second.token.value == call.released)
                held_.erase(held);
            break;
        case Op::Renew:
            renewed(call, end);
            break;
        default:
            return;
    }
    look(end.line);
}

void Linearity::renewed(const OpenCall& call, const End& end) {
    SessionId session;
    if (!call.session.empty()) {
        session = named(call.session);
    } else if (call.lock != no_number) {
        const auto held = held_.find(key_of(call));
        if (held != held_.end()) session = held->second.session;
    }
    if (!session) return;
    const std::int64_t ttl = call.ttl ? call.ttl.value : terms_.ttl;
    if (end.kind == Kind::Ok && ttl > 0) promise(session, call.time, ttl, end.time);
    if (end.kind == Kind::No) history_.over(session, at(end.time));
}

void Linearity::granted(const OpenCall& call, const End& end) {
    while (per_lock_.size() <= call.lock) per_lock_.emplace_back();
    Lock& lock = per_lock_[call.lock];
    if (lock.grants++ == 0) lock.with_tokens = call.token.given;
    if (lock.with_tokens != call.token.given) {
        history_.acquire_unknown(lin::CallId(call.explains), true, at(end.time));
        return stop("some grants of a lock have a token, and others none");
    }
    // Without tokens, the answers come in the order of the grants: who has the lock gives it up
    // only after it was told of it.
    const FencingToken token(call.token ? call.token.value : ++lock.last);
    const SessionId session(call.lease);
    const bool named_late = (call.lease & lease_bit) != 0 && !call.session.empty();
    if (call.session.empty()) {
        const std::int64_t ttl = call.ttl ? call.ttl.value : terms_.ttl;
        promise(session, call.time, ttl, end.time);
    } else if (named_late) {
        promise(session, call.time, 0, end.time);
    } else if (!promised_[session.value - 1]) {
        promise(session, call.time, terms_.ttl, end.time);
    }
    history_.granted(lin::CallId(call.explains), token, at(end.time));
    // The TTL of a grant inside a session ends it alone; that of a session which only the answer
    // named is not known in this check.
    if (named_late || (!call.session.empty() && call.ttl))
        history_.hold_may_end(lock_id(call), session, token, at(end.time));
    Held& held = held_[key_of(call)];
    if ((held.session.value & lease_bit) != 0) history_.gone(held.session, at(end.time));
    held = {session, token};
}

void Linearity::promise(SessionId session, std::int64_t from, std::int64_t ttl, std::int64_t now) {
    if ((session.value & lease_bit) == 0) promised_[session.value - 1] = true;
    const std::int64_t until =
        ttl <= 0 ? INT64_MAX : add(from, shrink(Duration{ttl}, Ppm{terms_.drift_ppm}).ns);
    history_.promised(session, at(until), at(now));
}

void Linearity::lost(const OpenCall& said) {
    if (!on()) return;
    for (const auto& [key, held] : held_) {
        if (key >> 32 != said.process) continue;
        if (said.lock != no_number && said.lock != (key & 0xffff'ffff)) continue;
        const bool has_name = (held.session.value & lease_bit) == 0;
        if (has_name && !said.session.empty() &&
            session_names_[held.session.value - 1] != said.session)
            continue;
        lapse(said, key, held);
    }
    look(said.line);
}

/// From now on the service may end it whenever it likes: its process has given it up.
void Linearity::lapse(const OpenCall& said, std::uint64_t key, const Held& held) {
    const LockId lock(static_cast<std::uint32_t>(key & 0xffff'ffff) + 1);
    history_.hold_may_end(lock, held.session, held.token, at(said.time));
}

void Linearity::look(std::uint64_t line) {
    constexpr std::uint64_t look_every = 4'096;
    constexpr std::size_t most_kept = 100'000;
    if (const auto& objection = history_.objection()) {
        findings_.violated(PropertyId::Lin1, objection->at.ns + first_, {line},
                           [&] { return objection->evidence; });
        over_ = true;
        return;
    }
    if (++told_ % look_every != 0 || history_.kept() < most_kept) return;
    findings_.undecided(PropertyId::Lin1, 0, {line}, 0,
                        "an end, be it unknown, for each call that stays open",
                        [] { return std::string("too much is open to go on from here"); });
    over_ = true;
}

void Linearity::finish(std::int64_t now) {
    if (on()) {
        history_.finish(at(now));
        look(0);
    }
    findings_.checked(PropertyId::Lin1, history_.explained());
    if (!on() || !history_.gave_up()) return;
    findings_.undecided(PropertyId::Lin1, now, {}, 0, "fewer calls of unknown outcome", [] {
        return std::string(
            "there are too many ways in which calls of unknown outcome may have "
            "happened");
    });
}

std::string Linearity::idle_because() const {
    return reason_.empty() ? "no acquire was answered" : reason_;
}

}  // namespace lockstep::history
