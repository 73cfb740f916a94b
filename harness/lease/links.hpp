#pragma once

#include "core/base/hash.hpp"
#include "harness/lease/occurrences.hpp"
#include "sim/world.hpp"

#include <utility>

namespace lockstep::lease {

/// Sends messages that take what was measured: half of the round trip of that moment each way.
class Links {
public:
    Links(sim::World& world, const Conditions& conditions, std::uint64_t seed)
        : world_(world),
          seed_(seed),
          round_trip_(conditions.round_trip, seed, "round-trip"),
          disk_(conditions.disk, seed, "disk") {}

    void send(sim::Process& from, sim::ProcessId to, sim::Payload&& payload, bool after_sync) {
        if (round_trip_.any() || (after_sync && disk_.any())) {
            sim::LinkModel model;
            model.delay.min = one_way() + (after_sync ? sync() : Duration{});
            model.delay.max = model.delay.min;
            world_.network().set_model(from.id(), to, model);
        }
        from.send(to, std::move(payload));
    }
    /// Of a message that is sent now.
    Duration one_way() const {
        return round_trip_.any() ? round_trip_.at(world_.now()) / 2 : milliseconds(1);
    }
    /// Of the nth look of a waiter: the same in every setting.
    std::uint64_t luck_of_look(std::uint64_t n) const {
        return hash_words(seed_, hash_name("look"), n);
    }
    Duration sync() const { return disk_.any() ? disk_.at(world_.now()) : Duration{}; }

private:
    sim::World& world_;
    std::uint64_t seed_;
    Lengths round_trip_;
    Lengths disk_;
};

}  // namespace lockstep::lease
