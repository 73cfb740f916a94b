#pragma once

#include "core/base/flat_map.hpp"
#include "core/server/server.hpp"
#include "scenarios/world/service.hpp"

#include <deque>

namespace lockstep::services {

/// Decides whose lock events count. Every replica makes the same ones when it applies an entry;
/// those of an index are passed on from whoever applies it first, the rest are compared by hash.
class FirstApplier {
public:
    /// To be asked for every Applied: is this its index's first application anywhere?
    bool first(LogIndex index) {
        if (index <= applied_) return false;
        applied_ = index;
        return true;
    }

private:
    LogIndex applied_;
};

/// Our own lock core: Raft, the lock table and the lease timers on every server.
class RaftService final : public world::Service {
public:
    RaftService(const scenario::Resolved& settings, world::Recorder& recorder);

    std::unique_ptr<sim::Program> make_server(sim::Process& process, std::size_t index) override;
    std::unique_ptr<world::LockClient> make_client(sim::Process& process,
                                                   world::ClientSlot slot) override;
    std::optional<sim::ProcessId> who_is(std::string_view role) const override;

    void on_event(const world::Stamp& stamp, const events::Event& event) override;
    void on_world_event(const world::Stamp& stamp, const sim::WorldEvent& event) override;

private:
    struct Grant {
        SessionId session;
        FencingToken token;
    };
    struct Waiter {
        SessionId session;
        RequestSeq seq;
    };
    struct LockView {
        Grant holder;
        std::deque<Waiter> waiters;
    };

    void on(const events::Granted& e);
    void on(const events::SessionEnded& e);
    void leave_queue(LockId lock, SessionId session, RequestSeq seq);
    std::optional<sim::ProcessId> client_of(SessionId session) const;

    const scenario::Resolved& settings_;
    world::Recorder& recorder_;
    server::Config server_;
    std::vector<NodeId> members_;
    FirstApplier applier_;
    Term leader_term_;
    sim::ProcessId leader_;
    FlatMap<SessionId, NodeId> sessions_;
    FlatMap<LockId, LockView> locks_;
};

}  // namespace lockstep::services
