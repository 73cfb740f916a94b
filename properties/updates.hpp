#pragma once

#include "core/events/resource_events.hpp"
#include "properties/context.hpp"

#include <vector>

namespace lockstep::properties {

/// FENCE-2 NoLostUpdate: each resource's history of updates. The high 32 bits of an operation's id
/// are its client; the low ones grow with each of the client's operations, and are its life (8
/// bits) above a counter (24), as far as evidence names them.
class Updates {
public:
    explicit Updates(Context& context)
        : context_(context),
          judged_(context.setup.fencing == FencingMode::Fenced || context.setup.fence2_judged) {}

    void on(const Stamp&, const events::WriteAccepted&);
    void on(const Stamp&, const events::WriteRecovered&);
    void on(const Stamp&, const events::WriteRejected&);
    void on(const Stamp&, const events::WriteTold&);

private:
    struct Operation {
        std::uint64_t id = 0;
        std::uint32_t accepted = 0;
        bool refused_first = false;  ///< its first copy to arrive was refused
    };
    /// A client's last operations; the copies of an older one have long arrived.
    struct Client {
        static constexpr std::size_t kept = 64;
        std::vector<Operation> operations;  ///< by counter modulo `kept`
    };
    struct History {
        std::uint64_t last_op = 0;
        std::uint64_t version = 0;
        bool begun = false;
    };

    static sim::ProcessId client_of(std::uint64_t op) {
        return sim::ProcessId(static_cast<std::uint32_t>(op >> 32));
    }
    /// The operation, or null if it is too old to be remembered.
    Operation* find(std::uint64_t op);
    std::string whose(std::uint64_t op) const;
    void on_what_it_read(const Stamp&, const events::WriteAccepted&, const History&);
    void once(const Stamp&, const events::WriteAccepted&);

    Context& context_;
    const bool judged_;
    NodeMap<sim::ProcessId, Client> clients_;
    NodeMap<sim::ProcessId, History> histories_;
};

}  // namespace lockstep::properties
