#include "harness/lease/service.hpp"

#include "scenarios/world/payloads.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace lockstep::lease {

using wire::AnswerStatus;
using wire::Operation;

namespace {
constexpr LockId the_lock{1};
}

Service::Service(const Setting& setting, Links& links, ServiceListener& listener)
    : setting_(setting), links_(links), listener_(listener) {}

/// The stand-in has the lock at first.
void Service::start(sim::Process& process) {
    process_ = &process;
    free_lock(false);
}

void Service::on_message(sim::Process& process, sim::Envelope& message) {
    if (down_ > 0 || deaf_ > 0) return;
    holder_ = message.from;
    sent_ = message.sent;
    pass_expiries();
    std::visit([&](const auto& request) { on(process, request); },
               message.payload.get<wire::Request>());
}

void Service::on_timer(sim::Process& process, sim::TimerId timer) {
    if (timer == Told) {
        if (owner_ != Owner::StandIn || told_) return;
        told_ = true;
        listener_.on_next_told();
        serve_waiter();
        return;
    }
    if (down_ > 0) return;
    if (timer == Expiry) pass_expiries();
    if (timer != Free || owner_ != Owner::Nobody) return;
    owner_ = Owner::StandIn;
    told_ = false;
    token_ = FencingToken(++index_);
    const Duration tells = links_.sync() + links_.one_way();
    process.set_timer(Told, process.now() + tells);
    listener_.on_next_granted();
}

void Service::come_up() {
    if (--down_ > 0) return;
    const LocalTime now = process_->now();
    if (setting_.failover_extends)
        for (Session& session : sessions_) session.ends = end_from_now();
    pass_expiries();
    // A look at the lock that fell into the time without service.
    if (owner_ == Owner::Nobody) {
        const sim::SimTime true_now = process_->true_now();
        const sim::SimTime look = next_look(std::max(true_now, true_now + (free_at_ - now)));
        process_->set_timer(Free, now + (look - true_now));
    }
    serve_waiter();
}

void Service::reconnect() {
    --deaf_;
    serve_waiter();
}

sim::SimTime Service::ends(SessionId session) const {
    const auto it = std::ranges::find(sessions_, session, &Session::id);
    if (it == sessions_.end()) return {};
    return process_->true_now() + (it->ends - process_->now());
}

sim::SimTime Service::next_look(sim::SimTime free) {
    const std::int64_t every = setting_.poll_every.ns;
    if (every == 0) return free;
    const std::int64_t jitter = every / 100 * setting_.poll_jitter_percent;
    if (jitter == 0) return {(free.ns + every - 1) / every * every};
    // Gaps are of any length from `every` to `every + jitter`, drawn one after the other, so that
    // looks keep no time.
    const sim::SimTime now = process_->true_now();
    while (looks_.size() > 1 && looks_[1] <= now) looks_.pop_front();
    while (looks_.back() < free) {
        const std::uint64_t luck = links_.luck_of_look(++look_count_);
        const auto late = static_cast<std::int64_t>(luck % static_cast<std::uint64_t>(jitter));
        looks_.push_back(looks_.back() + Duration{every + late});
    }
    return *std::ranges::lower_bound(looks_, free);
}

/// When a session that is renewed now is over.
LocalTime Service::end_from_now() {
    const LocalTime now = process_->now();
    if (!setting_.waiters_count_lease) return now + setting_.lease + setting_.expires_late;
    const sim::SimTime true_now = process_->true_now();
    return now + (next_look(true_now) - true_now) + setting_.lease;
}

// Requests.

void Service::on(sim::Process&, const wire::Open& request) {
    const auto known = std::ranges::find(sessions_, request.nonce, &Session::nonce);
    SessionId id{};
    if (known == sessions_.end()) {
        id = SessionId(++index_);
        sessions_.push_back({id, request.nonce, end_from_now()});
        arm_expiry();
    } else {
        id = known->id;
    }
    reply(wire::OpenReply{request.nonce, request.sending, AnswerStatus::Ok, id, setting_.lease},
          true);
}

