#pragma once

#include "core/base/assert.hpp"
#include "core/base/hash.hpp"
#include "core/base/prng.hpp"
#include "sim/swarm.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace lockstep::sim {

/// Draws the faults of one kind, for draw_swarm.
class Dimension {
public:
    Dimension(const SwarmInput& input, FaultKind kind)
        : in_(input), kind_(kind), rng_(stream("")), messages_(stream("/message")) {}

    void draw(SwarmPlan& plan);

private:
    static constexpr std::uint32_t half = 500'000;
    static constexpr std::uint32_t quarter = 250'000;
    static constexpr std::uint32_t eighth = 125'000;

    std::uint64_t stream(const char* part) const {
        const std::string name = "swarm/" + std::string(to_string(kind_)) + part;
        return hash_words(in_.seed, hash_name(name.c_str()));
    }
    const std::string& one_of(const std::vector<std::string>& names) {
        LOCKSTEP_ASSERT(!names.empty(), "{}: nobody to aim at", to_string(kind_));
        return names[rng_.below(names.size())];
    }
    Aim process(const std::string& name) { return {Aim::By::Process, name}; }
    /// Whether anybody can ever have the role: not every service says who leads.
    bool has_role(std::string_view role) const {
        return std::find(in_.roles.begin(), in_.roles.end(), role) != in_.roles.end();
    }
    Aim anybody();
    Aim someone(bool servers_mostly);
    Aim owner_of_disk();
    Aim group();
    Duration lasting();
    bool window(Fault& fault);
    Fault fresh();
    bool wanted();
    std::uint64_t at_most() const;
    std::vector<std::string> losable_zones() const;

    void one(FaultPlan& plan);
    void newer(Fault& fault);
    void cuts(FaultPlan& plan);
    void partition(FaultPlan& plan, const Fault& cut);
    void links(Fault& fault);
    void peers(Fault& fault);
    void maybe_one_message(Fault& fault);
    void lost_message(Fault& fault);
    void strobe(Fault& fault);
    void crash_loop(Fault& fault);
    void drifts(FaultPlan& plan, std::uint64_t count);

    const SwarmInput& in_;
    const FaultKind kind_;
    Prng rng_;
    Prng messages_;              ///< which kinds of messages suffer alone
    bool freezes_ = false;       ///< this seed's pauses may stop clocks
    std::int64_t hardness_ = 1;  ///< 1 mild, 2, 3 hard
};

}  // namespace lockstep::sim
