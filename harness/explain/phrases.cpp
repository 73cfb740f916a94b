#include "harness/explain/phrases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <type_traits>
#include <variant>

namespace lockstep::harness {
namespace {

/// One phrase for each kind of event that a story may tell.
class Speaker {
public:
    Speaker(const Phrases& words, const Chronicle& log, Place place)
        : words_(words), log_(log), place_(place) {}

    std::string operator()(const events::BecameLeader& e) const {
        return fmt::format("is elected leader, term {}", e.term.value);
    }
    std::string operator()(const events::SteppedDown& e) const {
        return fmt::format("steps down as leader of term {}", e.term.value);
    }
    std::string operator()(const events::VoteCast& e) const {
        return fmt::format("votes for {} in term {}", words_.who(e.candidate), e.term.value);
    }
    std::string operator()(const events::Recovered& e) const {
        return fmt::format("reads its disk: term {}, log up to index {}", e.term.value,
                           e.last_index.value);
    }
    std::string operator()(const events::StorageRefused&) const {
        return "finds damage on its disk that no crash explains, and stays down";
    }
    std::string operator()(const events::TornTailCut&) const {
        return "cuts a torn write off the end of its log";
    }
    std::string operator()(const events::Truncated& e) const {
        return fmt::format("drops its log from index {} on", e.from.value);
    }
    std::string operator()(const events::Appended& e) const {
        return fmt::format("appends entry {} of term {}", e.index.value, e.term.value);
    }
    std::string operator()(const events::Applied& e) const {
        return fmt::format("applies entry {} of term {}", e.index.value, e.term.value);
    }
    std::string operator()(const events::CommitAdvanced& e) const {
        return fmt::format("takes everything up to index {} for committed", e.index.value);
    }
    std::string operator()(const events::SessionOpened& e) const {
        return fmt::format("opens session {} for {}, lease {}", e.session.value,
                           words_.who(e.client), span_text(e.ttl));
    }
    std::string operator()(const events::Granted& e) const {
        return fmt::format("grants {} to {}, token {}", words_.lock(e.lock),
                           words_.client(e.session), e.token.value);
    }
    std::string operator()(const events::Queued& e) const {
        return fmt::format("lets {} wait for {}", words_.client(e.session), words_.lock(e.lock));
    }
    std::string operator()(const events::Refused& e) const {
        return fmt::format("refuses {} to {}: {}", words_.lock(e.lock), words_.client(e.session),
                           events::to_string(e.reason));
    }
    std::string operator()(const events::Released& e) const {
        return fmt::format("takes {} back from {}, token {}", words_.lock(e.lock),
                           words_.client(e.session), e.token.value);
    }
    std::string operator()(const events::Cancelled& e) const {
        return fmt::format("ends {}'s wait for {} ({})", words_.client(e.session),
                           words_.lock(e.lock), events::to_string(e.effect));
    }
    std::string operator()(const events::SessionEnded& e) const {
        const char* why = e.reason == events::EndReason::Expired ? "its lease ran out" : "closed";
        std::string freed;
        for (const HoldTale& hold : log_.holds())
            if (hold.freed == place_) freed += (freed.empty() ? "" : ", ") + words_.lock(hold.lock);
        return fmt::format("ends the session of {}: {}{}", words_.client(e.session), why,
                           freed.empty() ? "" : "; free: " + freed);
    }
    std::string operator()(const events::ExpiryProposed& e) const {
        return fmt::format("finds {}'s lease run out, and proposes its end in term {}",
                           words_.client(e.session), e.term.value);
    }
    std::string operator()(const events::RenewalReceived& e) const {
        return fmt::format("receives {}'s renewal as leader of term {}", words_.client(e.session),
                           e.term.value);
    }
    std::string operator()(const events::RenewalAnswered& e) const {
        return fmt::format("answers {}'s renewal as leader of term {}", words_.client(e.session),
                           e.term.value);
    }
    std::string operator()(const events::RenewalSent&) const { return "sends a renewal"; }
    std::string operator()(const events::HoldEnded& e) const {
        return fmt::format("ends {}'s hold of {}: it lasted too long", words_.client(e.session),
                           words_.lock(e.lock));
    }
    std::string operator()(const events::DelayStarted& e) const {
        return fmt::format("keeps {} from everybody for a while", words_.lock(e.lock));
    }
    std::string operator()(const events::DelayEnded& e) const {
        return fmt::format("ends the delay of {}", words_.lock(e.lock));
    }
    std::string operator()(const events::LeaseInherited& e) const {
        return fmt::format("inherits what was left of {}'s lease", words_.client(e.session));
    }
    std::string operator()(const events::Answered& e) const {
        return fmt::format("answers {}'s {}: {}", words_.who(e.client),
                           events::to_string(e.operation), events::to_string(e.status));
    }
    std::string operator()(const events::SessionTold& e) const {
        return fmt::format("has session {}", e.session.value);
    }
    std::string operator()(const events::DeadlineMoved&) const {
        return "is told that its lease is renewed";
    }
    std::string operator()(const events::AcquireCalled& e) const {
        return fmt::format("asks for {}", words_.lock(e.lock));
    }
    std::string operator()(const events::AcquireReturned& e) const {
        return fmt::format("is told of its wish for {}: {}", words_.lock(e.lock),
                           events::to_string(e.outcome));
    }
    std::string operator()(const events::GrantTold& e) const {
        return fmt::format("is told that it holds {}, token {}", words_.lock(e.lock),
                           e.token.value);
    }
    std::string operator()(const events::MayActAsked& e) const {
        return fmt::format("asks whether it may act on {}: {}", words_.lock(e.lock),
                           e.yes ? "yes" : "NO");
    }
    std::string operator()(const events::LossTold& e) const {
        return fmt::format("is told that it has lost {}", words_.lock(e.lock));
    }
    std::string operator()(const events::CancelSent& e) const {
        return fmt::format("gives up waiting for {}", words_.lock(e.lock));
    }
    std::string operator()(const events::ReleaseCalled& e) const {
        return fmt::format("releases {}, token {}", words_.lock(e.lock), e.token.value);
    }
    std::string operator()(const events::ReleaseReturned& e) const {
        return fmt::format("is told of its release of {}: {}", words_.lock(e.lock),
                           events::to_string(e.status));
    }
    std::string operator()(const events::WriteTold& e) const {
        return fmt::format("is told of its write to {}: {}", words_.who(e.resource),
                           events::to_string(e.outcome));
    }
    std::string operator()(const events::CallTold& e) const {
        return fmt::format("is told of its call to {}: {}", words_.who(e.resource),
                           events::to_string(e.outcome));
    }
    std::string operator()(const events::StorageFailed& e) const {
        return e.full ? "finds its disk full, and ends" : "finds that its disk fails, and ends";
    }
    std::string operator()(const events::SnapshotInstalled& e) const {
        return fmt::format("takes over a snapshot, up to index {}", e.index.value);
    }
    std::string operator()(const events::CloseCalled& e) const {
        return fmt::format("closes session {}", e.session.value);
    }
    std::string operator()(const events::SessionOverTold& e) const {
        return fmt::format("is told that session {} is over", e.session.value);
    }
    std::string operator()(const events::PointReached& e) const {
        return fmt::format("is at {}", words_.names().point(e.point));
    }
    std::string operator()(const events::WriteSent& e) const {
        return fmt::format("sends a write, token {}, computed from version {}", e.token.value,
                           e.read_version);
    }
    std::string operator()(const events::WriteAccepted& e) const {
        std::string text = fmt::format("ACCEPTS {}'s write, token {}: version {}",
                                       words_.holder(e.token, place_), e.token.value, e.version);
        if (e.read_version != e.prior_version)
            text += fmt::format(", computed from version {}", e.read_version);
        return text;
    }
    std::string operator()(const events::WriteRejected& e) const {
        return fmt::format("REFUSES {}'s write: token {} is below {}",
                           words_.holder(e.token, place_), e.token.value, e.held_token.value);
    }
    std::string operator()(const events::WriteRepeated& e) const {
        return fmt::format("confirms {}'s write again, token {}", words_.holder(e.token, place_),
                           e.token.value);
    }
    std::string operator()(const events::ReadAccepted& e) const {
        return fmt::format("answers {}'s read, token {}: version {}",
                           words_.holder(e.token, place_), e.token.value, e.version);
    }
    std::string operator()(const events::ReadRejected& e) const {
        return fmt::format("REFUSES {}'s read: token {} is below {}",
                           words_.holder(e.token, place_), e.token.value, e.held_token.value);
    }
    std::string operator()(const events::CallAccepted& e) const {
        return fmt::format("takes {}'s call{}", words_.holder(e.token, place_),
                           e.first ? "" : " as one that it knows");
    }

