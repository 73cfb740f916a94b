#include "properties/endings.hpp"

namespace lockstep::properties {

void Endings::heard(const Stamp& stamp, SessionId session) {
    // A service that reports no openings has no sessions to end.
    if (!session || !context_.sessions.latest()) return;
    context_.ledger.checked(PropertyId::Keep1);
    if (context_.sessions.over(session)) return;
    context_.ledger.object(PropertyId::Keep1, stamp, [&] {
        return fmt::format("client {} heard that its session {} is over; {}",
                           context_.name(stamp.process), session.value,
                           context_.sessions.open(session) ? "its end was applied nowhere"
                                                           : "no such session was ever opened");
    });
}

}  // namespace lockstep::properties
