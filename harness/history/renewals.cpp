#include "harness/history/checker.hpp"
#include "harness/history/leases.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::history {
namespace {

std::string span(std::int64_t ns) {
    return harness::span_text(Duration{ns});
}

}  // namespace

std::uint32_t Leases::session_of(const std::string& name) {
    const auto found = session_numbers_.find(name);
    if (found != session_numbers_.end()) return found->second;
    std::uint32_t number = static_cast<std::uint32_t>(sessions_.size());
    if (free_sessions_.empty()) {
        sessions_.emplace_back();
    } else {
        number = free_sessions_.back();
        free_sessions_.pop_back();
    }
    sessions_[number] = Session{};
    sessions_[number].name = name;
    session_numbers_.emplace(name, number);
    return number;
}

/// A session without grants whose TTL is long past can say nothing any more.
void Leases::forget_sessions(std::int64_t now) {
    if (session_numbers_.size() < sweep_at_) return;
    for (auto it = session_numbers_.begin(); it != session_numbers_.end();) {
        const Session& session = sessions_[it->second];
        const bool idle =
            session.grants == 0 && (session.renewed < 0 || add(session.final, error_) < now);
        if (idle) free_sessions_.push_back(it->second);
        it = idle ? session_numbers_.erase(it) : std::next(it);
    }
    sweep_at_ = std::max<std::size_t>(1'024, 2 * session_numbers_.size());
}

/// The grant is over.
void Leases::leave(Grant& grant) {
    if (grant.session == no_number) return;
    Session& session = sessions_[grant.session];
    if (--session.grants == 0) session.locks.clear();
}

std::int64_t Leases::shrunk(std::int64_t ttl) const {
    return shrink(Duration{ttl}, Ppm{terms_.drift_ppm}).ns;
}
std::int64_t Leases::ttl_of(const OpenCall& call) const {
    return call.ttl ? call.ttl.value : terms_.ttl;
}
std::int64_t Leases::deadline_of(const Grant& grant) const {
    if (grant.session == no_number) return grant.deadline;
    return std::min(grant.deadline, sessions_[grant.session].deadline);
}
/// Until when the grant stood for sure, whatever became of it: it had been made when its acquire
/// was answered, and it stood when a renewal was sent that was answered yes.
std::int64_t Leases::renewed_of(const Grant& grant) const {
    const std::int64_t session = grant.session == no_number ? -1 : sessions_[grant.session].renewed;
    return std::max({grant.time, grant.renewed, session});
}
std::uint64_t Leases::renewed_line_of(const Grant& grant) const {
    if (grant.session == no_number || sessions_[grant.session].renewed < grant.renewed)
        return grant.renewed_line;
    return sessions_[grant.session].renewed_line;
}

void Leases::renewed(const OpenCall& call, const End& end) {
    const std::int64_t ttl = ttl_of(call);
    if (ttl <= 0) return;
    any_deadline_ = true;
    const std::int64_t deadline = add(call.time, shrunk(ttl));
    const std::int64_t final = add(call.time, ttl);
    if (call.session.empty()) {
        if (call.lock == no_number) return;
        Grant* grant = find(call.lock, call.process, call.token);
        if (grant == nullptr || call.time < grant->renewed) return;
        in_time(grant->final, lock_name(call.lock), grant->renewed_line, call, end);
        pass_deadlines(call.lock, end.time);
        grant->deadline = deadline;
        grant->final = final;
        grant->renewed = call.time;
        grant->renewed_line = call.line;
        renew_grant(call.lock, *grant, call, end);
        return;
    }
    const std::uint32_t number = session_of(call.session);
    const std::vector<std::uint32_t> locks = sessions_[number].locks;
    if (call.time < sessions_[number].renewed) return;
    in_time(sessions_[number].final, "session " + call.session, sessions_[number].renewed_line,
            call, end);
    for (const std::uint32_t lock : locks) pass_deadlines(lock, end.time);
    Session& session = sessions_[number];
    session.deadline = deadline;
    session.final = final;
    session.renewed = call.time;
    session.renewed_line = call.line;
    for (const std::uint32_t lock : locks)
        for (Grant& grant : at(lock).grants)
            if (grant.session == number) renew_grant(lock, grant, call, end);
    forget_sessions(end.now);
}

/// ACT-1: nobody goes on with a lease that ran out. A renewal that was sent in time may be answered
/// late.
void Leases::in_time(std::int64_t final, const std::string& what, std::uint64_t renewal,
                     const OpenCall& call, const End& end) {
    if (final == INT64_MAX) return;
    findings_.checked(PropertyId::Act1);
    const std::int64_t late = call.time - final;
    if (late < 0 && (error_ == 0 || late <= -error_)) return;
    const std::vector<std::uint64_t> lines{renewal, call.line, end.line};
    const auto text = [&] {
        return fmt::format(
            "process {} went on with {}, whose lease had run out: it sent a renewal {} {} the TTL "
            "of "
            "the one before had passed, and took the answer for good",
            process_name(call.process), what, span(std::abs(late)), late >= 0 ? "after" : "before");
    };
    if (late >= error_)
        findings_.violated(PropertyId::Act1, end.time, lines, text);
    else
        findings_.undecided(PropertyId::Act1, end.time, lines, std::abs(late) / 2, "", text);
}

/// Its deadline has been moved.
void Leases::renew_grant(std::uint32_t lock, Grant& grant, const OpenCall&, const End& end) {
    if (!grant.over || deadline_of(grant) <= end.time) return;
    grant.over = false;
    count_holder(at(lock), grant);
    begin_hold(lock, grant, end.time, end.line, end.now);
    if (!terms_.lost_is_exact) begin_belief(lock, grant, end.time, end.line, end.now);
}

/// A service that answers no to a renewal says that the lease is over.
void Leases::refused_renewal(const OpenCall& call, const End& end) {
    const auto too_early = [&](std::int64_t deadline, std::uint64_t renewal,
                               const std::string& what) {
        if (deadline == INT64_MAX) return;
        findings_.checked(PropertyId::Lock3);
        if (end.time - error_ >= deadline) return;
        const std::vector<std::uint64_t> lines{renewal, call.line, end.line};
        const auto text = [&] {
            return fmt::format("process {} was told that {} is over, {} before its time was up",
                               process_name(call.process), what, span(deadline - end.time));
        };
        if (end.time + error_ < deadline || error_ == 0)
            findings_.violated(PropertyId::Lock3, end.time, lines, text);
        else
            findings_.undecided(PropertyId::Lock3, end.time, lines,
                                std::abs(deadline - end.time) / 2, "", text);
    };
    if (call.session.empty()) {
        if (call.lock == no_number) return;
        if (Grant* grant = find(call.lock, call.process, call.token)) {
            too_early(deadline_of(*grant), renewed_line_of(*grant),
                      "its lease of " + lock_name(call.lock));
            lose(call.lock, static_cast<std::size_t>(grant - at(call.lock).grants.data()), end.time,
                 end.line, end.now);
        }
        return;
    }
    const auto known = session_numbers_.find(call.session);
    if (known == session_numbers_.end()) return;
    const std::uint32_t number = known->second;
    too_early(sessions_[number].deadline, sessions_[number].renewed_line,
              "session " + call.session);
    const std::vector<std::uint32_t> locks = sessions_[number].locks;
    for (const std::uint32_t lock : locks)
        for (std::size_t i = at(lock).grants.size(); i-- > 0;)
            if (at(lock).grants[i].session == number) lose(lock, i, end.time, end.line, end.now);
    sessions_[number].deadline = sessions_[number].final = INT64_MAX;
}

void Leases::lost(const OpenCall& said, std::int64_t now) {
    const auto concerns = [&](const Grant& grant) {
        if (grant.process != said.process) return false;
        if (said.token && grant.token && said.token.value != grant.token.value) return false;
        return said.session.empty() || grant.session == no_number ||
               sessions_[grant.session].name == said.session;
    };
    for (std::uint32_t lock = 0; lock < locks_.size(); ++lock) {
        if (said.lock != no_number && said.lock != lock) continue;
        for (std::size_t i = locks_[lock].grants.size(); i-- > 0;)
            if (concerns(locks_[lock].grants[i])) lose(lock, i, said.time, said.line, now);
    }
}

void Leases::lose(std::uint32_t number, std::size_t position, std::int64_t time, std::uint64_t line,
                  std::int64_t now) {
    pass_deadlines(number, time);
    Lock& lock = at(number);
    Grant grant = lock.grants[position];
    if (grant.overtaken >= 0)
        early_end(number, grant.process, grant.overtaken_by,
                  grant.overtaken_deadline - grant.overtaken, grant.overtaken,
                  {grant.line, grant.overtaken_renewal, grant.overtaken_line, line});
    else if (lock.departed.size() < 8 && deadline_of(grant) != INT64_MAX)
        lock.departed.push_back(
            {grant.process, deadline_of(grant), grant.line, renewed_line_of(grant), line});
    lock.beliefs.end(grant.belief, time, line, Ending::Lost, now, both_believe(number));
    // The service may have ended it at any time since it was last heard to stand.
    lock.holds.end(grant.hold, renewed_of(grant), renewed_line_of(grant), Ending::Lost, now,
                   both_hold(number));
    leave(grant);
    lock.grants.erase(lock.grants.begin() + static_cast<std::ptrdiff_t>(position));
}

/// LOCK-3: it was given to another before its time was up, and it had not been released.
void Leases::early_end(std::uint32_t lock, std::uint32_t from, std::uint32_t to, std::int64_t early,
                       std::int64_t time, const std::vector<std::uint64_t>& lines) {
    const auto text = [&] {
        return fmt::format(
            "process {} lost {} to process {} {} {} its time was up, without having released it",
            process_name(from), lock_name(lock), process_name(to), span(std::abs(early)),
            early > 0 ? "before" : "after");
    };
    if (early > error_)
        findings_.violated(PropertyId::Lock3, time, lines, text);
    else
        findings_.undecided(PropertyId::Lock3, time, lines, std::abs(early) / 2, "", text);
}

// What overlaps.

std::string Leases::holder(const Span& span) const {
    return span.has_token
               ? fmt::format("process {} (token {})", process_name(span.process), span.token)
               : fmt::format("process {}", process_name(span.process));
}

namespace {

std::string_view until(const Span& span) {
    switch (span.ending) {
        case Ending::Release:
            return "it called release";
        case Ending::Lost:
            return "it was told of the loss";
        case Ending::Deadline:
            return "its last answered renewal ran out";
        case Ending::Reacquired:
            return "it asked anew";
        case Ending::None:
            break;
    }
    return "the end of the history";
}

std::vector<std::uint64_t> lines_of(const Overlaps::Pair& pair) {
    std::vector<std::uint64_t> lines{pair.first.from_line, pair.second.from_line};
    if (pair.first.to_line != 0) lines.push_back(pair.first.to_line);
    return lines;
}

}  // namespace

Overlaps::Found Leases::both_believe(std::uint32_t lock) {
    return [this, lock](const Overlaps::Pair& pair) {
        const auto text = [&] {
            return fmt::format("{} was told that it holds {} while {} held it, until {}",
                               holder(pair.second), lock_name(lock), holder(pair.first),
                               until(pair.first));
        };
        if (pair.certain)
            findings_.violated(PropertyId::Belief1, pair.second.from, lines_of(pair), text);
        else
            findings_.undecided(
                PropertyId::Belief1, pair.second.from,
                told(PropertyId::Belief1) ? std::vector<std::uint64_t>() : lines_of(pair),
                std::abs(pair.by) / 2, "", text);
    };
}

Overlaps::Found Leases::both_hold(std::uint32_t lock) {
    return [this, lock](const Overlaps::Pair& pair) {
        std::vector<std::uint64_t> lines;
        if (pair.reading != Reading::Plain || pair.certain || !told(PropertyId::Lock1))
            lines = lines_of(pair);
        if (pair.reading == Reading::Plain) {
            const auto text = [&] {
                return fmt::format("{} was granted {} while {} had it, until {}",
                                   holder(pair.second), lock_name(lock), holder(pair.first),
                                   until(pair.first));
            };
            if (pair.certain)
                findings_.violated(PropertyId::Lock1, pair.second.from, lines, text);
            else
                findings_.undecided(PropertyId::Lock1, pair.second.from, lines,
                                    std::abs(pair.by) / 2, "", text);
            return;
        }
        lines.push_back(pair.release_line);
        if (pair.answer_line != 0) lines.push_back(pair.answer_line);
        const bool refused = pair.reading == Reading::Refused;
        const auto text = [&] {
            return fmt::format(
                "the release of {} by {} {}: if it happened, all is well; if not, {} was granted "
                "the "
                "lock beside it",
                lock_name(lock), holder(pair.first),
                refused ? "was answered no" : "has an unknown outcome", holder(pair.second));
        };
        if (refused)
            findings_.undecided(
                PropertyId::Lock1, pair.second.from, lines, 0,
                "whether the refused release had freed the lock: a TTL (ttl, --ttl) or "
                "a line `lost` says when the grant was over without it",
                text);
        else
            findings_.note(PropertyId::Lock1, {pair.second.from, text(), lines});
    };
}

}  // namespace lockstep::history