    std::string operator()(const sim::ProcessStarted& e) const {
        return fmt::format("starts, life {}", e.life);
    }
    std::string operator()(const sim::ProcessStopped& e) const {
        const auto& downs = log_.downs();
        const auto down = std::find_if(downs.begin(), downs.end(),
                                       [&](const SpanTale& d) { return d.from == place_; });
        return fmt::format("{} {}", e.how == sim::CrashKind::Power ? "loses power" : "is killed",
                           down != downs.end() ? words_.lasting(down->from, down->to) : "");
    }
    std::string operator()(const sim::Paused& e) const {
        const auto& pauses = log_.pauses();
        const auto pause = std::find_if(pauses.begin(), pauses.end(),
                                        [&](const PauseTale& p) { return p.from == place_; });
        std::string text = e.strand == 0 ? "is paused " : "has one part of it stalled ";
        if (pause != pauses.end()) text += words_.lasting(pause->from, pause->to);
        if (e.clock == sim::ClockMode::Frozen) text += ", its clock with it";
        return text;
    }
    std::string operator()(const sim::Resumed& e) const {
        return e.strand == 0 ? "runs again" : "its stalled part runs again";
    }
    std::string operator()(const sim::DeadlinePassed& e) const {
        const sim::ProcessId process = log_.process(place_);
        std::string held;
        for (const HoldTale& hold : log_.holds())
            if (hold.belief_end == place_)
                held += (held.empty() ? "" : ", ") + words_.lock(hold.lock);
        if (held.empty() && !events::is_grant_deadline(e.key)) held = "its lease";
        return fmt::format("passes its own deadline for {}{}", held.empty() ? "a lock" : held,
                           log_.still_since(process, place_) != nowhere ? ", unseen" : "");
    }
    std::string operator()(const sim::LinkWasReset& e) const {
        return fmt::format("loses its connection with {}", words_.who(e.peer));
    }
    std::string operator()(const sim::LinkTroubled& e) const {
        return fmt::format("{} {} {}", e.on ? "can hardly reach" : "can reach", words_.who(e.peer),
                           e.on ? "any more" : "again");
    }
    std::string operator()(const sim::FaultStarted& e) const {
        return fmt::format("FAULT: {}", words_.fault(e.fault));
    }
    std::string operator()(const sim::FaultEnded& e) const {
        return fmt::format("over: {}", words_.fault(e.fault));
    }
    std::string operator()(const sim::AssumptionBroken& e) const {
        return fmt::format("breaks an assumption: {} holds for {}s no longer",
                           properties::to_string(e.assumption), properties::to_string(e.kind));
    }
    std::string operator()(const sim::Healed&) const { return "all faults are over"; }
    std::string operator()(const sim::Stopping&) const { return "the workers are told to finish"; }
    std::string operator()(const sim::Probing&) const {
        return "a fresh client asks for every lock";
    }
    template <class E>
    std::string operator()(const E& e) const {
        if constexpr (std::is_constructible_v<sim::WorldEvent, E>)
            return describe(words_.names(), sim::WorldEvent(e));
        else
            return describe(words_.names(), events::Event(e));
    }

private:
    const Phrases& words_;
    const Chronicle& log_;
    Place place_;
};

bool word_sign(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
}

bool has_word(std::string_view text, std::string_view word) {
    if (word.empty()) return false;
    for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const auto end = at + word.size();
        const bool begins = at == 0 || !word_sign(text[at - 1]);
        const bool ends = end == text.size() || !word_sign(text[end]);
        if (begins && ends) return true;
    }
    return false;
}

}  // namespace

