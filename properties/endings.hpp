#pragma once

#include "core/events/client_events.hpp"
#include "core/events/lock_events.hpp"
#include "properties/context.hpp"

namespace lockstep::properties {

/// KEEP-1 OverIsOver: a client hears that its session is over only after that end was applied.
class Endings {
public:
    explicit Endings(Context& context) : context_(context) {}

    void on(const Stamp& stamp, const events::SessionOverTold& e) { heard(stamp, e.session); }
    void on(const Stamp& stamp, const events::LossTold& e) {
        if (e.reason == events::LossReason::SessionOver) heard(stamp, e.session);
    }
    void on(const Stamp& stamp, const events::ReleaseReturned& e) {
        if (e.status == events::AnswerStatus::SessionOver) heard(stamp, e.session);
    }

private:
    void heard(const Stamp&, SessionId session);

    Context& context_;
};

}  // namespace lockstep::properties
