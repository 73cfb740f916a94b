#include "properties/retries.hpp"

#include "core/events/event.hpp"

#include <algorithm>

namespace lockstep::properties {

using events::AnswerStatus;

namespace {

enum Effect : std::uint8_t {
    was_queued = 1,
    was_granted = 2,
    was_refused = 4,
    was_ended = 8,  ///< its grant was released or ended otherwise, by an entry of its own
    was_cancelled = 16,
};

std::string_view name_of(std::uint8_t effect) {
    switch (effect) {
        case was_queued:
            return "queued";
        case was_granted:
            return "granted";
        case was_refused:
            return "refused";
        case was_ended:
            return "released";
        default:
            return "cancelled";
    }
}

constexpr std::string_view stage_names[] = {"queued", "answered", "cancelled", "stale"};

}  // namespace

Retries::Request* Retries::find(SessionId session, RequestSeq seq) {
    std::size_t* place = places_.find(session);
    if (!place) {
        if (!context_.sessions.open(session)) return nullptr;
        std::size_t made = pool_.size();
        if (unused_.empty()) {
            pool_.emplace_back();
        } else {
            made = unused_.back();
            unused_.pop_back();
            pool_[made] = {};
        }
        place = &(places_[session] = made);
    }
    Request& request = pool_[*place][seq.value % kept];
    if (request.seq > seq) return nullptr;
    if (request.seq < seq) {
        request = {};
        request.seq = seq;
    }
    return &request;
}

void Retries::effect(const Stamp& stamp, LockId lock, SessionId session, RequestSeq seq,
                     std::uint8_t bit, std::uint8_t excluded) {
    Request* request = find(session, seq);
    if (!request) return;
    const std::uint8_t before = request->effects;
    request->effects |= bit;
    if (request->lock == LockId()) request->lock = lock;
    if (before == 0) return;
    context_.ledger.checked(PropertyId::Lock6);
    if ((before & excluded) == 0) return;
    context_.ledger.object(PropertyId::Lock6, stamp, [&] {
        std::uint8_t earlier = 1;
        while ((before & excluded & earlier) == 0) earlier = static_cast<std::uint8_t>(earlier * 2);
        return fmt::format("request {} of {} for lock {} was {} after it had been {}", seq.value,
                           context_.whose(session), context_.name(lock), name_of(bit),
                           name_of(earlier));
    });
}

void Retries::on(const Stamp& stamp, const events::Granted& e) {
    effect(stamp, e.lock, e.session, e.seq, was_granted, was_granted | was_refused);
}

void Retries::on(const Stamp& stamp, const events::Queued& e) {
    effect(stamp, e.lock, e.session, e.seq, was_queued, was_queued | was_granted | was_refused);
}

void Retries::on(const Stamp& stamp, const events::Refused& e) {
    using enum events::RefusalReason;
    // These say that nothing was done, which may be said as often as it is asked.
    if (e.reason == SessionOver || e.reason == Stale || e.reason == LimitReached) return;
    effect(stamp, e.lock, e.session, e.seq, was_refused, was_queued | was_granted | was_refused);
}

void Retries::on(const Stamp& stamp, const events::Released& e) {
    effect(stamp, e.lock, e.session, e.seq, was_ended, was_ended);
}

void Retries::on(const Stamp& stamp, const events::HoldEnded& e) {
    effect(stamp, e.lock, e.session, e.seq, was_ended, was_ended);
}

void Retries::on(const Stamp& stamp, const events::Cancelled& e) {
    using enum events::CancelEffect;
    if (e.effect == HadFinalAnswer) return;
    const std::uint8_t ended = e.effect == ReleasedGrant ? was_ended : 0;
    effect(stamp, e.lock, e.session, e.seq, was_cancelled,
           static_cast<std::uint8_t>(was_cancelled | ended));
    if (Request* request = find(e.session, e.seq)) request->effects |= ended;
}

void Retries::on(const Stamp&, const events::SessionEnded& e) {
    ended_[ended_count_++ % ended_kept] = {e.session, e.index};
    if (const std::size_t* place = places_.find(e.session)) {
        unused_.push_back(*place);
        places_.erase(e.session);
    }
}

void Retries::on(const Stamp& stamp, const events::Answered& e) {
    if (!context_.sessions.open(e.session)) return answered_after_end(stamp, e);
    if (e.status == AnswerStatus::SessionOver) return over_too_early(stamp, e);
    // Nothing was done, and nothing is remembered of that.
    if (e.status == AnswerStatus::LimitReached || e.operation == events::Operation::Close) return;
    if (Request* request = find(e.session, e.seq)) compare(stamp, e, *request);
}

void Retries::answered_after_end(const Stamp& stamp, const events::Answered& e) {
    const auto ended = std::find_if(ended_.begin(), ended_.end(),
                                    [&](const Ended& s) { return s.session == e.session; });
    if (!e.session || ended == ended_.end()) return;
    const bool over = e.status == AnswerStatus::SessionOver;
    // The close that ended it is answered at that very index.
    const bool by_then = e.operation == events::Operation::Close ? e.applied > ended->index
                                                                 : e.applied >= ended->index;
    if (over && e.operation == events::Operation::Close && e.applied == ended->index) return;
    context_.ledger.checked(PropertyId::Lock6);
    if (over == by_then) return;
    context_.ledger.object(PropertyId::Lock6, stamp, [&] {
        return fmt::format(
            "server {}, which had applied index {}, answered request {} of session {} with {}; the "
            "session ended at index {}",
            context_.name(stamp.process), e.applied.value, e.seq.value, e.session.value,
            events::to_string(e.status), ended->index.value);
    });
}

void Retries::over_too_early(const Stamp& stamp, const events::Answered& e) {
    context_.ledger.checked(PropertyId::Lock6);
    context_.ledger.object(PropertyId::Lock6, stamp, [&] {
        return fmt::format(
            "server {} answered request {} of {} with session-over; its end was "
            "applied nowhere",
            context_.name(stamp.process), e.seq.value, context_.whose(e.session));
    });
}

void Retries::compare(const Stamp& stamp, const events::Answered& e, Request& request) {
    Stage stage = Final;
    if (e.status == AnswerStatus::Queued) stage = Waiting;
    if (e.status == AnswerStatus::Cancelled) stage = Undone;
    if (e.status == AnswerStatus::Stale) stage = Stale;

    bool again = false;
    bool wrong = false;
    for (std::uint8_t s = 0; s < stages; ++s) {
        const Span& span = request.answered[s];
        if (!span.first) continue;
        again = true;
        if (s < stage && span.last > e.applied) wrong = true;
        if (s > stage && span.first < e.applied) wrong = true;
    }
    const bool answered = static_cast<bool>(request.answered[Final].first);
    if (stage == Final && answered && (request.status != e.status || request.token != e.token))
        wrong = true;
    // A refusal is final for a cancel, too.
    const bool granted = stage == Final ? e.status == AnswerStatus::Granted
                                        : request.status == AnswerStatus::Granted;
    const bool undone = stage == Undone || request.answered[Undone].first;
    if (undone && (stage == Final || answered) && !granted) wrong = true;

    if (again) context_.ledger.checked(PropertyId::Lock6);
    if (wrong) differs(stamp, e, request, stage);
    if (stage == Final && !answered) {
        request.status = e.status;
        request.token = e.token;
    }
    Span& span = request.answered[stage];
    span.first = span.first ? std::min(span.first, e.applied) : e.applied;
    span.last = std::max(span.last, e.applied);
}

void Retries::differs(const Stamp& stamp, const events::Answered& e, const Request& request,
                      Stage stage) {
    context_.ledger.object(PropertyId::Lock6, stamp, [&] {
        std::string earlier;
        for (std::uint8_t s = 0; s < stages; ++s) {
            const Span& span = request.answered[s];
            if (!span.first) continue;
            const std::string_view what =
                s == Final ? events::to_string(request.status) : stage_names[s];
            earlier += fmt::format("{}{} at index {}", earlier.empty() ? "" : ", ", what,
                                   s < stage ? span.last.value : span.first.value);
            if (s == Final && request.token)
                earlier += fmt::format(" (token {})", request.token.value);
        }
        return fmt::format(
            "server {}, which had applied index {}, answered request {} of {} with "
            "{}{}; it had been answered {}",
            context_.name(stamp.process), e.applied.value, e.seq.value, context_.whose(e.session),
            events::to_string(e.status), e.token ? fmt::format(" (token {})", e.token.value) : "",
            earlier);
    });
}

}  // namespace lockstep::properties
