#include "harness/storyteller.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

namespace lockstep::harness {
namespace {

/// A client that hears of its grant later than this has missed the first notice.
constexpr Duration late_notice = seconds(1);

}  // namespace

void Storyteller::hear(const LoggedEvent& logged, bool raw_too) {
    at_ = logged.at;
    process_ = logged.process;
    std::visit(
        [&](const auto& what) {
            using What = std::decay_t<decltype(what)>;
            if constexpr (std::is_same_v<What, MessageLine>) {
                if (what.is_note)
                    ordinary("notes", what.text);
                else if (raw_too)
                    say("", what.text, Tone::Faint, Weight::Raw, "");
            } else if constexpr (!std::is_same_v<What, MessageTaken>) {
                std::visit([&](const auto& e) { tell(e); }, what);
                if (raw_too)
                    say(names_.process(process_), describe(names_, what), Tone::Faint, Weight::Raw,
                        "");
            }
        },
        logged.what);
}

void Storyteller::violation(const properties::Violation& violation) {
    at_ = violation.at;
    const auto& property = properties::describe(violation.id);
    const bool excused = violation.excused_by.has_value();
    say(excused ? "EXCUSED" : "VIOLATED",
        fmt::format("{} {}: {}", property.code, property.name, violation.evidence),
        excused ? Tone::Warn : Tone::Bad, Weight::Important, "");
}

void Storyteller::say(std::string who, std::string text, Tone tone, Weight weight,
                      const char* counted_as) {
    lines_.push_back({at_, std::move(who), std::move(text), tone, weight, counted_as});
}
void Storyteller::ordinary(const char* counted_as, std::string text, Tone tone) {
    say(names_.process(process_), std::move(text), tone, Weight::Ordinary, counted_as);
}
void Storyteller::important(std::string text, Tone tone) {
    say(names_.process(process_), std::move(text), tone, Weight::Important, "");
}

void Storyteller::promote(FencingToken token) {
    const auto it = grants_.find(token);
    if (it != grants_.end()) lines_[it->second.line].weight = Weight::Important;
}

std::string Storyteller::client_of(SessionId session) const {
    const auto it = sessions_.find(session);
    return it != sessions_.end() ? names_.process(it->second)
                                 : fmt::format("session {}", session.value);
}
std::string Storyteller::holder_of(FencingToken token) const {
    const auto it = grants_.find(token);
    return it != grants_.end() ? names_.process(it->second.client) : "somebody";
}

// Servers

void Storyteller::tell(const events::BecameLeader& e) {
    important(fmt::format("is elected leader, term {}", e.term.value));
}
void Storyteller::tell(const events::SteppedDown& e) {
    const char* why = "a higher term is about";
    if (e.reason == events::StepDownReason::QuorumLost) why = "it hears no majority";
    if (e.reason == events::StepDownReason::DiskHangs) why = "its disk does not answer";
    important(fmt::format("steps down as leader of term {}: {}", e.term.value, why));
}
void Storyteller::tell(const events::Recovered& e) {
    if (e.last_index)
        ordinary("recoveries",
                 fmt::format("reads its log back, up to index {}", e.last_index.value));
}
void Storyteller::tell(const events::StorageRefused& e) {
    important(fmt::format("finds damage on its disk that no crash explains, at byte {}: stays down",
                          e.offset),
              Tone::Bad);
}
void Storyteller::tell(const events::Truncated& e) {
    ordinary("truncations",
             fmt::format("drops its log from index {} on, the leader's is another", e.from.value));
}
void Storyteller::tell(const events::SnapshotInstalled& e) {
    ordinary("snapshots",
             fmt::format("takes over a snapshot from the leader, up to index {}", e.index.value));
}

// Sessions and locks

void Storyteller::tell(const events::SessionOpened& e) {
    sessions_[e.session] = e.client;
    ordinary("sessions opened", fmt::format("opens session {} for {}, lease {}", e.session.value,
                                            names_.process(e.client), span_text(e.ttl)));
}
void Storyteller::tell(const events::Granted& e) {
    const auto client = sessions_.find(e.session);
    grants_[e.token] = {client != sessions_.end() ? client->second : sim::ProcessId(), e.lock, at_,
                        lines_.size()};
    held_[e.session][e.lock] = e.token;
    ordinary("grants", fmt::format("grants {} to {}, token {}", names_.lock(e.lock),
                                   client_of(e.session), e.token.value));
}
void Storyteller::tell(const events::Queued& e) {
    ordinary("waits",
             fmt::format("{} waits for {}{}", client_of(e.session), names_.lock(e.lock),
                         e.position == 0 ? std::string() : fmt::format(", behind {}", e.position)));
}
void Storyteller::tell(const events::Refused& e) {
    ordinary("refusals", fmt::format("refuses {} to {}: {}", names_.lock(e.lock),
                                     client_of(e.session), events::to_string(e.reason)));
}
void Storyteller::tell(const events::Released& e) {
    held_[e.session].erase(e.lock);
    ordinary("releases", fmt::format("{} gives {} back, token {}", client_of(e.session),
                                     names_.lock(e.lock), e.token.value));
}
void Storyteller::tell(const events::Cancelled& e) {
    if (e.effect == events::CancelEffect::ReleasedGrant) held_[e.session].erase(e.lock);
    ordinary("cancels", fmt::format("{} no longer wants {} ({})", client_of(e.session),
                                    names_.lock(e.lock), events::to_string(e.effect)));
}
void Storyteller::tell(const events::SessionEnded& e) {
    std::string freed;
    for (const auto& [lock, token] : held_[e.session]) {
        freed += (freed.empty() ? "; free: " : ", ") + names_.lock(lock);
        if (e.reason == events::EndReason::Expired) promote(token);
    }
    held_.erase(e.session);
    const std::string who = client_of(e.session);
    if (e.reason == events::EndReason::Closed)
        ordinary("sessions closed",
                 fmt::format("closes session {} of {}{}", e.session.value, who, freed));
    else
        important(
            fmt::format("ends session {} of {}: its lease ran out{}", e.session.value, who, freed));
}

// Clients

void Storyteller::tell(const events::SessionTold& e) {
    sessions_[e.session] = process_;
}
void Storyteller::tell(const events::GrantTold& e) {
    beliefs_[{process_, e.token}] = {e.lock, e.session};
    const auto grant = grants_.find(e.token);
    // Servers that report grants come first; of others the clients alone can be asked.
    if (grant == grants_.end() || (grant->second.told && grant->second.client != process_)) {
        grants_[e.token] = {process_, e.lock, at_, lines_.size(), true};
        ordinary("grants", fmt::format("has {} now, token {}", names_.lock(e.lock), e.token.value));
    } else if (grant != grants_.end() && at_ - grant->second.at > late_notice)
        ordinary("late notices", fmt::format("hears only now that it holds {}, token {}",
                                             names_.lock(e.lock), e.token.value));
}
void Storyteller::tell(const events::MayActAsked& e) {
    if (e.yes)
        ordinary("may-act questions",
                 fmt::format("may act on {}? yes, token {}", names_.lock(e.lock), e.token.value));
    else
        important(
            fmt::format("may act on {}? NO, its own deadline has passed", names_.lock(e.lock)));
}
void Storyteller::tell(const events::LossTold& e) {
    beliefs_.erase({process_, e.token});
    important(fmt::format(
        "is told that it has lost {}, token {}: {}", names_.lock(e.lock), e.token.value,
        e.reason == events::LossReason::DeadlinePassed ? "its own deadline has passed"
                                                       : "a server says that the session is over"));
}
void Storyteller::tell(const events::ReleaseCalled& e) {
    beliefs_.erase({process_, e.token});
    const auto grant = grants_.find(e.token);
    if (grant != grants_.end() && grant->second.told)
        ordinary("releases",
                 fmt::format("gives {} up, token {}", names_.lock(e.lock), e.token.value));
}
void Storyteller::tell(const events::SessionOverTold& e) {
    ordinary("sessions over", fmt::format("hears that session {} is over", e.session.value));
}
void Storyteller::tell(const events::WriteTold& e) {
    if (e.outcome == events::WriteOutcome::Rejected)
        ordinary("refused writes heard of", "hears that its write was refused");
    if (e.outcome == events::WriteOutcome::Unknown)
        ordinary("writes of unknown outcome", "never hears what became of its write");
}

// Resources

void Storyteller::tell(const events::WriteAccepted& e) {
    Store& store = stores_[process_];
    const std::string who = holder_of(e.token);
    const bool late = e.token < store.highest;
    const bool lost = e.read_version != e.prior_version;
    if (late || lost) {
        promote(e.token);
        promote(store.highest);
        std::string text =
            fmt::format("ACCEPTS {}'s {}write, token {}", who, late ? "late " : "", e.token.value);
        if (late) text += fmt::format(", after it has seen {}", store.highest.value);
        if (lost)
            text +=
                fmt::format("; it was computed from version {}, and overwrites version {} by {}",
                            e.read_version, e.prior_version, holder_of(store.last_writer));
        important(std::move(text), Tone::Bad);
    } else {
        ordinary("writes", fmt::format("accepts {}'s write, token {}: version {}", who,
                                       e.token.value, e.version));
    }
    store.highest = std::max(store.highest, e.token);
    store.last_writer = e.token;
}
void Storyteller::tell(const events::WriteRejected& e) {
    const std::string who = holder_of(e.token);
    if (e.token < e.held_token) {
        promote(e.token);
        promote(e.held_token);
        important(fmt::format("REFUSES {}'s late write: token {} is below {}", who, e.token.value,
                              e.held_token.value),
                  Tone::Good);
    } else {
        ordinary("refused repeats",
                 fmt::format("refuses an old copy of a write by {}, token {}", who, e.token.value));
    }
}
void Storyteller::tell(const events::ReadAccepted& e) {
    Store& store = stores_[process_];
    store.highest = std::max(store.highest, e.token);
}
void Storyteller::tell(const events::ReadRejected& e) {
    important(fmt::format("REFUSES {}'s late read: token {} is below {}", holder_of(e.token),
                          e.token.value, e.held_token.value),
              Tone::Good);
}

// The world

void Storyteller::tell(const sim::ProcessStarted& e) {
    stopped_.erase(process_);
    if (e.life > 1) important(fmt::format("starts again, life {}", e.life));
}
void Storyteller::tell(const sim::ProcessStopped& e) {
    stopped_.insert(process_);
    paused_.erase(process_);
    std::erase_if(beliefs_, [&](const auto& belief) { return belief.first.first == process_; });
    important(e.how == sim::CrashKind::Power ? "loses power" : "is killed", Tone::Warn);
}
void Storyteller::tell(const sim::Paused& e) {
    if (e.strand == 0) paused_.insert(process_);
    // The fault that did it has its own line; what remains to be said is what the clock does.
    if (e.clock == sim::ClockMode::Frozen)
        important("stands still, and so does its clock", Tone::Warn);
}
void Storyteller::tell(const sim::Resumed& e) {
    if (e.strand == 0) paused_.erase(process_);
    important(e.strand == 0 ? "runs again" : "its stalled part runs again", Tone::Warn);
}
void Storyteller::tell(const sim::DeadlinePassed& e) {
    // The key is the session's number. Most sessions whose deadline passes hold nothing by then.
    for (const auto& [key, belief] : beliefs_) {
        const auto& [client, token] = key;
        if (client != process_ || belief.session.value != e.key) continue;
        promote(token);
        important(fmt::format("its own deadline for {} passes{}", names_.lock(belief.lock),
                              paused_.contains(process_) ? ", while it is paused" : ""));
    }
}
void Storyteller::tell(const sim::FaultStarted& e) {
    std::string text = names_.fault(e.fault);
    const std::string target = names_.process(process_);
    if (process_ && text.find(target) == std::string::npos)
        text += fmt::format(" (now {})", target);
    say("FAULT", std::move(text), Tone::Warn, Weight::Important, "");
}
void Storyteller::tell(const sim::FaultEnded& e) {
    say("fault over", names_.fault(e.fault), Tone::Faint, Weight::Ordinary, "ends of faults");
}
void Storyteller::tell(const sim::FaultMissed& e) {
    say("no fault", fmt::format("{}: {}", names_.fault(e.fault), names_.why_missed(e.fault)),
        Tone::Faint, Weight::Ordinary, "faults that came to nothing");
}
void Storyteller::tell(const sim::AssumptionBroken& e) {
    say("FAULT",
        fmt::format("breaks an assumption: {} no longer holds for a {}",
                    properties::to_string(e.assumption), properties::to_string(e.kind)),
        Tone::Warn, Weight::Important, "");
}
void Storyteller::tell(const sim::Healed&) {
    say("world", "all faults are over; the quiet period begins", Tone::Plain, Weight::Important,
        "");
}
void Storyteller::tell(const sim::Stopping&) {
    say("world", "the workers are told to finish", Tone::Plain, Weight::Important, "");
}

}  // namespace lockstep::harness
