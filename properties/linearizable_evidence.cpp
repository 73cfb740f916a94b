#include "properties/context.hpp"
#include "properties/linearizable_judge.hpp"

#include <algorithm>

/// What an objection says: which answer does not fit, and the chain of reasons why.
namespace lockstep::properties::lin {
namespace {

using Cause = Timeline::Cause;
using Misfit = Timeline::Misfit;

constexpr int links = 4;

std::string when(std::int64_t at) {
    return say(sim::SimTime{at});
}

}  // namespace

std::string History::Judge::name(LockId lock) const {
    return names.lock ? names.lock(lock) : fmt::format("{}", lock.value);
}

std::string History::Judge::name(SessionId session) const {
    return names.session ? names.session(session) : fmt::format("session {}", session.value);
}

std::string History::Judge::name_hold(const Timeline::Hold& hold) const {
    const std::string session = name(sessions[hold.session].id);
    if (!hold.known) return fmt::format("the acquire of unknown outcome of {}", session);
    return fmt::format("the grant to {} (token {})", session, hold.token.value);
}

std::string History::Judge::because_start(const Timeline& timeline, const Timeline::Hold& hold,
                                          int depth) const {
    if (hold.start_by == Cause::Call || hold.before == Timeline::none)
        return fmt::format("it was called for at {}", when(hold.called));
    const Timeline::Hold& before = timeline.hold(hold.before);
    return fmt::format("{} {}", name_hold(before), because_end(timeline, before, depth));
}

std::string History::Judge::because_end(const Timeline& timeline, const Timeline::Hold& hold,
                                        int depth) const {
    const bool asked_for = hold.free > hold.end || hold.end_by == Cause::Refused;
    if (asked_for)
        return fmt::format("must have lasted until {}: {} was refused between then and {}",
                           when(hold.free.at), name(hold.refusal.session),
                           when(hold.refusal.answered));
    const std::string until = fmt::format("cannot have ended before {}", when(hold.end.at));
    switch (hold.end_by) {
        case Cause::ReleaseCall:
            return fmt::format("was released by a call of {}", when(hold.release));
        case Cause::Lapse:
            return fmt::format("{}, when its release was called", until);
        case Cause::HoldEnd:
            return fmt::format("{}, by the least time of a hold", until);
        case Cause::SessionEnd:
            if (depth <= 0) return until;
            return fmt::format("ends with its session, and {}",
                               because_session(timeline, hold.session, depth - 1));
        case Cause::Start:
        default:
            if (depth <= 0) return until;
            return fmt::format("began no sooner than {}, since {}", when(hold.start.at),
                               because_start(timeline, hold, depth - 1));
    }
}

std::string History::Judge::because_session(const Timeline& timeline, std::uint32_t slot,
                                            int depth) const {
    const Timeline::Session& session = timeline.session(slot);
    const std::string id = name(sessions[slot].id);
    if (session.end_by == Cause::Promise || session.because == Timeline::none)
        return fmt::format("{} cannot have ended before {}, which its lease promised", id,
                           when(sessions[slot].promised));
    const Timeline::Hold& hold = timeline.hold(session.because);
    std::string what = fmt::format("{} cannot have ended before {}, for {} of {}", id,
                                   when(session.end.at), name_hold(hold), name(locks[hold.lock]));
    if (depth <= 0) return what;
    return fmt::format("{} {}", what, because_end(timeline, hold, depth - 1));
}

std::string History::Judge::evidence(const Timeline& timeline) const {
    const Misfit& misfit = timeline.misfit();
    const std::string who = misfit.kind == Misfit::Kind::Refusal
                                ? name(misfit.refusal.session)
                                : name(sessions[misfit.session].id);
    const auto hold = [&]() -> const Timeline::Hold& { return timeline.hold(misfit.hold); };
    switch (misfit.kind) {
        case Misfit::Kind::Start:
            return fmt::format("{} was made by {}, but {}", name_hold(hold()),
                               when(hold().start_latest), because_start(timeline, hold(), links));
        case Misfit::Kind::End:
            return fmt::format(
                "{} was no more by {}, but {}", name_hold(hold()), when(hold().end_latest),
                hold().end > hold().start.next() ? "it " + because_end(timeline, hold(), links)
                                                 : because_start(timeline, hold(), links));
        case Misfit::Kind::Session:
            return fmt::format("{} had ended by {}{}, but {}", who,
                               when(timeline.session(misfit.session).latest),
                               timeline.session(misfit.session).told_over
                                   ? ""
                                   : ", when its lock was granted to another",
                               because_session(timeline, misfit.session, links));
        case Misfit::Kind::Circle:
            return fmt::format("{} would have to come before itself: {}", name_hold(hold()),
                               because_start(timeline, hold(), links));
        case Misfit::Kind::Refusal:
            return fmt::format("{} was refused between {} and {}, when nobody can have held it",
                               who, when(misfit.refusal.called), when(misfit.refusal.answered));
        case Misfit::Kind::SameToken:
            return fmt::format("token {} was granted to {} and again, by {}, to {}",
                               misfit.token.value, name(sessions[hold().session].id),
                               when(misfit.answered), who);
        case Misfit::Kind::LowToken:
            return fmt::format(
                "{} was granted token {} by a call of {}, after the higher token {} was granted",
                who, misfit.token.value, when(misfit.called), misfit.other.value);
        case Misfit::Kind::NoRoom:
            return fmt::format(
                "{} must have held it in between, and the tokens told leave no number for that",
                who);
        case Misfit::Kind::NeverGranted:
            return fmt::format("{} released token {} by {}, which it had not been granted", who,
                               misfit.token.value, when(misfit.answered));
        case Misfit::Kind::GoneSince:
            return fmt::format(
                "{} released token {} by a call of {}, when the lock had been granted on", who,
                misfit.token.value, when(misfit.called));
        case Misfit::Kind::ReleasedTwice:
            return fmt::format("{} released token {} again, by a call of {}", who,
                               misfit.token.value, when(misfit.called));
        case Misfit::Kind::None:
            break;
    }
    return "nothing fits";
}

void History::Judge::object(const Timeline& timeline) {
    done = true;
    if (gave_up) return;
    const Misfit& misfit = timeline.misfit();
    const bool of_lock = misfit.kind != Misfit::Kind::Session;
    const LockId lock = of_lock ? locks[misfit.lock] : LockId();
    std::string text = evidence(timeline);
    if (of_lock) text = fmt::format("lock {}: {}", name(lock), text);
    objection = Objection{sim::SimTime{now}, lock, std::move(text)};
}

}  // namespace lockstep::properties::lin
