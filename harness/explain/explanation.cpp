#include "harness/explain/explanation.hpp"

#include "harness/explain/causality.hpp"
#include "harness/explain/telling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <type_traits>
#include <utility>

namespace lockstep::harness {
namespace {

using properties::PropertyId;

constexpr std::size_t most_steps = 10;
constexpr std::size_t least_steps = 6;

void tell_family(Telling& t) {
    switch (t.violation.id) {
        case PropertyId::Belief1:
            return tell_belief(t);
        case PropertyId::Fence1:
        case PropertyId::Fence2:
            return tell_stale_write(t);
        case PropertyId::Lock3:
            return tell_early_end(t);
        case PropertyId::Lock1:
        case PropertyId::Lock2:
        case PropertyId::Grant1:
            return tell_grants(t);
        case PropertyId::Raft1:
        case PropertyId::Raft6:
            return tell_elections(t);
        case PropertyId::Raft2:
        case PropertyId::Raft3:
        case PropertyId::Raft4:
        case PropertyId::Raft5:
            return tell_logs(t);
        case PropertyId::Quorum1:
            return tell_quorum(t);
        case PropertyId::Act1:
            return tell_late_act(t);
        case PropertyId::Lock5:
        case PropertyId::Avail1:
        case PropertyId::Live1:
        case PropertyId::Live2:
        case PropertyId::Live3:
        case PropertyId::Live4:
            return tell_liveness(t);
        case PropertyId::Lock4:
        case PropertyId::Lock6:
        case PropertyId::Keep1:
        case PropertyId::Wake1:
        case PropertyId::Lin1:
            return tell_evidence(t);
    }
}

/// Kinds that can be decisive, of whom it concerns; everything else is the daily round.
class Relevance {
public:
    explicit Relevance(const Telling& t) : t_(t) {}

    bool operator()(Place place) const {
        const LoggedEvent& logged = t_.log.at(place);
        process_ = logged.process;
        if (const auto* event = std::get_if<events::Event>(&logged.what))
            return std::visit([this](const auto& e) { return matters(e); }, *event);
        if (const auto* event = std::get_if<sim::WorldEvent>(&logged.what))
            return std::visit([this](const auto& e) { return matters(e); }, *event);
        return false;
    }

private:
    bool ours(SessionId session) const { return t_.focus.sessions.contains(session); }
    bool ours(LockId lock) const { return t_.focus.locks.contains(lock); }
    bool ours(LockId lock, FencingToken token) const {
        return ours(lock) && (t_.focus.tokens.empty() || t_.focus.tokens.contains(token));
    }
    bool ours(sim::ProcessId process) const {
        const auto& all = t_.focus.processes;
        return std::find(all.begin(), all.end(), process) != all.end();
    }
    bool is_server(sim::ProcessId process) const {
        const auto& kinds = t_.log.outcome().process_kinds;
        return process && process.value <= kinds.size() &&
               kinds[process.value - 1] == sim::ProcessKind::Server;
    }

