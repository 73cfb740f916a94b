#pragma once

#include "properties/context.hpp"

#include <cstdint>
#include <vector>

namespace lockstep::properties {

/// Which majority of the servers, if any, is up, connected and steady, and since when.
///
/// A server is fit while it is up, no part of it is stalled, and no fault is aimed at it or at its
/// disk. A majority is a set of fit servers, more than half of all, between any two of which no
/// link is troubled; the largest such set is taken. It is steady since the last change among
/// servers; but what happens to servers that are cut off from all of it, before and after, changes
/// nothing.
class Majority {
public:
    explicit Majority(const Setup& setup);

    void on(const Stamp&, const sim::ProcessStarted&);
    void on(const Stamp&, const sim::ProcessStopped&);
    void on(const Stamp&, const sim::Paused&);
    void on(const Stamp&, const sim::Resumed&);
    void on(const Stamp&, const sim::DiskTroubled&);
    void on(const Stamp&, const sim::LinkTroubled&);
    void on(const Stamp&, const sim::FaultStarted&);
    void on(const Stamp&, const sim::FaultEnded&);

    bool is_server(sim::ProcessId id) { return nodes_[id].place != 0; }
    bool stands() const { return members_ != 0; }
    sim::SimTime since() const { return since_; }
    bool has(sim::ProcessId id) { return (members_ & bit(nodes_[id])) != 0; }
    /// Every other server is down, stalled, or cut off from each member: none of them can lead.
    bool others_cut_off() const { return others_cut_off_; }
    /// Whether the process, not a server, is fit, and connected to each member.
    bool reaches(sim::ProcessId id);
    /// The last change of the process's fitness or of its links to servers.
    sim::SimTime changed(sim::ProcessId id) { return nodes_[id].changed; }

private:
    using Set = std::uint32_t;
    static constexpr std::size_t servers_at_most = 12;

    struct Node {
        std::size_t place = 0;  ///< of a server, from 1
        bool up = false;
        bool disk_troubled = false;
        std::uint64_t stalled = 0;  ///< a bit for each strand
        std::uint32_t faults = 0;   ///< aimed at it and not over
        sim::SimTime changed;

        bool fit() const { return up && !disk_troubled && stalled == 0 && faults == 0; }
        bool stopped() const { return !up || (stalled & 1) != 0; }
    };
    using Link = std::pair<sim::ProcessId, sim::ProcessId>;

    static Set bit(const Node& node) { return node.place == 0 ? 0 : Set{1} << (node.place - 1); }
    bool troubled(sim::ProcessId a, sim::ProcessId b) const {
        return links_.contains({a, b}) || links_.contains({b, a});
    }
    bool cut(sim::ProcessId a, sim::ProcessId b) const;
    void changed(const Stamp&, Node&);
    void choose(const Stamp&);
    Set largest(Set fit) const;
    bool all_cut_off(Set members);

    NodeMap<sim::ProcessId, Node> nodes_;
    std::vector<sim::ProcessId> servers_;  ///< by place - 1
    FlatMap<Link, bool> links_;            ///< the troubled ones; true: nothing comes through
    Set members_ = 0;
    sim::SimTime since_;
    bool others_cut_off_ = false;
};

}  // namespace lockstep::properties