void Service::on(sim::Process&, const wire::KeepAlive& request) {
    wire::KeepAliveReply made{request.session, request.sending, AnswerStatus::SessionOver, {}};
    if (Session* session = find(request.session)) {
        session->ends = end_from_now();
        arm_expiry();
        listener_.on_renewed(session->id, sent_);
        made.status = AnswerStatus::Ok;
        if (has_lock(session->id)) made.grants.push_back({the_lock, owning_seq_, token_});
    }
    reply(std::move(made), setting_.renewals_write);
}

void Service::on(sim::Process&, const wire::Close& request) {
    const bool live = find(request.session) != nullptr;
    answer(Operation::Close, live ? AnswerStatus::Ok : AnswerStatus::SessionOver, request.session,
           request.seq);
    if (live) end_session(request.session, false);
}

void Service::on(sim::Process&, const wire::Acquire& request) {
    if (find(request.session) == nullptr) {
        answer(Operation::Acquire, AnswerStatus::SessionOver, request.session, request.seq);
        return;
    }
    if (has_lock(request.session) && owning_seq_ == request.seq) {
        answer(Operation::Acquire, AnswerStatus::Granted, request.session, request.seq);
        return;
    }
    waiting_ = request.session;
    waiting_seq_ = request.seq;
    if (owner_ == Owner::StandIn && told_)
        grant();
    else
        answer(Operation::Acquire, AnswerStatus::Queued, request.session, request.seq);
}

void Service::on(sim::Process&, const wire::Release& request) {
    if (find(request.session) == nullptr) {
        answer(Operation::Release, AnswerStatus::SessionOver, request.session, request.seq);
        return;
    }
    const bool held = has_lock(request.session) && request.token == token_;
    answer(Operation::Release, held ? AnswerStatus::Ok : AnswerStatus::NotHeld, request.session,
           request.seq);
    if (held) free_lock(false);
}

void Service::reply(wire::Reply&& reply, bool after_sync) {
    links_.send(*process_, holder_, sim::Payload::make(std::move(reply)), after_sync);
}

void Service::answer(Operation operation, AnswerStatus status, SessionId session, RequestSeq seq) {
    const bool granted = status == AnswerStatus::Granted;
    reply(wire::RequestReply{operation, status, session, seq, the_lock,
                             granted ? token_ : FencingToken(), RequestSeq()},
          true);
}

// The lock.

/// To the session that waits.
void Service::grant() {
    owner_ = Owner::Session;
    owning_ = waiting_;
    owning_seq_ = waiting_seq_;
    token_ = FencingToken(++index_);
    waiting_ = SessionId();
    answer(Operation::Acquire, AnswerStatus::Granted, owning_, owning_seq_);
}

void Service::end_session(SessionId id, bool expired) {
    std::erase_if(sessions_, [id](const Session& session) { return session.id == id; });
    if (waiting_ == id) waiting_ = SessionId();
    const bool held = has_lock(id);
    if (expired) listener_.on_expired(id, held);
    if (held) free_lock(expired);
}

void Service::free_lock(bool delayed) {
    owner_ = Owner::Nobody;
    owning_ = SessionId();
    told_ = false;
    const sim::SimTime now = process_->true_now();
    const sim::SimTime free = delayed ? now + setting_.lock_delay : now;
    free_at_ = process_->now() + (free - now);
    process_->set_timer(Free, process_->now() + (next_look(free) - now));
}

/// The stand-in gives the lock back, once it knows that it has it.
void Service::serve_waiter() {
    if (owner_ == Owner::StandIn && told_ && waiting_ && down_ == 0 && deaf_ == 0) grant();
}

void Service::pass_expiries() {
    const LocalTime now = process_->now();
    while (true) {
        const auto over = std::ranges::find_if(
            sessions_, [now](const Session& session) { return session.ends <= now; });
        if (over == sessions_.end()) break;
        end_session(over->id, true);
    }
    arm_expiry();
}

void Service::arm_expiry() {
    LocalTime first = LocalTime::never();
    for (const Session& session : sessions_) first = std::min(first, session.ends);
    process_->set_timer(Expiry, first);
}

Service::Session* Service::find(SessionId id) {
    const auto it = std::ranges::find(sessions_, id, &Session::id);
    return it == sessions_.end() ? nullptr : &*it;
}

}  // namespace lockstep::lease