    bool matters(const events::BecameLeader&) const { return true; }
    bool matters(const events::SteppedDown&) const { return true; }
    bool matters(const events::SessionOpened& e) const { return ours(e.session); }
    bool matters(const events::SessionEnded& e) const { return ours(e.session); }
    bool matters(const events::ExpiryProposed& e) const { return ours(e.session); }
    bool matters(const events::LeaseInherited& e) const { return ours(e.session); }
    bool matters(const events::RenewalSent& e) const { return ours(e.session); }
    bool matters(const events::RenewalReceived& e) const { return ours(e.session); }
    bool matters(const events::RenewalAnswered& e) const { return ours(e.session); }
    bool matters(const events::DeadlineMoved& e) const { return ours(e.session); }
    bool matters(const events::Granted& e) const { return ours(e.lock, e.token); }
    bool matters(const events::Released& e) const { return ours(e.lock, e.token); }
    bool matters(const events::HoldEnded& e) const { return ours(e.lock, e.token); }
    bool matters(const events::DelayStarted& e) const { return ours(e.lock); }
    bool matters(const events::DelayEnded& e) const { return ours(e.lock); }
    bool matters(const events::GrantTold& e) const { return ours(e.lock, e.token); }
    bool matters(const events::LossTold& e) const { return ours(e.lock, e.token); }
    bool matters(const events::ReleaseCalled& e) const { return ours(e.lock, e.token); }
    bool matters(const events::MayActAsked& e) const {
        return ours(e.lock) && t_.focus.tokens.contains(e.token);
    }
    bool matters(const events::WriteSent& e) const { return t_.focus.tokens.contains(e.token); }
    bool matters(const events::WriteAccepted& e) const { return t_.focus.tokens.contains(e.token); }
    bool matters(const events::WriteRejected& e) const { return t_.focus.tokens.contains(e.token); }
    bool matters(const events::ReadAccepted& e) const { return t_.focus.tokens.contains(e.token); }
    bool matters(const events::ReadRejected& e) const { return t_.focus.tokens.contains(e.token); }
    bool matters(const events::StorageRefused&) const { return true; }
    bool matters(const events::StorageFailed&) const { return true; }
    bool matters(const sim::Paused&) const { return ours(process_) || is_server(process_); }
    bool matters(const sim::Resumed&) const { return ours(process_) || is_server(process_); }
    bool matters(const sim::ProcessStarted& e) const {
        return e.life > 1 && (ours(process_) || is_server(process_));
    }
    bool matters(const sim::ProcessStopped&) const { return ours(process_) || is_server(process_); }
    bool matters(const sim::FaultStarted&) const { return ours(process_) || is_server(process_); }
    bool matters(const sim::AssumptionBroken&) const { return true; }
    bool matters(const sim::DeadlinePassed& e) const {
        return ours(process_) && (events::is_grant_deadline(e.key) || ours(SessionId(e.key)));
    }
    template <class E>
    bool matters(const E&) const {
        return false;
    }