std::string Phrases::text(Place place) const {
    const LoggedEvent& logged = log_.at(place);
    const Speaker speaker(*this, log_, place);
    if (const auto* event = std::get_if<events::Event>(&logged.what))
        return std::visit(speaker, *event);
    if (const auto* event = std::get_if<sim::WorldEvent>(&logged.what))
        return std::visit(speaker, *event);
    if (const auto* message = std::get_if<MessageLine>(&logged.what))
        return message->is_note ? message->text
                                : fmt::format("sends {} to {}", message->kind, who(message->to));
    const auto& taken = std::get<MessageTaken>(logged.what);
    return fmt::format("takes a message of {}", who(taken.from));
}

std::string Phrases::client(SessionId session) const {
    const sim::ProcessId client = log_.client_of(session);
    return client ? who(client) : fmt::format("session {}", session.value);
}

std::string Phrases::holder(FencingToken token, Place by) const {
    const HoldTale* hold = log_.hold(token, by);
    return hold != nullptr && hold->client ? who(hold->client) : "somebody";
}

std::string Phrases::when(Place place) const {
    return place == nowhere ? "the end" : seconds_text(log_.time(place).ns);
}

std::string Phrases::span(Duration d) {
    if (d.ns >= 0 && d.ns < 1'000'000) return span_text(d);
    return seconds_text(d.ns) + " s";
}

std::string Phrases::between(Place from, Place to) const {
    return span(log_.time(to) - log_.time(from));
}

std::string Phrases::lasting(Place from, Place to) const {
    if (to == nowhere) return "for good";
    return fmt::format("for {}, until {}", between(from, to), when(to));
}

std::string Phrases::listed(const std::vector<std::string>& words) {
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) out += i + 1 == words.size() ? " and " : ", ";
        out += words[i];
    }
    return out;
}

std::vector<sim::ProcessId> processes_in(const Outcome& outcome, std::string_view text) {
    std::vector<sim::ProcessId> found;
    for (std::size_t i = 0; i < outcome.process_names.size(); ++i)
        if (has_word(text, outcome.process_names[i]))
            found.emplace_back(static_cast<std::uint32_t>(i + 1));
    return found;
}

std::vector<LockId> locks_in(const Outcome& outcome, std::string_view text) {
    std::vector<LockId> found;
    for (std::size_t i = 0; i < outcome.lock_names.size(); ++i)
        if (has_word(text, outcome.lock_names[i]))
            found.emplace_back(static_cast<std::uint32_t>(i + 1));
    return found;
}

}  // namespace lockstep::harness
