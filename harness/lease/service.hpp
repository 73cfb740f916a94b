#pragma once

#include "core/wire/messages.hpp"
#include "harness/lease/links.hpp"
#include "harness/lease/setting.hpp"
#include "sim/process.hpp"
#include "sim/world.hpp"

#include <deque>
#include <vector>

namespace lockstep::lease {

/// What the service tells whoever keeps the books.
class ServiceListener {
public:
    virtual ~ServiceListener() = default;
    /// A session ended by its time. `held`: it had the lock.
    virtual void on_expired(SessionId session, bool held) = 0;
    virtual void on_renewed(SessionId session, sim::SimTime sent) = 0;
    /// The next in line has the lock, but does not know it yet.
    virtual void on_next_granted() = 0;
    virtual void on_next_told() = 0;
};

/// The lock service, reduced to one lock and its lease. Its clock runs with true time. A session
/// lives for the lease from the receipt of its last renewal; at its end, and after the lock delay,
/// the next in line is granted. There always is one: a stand-in, which neither pauses nor fails,
/// and gives the lock back as soon as the holder under test asks for it.
class Service final : public sim::Program {
public:
    Service(const Setting& setting, Links& links, ServiceListener& listener);

    void start(sim::Process& process) override;
    void on_message(sim::Process& process, sim::Envelope& message) override;
    void on_timer(sim::Process& process, sim::TimerId timer) override;

    // From outside.
    void go_down() { ++down_; }  ///< nests; messages are lost, and nothing expires
    void come_up();
    void cut_off() { ++deaf_; }  ///< the holder alone; nests
    void reconnect();
    bool down() const { return down_ > 0; }
    bool has_lock(SessionId session) const {
        return owner_ == Owner::Session && owning_ == session;
    }
    /// When that session will end; zero if it has ended.
    sim::SimTime ends(SessionId session) const;
    /// When the next in line will have it if the lock is free from then on.
    sim::SimTime next_look(sim::SimTime free);

private:
    enum class Owner : std::uint8_t { Nobody, Session, StandIn };
    enum Timer : sim::TimerId { Expiry, Free, Told };
    struct Session {
        SessionId id;
        Nonce nonce;
        LocalTime ends;
    };

    void on(sim::Process& process, const wire::Open& request);
    void on(sim::Process& process, const wire::KeepAlive& request);
    void on(sim::Process& process, const wire::Close& request);
    void on(sim::Process& process, const wire::Acquire& request);
    void on(sim::Process& process, const wire::Release& request);
    void on(sim::Process&, const wire::Cancel&) {}
    void reply(wire::Reply&& reply, bool after_sync);
    void answer(wire::Operation operation, wire::AnswerStatus status, SessionId session,
                RequestSeq seq);
    LocalTime end_from_now();
    void grant();
    void end_session(SessionId id, bool expired);
    void free_lock(bool delayed);
    void serve_waiter();
    void pass_expiries();
    void arm_expiry();
    Session* find(SessionId id);

    const Setting& setting_;
    Links& links_;
    ServiceListener& listener_;
    sim::Process* process_ = nullptr;
    sim::ProcessId holder_{};
    sim::SimTime sent_{};  ///< of the message that is being handled
    std::uint32_t down_ = 0;
    std::uint32_t deaf_ = 0;
    std::uint64_t index_ = 0;
    std::vector<Session> sessions_;
    Owner owner_ = Owner::Nobody;
    SessionId owning_;
    RequestSeq owning_seq_;
    FencingToken token_;
    bool told_ = false;                               ///< the stand-in knows that it holds
    std::deque<sim::SimTime> looks_{sim::SimTime{}};  ///< of waiters, from the last one on
    std::uint64_t look_count_ = 0;
    LocalTime free_at_;  ///< when nobody owns it: for the next in line, from then on
    SessionId waiting_;
    RequestSeq waiting_seq_;
};

}  // namespace lockstep::lease
