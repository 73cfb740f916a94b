// What may be wrong with a disk.
#include "core/base/assert.hpp"
#include "sim/disk.hpp"
#include "sim/purpose.hpp"
#include "sim/world.hpp"

#include <algorithm>

namespace lockstep::sim {
namespace {

constexpr std::uint64_t forsake_luck = purpose("disk/forsake");
constexpr std::uint32_t half = 500'000;

void nest(std::uint32_t& count, bool on) {
    LOCKSTEP_ASSERT(on || count > 0, "a disk gets well of what it does not have");
    count += on ? 1 : -1;
}

}  // namespace

void Disk::fail(bool on) {
    nest(failing_, on);
    if (on) mark_in_flight(&Syncs::fails);
}

void Disk::fill(bool on) {
    nest(full_, on);
}

void Disk::lie(bool on) {
    nest(lying_, on);
    if (on) mark_in_flight(&Syncs::lies);
}

/// What has completed already, though a paused process was not told, stays as it was.
void Disk::mark_in_flight(bool Syncs::* how) {
    const SimTime now = world_.now();
    const auto mark = [how, now](Syncs& syncs) {
        if (syncs.in_flight && (syncs.ends > now || syncs.due)) syncs.*how = true;
    };
    mark(directory_);
    for (auto& [number, file] : inodes_) mark(file.syncs);
}

/// A sync has failed: the cache may take for written what is not.
void Disk::forsake(Inode file) {
    if (file == directory) return;
    File& failed = inodes_.at(file);
    Prng luck(world_.luck(forsake_luck, owner_.value, failed.name_hash,
                          static_cast<std::uint64_t>(world_.now().ns)));
    if (luck.chance(half) && failed.first_pending < failed.syncs.covers) failed.forsaken = true;
}

/// Says that the writes are durable, and does nothing. A sync of a file would also have made its
/// name durable.
void Disk::lie_about(Inode file, std::uint64_t covers) {
    Syncs& syncs = syncs_of(file);
    syncs.lied = std::max(syncs.lied, covers);
    if (file == directory) return;
    for (std::size_t i = 0; i < changes_.size(); ++i) {
        if (changes_[i].what != Change::What::Create || changes_[i].file != file) continue;
        directory_.lied = std::max(directory_.lied, first_change_ + i + 1);
        break;
    }
}

bool Disk::rot(Prng& luck) {
    std::vector<Inode> candidates;
    for (const auto& [name, inode] : names_)
        if (durable_size(name) > 0) candidates.push_back(inode);
    const std::uint64_t pick = luck.next();
    const std::uint64_t place = luck.next();
    const std::uint64_t flip = luck.below(255) + 1;
    if (candidates.empty()) return false;
    File& rotten = inodes_.at(candidates[pick % candidates.size()]);
    rotten.bytes[place % durable_size(rotten)] ^= static_cast<std::byte>(flip);
    return true;
}

void Disk::watch_syncs(std::uint32_t nth, std::uint64_t order, std::function<void()> then) {
    LOCKSTEP_ASSERT(nth > 0, "watch {} waits for no sync", order);
    watches_.push_back({nth, order, std::move(then)});
}

void Disk::forget_watch(std::uint64_t order) {
    std::erase_if(watches_, [order](const Watch& watch) { return watch.order == order; });
}

void Disk::count_sync() {
    std::vector<std::function<void()>> met;
    for (Watch& watch : watches_)
        if (--watch.left == 0) met.push_back(std::move(watch.then));
    std::erase_if(watches_, [](const Watch& watch) { return watch.left == 0; });
    for (const auto& then : met) then();
}

void Disk::done_with(DiskOperation operation) {
    world_.disk_done(owner_, operation);
}

}  // namespace lockstep::sim
