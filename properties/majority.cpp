#include "properties/majority.hpp"

#include <bit>
#include <utility>

namespace lockstep::properties {

Majority::Majority(const Setup& setup) {
    for (const Setup::Process& process : setup.roster) {
        if (process.kind != sim::ProcessKind::Server) continue;
        servers_.push_back(process.id);
        nodes_[process.id].place = servers_.size();
    }
    // Larger clusters are not searched for their majorities.
    if (servers_.size() <= servers_at_most) return;
    for (const sim::ProcessId server : servers_) nodes_[server].place = 0;
    servers_.clear();
}

void Majority::on(const Stamp& stamp, const sim::ProcessStarted&) {
    nodes_[stamp.process].up = true;
    changed(stamp, nodes_[stamp.process]);
}

void Majority::on(const Stamp& stamp, const sim::ProcessStopped&) {
    nodes_[stamp.process].up = false;
    changed(stamp, nodes_[stamp.process]);
}

void Majority::on(const Stamp& stamp, const sim::Paused& e) {
    nodes_[stamp.process].stalled |= std::uint64_t{1} << std::min<std::uint32_t>(e.strand, 63);
    changed(stamp, nodes_[stamp.process]);
}

void Majority::on(const Stamp& stamp, const sim::Resumed& e) {
    nodes_[stamp.process].stalled &= ~(std::uint64_t{1} << std::min<std::uint32_t>(e.strand, 63));
    changed(stamp, nodes_[stamp.process]);
}

void Majority::on(const Stamp& stamp, const sim::DiskTroubled& e) {
    nodes_[stamp.process].disk_troubled = e.on;
    changed(stamp, nodes_[stamp.process]);
}

void Majority::on(const Stamp& stamp, const sim::FaultStarted&) {
    ++nodes_[stamp.process].faults;
    changed(stamp, nodes_[stamp.process]);
}

void Majority::on(const Stamp& stamp, const sim::FaultEnded&) {
    Node& node = nodes_[stamp.process];
    if (node.faults != 0) --node.faults;
    changed(stamp, node);
}

void Majority::on(const Stamp& stamp, const sim::LinkTroubled& e) {
    const Link link{stamp.process, e.peer};
    if (e.on)
        links_[link] = e.cut;
    else
        links_.erase(link);
    const bool from_server = is_server(stamp.process);
    const bool to_server = is_server(e.peer);
    if (from_server && to_server) choose(stamp);
    if (from_server && !to_server) nodes_[e.peer].changed = stamp.at;
    if (to_server && !from_server) nodes_[stamp.process].changed = stamp.at;
}

void Majority::changed(const Stamp& stamp, Node& node) {
    node.changed = stamp.at;
    if (node.place != 0) choose(stamp);
}

bool Majority::reaches(sim::ProcessId id) {
    if (!nodes_[id].fit()) return false;
    if (links_.empty()) return true;
    for (std::size_t i = 0; i < servers_.size(); ++i)
        if ((members_ >> i & 1) != 0 && troubled(id, servers_[i])) return false;
    return true;
}

bool Majority::cut(sim::ProcessId a, sim::ProcessId b) const {
    const bool* there = links_.find({a, b});
    const bool* back = links_.find({b, a});
    return (there && *there) || (back && *back);
}

void Majority::choose(const Stamp& stamp) {
    Set fit = 0;
    for (const sim::ProcessId server : servers_)
        if (nodes_[server].fit()) fit |= bit(nodes_[server]);
    const Set members = largest(fit);
    const bool cut_off = all_cut_off(members);
    const bool same = members == members_ && cut_off && others_cut_off_;
    if (!same) since_ = stamp.at;
    members_ = members;
    others_cut_off_ = cut_off;
}

/// The largest majority of the fit ones that are connected with each other, of several the one with
/// the earliest servers; none if there is no majority.
Majority::Set Majority::largest(Set fit) const {
    const auto most = static_cast<int>(servers_.size());
    if (std::popcount(fit) * 2 <= most) return 0;
    std::vector<Set> connected(servers_.size());
    for (std::size_t i = 0; i < servers_.size(); ++i)
        for (std::size_t j = 0; j < servers_.size(); ++j)
            if (i == j || !troubled(servers_[i], servers_[j])) connected[i] |= Set{1} << j;
    Set best = 0;
    for (Set set = 1; set < Set{1} << servers_.size(); ++set) {
        if ((set & ~fit) != 0 || std::popcount(set) * 2 <= most) continue;
        if (std::popcount(set) <= std::popcount(best)) continue;
        bool whole = true;
        for (std::size_t i = 0; whole && i < servers_.size(); ++i)
            if ((set >> i & 1) != 0) whole = (set & ~connected[i]) == 0;
        if (whole) best = set;
    }
    return best;
}

bool Majority::all_cut_off(Set members) {
    for (const sim::ProcessId other : servers_) {
        const Node& node = nodes_[other];
        if ((members & bit(node)) != 0 || node.stopped()) continue;
        for (std::size_t i = 0; i < servers_.size(); ++i)
            if ((members >> i & 1) != 0 && !cut(other, servers_[i])) return false;
    }
    return true;
}

}  // namespace lockstep::properties