    const Telling& t_;
    mutable sim::ProcessId process_;
};

/// The steps that are shown: the most needed ones, and of equals the later.
std::vector<Place> shown_steps(const Telling& t) {
    std::vector<std::pair<Rank, Place>> ranked;
    for (const auto& [place, step] : t.steps)
        if (place != t.at) ranked.emplace_back(step.rank, place);
    std::sort(ranked.rbegin(), ranked.rend());
    std::size_t wanted = 0;
    for (const auto& [rank, place] : ranked)
        if (rank >= Rank::Linked) ++wanted;
    wanted = std::clamp(wanted, least_steps - 1, most_steps - 1);
    if (ranked.size() > wanted) ranked.resize(wanted);
    std::vector<Place> shown;
    for (const auto& [rank, place] : ranked) shown.push_back(place);
    std::sort(shown.begin(), shown.end());
    return shown;
}

/// Tells several steps of one process and instant as one.
void merge_twins(Telling& t, std::vector<Place>& shown) {
    for (std::size_t i = 1; i < shown.size();) {
        const Place a = shown[i - 1];
        const Place b = shown[i];
        const bool twins = t.log.time(a) == t.log.time(b) && t.log.process(a) == t.log.process(b);
        const bool marked = t.decisive == a || t.decisive == b;
        if (!twins || marked) {
            ++i;
            continue;
        }
        std::string& text = t.steps[b].text;
        text = t.steps[a].text + ", and " + text;
        shown.erase(shown.begin() + static_cast<std::ptrdiff_t>(i) - 1);
    }
}

/// The daily round of a holder: renewals, questions, reads and writes.
bool is_routine(const Chronicle& log, Place place) {
    if (const auto* message = std::get_if<MessageLine>(&log.at(place).what))
        return !message->is_note;
    const auto* event = std::get_if<events::Event>(&log.at(place).what);
    if (event == nullptr) return false;
    return std::visit(
        [](const auto& e) {
            using E = std::decay_t<decltype(e)>;
            constexpr bool renewal = std::is_same_v<E, events::RenewalSent> ||
                                     std::is_same_v<E, events::RenewalReceived> ||
                                     std::is_same_v<E, events::RenewalAnswered> ||
                                     std::is_same_v<E, events::DeadlineMoved>;
            constexpr bool work =
                std::is_same_v<E, events::MayActAsked> || std::is_same_v<E, events::WriteSent> ||
                std::is_same_v<E, events::WriteAccepted> || std::is_same_v<E, events::ReadAccepted>;
            return renewal || work;
        },
        *event);
}

/// Of what goes on all the time only the last matters; what is told stays.
void thin_out(const Telling& t, std::vector<std::size_t>& chain) {
    constexpr std::size_t kept = 60;
    std::size_t routine = 0;
    for (std::size_t i = chain.size(); i-- > 0;) {
        if (t.steps.contains(chain[i]) || !is_routine(t.log, chain[i])) continue;
        if (++routine > kept) chain.erase(chain.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

/// What led there: decisive events of the focus in the causal past, with the messages behind them.
std::vector<std::size_t> chain_of(const Telling& t, const Causality& causes, Place begins) {
    std::vector<std::size_t> chain;
    const std::vector<bool> past = causes.past_of(t.at);
    const Relevance relevant(t);
    for (Place place = begins; place <= t.at && place < t.log.size(); ++place) {
        const bool told = t.steps.contains(place);
        if (!told && (!past[place] || !relevant(place))) continue;
        chain.push_back(place);
        const Place message = causes.message_behind(place);
        if (message != nowhere && message >= begins) chain.push_back(message);
    }
    thin_out(t, chain);
    std::sort(chain.begin(), chain.end());
    chain.erase(std::unique(chain.begin(), chain.end()), chain.end());
    // The violation is the last.
    std::erase(chain, t.at);
    if (t.at < t.log.size()) chain.push_back(t.at);
    return chain;
}

std::string capital(std::string text) {
    if (!text.empty())
        text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
}

std::string sentence(std::string text) {
    if (text.empty()) return text;
    // A name is written as it is.
    const char last = text.back();
    return last == '.' ? text : text + ".";
}

/// The assumption that excuses the violation: what broke it, and when.
std::string excuse(const Telling& t) {
    const auto& need = t.violation.excused_by;
    if (!need) return "";
    std::string text =
        fmt::format("the assumption {} of a {}, which {} needs, had been broken",
                    properties::to_string(need->assumption), properties::to_string(need->kind),
                    properties::code_of(t.violation.id));
    for (const Place place : t.log.broken()) {
        const auto* broken = t.log.world_event<sim::AssumptionBroken>(place);
        if (broken->assumption != need->assumption || broken->kind != need->kind) continue;
        text += " at " + t.words.when(place);
        for (const SpanTale& fault : t.log.faults())
            if (fault.from <= place && t.log.time(fault.from) == t.log.time(place))
                return text + fmt::format(" by the fault \"{}\"", t.words.fault(fault.fault));
        if (t.log.process(place)) text += " by " + t.words.who(place);
        return text;
    }
    return text;
}

void tell_excuse(Telling& t) {
    if (!t.violation.excused_by) return;
    for (const Place place : t.log.broken()) {
        const auto* broken = t.log.world_event<sim::AssumptionBroken>(place);
        if (broken->assumption != t.violation.excused_by->assumption ||
            broken->kind != t.violation.excused_by->kind)
            continue;
        t.step(place, Rank::Needed);
        return;
    }
}

/// A step inside a sentence.
std::string told_in_passing(std::string text) {
    if (text.starts_with("FAULT: ")) text = "suffers a fault, " + text.substr(7);
    // Capitals catch the eye in a list, and shout in a sentence.
    for (const std::string_view loud : {"ACCEPTS", "REFUSES", "NO"}) {
        const auto at = text.find(loud);
        if (at == std::string::npos) continue;
        for (std::size_t i = at; i < at + loud.size(); ++i)
            text[i] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[i])));
    }
    return text;
}

/// The steps without which the rest makes no sense; with few of them, the others of the chain, too.
std::string chain_text(const Telling& t, const std::vector<Place>& shown) {
    constexpr std::ptrdiff_t enough = 5;
    const auto needed = std::count_if(shown.begin(), shown.end(), [&](Place place) {
        return t.steps.at(place).rank == Rank::Needed;
    });
    const Rank least = needed >= enough ? Rank::Needed : Rank::Linked;
    std::string chain;
    for (const Place place : shown) {
        const Step& step = t.steps.at(place);
        if (place == t.at || step.rank < least) continue;
        const sim::ProcessId process = t.log.process(place);
        chain += fmt::format("{}at {} {}{}{}", chain.empty() ? "" : "; ", t.words.when(place),
                             process ? t.name(process) : "", process ? " " : "",
                             told_in_passing(step.text));
    }
    return chain;
}

std::string cause_of(const Telling& t, const std::vector<Place>& shown) {
    const auto& property = properties::describe(t.violation.id);
    std::string text =
        fmt::format("{} {} did not hold: {}", property.code, property.name, sentence(t.broke));
    const std::string chain = chain_text(t, shown);
    if (!chain.empty()) text += " " + sentence(capital(chain));
    if (!t.pivot.empty()) text += " " + sentence(t.pivot);
    if (t.violation.excused_by)
        text += " It is excused: " + sentence(excuse(t));
    else if (!t.looks_like.empty())
        text += fmt::format(" It looks like {}.", t.looks_like);
    return text;
}

/// Where nothing was told, and there is room: what is relevant, the latest first.
void fill_up(Telling& t, const Causality& causes) {
    std::size_t told = 0;
    for (const auto& [place, step] : t.steps)
        if (step.rank >= Rank::Linked) ++told;
    if (told >= least_steps || t.log.size() == 0) return;
    const std::vector<bool> past = causes.past_of(t.at);
    const Relevance relevant(t);
    std::size_t room = least_steps - std::min(told, least_steps);
    for (Place place = t.at; place-- > 0 && room > 0;) {
        if (!past[place] || !relevant(place) || t.steps.contains(place)) continue;
        t.step(place, Rank::Helpful);
        --room;
    }
}

std::string due_text(const Telling& t) {
    return fmt::format("{}: time is up, and what was promised has not come",
                       properties::code_of(t.violation.id));
}

}  // namespace

Explanation explain(const Outcome& outcome, const scenario::Resolved& settings,
                    const properties::Violation& violation) {
    const Chronicle log(outcome);
    const Phrases words(log, settings);
    Telling t(log, settings, words, violation);
    Explanation out;
    out.property = violation.id;
    out.at = violation.at;
    out.begins = violation.at;
    out.harm = violation.evidence;
    out.cause = violation.evidence;
    if (log.size() == 0) return out;
    tell_family(t);
    tell_excuse(t);
    const Causality causes(log);
    fill_up(t, causes);
    for (auto& [place, step] : t.steps)
        if (step.text.empty()) step.text = words.text(place);
    t.step(t.at, Rank::Needed);
    if (!t.by_event) t.steps[t.at].text = due_text(t);
    if (t.steps[t.at].text.empty()) t.steps[t.at].text = words.text(t.at);
    if (t.decisive == nowhere && t.by_event) t.decide(t.at);
    auto shown = shown_steps(t);
    merge_twins(t, shown);
    shown.push_back(t.at);
    for (const Place place : shown)
        out.story.push_back(
            {log.time(place), log.process(place), t.steps[place].text, place == t.decisive, place});
    // What is found when time is up is nobody's doing.
    if (!t.by_event) {
        out.story.back().process = sim::ProcessId();
        out.story.back().at = violation.at;
    }
    out.begins = out.story.front().at;
    out.harm = t.harm.empty() ? violation.evidence : t.harm;
    out.cause = cause_of(t, shown);
    out.looks_like = violation.excused_by ? excuse(t) : t.looks_like;
    out.fencing = t.fencing;
    out.processes = t.focus.processes;
    out.locks.assign(t.focus.locks.begin(), t.focus.locks.end());
    out.chain = chain_of(t, causes, shown.front());
    return out;
}

}  // namespace lockstep::harness
