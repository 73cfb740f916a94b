#pragma once

#include "core/events/resource_events.hpp"
#include "properties/context.hpp"

namespace lockstep::properties {

/// FENCE-1 NoStaleWrite, for each resource: writes by (token, n), reads by token, as far as the
/// mode promises; rows and endpoints look at no token and promise nothing here. Acceptances are
/// reported when they are durable, that is when they are answered.
class Fencing {
public:
    explicit Fencing(Context& context) : context_(context) {}

    void on(const Stamp&, const events::WriteAccepted&);
    void on(const Stamp&, const events::WriteRepeated&);
    void on(const Stamp&, const events::ReadAccepted&);

private:
    struct Mark {
        FencingToken token;
        std::uint64_t n = 0;
        bool set = false;
        constexpr bool above(FencingToken t, std::uint64_t other_n) const {
            return token > t || (token == t && n > other_n);
        }
    };

    bool fences_writes() const {
        return context_.setup.fencing == FencingMode::Fenced ||
               context_.setup.fencing == FencingMode::WriteOnly;
    }
    void stale(const Stamp&, const char* what, FencingToken token, std::uint64_t n, const Mark&);

    Context& context_;
    NodeMap<sim::ProcessId, Mark> marks_;  ///< the highest that each resource said yes to
};

}  // namespace lockstep::properties
