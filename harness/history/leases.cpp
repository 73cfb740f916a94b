#include "harness/history/leases.hpp"

#include "harness/history/checker.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::history {

Leases::Leases(const Terms& terms, Findings& findings, const Names& processes, const Names& locks)
    : terms_(terms),
      findings_(findings),
      process_names_(processes),
      lock_names_(locks),
      error_(2 * terms.clock_error) {}

Leases::Lock& Leases::at(std::uint32_t lock) {
    while (locks_.size() <= lock) locks_.emplace_back(terms_.clock_error);
    return locks_[lock];
}

const std::string& Leases::process_name(std::uint32_t number) const {
    return process_names_.name_of(number);
}

std::string Leases::lock_name(std::uint32_t number) const {
    const std::string& name = lock_names_.name_of(number);
    return name.empty() ? "the lock" : "lock " + name;
}

void Leases::called(OpenCall& call, std::int64_t now) {
    if (call.op == Op::Acquire) {
        Lock& lock = at(call.lock);
        call.tokens = lock.tokens.at_call(call.time, call.process, now);
        lock.holds.asks_again(call.process, call.time, now, both_hold(call.lock));
    }
    if (call.op == Op::Release) release_called(call, now);
}

void Leases::ended(const OpenCall& call, const End& end) {
    switch (call.op) {
        case Op::Acquire:
            if (end.kind == Kind::Ok) return acquired(call, end);
            at(call.lock).tokens.maybe_before(call.tokens);
            if (end.kind == Kind::Unknown) past(call.process, call.lock).unclear = true;
            return;
        case Op::Release:
            return release_ended(call, end);
        case Op::Renew:
            if (end.kind == Kind::Ok) return renewed(call, end);
            if (end.kind == Kind::No) return refused_renewal(call, end);
            return;
        case Op::Write:
        case Op::Read:
            if (end.kind == Kind::Ok) return used(call, end);
            return;
        case Op::Lost:
            return;
    }
}

// Grants.

void Leases::acquired(const OpenCall& call, const End& end) {
    Lock& lock = at(call.lock);
    pass_deadlines(call.lock, end.time);
    if (call.token)
        token_rises(call, end, lock);
    else
        lock.tokens.maybe_before(call.tokens);
    overtake(call, end, lock);

    Grant grant;
    grant.id = next_grant_++;
    grant.process = call.process;
    grant.token = call.token;
    grant.call_line = call.line;
    grant.line = end.line;
    grant.time = end.time;
    grant.renewed = call.time;
    grant.renewed_line = call.line;
    const std::int64_t ttl = call.ttl ? call.ttl.value : call.session.empty() ? terms_.ttl : 0;
    if (ttl > 0) {
        any_deadline_ = true;
        grant.deadline = add(call.time, shrunk(ttl));
        // It may have waited, and its lease begun as late as with the answer.
        grant.final = add(end.time, ttl);
    }
    if (!call.session.empty()) {
        grant.session = session_of(call.session);
        Session& session = sessions_[grant.session];
        ++session.grants;
        session.locks.push_back(call.lock);
        // The first that is heard of a session stands for its opening.
        if (session.renewed < 0 && terms_.ttl > 0) {
            session.renewed = call.time;
            session.renewed_line = call.line;
            session.deadline = add(call.time, shrunk(terms_.ttl));
            session.final = add(end.time, terms_.ttl);
            any_deadline_ = true;
        }
    }
    Past& before = past(call.process, call.lock);
    if (call.token) {
        any_token_ = true;
        before.tokens[before.count % before.tokens.size()] = call.token.value;
    }
    ++before.count;
    grant.over = deadline_of(grant) <= end.time;
    if (!grant.over) count_holder(lock, grant);
    if (!grant.over) begin_hold(call.lock, grant, end.time, end.line, end.now);
    if (!grant.over || terms_.lost_is_exact)
        begin_belief(call.lock, grant, end.time, end.line, end.now);
    forget_grants(lock);
    lock.grants.push_back(grant);
}

/// Holds are compared where the lock goes from one process to another.
void Leases::count_holder(Lock& lock, const Grant& grant) {
    if (lock.last_holder != no_number && lock.last_holder != grant.process) {
        findings_.checked(PropertyId::Lock1);
        findings_.checked(PropertyId::Belief1);
    }
    lock.last_holder = grant.process;
}

/// Grants whose process fell silent stay in case it speaks again, but not without end.
void Leases::forget_grants(Lock& lock) {
    constexpr std::size_t kept = 16;
    if (lock.grants.size() < kept) return;
    const auto over = std::ranges::find_if(lock.grants, [](const Grant& g) { return g.over; });
    if (over == lock.grants.end()) return;
    leave(*over);
    lock.grants.erase(over);
}

