#include "tests/rapid/client_world.hpp"

#include "tests/support/rapid.hpp"

#include <algorithm>

namespace lockstep::test::clients {

using events::AcquireOutcome;
using events::AnswerStatus;
using events::Operation;

void ClientWorld::make(const Move& move) {
    switch (move.kind) {
        case Move::Wait:  // a pause, as far as the client can tell
            now_ = now_ + milliseconds(move.millis);
            return;
        case Move::WakeUp:
            now_ = std::max(now_, std::min(client_.wake_at(), now_ + seconds(100)));
            step(client::Tick{});
            return;
        case Move::Answer:
            // Mostly what was asked last, or nearly everything would be of the past.
            if (!sent_.empty())
                answer(
                    sent_[sent_.size() - 1 - move.which % std::min<std::size_t>(sent_.size(), 12)],
                    move.how);
            return;
        case Move::Reset:
            step(client::LinkReset{NodeId(1 + move.which % 3)});
            return;
        case Move::Open:
            if (client_.session() || client_.opening()) return;
            client_.open(now_, effects_);
            settle();
            return;
        case Move::Acquire:
            acquire(move);
            return;
        case Move::Release:
            release(move);
            return;
        case Move::Close:
            close();
            return;
        case Move::MayAct:
            may_act(move);
            return;
    }
}

void ClientWorld::finish() {
    if (session_) {
        now_ = std::max(now_, client_.deadline());
        step(client::Tick{});
    }
    RC_ASSERT(!session_);
    for (const auto& [request, wanted] : acquires_) RC_ASSERT(wanted.returned == 1);
    RC_ASSERT(believed_.empty());
}

void ClientWorld::step(client::Input input) {
    client_.step(std::move(input), now_, effects_);
    settle();
    RC_ASSERT(client_.wake_at() > now_);  // it never spins
    for (const auto& [request, wanted] : acquires_)
        RC_ASSERT((wanted.returned == 1 || now_ < wanted.give_up));
    if (session_) RC_ASSERT(now_ < client_.deadline());
}

// --- what servers say --------------------------------------------------------------------------

void ClientWorld::receive(NodeId from, wire::Reply reply) {
    step(client::Receive{from, std::move(reply)});
}

void ClientWorld::answer(const client::SendRequest& sent, std::uint32_t how) {
    if (how % 8 == 7) {
        receive(sent.to, wire::NotLeader{NodeId(how / 8 % 5), Operation::Acquire, session_, {}});
        return;
    }
    if (how % 8 == 3 && how / 8 % 4 == 0) {
        answer_busy(sent, how);
        return;
    }
    if (std::holds_alternative<wire::Open>(sent.request))
        answer_open(sent, how);
    else if (std::holds_alternative<wire::KeepAlive>(sent.request))
        answer_renewal(sent, how);
    else
        answer_request(sent, how);
}

void ClientWorld::answer_busy(const client::SendRequest& sent, std::uint32_t how) {
    wire::Busy busy{};
    busy.retry_after = milliseconds(how * 40);
    if (const auto* open = std::get_if<wire::Open>(&sent.request)) {
        busy.operation = Operation::Open;
        busy.nonce = open->nonce;
    } else if (const auto* renewal = std::get_if<wire::KeepAlive>(&sent.request)) {
        busy.operation = Operation::KeepAlive;
        busy.session = renewal->session;
    } else if (const auto* acquire = std::get_if<wire::Acquire>(&sent.request)) {
        busy = {Operation::Acquire, acquire->session, acquire->seq, {}, busy.retry_after};
    } else if (const auto* cancel = std::get_if<wire::Cancel>(&sent.request)) {
        busy = {Operation::Cancel, cancel->session, cancel->seq, {}, busy.retry_after};
    } else if (const auto* release = std::get_if<wire::Release>(&sent.request)) {
        busy = {Operation::Release, release->session, release->seq, {}, busy.retry_after};
    } else {
        const auto& close = std::get<wire::Close>(sent.request);
        busy = {Operation::Close, close.session, close.seq, {}, busy.retry_after};
    }
    receive(sent.to, busy);
}

void ClientWorld::answer_open(const client::SendRequest& sent, std::uint32_t how) {
    const auto& open = std::get<wire::Open>(sent.request);
    const SessionId id(500 + open.nonce.value);
    wire::OpenReply reply{open.nonce, open.sending, AnswerStatus::Ok, id, open.ttl};
    if (how % 8 == 5) reply.status = AnswerStatus::SessionOver;
    if (how % 8 == 6) reply.status = AnswerStatus::LimitReached;
    if (how % 16 == 4) reply.ttl = seconds(2);
    sessions_[open.nonce] = id;
    if (reply.status == AnswerStatus::Ok)
        allowed_[id] =
            std::max(allowed_[id], first_sent_.at(open.nonce) +
                                       shrink(reply.ttl, config_.drift_bound) - config_.margin);
    receive(sent.to, reply);
}

void ClientWorld::answer_renewal(const client::SendRequest& sent, std::uint32_t how) {
    const auto& renewal = std::get<wire::KeepAlive>(sent.request);
    wire::KeepAliveReply reply{renewal.session, renewal.sending, AnswerStatus::Ok, {}, {}};
    if (how % 16 == 5) reply.status = AnswerStatus::SessionOver;
    // Grants of whatever seq: open, closed, cancelled, never heard of.
    if (how % 2 == 0)
        for (std::uint32_t i = 0; i < 3; ++i)
            reply.grants.push_back(
                {LockId(1 + i), RequestSeq(how / 2 % 8 + i), FencingToken(next_token_++)});
    // Found waiting: some of those that may be, if the client takes the answer at all.
    const LocalTime at = sent_at_.at(renewal.sending);
    if (how % 4 == 1)
        for (auto& [request, wanted] : acquires_) {
            if (request.first != renewal.session || wanted.returned == 1) continue;
            reply.waits.push_back(request.second);
            if (reply.status == AnswerStatus::Ok) wanted.called = std::max(wanted.called, at);
        }
    if (reply.status == AnswerStatus::Ok && allowed_.contains(renewal.session))
        allowed_[renewal.session] =
            std::max(allowed_[renewal.session], sent_at_.at(renewal.sending) +
                                                    shrink(config_.ttl, config_.drift_bound) -
                                                    config_.margin);
    receive(sent.to, reply);
}

void ClientWorld::answer_request(const client::SendRequest& sent, std::uint32_t how) {
    wire::RequestReply reply{};
    if (const auto* acquire = std::get_if<wire::Acquire>(&sent.request)) {
        reply = {Operation::Acquire,
                 AnswerStatus::Granted,
                 acquire->session,
                 acquire->seq,
                 acquire->lock,
                 {},
                 {}};
    } else if (const auto* cancel = std::get_if<wire::Cancel>(&sent.request)) {
        reply = {Operation::Cancel,
                 AnswerStatus::Cancelled,
                 cancel->session,
                 cancel->seq,
                 cancel->lock,
                 {},
                 {}};
    } else if (const auto* release = std::get_if<wire::Release>(&sent.request)) {
        reply = {Operation::Release,
                 AnswerStatus::Ok,
                 release->session,
                 release->seq,
                 release->lock,
                 {},
                 {}};
    } else {
        const auto& close = std::get<wire::Close>(sent.request);
        reply = {Operation::Close, AnswerStatus::Ok, close.session, close.seq, {}, {}, {}};
    }
    // Half of the time something else, up to what makes no sense at all.
    if (how % 2 == 1) reply.status = static_cast<AnswerStatus>(how / 2 % 11);
    if (reply.status == AnswerStatus::Granted) reply.token = FencingToken(next_token_++);
    if (how % 32 == 31) reply.session = SessionId(3);
    // The final answer of an acquire that was cancelled: nobody else is told.
    if (reply.operation == Operation::Cancel && reply.status != AnswerStatus::Stale)
        open_.erase({reply.session, reply.seq});
    receive(sent.to, reply);
}

// --- what the application does -----------------------------------------------------------------

void ClientWorld::acquire(const Move& move) {
    if (!client_.session()) return;
    const LockId lock(1 + move.how % 3);
    const Duration wait = move.which % 4 == 0   ? Duration{0}
                          : move.which % 4 == 1 ? Duration::max()
                                                : milliseconds(move.millis + 1);
    const SessionId session = client_.session();
    const RequestSeq seq = client_.acquire(lock, wait, now_, effects_);
    RC_ASSERT((open_.empty() || *open_.rbegin() < Request(session, seq)));
    const bool timed = wait.ns != 0 && wait != Duration::max();
    acquires_[{session, seq}] = Wanted{lock, timed ? now_ + wait : LocalTime::never(), now_};
    open_.insert({session, seq});
    settle();
}

void ClientWorld::release(const Move& move) {
    if (believed_.empty()) return;
    auto chosen = believed_.begin();
    std::advance(chosen, move.which % believed_.size());
    const auto [lock, token] = *chosen;
    believed_.erase(chosen);
    const SessionId session = client_.session();
    const RequestSeq seq = client_.release(lock, token, now_, effects_);
    open_.insert({session, seq});
    settle();
    RC_ASSERT(!client_.holds(lock, token));
}

void ClientWorld::close() {
    if (!client_.session()) return;
    believed_.clear();
    over_.insert(session_);
    client_.close(now_, effects_);
    session_ = SessionId();
    settle();
}

void ClientWorld::may_act(const Move& move) {
    const LockId lock(1 + move.how % 3);
    const auto believed = believed_.find(lock);
    const FencingToken token = believed == believed_.end() ? FencingToken(7) : believed->second;
    const SessionId session = session_;
    const bool known = believed != believed_.end();
    const LocalTime until = std::min(client_.deadline(), client_.hold_deadline(lock, token));
    const bool yes = client_.may_act(lock, token, now_, effects_);
    // Exactly: also no holder is told no while its lease, and its hold, run.
    RC_ASSERT((yes == (known && now_ < until && client_.session() == session)));
    if (yes) RC_ASSERT(now_ < allowed_.at(session));
    if (yes && config_.hold_max.ns > 0) RC_ASSERT(now_ < held_until_.at(token));
    settle();
}

// --- what the client may do --------------------------------------------------------------------

void ClientWorld::settle() {
    for (const auto& event : effects_.events) see(event);
    for (const auto& notice : effects_.notices) see(notice);
    for (const auto& send : effects_.send) see(send);
    effects_.clear();
    check_state();
}

void ClientWorld::check_state() const {
    RC_ASSERT(client_.session() == session_);
    if (!session_) return;
    RC_ASSERT(client_.deadline() <= allowed_.at(session_));
    for (const auto& [lock, token] : believed_) RC_ASSERT(client_.holds(lock, token));
}

void ClientWorld::see(const client::SendRequest& send) {
    RC_ASSERT(std::ranges::find(config_.servers, send.to) != config_.servers.end());
    sent_.push_back(send);
    if (const auto* open = std::get_if<wire::Open>(&send.request)) {
        RC_ASSERT((sent_at_.empty() || sent_at_.rbegin()->first < open->sending));
        RC_ASSERT((first_sent_.empty() || first_sent_.rbegin()->first <= open->nonce));
        sent_at_[open->sending] = now_;
        first_sent_.try_emplace(open->nonce, now_);
    } else if (const auto* renewal = std::get_if<wire::KeepAlive>(&send.request)) {
        RC_ASSERT(sent_at_.rbegin()->first < renewal->sending);
        RC_ASSERT(renewal->session == session_);
        sent_at_[renewal->sending] = now_;
    } else if (const auto* acquire = std::get_if<wire::Acquire>(&send.request)) {
        RC_ASSERT(!acquires_.at({acquire->session, acquire->seq}).cancelled);
        see_seq(acquire->session, acquire->seq, acquire->mark);
    } else if (const auto* cancel = std::get_if<wire::Cancel>(&send.request)) {
        RC_ASSERT(acquires_.at({cancel->session, cancel->seq}).cancelled);
        see_seq(cancel->session, cancel->seq, cancel->mark);
    } else if (const auto* release = std::get_if<wire::Release>(&send.request)) {
        see_seq(release->session, release->seq, release->mark);
    } else {
        RC_ASSERT(!(std::get<wire::Close>(send.request).session == session_));
    }
}

void ClientWorld::see_seq(SessionId session, RequestSeq seq, RequestSeq mark) {
    RC_ASSERT(session == session_);
    RC_ASSERT(open_.contains({session, seq}));
    for (const auto& [of, open] : open_)
        if (of == session) RC_ASSERT(mark <= open);
}

void ClientWorld::see(const events::Event& event) {
    if (const auto* moved = std::get_if<events::DeadlineMoved>(&event)) {
        RC_ASSERT(moved->session == session_);
        RC_ASSERT(moved->deadline <= allowed_.at(session_));
    } else if (const auto* cancelled = std::get_if<events::CancelSent>(&event)) {
        acquires_.at({cancelled->session, cancelled->seq}).cancelled = true;
    } else if (const auto* grant = std::get_if<events::GrantTold>(&event)) {
        RC_ASSERT(grant->session == session_);
        RC_ASSERT(!over_.contains(grant->session));
        RC_ASSERT(now_ < grant->deadline);
        const Wanted& wanted = acquires_.at({grant->session, grant->seq});
        RC_ASSERT(wanted.returned == 0);
        RC_ASSERT(wanted.lock == grant->lock);
        if (config_.hold_max.ns > 0) {
            held_until_[grant->token] =
                wanted.called + shrink(config_.hold_max, config_.drift_bound) - config_.margin;
            RC_ASSERT(grant->deadline <= held_until_[grant->token]);
        }
    } else if (const auto* returned = std::get_if<events::AcquireReturned>(&event)) {
        const Request request(returned->session, returned->seq);
        Wanted& wanted = acquires_.at(request);
        RC_ASSERT(wanted.returned == 0);
        wanted.returned = 1;
        if (returned->outcome != AcquireOutcome::TimedOut) open_.erase(request);
    }
}

void ClientWorld::see(const client::Notice& notice) {
    if (const auto* ready = std::get_if<client::SessionReady>(&notice)) {
        RC_ASSERT(!session_);
        RC_ASSERT(!over_.contains(ready->session));
        session_ = ready->session;
        RC_ASSERT(now_ < client_.deadline());
    } else if (const auto* done = std::get_if<client::AcquireDone>(&notice)) {
        RC_ASSERT((done->outcome == AcquireOutcome::Granted) == static_cast<bool>(done->token));
        if (done->outcome == AcquireOutcome::Granted) believed_[done->lock] = done->token;
    } else if (const auto* released = std::get_if<client::ReleaseDone>(&notice)) {
        // After a close it comes when the application has no session any more.
        std::erase_if(open_, [&](const Request& r) {
            return r.second == released->seq && (!session_ || r.first == session_);
        });
    } else if (const auto* lost = std::get_if<client::Lost>(&notice)) {
        RC_ASSERT(believed_.at(lost->lock) == lost->token);
        believed_.erase(lost->lock);
        if (lost->reason == events::LossReason::HoldEnded)
            RC_ASSERT(now_ >= held_until_.at(lost->token));
    } else if (const auto* gone = std::get_if<client::SessionLost>(&notice)) {
        RC_ASSERT(gone->session == session_);
        RC_ASSERT(believed_.empty());
        over_.insert(session_);
        std::erase_if(open_, [&](const Request& r) { return r.first == gone->session; });
        session_ = SessionId();
    }
}

}  // namespace lockstep::test::clients
