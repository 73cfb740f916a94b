#include "scenarios/services/raft/raft_service.hpp"

#include "core/base/assert.hpp"
#include "scenarios/services/raft/raft_client.hpp"
#include "scenarios/services/raft/raft_server.hpp"

#include <algorithm>
#include <utility>

namespace lockstep::services {

RaftService::RaftService(const scenario::Resolved& settings, world::Recorder& recorder)
    : settings_(settings), recorder_(recorder) {
    for (std::uint32_t i = 1; i <= settings.servers.size(); ++i) members_.push_back(NodeId(i));
    server_.raft.members = members_;
    server_.raft.election_min = settings.election_min;
    server_.raft.election_max = settings.election_max;
    server_.raft.heartbeat = settings.heartbeat;
    server_.snapshot_every = settings.snapshot_every;
    server_.raft.max_entries_per_append = settings.append_entries;
    server_.hold_max = settings.hold_max;
    server_.lock_delay = settings.lock_delay;
    server_.checkpoint_every = settings.checkpoint_every;
    server_.limits.sessions = settings.limits.sessions;
    server_.limits.locks_per_session = settings.limits.locks_per_session;
    server_.limits.requests_per_session = settings.limits.requests_per_session;
    server_.limits.waiters = settings.limits.waiters;
    server_.pending = settings.limits.pending;
}

std::unique_ptr<sim::Program> RaftService::make_server(sim::Process& process, std::size_t) {
    server::Config config = server_;
    config.raft.self = process.id();
    return std::make_unique<RaftServer>(process, recorder_, applier_, std::move(config));
}

std::unique_ptr<world::LockClient> RaftService::make_client(sim::Process& process,
                                                            world::ClientSlot slot) {
    client::Config config;
    config.self = process.id();
    config.servers = members_;
    config.ttl = settings_.ttl;
    config.renew_every = settings_.renew_every;
    config.drift_bound = settings_.drift_bound;
    config.margin = settings_.margin;
    config.hold_max = settings_.hold_max;
    config.requests_max = std::max<std::uint64_t>(1, settings_.limits.requests_per_session / 2);
    // Nonces of a client grow over its lives, so that none is ever taken for an earlier one.
    config.first_nonce =
        (std::uint64_t{process.life()} << 32) + (std::uint64_t{slot.index} << 24) + 1;
    return std::make_unique<RaftClient>(process, recorder_, slot, std::move(config));
}

std::optional<sim::ProcessId> RaftService::who_is(std::string_view role) const {
    if (role == "leader") {
        if (!leader_) return std::nullopt;
        return leader_;
    }
    const LockView* view = nullptr;
    for (const auto& [id, lock] : locks_) {
        const bool has =
            role == "holder" ? static_cast<bool>(lock.holder.session) : !lock.waiters.empty();
        if (has && (view == nullptr || lock.holder.token > view->holder.token)) view = &lock;
    }
    if (view == nullptr) return std::nullopt;
    if (role == "holder") return client_of(view->holder.session);
    if (role == "next-waiter") return client_of(view->waiters.front().session);
    return std::nullopt;
}

void RaftService::on_event(const world::Stamp& stamp, const events::Event& event) {
    if (const auto* became = std::get_if<events::BecameLeader>(&event)) {
        if (became->term > leader_term_) {
            leader_term_ = became->term;
            leader_ = stamp.process;
        }
    } else if (const auto* stepped = std::get_if<events::SteppedDown>(&event)) {
        if (stamp.process == leader_ && stepped->term >= leader_term_) leader_ = sim::ProcessId();
    } else if (const auto* opened = std::get_if<events::SessionOpened>(&event)) {
        sessions_[opened->session] = opened->client;
    } else if (const auto* granted = std::get_if<events::Granted>(&event)) {
        on(*granted);
    } else if (const auto* queued = std::get_if<events::Queued>(&event)) {
        locks_[queued->lock].waiters.push_back({queued->session, queued->seq});
    } else if (const auto* released = std::get_if<events::Released>(&event)) {
        LockView& view = locks_[released->lock];
        if (view.holder.token == released->token) view.holder.session = SessionId();
    } else if (const auto* over = std::get_if<events::HoldEnded>(&event)) {
        LockView& view = locks_[over->lock];
        if (view.holder.token == over->token) view.holder.session = SessionId();
    } else if (const auto* delayed = std::get_if<events::DelayStarted>(&event)) {
        LockView& view = locks_[delayed->lock];
        if (view.holder.token == delayed->token) view.holder.session = SessionId();
    } else if (const auto* cancelled = std::get_if<events::Cancelled>(&event)) {
        LockView& view = locks_[cancelled->lock];
        if (cancelled->effect == events::CancelEffect::ReleasedGrant &&
            view.holder.session == cancelled->session)
            view.holder.session = SessionId();
        leave_queue(cancelled->lock, cancelled->session, cancelled->seq);
    } else if (const auto* ended = std::get_if<events::SessionEnded>(&event)) {
        on(*ended);
    }
}

void RaftService::on_world_event(const world::Stamp& stamp, const sim::WorldEvent& event) {
    if (std::holds_alternative<sim::ProcessStopped>(event) && stamp.process == leader_)
        leader_ = sim::ProcessId();
}

void RaftService::on(const events::Granted& e) {
    LockView& view = locks_[e.lock];
    leave_queue(e.lock, e.session, e.seq);
    view.holder = {e.session, e.token};
}

void RaftService::on(const events::SessionEnded& e) {
    for (auto& [id, view] : locks_) {
        if (view.holder.session == e.session) view.holder.session = SessionId();
        std::erase_if(view.waiters, [&](const Waiter& w) { return w.session == e.session; });
    }
    sessions_.erase(e.session);
}

void RaftService::leave_queue(LockId lock, SessionId session, RequestSeq seq) {
    auto& waiters = locks_[lock].waiters;
    const auto is_it = [&](const Waiter& w) { return w.session == session && w.seq == seq; };
    // Who is served is in front.
    if (!waiters.empty() && is_it(waiters.front()))
        waiters.pop_front();
    else
        std::erase_if(waiters, is_it);
}

std::optional<sim::ProcessId> RaftService::client_of(SessionId session) const {
    const NodeId* client = sessions_.find(session);
    if (client == nullptr) return std::nullopt;
    return *client;
}

}  // namespace lockstep::services