Span Leases::span_of(const Grant& grant, std::uint64_t number, std::int64_t from,
                     std::uint64_t line) const {
    Span span;
    span.grant = number;
    span.process = grant.process;
    span.token = grant.token.value;
    span.has_token = grant.token.given;
    span.from = from;
    span.from_line = line;
    return span;
}

void Leases::begin_belief(std::uint32_t lock, Grant& grant, std::int64_t from, std::uint64_t line,
                          std::int64_t now) {
    grant.belief = next_grant_++;
    at(lock).beliefs.begin(span_of(grant, grant.belief, from, line), now, both_believe(lock));
}

void Leases::begin_hold(std::uint32_t lock, Grant& grant, std::int64_t from, std::uint64_t line,
                        std::int64_t now) {
    grant.hold = next_grant_++;
    at(lock).holds.begin(span_of(grant, grant.hold, from, line), now, both_hold(lock));
}

void Leases::token_rises(const OpenCall& call, const End& end, Lock& lock) {
    const std::uint64_t mine = call.token.value;
    const Mark sure = call.tokens.sure;
    const Mark maybe = lock.tokens.maybe_before(call.tokens);
    const auto text = [&](const Mark& before, std::string_view when) {
        return fmt::format(
            "process {} was granted {} with token {}, and asked for it {} process {} had been "
            "granted it "
            "with token {}",
            process_name(call.process), lock_name(call.lock), mine, when,
            process_name(before.process), before.height.major);
    };
    if (lock.granted > 0) findings_.checked(PropertyId::Lock2);
    const std::uint64_t kept = std::min<std::uint64_t>(lock.granted, lock.latest.size());
    const auto twin =
        std::find_if(lock.latest.begin(), lock.latest.begin() + static_cast<std::ptrdiff_t>(kept),
                     [&](const Mark& m) { return m.height.major == mine; });
    if (sure.line != 0 && mine <= sure.height.major)
        findings_.violated(PropertyId::Lock2, end.time, {sure.line, call.line, end.line},
                           [&] { return text(sure, "after"); });
    else if (twin != lock.latest.begin() + static_cast<std::ptrdiff_t>(kept))
        findings_.violated(PropertyId::Lock2, end.time, {twin->line, call.line, end.line}, [&] {
            return fmt::format("processes {} and {} were both granted {} with token {}",
                               process_name(twin->process), process_name(call.process),
                               lock_name(call.lock), mine);
        });
    else if (maybe.line != 0 && mine <= maybe.height.major)
        findings_.undecided(PropertyId::Lock2, end.time, {maybe.line, call.line, end.line},
                            std::abs(call.time - maybe.time) / 2, "",
                            [&] { return text(maybe, "maybe after"); });
    const Mark mark{{mine, 0}, end.line, end.time, call.process};
    lock.latest[lock.granted++ % lock.latest.size()] = mark;
    lock.tokens.confirmed(mark, end.now);
}

/// The lock went to this process: did the others' grants still stand?
void Leases::overtake(const OpenCall& call, const End& end, Lock& lock) {
    for (const Departed& gone : lock.departed) {
        if (gone.process == call.process) continue;
        findings_.checked(PropertyId::Lock3);
        if (end.time - error_ < gone.deadline)
            early_end(call.lock, gone.process, call.process, gone.deadline - end.time, end.time,
                      {gone.line, gone.renewed_line, gone.lost_line, end.line});
    }
    lock.departed.clear();
    for (std::size_t i = 0; i < lock.grants.size();) {
        Grant& other = lock.grants[i];
        if (other.process == call.process) {
            // It asked anew without giving up what it had: that was over, for all it knew.
            lock.beliefs.end(other.belief, call.time, call.line, Ending::Reacquired, end.now,
                             both_believe(call.lock));
            lock.holds.end(other.hold, renewed_of(other), renewed_line_of(other),
                           Ending::Reacquired, end.now, both_hold(call.lock));
            leave(other);
            lock.grants.erase(lock.grants.begin() + static_cast<std::ptrdiff_t>(i));
            continue;
        }
        const std::int64_t deadline = deadline_of(other);
        if (deadline != INT64_MAX) {
            findings_.checked(PropertyId::Lock3);
            if (other.overtaken < 0 && end.time - error_ < deadline) {
                other.overtaken = end.time;
                other.overtaken_line = end.line;
                other.overtaken_by = call.process;
                other.overtaken_deadline = deadline;
                other.overtaken_renewal = renewed_line_of(other);
            }
        }
        ++i;
    }
}

/// Deadlines pass without a line that says so.
void Leases::pass_deadlines(std::uint32_t number, std::int64_t now) {
    for (Grant& grant : at(number).grants)
        if (!grant.over && deadline_of(grant) <= now) pass_deadline(number, grant, now);
}

