#pragma once

#include "core/events/client_events.hpp"
#include "core/events/lock_events.hpp"
#include "properties/context.hpp"

namespace lockstep::properties {

/// LIVE-4 NothingStuck: at the end, holders stopped, a fresh client is granted every lock that it
/// asks for. A lock that it did not come to ask for is not judged; nor one that others, who were to
/// stop and have not, are still handing on before it.
class Probe {
public:
    explicit Probe(Context& context) : context_(context) {}

    void on(const Stamp&, const sim::Probing&) { probing_ = true; }
    void on(const Stamp& stamp, const events::AcquireCalled& e) {
        if (probes(stamp)) asked(stamp, e.lock);
    }
    void on(const Stamp& stamp, const events::GrantTold& e) {
        if (probing_) granted(stamp, e.lock, stamp.process);
    }
    /// That it is told, too, is LIVE-2.
    void on(const Stamp& stamp, const events::Granted& e) {
        if (!probing_) return;
        const Sessions::Session* session = context_.sessions.find(e.session);
        granted(stamp, e.lock, session ? session->client : sim::ProcessId());
    }
    void finish(const Stamp&);

private:
    struct Lock {
        sim::SimTime asked;
        sim::SimTime moved;  ///< when it was granted to somebody else last
        bool granted = false;
        bool wanted = false;  ///< it was asked for
    };
    bool probes(const Stamp& stamp) const {
        return probing_ && stamp.process == context_.setup.probe;
    }
    void asked(const Stamp&, LockId lock);
    void granted(const Stamp&, LockId lock, sim::ProcessId client);

    Context& context_;
    NodeMap<LockId, Lock> locks_;
    bool probing_ = false;
};

}  // namespace lockstep::properties
