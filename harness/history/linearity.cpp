#include "harness/history/linearity.hpp"

#include "harness/history/checker.hpp"
#include "harness/text.hpp"
#include "properties/context.hpp"

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

/// Some histories are over in a moment.
std::string time_text(sim::SimTime at) {
    constexpr std::int64_t moment = 100'000'000;
    return at.ns < moment ? harness::span_text(Duration{at.ns}) : properties::say(at);
}

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
                        return name.empty() ? "the lock" : "lock " + name;
                    },
                    [this](SessionId session) { return name_of(session); },
                    [this](LockId lock) {
                        return lock.value <= per_lock_.size() &&
                               per_lock_[lock.value - 1].with_tokens;
                    },
                    time_text}) {
    if (terms.clock_error > 0)
        reason_ = "needs stamps of one clock: it is about the order of all calls and answers";
}

/// Evidence counts time from the first line, as all other does.
sim::SimTime Linearity::at(std::int64_t time) const {
    return sim::SimTime{time == INT64_MAX ? time : time - first_};
}

Linearity::Session& Linearity::add_session(const std::string& name, std::uint32_t process,
                                           SessionId id) {
    named_.emplace(name, sessions_.size());
    return sessions_.emplace_back(Session{name, process, id, -1});
}

Linearity::Session& Linearity::named(const std::string& session, std::uint32_t process) {
    const auto found = named_.find(session);
    if (found != named_.end()) return sessions_[found->second];
    return add_session(session, process, SessionId(sessions_.size() + 1));
}

Linearity::Session* Linearity::session_of(SessionId session) {
    if ((session.value & lease_bit) == 0) return &sessions_[session.value - 1];
    const auto found = adopted_.find(session.value);
    return found == adopted_.end() ? nullptr : &sessions_[found->second];
}

Linearity::SessionId Linearity::next_lease(std::uint32_t process) {
    return SessionId(lease_bit | ++leases_ << process_bits | (process & process_mask));
}

std::string Linearity::name_of(SessionId id) {
    if (const Session* session = session_of(id))
        return fmt::format("process {} (session {})", processes_.name_of(session->process),
                           session->name);
    return "process " + processes_.name_of(static_cast<std::uint32_t>(id.value & process_mask));
}

void Linearity::called(OpenCall& call) {
    if (!on()) return;
    history_.place(call.line);
    if (call.op == Op::Acquire) {
        const SessionId session =
            call.session.empty() ? next_lease(call.process) : named(call.session, call.process).id;
        call.lease = session.value;
        call.explains = history_.acquire(lock_id(call), session, at(call.time)).value;
    } else if (call.op == Op::Release) {
        const auto held = held_.find(key_of(call));
        // A release of what was never granted is GRANT-1's.
        if (held == held_.end()) return;
        call.lease = held->second.session.value;
        call.released = held->second.token.value;
        call.of_another = call.token && per_lock_[call.lock].with_tokens &&
                          call.token.value != held->second.token.value;
        call.explains =
            history_.release(lock_id(call), held->second.session, held->second.token, at(call.time))
                .value;
    } else {
        return;
    }
    look(call.line, call.time);
}

