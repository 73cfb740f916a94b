#include "core/base/assert.hpp"
#include "core/base/overloaded.hpp"
#include "core/server/server.hpp"

#include <algorithm>

namespace lockstep::server {

using events::AnswerStatus;
using events::Operation;

namespace {

/// What of a request its answer names.
struct Naming {
    Operation operation{};
    SessionId session{};
    RequestSeq seq{};
    LockId lock{};
};

struct Name {
    Naming operator()(const wire::Open&) const { return {Operation::Open}; }
    Naming operator()(const wire::KeepAlive& r) const { return {Operation::KeepAlive, r.session}; }
    Naming operator()(const wire::Close& r) const { return {Operation::Close, r.session, r.seq}; }
    Naming operator()(const wire::Acquire& r) const {
        return {Operation::Acquire, r.session, r.seq, r.lock};
    }
    Naming operator()(const wire::Cancel& r) const {
        return {Operation::Cancel, r.session, r.seq, r.lock};
    }
    Naming operator()(const wire::Release& r) const {
        return {Operation::Release, r.session, r.seq, r.lock};
    }
};

Naming naming(const wire::Request& request) {
    return std::visit(Name{}, request);
}

}  // namespace

void Server::on_request(NodeId from, const wire::Request& request, LocalTime now,
                        Effects& effects) {
    if (!leading_) {
        not_leader(from, request, effects);
        return;
    }
    if (leading_->open() >= config_.pending) {
        busy(from, request, events::Limit::Pending, effects);
        return;
    }
    if (const auto* renewal = std::get_if<wire::KeepAlive>(&request))
        effects.events.push_back(
            events::RenewalReceived{renewal->session, renewal->sending, from, leading_->term});
    if (leading_->ready)
        take(from, request, now, now, effects);
    else
        leading_->held.push_back({from, now, request});
}

void Server::take(NodeId from, const wire::Request& request, LocalTime received, LocalTime now,
                  Effects& effects) {
    // Whatever is asked of a session that is over changes nothing, and needs no entry: all that was
    // committed before this leadership is applied, and sessions do not come back.
    const auto of_session = [&](const auto& r) {
        if (table_.live(r.session)) {
            propose(from, request, received, r, now, effects);
        } else {
            confirm(from, request, received, now);
        }
    };
    std::visit(Overloaded{
                   [&](const wire::Open& r) {
                       const Duration ttl = std::clamp(r.ttl, config_.ttl_min, config_.ttl_max);
                       propose(from, request, received, lock::Open{r.nonce, ttl, from}, now,
                               effects);
                   },
                   [&](const wire::KeepAlive&) { renew(from, request, received, now, effects); },
                   [&](const wire::Close& r) { of_session(r); },
                   [&](const wire::Acquire& r) { of_session(r); },
                   [&](const wire::Cancel& r) { of_session(r); },
                   [&](const wire::Release& r) { of_session(r); },
               },
               request);
}

/// What came before this leader was ready, in the order in which it came.
void Server::take_held(LocalTime now, Effects& effects) {
    const std::vector<Held> held = std::exchange(leading_->held, {});
    for (const Held& h : held) take(h.from, h.request, h.received, now, effects);
}

std::optional<LogIndex> Server::propose(NodeId from, const wire::Request& request,
                                        LocalTime received, const lock::Command& command,
                                        LocalTime now, Effects& effects) {
    const auto index = replica_.propose(lock::encode(command), now, raft_);
    if (index)
        leading_->proposals.push_back({*index, from, received, request});
    else
        not_leader(from, request, effects);
    return index;
}

/// What a checkpoint has written down, only an entry can take back, one that comes after it and
/// after the receipt of the renewal. That such an entry is applied in this term also confirms that
/// no later leader had been elected by then.
void Server::renew(NodeId from, const wire::Request& request, LocalTime received, LocalTime now,
                   Effects& effects) {
    const SessionId session = std::get<wire::KeepAlive>(request).session;
    if (!leading_->coverage.covered(session)) {
        confirm(from, request, received, now);
        return;
    }
    const auto index =
        propose(from, request, received, lock::ClearCheckpoint{session}, now, effects);
    if (index) leading_->coverage.clear_at(session, *index);
}

void Server::confirm(NodeId from, const wire::Request& request, LocalTime received, LocalTime now) {
    leading_->unconfirmed.push_back({++last_context_, from, received, request});
    replica_.confirm(last_context_, now, raft_);
}

void Server::on_confirmation(const raft::Confirmation& confirmation, LocalTime now,
                             Effects& effects) {
    // One of an earlier leadership: who asked was told that it had ended.
    if (!leading_) return;
    auto& unconfirmed = leading_->unconfirmed;
    const auto asked =
        std::lower_bound(unconfirmed.begin(), unconfirmed.end(), confirmation.context,
                         [](const Unconfirmed& u, std::uint64_t c) { return u.context < c; });
    if (asked == unconfirmed.end() || asked->context != confirmation.context) return;
    const Unconfirmed answered = std::move(*asked);
    unconfirmed.erase(asked);
    if (!confirmation.leads) {
        not_leader(answered.from, answered.request, effects);
        return;
    }
    LOCKSTEP_ASSERT(confirmation.read_index <= table_.applied(), "read_index={} applied={}",
                    confirmation.read_index.value, table_.applied().value);
    if (const auto* renewal = std::get_if<wire::KeepAlive>(&answered.request)) {
        // A checkpoint may have been proposed meanwhile.
        if (leading_->coverage.covered(renewal->session))
            renew(answered.from, answered.request, answered.received, now, effects);
        else
            answer_renewal(answered.from, answered.received, *renewal, effects);
        return;
    }
    const Naming name = naming(answered.request);
    LOCKSTEP_ASSERT(!table_.live(name.session), "session={}", name.session.value);
    answer(answered.from,
           {name.operation, AnswerStatus::SessionOver, name.session, name.seq, name.lock, {}, {}},
           effects);
}

void Server::answer_renewal(NodeId to, LocalTime received, const wire::KeepAlive& renewal,
                            Effects& effects) {
    wire::KeepAliveReply reply{renewal.session, renewal.sending, AnswerStatus::SessionOver, {}, {}};
    if (table_.live(renewal.session)) {
        // Once its expiry is proposed a session is extended no more, whatever came before.
        if (leading_->leases.taken(renewal.session)) return;
        leading_->leases.renew(renewal.session, received);
        reply.status = AnswerStatus::Ok;
        table_.grants(renewal.session, reply.grants);
        if (config_.hold_max.ns > 0) table_.waits(renewal.session, reply.waits);
        effects.events.push_back(
            events::RenewalAnswered{renewal.session, renewal.sending, to, leading_->term});
    }
    effects.replies.push_back({to, std::move(reply)});
}

void Server::answer_applied(const raft::Entry& entry, Effects& effects) {
    auto& proposals = leading_->proposals;
    if (proposals.empty() || proposals.front().index > entry.index) return;
    LOCKSTEP_ASSERT(proposals.front().index == entry.index, "proposed={} index={}",
                    proposals.front().index.value, entry.index.value);
    LOCKSTEP_ASSERT(entry.term == leading_->term, "index={} term={} leads_in={}", entry.index.value,
                    entry.term.value, leading_->term.value);
    const Proposal proposal = std::move(proposals.front());
    proposals.pop_front();
    if (outcome_.limit == events::Limit::RequestsPerSession) {
        // Nothing is remembered of the request, so that this is no final answer.
        busy(proposal.from, proposal.request, *outcome_.limit, effects);
        return;
    }
    if (outcome_.limit)
        effects.events.push_back(
            events::LimitMet{*outcome_.limit, outcome_.answer.operation, proposal.from});
    if (const auto* open = std::get_if<wire::Open>(&proposal.request)) {
        answer_opening(proposal.from, *open, effects);
        return;
    }
    if (const auto* renewal = std::get_if<wire::KeepAlive>(&proposal.request)) {
        answer_renewal(proposal.from, proposal.received, *renewal, effects);
        return;
    }
    const wire::RequestReply& reply = outcome_.answer;
    if (reply.operation == Operation::Acquire && reply.status == AnswerStatus::Queued)
        leading_->routes[{reply.session, reply.seq}] = proposal.from;
    if (reply.operation == Operation::Cancel) leading_->routes.erase({reply.session, reply.seq});
    answer(proposal.from, reply, effects);
}

void Server::answer_opening(NodeId to, const wire::Open& open, Effects& effects) {
    const SessionId session = outcome_.answer.session;
    if (outcome_.answer.status == AnswerStatus::Ok)
        effects.events.push_back(
            events::RenewalAnswered{session, open.sending, to, leading_->term});
    effects.replies.push_back({to, wire::OpenReply{open.nonce, open.sending, outcome_.answer.status,
                                                   session, outcome_.ttl}});
}

/// A waiter that has not asked this leader is not told: it asks again, or hears it with a renewal.
void Server::tell_waiters(Effects& effects) {
    for (const lock::Notice& notice : outcome_.notices) {
        const std::pair waiter(notice.session, notice.grant.seq);
        const auto route = leading_->routes.find(waiter);
        if (route == leading_->routes.end()) continue;
        const NodeId to = route->second;
        leading_->routes.erase(route);
        answer(to,
               {Operation::Acquire,
                AnswerStatus::Granted,
                notice.session,
                notice.grant.seq,
                notice.grant.lock,
                notice.grant.token,
                {}},
               effects);
    }
}

void Server::answer(NodeId to, const wire::RequestReply& reply, Effects& effects) {
    effects.events.push_back(events::Answered{reply.session, reply.seq, reply.token,
                                              table_.applied(), reply.lock, to, reply.operation,
                                              reply.status});
    effects.replies.push_back({to, reply});
}

void Server::busy(NodeId to, const wire::Request& request, events::Limit limit, Effects& effects) {
    const Naming name = naming(request);
    const auto* open = std::get_if<wire::Open>(&request);
    effects.events.push_back(events::LimitMet{limit, name.operation, to});
    effects.replies.push_back(
        {to, wire::Busy{name.operation, name.session, name.seq,
                        open == nullptr ? Nonce() : open->nonce, config_.busy_for}});
}

void Server::not_leader(NodeId to, const wire::Request& request, Effects& effects) {
    const NodeId leader = replica_.leader();
    const Naming name = naming(request);
    effects.replies.push_back({to, wire::NotLeader{leader == config_.raft.self ? NodeId() : leader,
                                                   name.operation, name.session, name.seq}});
}

void Server::forget_routes(SessionId session) {
    auto& routes = leading_->routes;
    auto route = routes.lower_bound({session, RequestSeq()});
    while (route != routes.end() && route->first.first == session) route = routes.erase(route);
}

}  // namespace lockstep::server
