#include "sim/disk.hpp"

#include "core/base/assert.hpp"
#include "core/base/hash.hpp"
#include "sim/purpose.hpp"
#include "sim/world.hpp"

#include <algorithm>
#include <utility>

namespace lockstep::sim {
namespace {

constexpr std::uint64_t sync_luck = purpose("disk/sync");
constexpr std::uint64_t loss_luck = purpose("disk/loss");

std::uint64_t hash_of(std::string_view name) {
    return hash_bytes(std::as_bytes(std::span(name.data(), name.size())));
}

}  // namespace

/// Zero if there is no such file. There are a handful of names: looking at each is the fastest.
Disk::Inode Disk::named(std::string_view file) const {
    for (const auto& [name, inode] : names_)
        if (name == file) return inode;
    return 0;
}

const Disk::File* Disk::find(std::string_view file) const {
    const Inode inode = named(file);
    return inode == 0 ? nullptr : &inodes_.at(inode);
}

std::vector<std::byte> Disk::read(std::string_view file) const {
    const File* found = find(file);
    return found != nullptr ? found->bytes : std::vector<std::byte>();
}

bool Disk::exists(std::string_view file) const {
    return named(file) != 0;
}

std::uint64_t Disk::size(std::string_view file) const {
    const File* found = find(file);
    return found != nullptr ? found->bytes.size() : 0;
}

std::vector<std::string> Disk::files() const {
    std::vector<std::string> names;
    for (const auto& [name, inode] : names_) names.push_back(name);
    return names;
}

std::uint64_t Disk::durable_size(std::string_view file) const {
    const File* found = find(file);
    return found == nullptr ? 0 : durable_size(*found);
}

std::uint64_t Disk::durable_size(const File& file) {
    std::uint64_t least = file.bytes.size();
    for (const Write& write : file.pending)
        least = std::min(least, write.before - write.cut.size());
    return least;
}

Disk::Inode Disk::inode(std::string_view file) {
    if (const Inode known = named(file)) return known;
    const Inode made = next_inode_++;
    names_[std::string(file)] = made;
    inodes_[made].name_hash = hash_of(file);
    changes_.push_back({Change::What::Create, std::string(file), {}, made, 0});
    return made;
}

bool Disk::append(std::string_view file, std::span<const std::byte> bytes) {
    if (full_ > 0) return false;
    File& to = inodes_.at(inode(file));
    if (!bytes.empty()) {
        to.pending.push_back({to.bytes.size(), {}});
        to.bytes.insert(to.bytes.end(), bytes.begin(), bytes.end());
    }
    if (world_.disks_traced()) done_with(DiskOperation::Append);
    return true;
}

void Disk::truncate(std::string_view file, std::uint64_t size) {
    LOCKSTEP_ASSERT(exists(file), "truncation of {}, which is not there", file);
    File& cut = inodes_.at(inode(file));
    const std::uint64_t before = cut.bytes.size();
    LOCKSTEP_ASSERT(size <= before, "truncation of {} from {} to {}", file, before, size);
    if (size < before) {
        const auto from = cut.bytes.begin() + static_cast<std::ptrdiff_t>(size);
        cut.pending.push_back({before, std::vector<std::byte>(from, cut.bytes.end())});
        cut.bytes.erase(from, cut.bytes.end());
    }
    if (world_.disks_traced()) done_with(DiskOperation::Truncate);
}

void Disk::rename(std::string_view from, std::string_view to) {
    LOCKSTEP_ASSERT(exists(from) && from != to, "rename of {} to {}", from, to);
    const Inode moved = named(from);
    const Inode replaced = named(to);
    changes_.push_back({Change::What::Rename, std::string(from), std::string(to), moved, replaced});
    names_.erase(std::string(from));
    names_[std::string(to)] = moved;
    if (world_.disks_traced()) done_with(DiskOperation::Rename);
}

void Disk::remove(std::string_view file) {
    const Inode removed = named(file);
    if (removed == 0) return;
    changes_.push_back({Change::What::Remove, std::string(file), {}, removed, 0});
    names_.erase(std::string(file));
}

// Syncs.

Disk::Syncs& Disk::syncs_of(Inode file) {
    return file == directory ? directory_ : inodes_.at(file).syncs;
}

void Disk::sync(std::string_view file, Done done) {
    const Inode target = inode(file);
    Syncs& syncs = syncs_of(target);
    syncs.waiting.push_back(std::move(done));
    if (!syncs.in_flight) begin_sync(target);
}

void Disk::sync_dir(Done done) {
    directory_.waiting.push_back(std::move(done));
    if (!directory_.in_flight) begin_sync(directory);
}

void Disk::begin_sync(Inode file) {
    Syncs& syncs = syncs_of(file);
    LOCKSTEP_ASSERT(!syncs.in_flight && syncs.told.empty(), "two syncs of inode {} at once", file);
    std::uint64_t name = 0;
    if (file == directory) {
        syncs.covers = first_change_ + changes_.size();
    } else {
        const File& synced = inodes_.at(file);
        syncs.covers = synced.next_write();
        name = synced.name_hash;
    }
    syncs.in_flight = true;
    syncs.due = false;
    syncs.fails = failing_ > 0;
    syncs.lies = lying_ > 0;
    syncs.told.swap(syncs.waiting);
    const SimTime now = world_.now();
    const auto span = static_cast<std::uint64_t>(model_.sync_max.ns - model_.sync_min.ns) + 1;
    const std::uint64_t luck =
        world_.luck(sync_luck, owner_.value, name, static_cast<std::uint64_t>(now.ns));
    const Duration takes =
        model_.sync_min + slower_ +
        Duration{static_cast<std::int64_t>((static_cast<unsigned __int128>(luck) * span) >> 64)};
    syncs.ends = now + takes;
    world_.schedule_io(owner_, takes, name, [this, file] { due(file); });
    if (!watches_.empty()) count_sync();
}

/// The callback may come later than the sync completed: the process was paused meanwhile.
void Disk::due(Inode file) {
    if (stalls_ > 0) {
        syncs_of(file).due = true;
        return;
    }
    complete(file);
}

void Disk::unstall() {
    LOCKSTEP_ASSERT(stalls_ > 0, "unstall of a disk that is not stalled, process {}", owner_.value);
    if (--stalls_ > 0) return;
    std::vector<Inode> late;
    if (directory_.due) late.push_back(directory);
    for (const auto& [number, file] : inodes_)
        if (file.syncs.due) late.push_back(number);
    for (const Inode file : late) {
        Syncs& syncs = syncs_of(file);
        syncs.due = false;
        syncs.ends = world_.now();
        const std::uint64_t order = file == directory ? 0 : inodes_.at(file).name_hash;
        world_.schedule_io(owner_, Duration{}, order, [this, file] { due(file); });
    }
}

void Disk::complete(Inode file) {
    Syncs& syncs = syncs_of(file);
    LOCKSTEP_ASSERT(syncs.in_flight, "inode {} has no sync in flight", file);
    const bool ok = !syncs.fails;
    if (!ok)
        forsake(file);
    else if (syncs.lies)
        lie_about(file, syncs.covers);
    else
        make_durable(file, syncs.covers);
    syncs.in_flight = false;
    LOCKSTEP_ASSERT(telling_.empty(), "inode {} completes within a callback of a sync", file);
    telling_.swap(syncs.told);
    if (!syncs.waiting.empty())
        begin_sync(file);
    else if (file == directory)
        drop_unreachable();
    if (ok && world_.disks_traced())
        done_with(file == directory ? DiskOperation::SyncDir : DiskOperation::Sync);
    // Last, as a callback may do anything to this disk.
    for (const Done& done : telling_) done(ok);
    telling_.clear();
}

void Disk::make_durable(Inode file, std::uint64_t covers) {
    if (file == directory) {
        commit_changes(covers);
        return;
    }
    File& synced = inodes_.at(file);
    if (synced.forsaken) return;
    while (synced.first_pending < covers) {
        LOCKSTEP_ASSERT(!synced.pending.empty(), "inode {}: {} writes covered, {} were made", file,
                        covers, synced.first_pending);
        synced.pending.pop_front();
        ++synced.first_pending;
    }
    for (std::size_t i = 0; i < changes_.size(); ++i) {
        if (changes_[i].what != Change::What::Create || changes_[i].file != file) continue;
        commit_changes(first_change_ + i + 1);
        break;
    }
}

void Disk::commit_changes(std::uint64_t covers) {
    while (first_change_ < covers) {
        LOCKSTEP_ASSERT(!changes_.empty(), "{} changes covered, {} were made", covers,
                        first_change_);
        changes_.pop_front();
        ++first_change_;
    }
}

/// Forgets files that have no name and cannot get one back.
void Disk::drop_unreachable() {
    std::erase_if(inodes_, [this](const auto& item) {
        const auto& [number, file] = item;
        if (file.syncs.in_flight) return false;
        for (const auto& [name, inode] : names_)
            if (inode == number) return false;
        for (const Change& change : changes_)
            if (change.file == number || change.replaced == number) return false;
        return true;
    });
}

// Crashes.

void Disk::on_crash(CrashKind how) {
    if (how == CrashKind::Power)
        lose_power();
    else
        lose_forsaken();
    forget_syncs(how);
    drop_unreachable();
}

/// What a lie was told about may still be lost when power is, after any number of kills.
void Disk::forget_syncs(CrashKind how) {
    const auto forget = [how](Syncs& syncs) {
        const std::uint64_t lied = how == CrashKind::Kill ? syncs.lied : 0;
        syncs = Syncs();
        syncs.lied = lied;
    };
    forget(directory_);
    for (auto& [number, file] : inodes_) forget(file.syncs);
}

void Disk::lose_power() {
    const SimTime now = world_.now();
    Prng luck(world_.luck(loss_luck, owner_.value, 0, static_cast<std::uint64_t>(now.ns)));
    // A sync whose time had come completed, though a paused process was not told; one that was
    // under way has happened or not.
    const auto happened = [this, now](const Syncs& syncs, Prng& draw) {
        const bool by_luck = draw.chance(500'000);
        return syncs.in_flight && !syncs.fails && !syncs.lies &&
               ((syncs.ends <= now && stalls_ == 0) || by_luck);
    };
    for (auto& [number, file] : inodes_) {
        Prng own(world_.luck(loss_luck, owner_.value, file.name_hash ^ spread(number),
                             static_cast<std::uint64_t>(now.ns)));
        if (happened(file.syncs, own)) make_durable(number, file.syncs.covers);
        const std::uint64_t kept = own.below(file.pending.size() + 1);
        if (file.forsaken)
            lose_writes(file, 0, nullptr);
        else
            lose_writes(file, kept, &own);
    }
    if (happened(directory_, luck)) commit_changes(directory_.covers);
    const auto kept = luck.below(changes_.size() + 1);
    if (first_change_ + kept < directory_.lied) took_confirmed_ = true;
    while (changes_.size() > kept) undo_change();
    first_change_ += changes_.size();
    changes_.clear();
}

void Disk::lose_forsaken() {
    for (auto& [number, file] : inodes_) {
        if (!file.forsaken) continue;
        lose_writes(file, 0, nullptr);
        file.syncs.lied = 0;
    }
}

/// Undoes all writes that are not durable but the first `kept`.
void Disk::lose_writes(File& file, std::uint64_t kept, Prng* tearing) {
    if (file.first_pending + kept < file.syncs.lied) took_confirmed_ = true;
    std::vector<std::byte> torn;
    while (file.pending.size() > kept) {
        Write& write = file.pending.back();
        if (write.cut.empty()) {
            const auto from = file.bytes.begin() + static_cast<std::ptrdiff_t>(write.before);
            torn.assign(from, file.bytes.end());
            file.bytes.erase(from, file.bytes.end());
        } else {
            torn.clear();
            file.bytes.insert(file.bytes.end(), write.cut.begin(), write.cut.end());
        }
        file.pending.pop_back();
    }
    // What was undone last is the first write that is lost.
    if (!torn.empty() && tearing != nullptr) tear(file, torn, *tearing);
    file.first_pending += file.pending.size();
    file.pending.clear();
    file.forsaken = false;
}

/// Of a lost write, puts back a part.
void Disk::tear(File& file, std::span<const std::byte> lost, Prng& luck) {
    enum : std::uint64_t { Gone, Short, Zeros, Garbage, Ways };
    const std::uint64_t way = luck.below(Ways);
    if (way == Gone) return;
    const auto length = luck.below(lost.size());
    file.bytes.insert(file.bytes.end(), lost.begin(),
                      lost.begin() + static_cast<std::ptrdiff_t>(length));
    if (way == Short) return;
    for (auto i = length; i < lost.size(); ++i)
        file.bytes.push_back(way == Zeros ? std::byte{0} : static_cast<std::byte>(luck.below(256)));
}

void Disk::undo_change() {
    const Change change = std::move(changes_.back());
    changes_.pop_back();
    switch (change.what) {
        case Change::What::Create:
            names_.erase(change.name);
            break;
        case Change::What::Remove:
            names_[change.name] = change.file;
            break;
        case Change::What::Rename:
            if (change.replaced != 0)
                names_[change.to] = change.replaced;
            else
                names_.erase(change.to);
            names_[change.name] = change.file;
            break;
    }
}

}  // namespace lockstep::sim
