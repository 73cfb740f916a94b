#pragma once

#include "core/client/client.hpp"
#include "harness/lease/links.hpp"
#include "harness/lease/setting.hpp"
#include "sim/process.hpp"

namespace lockstep::lease {

/// What the holder tells whoever keeps the books.
class HolderListener {
public:
    virtual ~HolderListener() = default;
    virtual void on_holds() = 0;
    virtual void on_lost(events::LossReason reason) = 0;
    virtual void on_released() = 0;  ///< it gave the lock back
    virtual void on_renewal_sent() = 0;
    virtual void on_renewal_answered(LocalTime deadline) = 0;
};

/// One life of a process that wants the lock for ever: the client of the lock service as it is.
class Holder final : public sim::Program {
public:
    Holder(const Setting& setting, sim::ProcessId service, Links& links, HolderListener& listener,
           sim::Process& process);

    void start(sim::Process& process) override;
    void on_message(sim::Process& process, sim::Envelope& message) override;
    void on_timer(sim::Process& process, sim::TimerId timer) override;
    void on_reset(sim::Process& process, sim::ProcessId peer) override;

    /// As a callback of the process: gives the lock back, to ask for it again that long after.
    /// False if it has none.
    bool release(Duration ask_again_after);
    bool holds() const { return holds_; }
    SessionId session() const { return client_.session(); }
    static constexpr std::uint64_t deadline_key = 1;

private:
    enum Timer : sim::TimerId { Wake, AskAgain };

    void step(client::Input&& input);
    void pump();
    void hear(const client::Notice& notice);
    void watch(const events::Event& event);
    void ask();

    sim::Process& process_;
    const sim::ProcessId service_;
    Links& links_;
    HolderListener& listener_;
    client::Client client_;
    client::Effects effects_;
    FencingToken token_;
    bool holds_ = false;
    bool reopen_ = false;
    bool ask_ = false;
};

/// How the client is set up for the setting.
client::Config client_config(const Setting& setting, NodeId self, std::vector<NodeId> servers,
                             std::uint64_t life);

}  // namespace lockstep::lease