void Linearity::ended(const OpenCall& call, const End& end) {
    if (!on()) return;
    history_.place(end.line);
    const lin::CallId id(call.explains);
    const bool alone = call.lease != 0 && of_one_grant(SessionId(call.lease));
    switch (call.op) {
        case Op::Acquire:
            // Why an acquire was refused, a history does not say: it may have been for a limit.
            if (end.kind == Kind::No) history_.turned_away(id, at(end.time));
            if (end.kind == Kind::Unknown) history_.acquire_unknown(id, true, at(end.time));
            if (end.kind == Kind::Ok)
                granted(call, end);
            else if (alone)
                history_.gone(SessionId(call.lease), at(end.time));
            break;
        case Op::Release:
            if (!id) return;
            // Both readings of a refused one will do, and of one that names an earlier grant; the
            // last may still be released by its own name.
            if (end.kind != Kind::Ok || call.of_another)
                history_.release_unknown(id, at(end.time));
            else
                history_.released(id, at(end.time));
            if (call.of_another) break;
            if (alone) history_.gone(SessionId(call.lease), at(end.time));
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
    look(end.line, end.time);
}

void Linearity::renewed(const OpenCall& call, const End& end) {
    SessionId id;
    if (!call.session.empty()) {
        id = named(call.session, call.process).id;
    } else if (call.lock != no_number) {
        const auto held = held_.find(key_of(call));
        if (held != held_.end()) id = held->second.session;
    }
    if (!id) return;
    const std::int64_t ttl = call.ttl ? call.ttl.value : terms_.ttl;
    if (end.kind == Kind::Ok && ttl > 0) {
        const std::int64_t until = promise(id, call.time, ttl, end.time);
        if (Session* session = session_of(id)) session->until = std::max(session->until, until);
    }
    if (end.kind == Kind::No) history_.over(id, at(end.time));
}

void Linearity::granted(const OpenCall& call, const End& end) {
    while (per_lock_.size() <= call.lock) per_lock_.emplace_back();
    Lock& lock = per_lock_[call.lock];
    if (lock.grants++ == 0) lock.with_tokens = call.token.given;
    if (lock.with_tokens && !call.token)
        return unplaced(call, end, "without a token, beside grants that have one",
                        "a token in each grant of the lock");
    const SessionId id(call.lease);
    Session* session = session_of(id);
    const bool named_late = session == nullptr && !call.session.empty();
    if (named_late) {
        if (is_known(call.session))
            return unplaced(call, end,
                            "in a session that was there before, but only the answer says so",
                            "the session in the call of the acquire");
        session = &add_session(call.session, call.process, id);
        adopted_.emplace(id.value, sessions_.size() - 1);
    }
    const std::int64_t until = begin_lease(call, end, session);
    // Without tokens, the answers come in the order of the grants: who has the lock gives it up
    // only after it was told of it, or when its lease is over.
    if (!lock.with_tokens && until <= end.time)
        return unplaced(call, end, "with a lease that was over when the answer came",
                        "tokens, which give the order of the grants");
    const FencingToken token(lock.with_tokens ? call.token.value : ++lock.last);
    history_.granted(lin::CallId(call.explains), token, at(end.time));
    // The TTL of a grant inside a session ends it alone.
    if (session != nullptr && call.ttl)
        history_.hold_ends_after(lock_id(call), id, token, at(bound(call.time, call.ttl.value)),
                                 at(end.time));
    Held& held = held_[key_of(call)];
    if (held.session && of_one_grant(held.session)) history_.gone(held.session, at(end.time));
    held = {id, token};
}

std::int64_t Linearity::begin_lease(const OpenCall& call, const End& end, Session* session) {
    if (session == nullptr) {
        const std::int64_t ttl = call.ttl ? call.ttl.value : terms_.ttl;
        return promise(SessionId(call.lease), call.time, ttl, end.time);
    }
    // The first that is heard of a session stands for its opening.
    if (session->until < 0) session->until = promise(session->id, call.time, terms_.ttl, end.time);
    return call.ttl ? std::min(session->until, bound(call.time, call.ttl.value)) : session->until;
}

void Linearity::unplaced(const OpenCall& call, const End& end, std::string_view why,
                         std::string_view decided_by) {
    history_.acquire_unknown(lin::CallId(call.explains), true, at(end.time));
    const SessionId id(call.lease);
    if (of_one_grant(id)) history_.gone(id, at(end.time));
    // What its process releases from here on may be this one.
    if (const auto held = held_.find(key_of(call)); held != held_.end()) {
        history_.hold_may_end(lock_id(call), held->second.session, held->second.token,
                              at(end.time));
        if (of_one_grant(held->second.session)) history_.gone(held->second.session, at(end.time));
        held_.erase(held);
    }
    findings_.undecided(PropertyId::Lin1, end.time, {call.line, end.line}, 0, decided_by, [&] {
        const std::string& name = locks_.name_of(call.lock);
        return fmt::format("process {} was granted {} {}: its place among the grants is not known",
                           processes_.name_of(call.process),
                           name.empty() ? "the lock" : "lock " + name, why);
    });
}

std::int64_t Linearity::bound(std::int64_t from, std::int64_t ttl) const {
    return ttl <= 0 ? INT64_MAX : add(from, shrink(Duration{ttl}, Ppm{terms_.drift_ppm}).ns);
}

std::int64_t Linearity::promise(SessionId session, std::int64_t from, std::int64_t ttl,
                                std::int64_t now) {
    const std::int64_t until = bound(from, ttl);
    history_.promised(session, at(until), at(now));
    return until;
}

void Linearity::lost(const OpenCall& said) {
    if (!on()) return;
    history_.place(said.line);
    for (const auto& [key, held] : held_) {
        if (key >> 32 != said.process) continue;
        if (said.lock != no_number && said.lock != (key & 0xffff'ffff)) continue;
        const Session* session = session_of(held.session);
        if (session != nullptr && !said.session.empty() && session->name != said.session) continue;
        lapse(said, key, held);
    }
    look(said.line, said.time);
}

/// From now on the service may end it whenever it likes: its process has given it up.
void Linearity::lapse(const OpenCall& said, std::uint64_t key, const Held& held) {
    const LockId lock(static_cast<std::uint32_t>(key & 0xffff'ffff) + 1);
    history_.hold_may_end(lock, held.session, held.token, at(said.time));
}

void Linearity::look(std::uint64_t line, std::int64_t now) {
    constexpr std::uint64_t look_every = 4'096;
    constexpr std::size_t most_kept = 100'000;
    if (const auto& objection = history_.objection()) {
        findings_.violated(PropertyId::Lin1, objection->at.ns + first_, objection->places,
                           [&] { return objection->evidence; });
        over_ = true;
        return;
    }
    if (history_.gave_up() && gave_up_line_ == 0) gave_up_line_ = line;
    if (++told_ % look_every != 0 || history_.kept() < most_kept) return;
    findings_.undecided(PropertyId::Lin1, now, {line}, 0,
                        "an end, be it unknown, for each call that stays open", [] {
                            return std::string(
                                "more than 100,000 grants and calls are kept, since a call stays "
                                "open: from here on nothing is judged");
                        });
    over_ = true;
}

void Linearity::finish(std::int64_t now, std::uint64_t line) {
    if (on()) {
        history_.place(0);
        history_.finish(at(now));
        look(line, now);
    }
    findings_.checked(PropertyId::Lin1, history_.explained());
    // With one clock, what LOCK-1 cannot decide are refused releases; here both readings will do,
    // and one of them is needed.
    if (const Finding& lock1 = findings_.of(PropertyId::Lock1);
        reason_.empty() && lock1.undecided > 0)
        findings_.undecided(PropertyId::Lin1, lock1.doubt.time, lock1.doubt.lines, 0,
                            "what decides LOCK-1", [] {
                                return std::string(
                                    "there is an explanation only if the release that was "
                                    "answered no had freed the lock");
                            });
    if (!on() || !history_.gave_up()) return;
    findings_.undecided(
        PropertyId::Lin1, now, {gave_up_line_}, 0, "fewer calls of unknown outcome", [] {
            return std::string(
                "there are too many ways in which calls of unknown outcome may have "
                "happened");
        });
}

std::string Linearity::idle_because() const {
    return reason_.empty() ? "no acquire was answered" : reason_;
}

}  // namespace lockstep::history
