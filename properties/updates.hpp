#pragma once

#include "core/events/resource_events.hpp"
#include "properties/context.hpp"

#include <vector>

namespace lockstep::properties {

/// FENCE-2 NoLostUpdate: each resource's history of updates, and of calls, where it is an endpoint.
/// A call is an update, and the operations with one key are one call: it takes effect at most once,
/// and once if anybody was told that it did.
///
/// The high 32 bits of an operation's id are its client; the low ones grow with each of the
/// client's operations, and are its life (8 bits) above a counter (24), as far as evidence names
/// them. The high 32 bits of a key are its series, in which the low ones grow.
class Updates {
public:
    explicit Updates(Context& context)
        : context_(context),
          judged_(context.setup.fencing == FencingMode::Fenced ||
                  context.setup.fencing == FencingMode::Conditional ||
                  context.setup.fence2_judged) {}

    void on(const Stamp&, const events::WriteAccepted&);
    void on(const Stamp&, const events::WriteRecovered&);
    void on(const Stamp&, const events::WriteRejected&);
    void on(const Stamp&, const events::WriteTold&);
    void on(const Stamp&, const events::CallAccepted&);
    void on(const Stamp&, const events::CallRecovered&);
    void on(const Stamp&, const events::CallTold&);

private:
    struct Operation {
        std::uint64_t id = 0;
        std::uint32_t accepted = 0;
        bool refused_first = false;  ///< its first copy to arrive was refused
    };
    /// A client's last operations, of all its workers; the copies of an older one have long
    /// arrived.
    struct Client {
        static constexpr std::size_t kept = 512;
        std::vector<Operation> operations;  ///< by counter modulo `kept`
    };
    struct History {
        std::uint64_t last_op = 0;
        std::uint64_t version = 0;
        bool begun = false;
    };

    struct Call {
        std::uint64_t key = 0;
        std::uint64_t op = 0;  ///< that took effect
        std::uint32_t effects = 0;
    };
    /// The last calls of a series, and of what is older the slots that nothing has taken yet. An
    /// endpoint may forget sooner.
    struct Series {
        static constexpr std::size_t kept = 32;
        std::vector<Call> calls;  ///< by number modulo `kept`
    };
    using Endpoint = FlatMap<std::uint32_t, Series>;  ///< by the number of the series

    static sim::ProcessId client_of(std::uint64_t op) {
        return sim::ProcessId(static_cast<std::uint32_t>(op >> 32));
    }
    /// The operation, or null if it is too old to be remembered.
    Operation* find(std::uint64_t op);
    /// The call, or null if it is too old to be remembered.
    Call* find(sim::ProcessId endpoint, std::uint64_t key);
    void took_effect(const Stamp&, std::uint64_t key, std::uint64_t op);
    std::string whose(std::uint64_t op) const;
    void on_what_it_read(const Stamp&, const events::WriteAccepted&, const History&);
    void once(const Stamp&, const events::WriteAccepted&);

    Context& context_;
    const bool judged_;
    NodeMap<sim::ProcessId, Client> clients_;
    NodeMap<sim::ProcessId, History> histories_;
    NodeMap<sim::ProcessId, Endpoint> endpoints_;
};

}  // namespace lockstep::properties