void Leases::pass_deadline(std::uint32_t number, Grant& grant, std::int64_t now) {
    Lock& lock = at(number);
    grant.over = true;
    const std::int64_t deadline = deadline_of(grant);
    const std::uint64_t line = renewed_line_of(grant);
    lock.holds.end(grant.hold, deadline, line, Ending::Deadline, now, both_hold(number));
    if (!terms_.lost_is_exact)
        lock.beliefs.end(grant.belief, deadline, line, Ending::Deadline, now, both_believe(number));
}

Leases::Grant* Leases::find(std::uint32_t lock, std::uint32_t process,
                            const Maybe<std::uint64_t>& token) {
    for (Grant& grant : at(lock).grants)
        if (grant.process == process &&
            (!token || !grant.token || grant.token.value == token.value))
            return &grant;
    return nullptr;
}

// Releases.

void Leases::release_called(OpenCall& call, std::int64_t now) {
    pass_deadlines(call.lock, call.time);
    Lock& lock = at(call.lock);
    Grant* grant = find(call.lock, call.process, call.token);
    call.matched = grant != nullptr;
    // Whatever token it gives, it gives up what it has.
    if (grant == nullptr) grant = find(call.lock, call.process, {});
    // What it had lost for its own part, it may still free at the service.
    std::erase_if(lock.departed, [&](const Departed& d) { return d.process == call.process; });
    if (grant == nullptr) return;
    call.grant = grant->hold;
    // A token that the grant told, the release need not tell.
    if (!call.token && grant->token) call.token = grant->token;
    lock.beliefs.end(grant->belief, call.time, call.line, Ending::Release, now,
                     both_believe(call.lock));
    lock.holds.asked(grant->hold, call.time, call.line, deadline_of(*grant), now,
                     both_hold(call.lock));
    leave(*grant);
    lock.grants.erase(lock.grants.begin() + (grant - lock.grants.data()));
}

void Leases::release_ended(const OpenCall& call, const End& end) {
    if (call.grant != 0) {
        const Reading reading = end.kind == Kind::Ok   ? Reading::Plain
                                : end.kind == Kind::No ? Reading::Refused
                                                       : Reading::Unknown;
        at(call.lock).holds.answered(call.grant, reading, end.line, end.now, both_hold(call.lock));
    }
    if (end.kind != Kind::Ok) return;
    if (call.matched)
        findings_.checked(PropertyId::Grant1);
    else
        no_such_grant(call, end);
}

/// A release or a token that rests on no grant that is standing: was there one?
void Leases::no_such_grant(const OpenCall& call, const End& end) {
    const auto known = pasts_.find(std::uint64_t{call.process} << 32 | call.lock);
    const Past nothing;
    const Past& before = known == pasts_.end() ? nothing : known->second;
    if (before.unclear) return;
    const std::uint64_t kept = std::min<std::uint64_t>(before.count, before.tokens.size());
    bool granted = before.count > 0;
    if (call.token && kept > 0) {
        const auto last = before.tokens.begin() + static_cast<std::ptrdiff_t>(kept);
        granted = std::find(before.tokens.begin(), last, call.token.value) != last;
        // Older ones are forgotten.
        const std::uint64_t oldest = *std::min_element(before.tokens.begin(), last);
        granted = granted || (before.count > kept && call.token.value < oldest);
    }
    // Others may use a token that was handed to them.
    if (call.op != Op::Release && before.count == 0) return;
    findings_.checked(PropertyId::Grant1);
    if (granted) return;
    findings_.violated(PropertyId::Grant1, end.time, {call.line, end.line}, [&] {
        const std::string token =
            call.token ? fmt::format(" with token {}", call.token.value) : std::string();
        const std::string what = call.op == Op::Release
                                     ? fmt::format("released {}{}", lock_name(call.lock), token)
                                     : fmt::format("had a {} taken{}", to_string(call.op), token);
        return fmt::format("process {} {}, but no line of the history grants it that",
                           process_name(call.process), what);
    });
}

void Leases::used(const OpenCall& call, const End& end) {
    if (call.lock == no_number || !call.token) return;
    no_such_grant(call, end);
}

void Leases::finish(std::int64_t now) {
    for (std::uint32_t lock = 0; lock < locks_.size(); ++lock) {
        // Some deadlines lie beyond the end.
        for (Grant& grant : locks_[lock].grants)
            if (!grant.over && deadline_of(grant) != INT64_MAX) pass_deadline(lock, grant, now);
        locks_[lock].beliefs.finish(both_believe(lock));
        locks_[lock].holds.finish(both_hold(lock));
    }
}

}  // namespace lockstep::history
