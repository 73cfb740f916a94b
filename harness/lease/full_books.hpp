#pragma once

#include "harness/lease/sweep.hpp"
#include "harness/lease/tally.hpp"
#include "harness/run.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace lockstep::lease {

/// Keeps the books of one run of the whole cluster from its events.
class FullBooks {
public:
    FullBooks(const harness::Outcome& run, sim::SimTime begins, Tally& tally, Bin& bin)
        : run_(run),
          begins_(begins),
          tally_(tally),
          bin_(bin),
          clients_(run.process_names.size()) {}
    void keep();
    /// Since somebody had the lock first.
    Duration counted() const { return counted_; }

private:
    struct Client {
        bool up = true;
        bool holds = false;    ///< it was told, and not told of a loss
        bool in_time = false;  ///< its deadline has not come
        bool losing = false;   ///< the last loss of it may still get worse
        std::size_t loss = 0;  ///< its position
        int pauses = 0;
        SessionId session;
        SessionId held_by;
    };

    void touch(sim::SimTime at);
    Loss& losing(Client& client, sim::SimTime at);
    Client& client(sim::ProcessId process) { return clients_[process.value - 1]; }
    void hear(const harness::LoggedEvent& logged, const events::Event& event);
    void hear(const harness::LoggedEvent& logged, const sim::WorldEvent& event);
    void ended(const events::SessionEnded& ended, sim::SimTime at);

    const harness::Outcome& run_;
    const sim::SimTime begins_;
    Tally& tally_;
    Bin& bin_;
    std::vector<Client> clients_;  ///< by process, servers too
    bool started_ = false;
    sim::SimTime touched_{};
    Duration counted_{};
    std::optional<sim::SimTime> crashed_;
};

}  // namespace lockstep::lease
