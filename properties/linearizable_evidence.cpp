#include "properties/context.hpp"
#include "properties/linearizable_judge.hpp"

#include <algorithm>

/// What an objection says: which answer does not fit, and the chain of reasons why.
namespace lockstep::properties::lin {
namespace {

using Cause = Timeline::Cause;
using Misfit = Timeline::Misfit;

constexpr int links = 4;

}  // namespace

/// Words for what a timeline rests on. Collects the places of what it speaks of.
struct History::Judge::Reasons {
    const Judge& judge;
    const Timeline& timeline;
    std::vector<std::uint64_t> places;

    std::string sentence();
    std::string name(LockId lock) const;

private:
    const Timeline::Hold& hold(Timeline::HoldId id) const { return timeline.hold(id); }
    void at(std::uint64_t place) {
        if (place != 0 && std::ranges::find(places, place) == places.end()) places.push_back(place);
    }
    void at(const Interval& in) {
        at(in.called_in);
        at(in.answered_in);
    }
    std::string name(std::uint32_t slot) const { return name(judge.sessions[slot].id); }
    std::string name(SessionId session) const;
    std::string when(std::int64_t at) const {
        return judge.names.time ? judge.names.time({at}) : say(sim::SimTime{at});
    }
    std::string token(std::uint32_t lock, std::string_view before, FencingToken token,
                      std::string_view otherwise) const;
    std::string name_hold(const Timeline::Hold& hold);
    std::string because_start(const Timeline::Hold& hold, int depth);
    std::string because_end(const Timeline::Hold& hold, int depth);
    std::string with_session(const Timeline::Hold& hold, int depth);
    std::string because_session(std::uint32_t slot, int depth);
    std::string bound_of(std::uint32_t slot);
    std::string of_bounds(const Misfit& misfit);
    std::string of_tokens(const Misfit& misfit);
};

std::string History::Judge::Reasons::name(LockId lock) const {
    return judge.names.lock ? judge.names.lock(lock) : fmt::format("lock {}", lock.value);
}

std::string History::Judge::Reasons::name(SessionId session) const {
    return judge.names.session ? judge.names.session(session)
                               : fmt::format("session {}", session.value);
}

/// The token with words before it, or other words if those of the lock were made up.
std::string History::Judge::Reasons::token(std::uint32_t lock, std::string_view before,
                                           FencingToken token, std::string_view otherwise) const {
    if (judge.names.has_tokens && !judge.names.has_tokens(judge.locks[lock]))
        return std::string(otherwise);
    return fmt::format("{}token {}", before, token.value);
}

std::string History::Judge::Reasons::name_hold(const Timeline::Hold& hold) {
    at(hold.called_in);
    at(hold.told_in);
    const std::string who = name(hold.session);
    if (!hold.known) return fmt::format("the acquire of unknown outcome by {}", who);
    return fmt::format("the grant{} to {}", token(hold.lock, " of ", hold.token, ""), who);
}

std::string History::Judge::Reasons::because_start(const Timeline::Hold& hold, int depth) {
    if (hold.start_by == Cause::Call || hold.before == Timeline::none)
        return fmt::format("it was called for at {}", when(hold.called));
    const Timeline::Hold& before = timeline.hold(hold.before);
    const std::string what = name_hold(before);
    return what + " " + because_end(before, depth);
}

std::string History::Judge::Reasons::because_end(const Timeline::Hold& hold, int depth) {
    const bool asked_for = hold.free > hold.end || hold.end_by == Cause::Refused;
    if (asked_for)
        return fmt::format("must have lasted until {}: {} was refused between then and {}",
                           when(hold.free.at), name(hold.refusal.session),
                           when(hold.refusal.answered));
    const std::string until = fmt::format("cannot have ended before {}", when(hold.end.at));
    switch (hold.end_by) {
        case Cause::ReleaseCall:
            at(hold.release_in);
            return fmt::format("was released only by a call of {}", when(hold.release));
        case Cause::Lapse:
            return fmt::format(
                "{}, when it may have been over by a release, a loss that was told or a term of "
                "its own",
                until);
        case Cause::HoldEnd:
            return fmt::format("{}, by the least time of a hold", until);
        case Cause::SessionEnd:
            return depth <= 0 ? until : with_session(hold, depth);
        case Cause::Start:
        default:
            if (depth <= 0) return until;
            return fmt::format("began no sooner than {}, since {}", when(hold.start.at),
                               because_start(hold, depth - 1));
    }
}

/// It ends with its session and was not released: until when did that last?
std::string History::Judge::Reasons::with_session(const Timeline::Hold& hold, int depth) {
    const Timeline::Session& session = timeline.session(hold.session);
    if (session.end_by != Cause::Promise && session.because != Timeline::none)
        return fmt::format("ends with its session, and {}",
                           because_session(hold.session, depth - 1));
    const Session& known = judge.sessions[hold.session];
    if (known.promised == never && known.may_end == never)
        return "has no TTL and had not been released";
    return fmt::format("was not released, and cannot have ended before {}", bound_of(hold.session));
}

/// The instant before which a session does not end by itself, and what says so.
std::string History::Judge::Reasons::bound_of(std::uint32_t slot) {
    const Session& session = judge.sessions[slot];
    if (session.may_end < session.promised) {
        at(session.may_end_in);
        return fmt::format("{}, when its client gave it up", when(session.may_end));
    }
    at(session.promised_in);
    return fmt::format("{}, to which its lease ran", when(session.promised));
}

std::string History::Judge::Reasons::because_session(std::uint32_t slot, int depth) {
    const Timeline::Session& session = timeline.session(slot);
    const std::string id = name(slot);
    if (session.end_by == Cause::Promise || session.because == Timeline::none) {
        const Session& known = judge.sessions[slot];
        if (known.promised == never && known.may_end == never)
            return fmt::format("{} has no TTL", id);
        return fmt::format("{} cannot have ended before {}", id, bound_of(slot));
    }
    const Timeline::Hold& hold = timeline.hold(session.because);
    const std::string what = name_hold(hold);
    const std::string text = fmt::format("{} cannot have ended before {}, for {} on {}", id,
                                         when(session.end.at), what, name(judge.locks[hold.lock]));
    return depth <= 0 ? text : fmt::format("{} {}", text, because_end(hold, depth - 1));
}

/// Of instants: what must be before something that it cannot be before.
std::string History::Judge::Reasons::of_bounds(const Misfit& misfit) {
    if (misfit.kind == Misfit::Kind::Session) {
        const std::string who = name(misfit.session);
        at(judge.sessions[misfit.session].over_in);
        const Timeline::Session& session = timeline.session(misfit.session);
        return fmt::format("{} had ended by {}{}, but {}", who, when(session.latest),
                           session.told_over ? "" : ", when its lock was granted to another",
                           because_session(misfit.session, links));
    }
    const Timeline::Hold& it = hold(misfit.hold);
    const std::string what = name_hold(it);
    if (misfit.kind == Misfit::Kind::Circle)
        return fmt::format("{} would have to come before itself: {}", what,
                           because_start(it, links));
    if (misfit.kind == Misfit::Kind::Start)
        return fmt::format("{} was made by {}, but {}", what, when(it.start_latest),
                           because_start(it, links));
    at(it.release_in);
    return fmt::format(
        "{} was no more by {}, but {}", what, when(it.end_latest),
        it.end > it.start.next() ? "it " + because_end(it, links) : because_start(it, links));
}

/// Of tokens: who was granted them, and who gave them back.
std::string History::Judge::Reasons::of_tokens(const Misfit& misfit) {
    const std::string who = name(misfit.session);
    const std::string its = token(misfit.lock, "", misfit.token, "it");
    if (misfit.kind == Misfit::Kind::SameToken) name_hold(hold(misfit.hold));
    if (misfit.kind == Misfit::Kind::LowToken) at(timeline.lock(misfit.lock).forgotten_in);
    at(misfit.in);
    switch (misfit.kind) {
        case Misfit::Kind::SameToken:
            return fmt::format("{} was granted to {} and again, by {}, to {}", its,
                               name(hold(misfit.hold).session), when(misfit.in.answered), who);
        case Misfit::Kind::LowToken:
            return fmt::format(
                "{} was granted {} by a call of {}, after the higher token {} was granted", who,
                its, when(misfit.in.called), misfit.other.value);
        case Misfit::Kind::NeverGranted:
            return fmt::format("{} released {} by {}, which it had not been granted", who, its,
                               when(misfit.in.answered));
        case Misfit::Kind::GoneSince:
            return fmt::format("{} released {} by a call of {}, when the lock had been granted on",
                               who, its, when(misfit.in.called));
        default:
            return fmt::format("{} released {} again, by a call of {}", who, its,
                               when(misfit.in.called));
    }
}

std::string History::Judge::Reasons::sentence() {
    const Misfit& misfit = timeline.misfit();
    switch (misfit.kind) {
        case Misfit::Kind::Start:
        case Misfit::Kind::End:
        case Misfit::Kind::Session:
        case Misfit::Kind::Circle:
            return of_bounds(misfit);
        case Misfit::Kind::Refusal:
            return fmt::format("{} was refused between {} and {}, when nobody can have held it",
                               name(misfit.refusal.session), when(misfit.refusal.called),
                               when(misfit.refusal.answered));
        case Misfit::Kind::NoRoom:
            return fmt::format(
                "{} must have held it in between, and the tokens told leave no number for that",
                name(misfit.session));
        case Misfit::Kind::SameToken:
        case Misfit::Kind::LowToken:
        case Misfit::Kind::NeverGranted:
        case Misfit::Kind::GoneSince:
        case Misfit::Kind::ReleasedTwice:
            return of_tokens(misfit);
        case Misfit::Kind::None:
            break;
    }
    return "nothing fits";
}

void History::Judge::object(const Timeline& timeline) {
    done = true;
    if (gave_up) return;
    Reasons reasons{*this, timeline, {}};
    const Misfit& misfit = timeline.misfit();
    std::string text = reasons.sentence();
    LockId lock;
    if (misfit.kind != Misfit::Kind::Session) {
        lock = locks[misfit.lock];
        text = fmt::format("{}: {}", reasons.name(lock), text);
    }
    objection = Objection{sim::SimTime{now}, lock, std::move(text), std::move(reasons.places)};
}

}  // namespace lockstep::properties::lin
