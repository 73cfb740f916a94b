#pragma once

#include "core/base/flat_map.hpp"
#include "core/base/prng.hpp"
#include "sim/types.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::sim {

class World;

/// Latencies of a disk. A sync takes uniform [sync_min, sync_max] of true time.
struct DiskModel {
    Duration sync_min = microseconds(200);
    Duration sync_max = milliseconds(2);
    bool operator==(const DiskModel&) const = default;
};

/// What a disk is asked to do, as World::trace_disks tells.
enum class DiskOperation : std::uint32_t { Append, Sync, Rename, SyncDir, Truncate };

/// The files of one process; they outlive its lives. Append-only files with a volatile cache,
/// truncation, atomic rename. Reads see the cache and are immediate (recovery only).
///
/// What a power loss leaves. Each file on its own keeps all writes that were durable and a random
/// prefix of the others, in the order in which they were made; of the first write that is lost a
/// part may be there, followed by nothing, by zeros or by garbage up to its length. A truncation is
/// a write that is never torn. A write is durable once a sync that began after it has completed;
/// one that was still in flight may have happened or not. The directory is a file of this kind,
/// too: its writes are creations, renames and removals. A sync of a file makes its creation
/// durable, and with it whatever was done to the directory before; nothing but sync_dir makes a
/// rename durable.
///
/// Syncs. One at a time reaches the device for each file; those that are asked for meanwhile share
/// the next one, as group commit does, which covers all that was written before it begins.
///
/// Failures. A sync fails if the disk fails while it is under way. The writes that it covers may
/// then be forsaken, as the page cache forgets what it could not write: they are read until the
/// life of the process ends, are not there in the next, and a later sync of the file in this life
/// makes neither them nor what follows them durable, whatever it says. So a process that hears of a
/// failure must end itself. A failed sync_dir forsakes nothing. None of this breaks disk-honest:
/// the failure was told. What a lying disk has confirmed and a crash then takes does.
///
/// Cost. One image a file: the cache itself, and for each write that is not durable yet its
/// beginning, so that a power loss undoes writes rather than redoes them. Only bytes that a
/// truncation cut off are copied.
class Disk {
public:
    using Done = std::function<void(bool ok)>;

    Disk(World& world, ProcessId owner) : world_(world), owner_(owner) {}
    Disk(const Disk&) = delete;
    Disk& operator=(const Disk&) = delete;

    std::vector<std::byte> read(std::string_view file) const;  ///< empty if there is none
    bool exists(std::string_view file) const;
    std::uint64_t size(std::string_view file) const;  ///< zero if there is none
    std::vector<std::string> files() const;           ///< by name

    /// Creates the file if there is none. False if the disk is full: nothing was done.
    bool append(std::string_view file, std::span<const std::byte> bytes);
    /// The file must exist and be at least that long.
    void truncate(std::string_view file, std::uint64_t size);
    /// Makes durable what was written to the file before this call; `done(true)` runs as a callback
    /// of the process when that is so (never after its crash), `done(false)` if it failed. Creates
    /// the file if there is none.
    void sync(std::string_view file, Done done);
    /// Replaces `to`. Visible at once, durable after sync_dir.
    void rename(std::string_view from, std::string_view to);
    void sync_dir(Done done);
    void remove(std::string_view file);  ///< as rename

    // For the world and for faults.
    void set_model(const DiskModel& model) { model_ = model; }
    /// No sync completes until as many unstalls came. Outlives the process's lives.
    void stall() { ++stalls_; }
    void unstall();
    bool stalled() const { return stalls_ > 0; }
    // The others nest, too, and outlive lives.
    void slow(Duration by) { slower_ += by; }  ///< of each sync that begins; negated to undo
    void fail(bool on);                        ///< syncs
    void fill(bool on);
    void lie(bool on);
    bool troubled() const {
        return stalls_ > 0 || slower_ > Duration{} || failing_ > 0 || full_ > 0 || lying_ > 0;
    }
    /// Changes one byte of what is durable; false if nothing is.
    bool rot(Prng& luck);
    /// Calls the function, once, within the `nth` sync to reach the device from now on, while
    /// nothing says whether that sync will have happened.
    void watch_syncs(std::uint32_t nth, std::uint64_t order, std::function<void()> then);
    void forget_watch(std::uint64_t order);
    /// Whether a crash took what a sync had confirmed, since this was last asked.
    bool took_confirmed() { return std::exchange(took_confirmed_, false); }
    /// To be called when the owner's life has ended, or once more while it is down: power may be
    /// lost after a kill.
    void on_crash(CrashKind how);
    /// The bytes that no power loss can take, for tests and oracles: as long as no truncation is
    /// pending, a prefix of the file.
    std::uint64_t durable_size(std::string_view file) const;

private:
    using Inode = std::uint64_t;

    /// Syncs of one file, or of the directory.
    struct Syncs {
        bool in_flight = false;
        bool due = false;           ///< its time came during a stall
        bool fails = false;         ///< the one in flight
        bool lies = false;          ///< the one in flight
        SimTime ends;               ///< of the one in flight
        std::uint64_t covers = 0;   ///< writes numbered below are durable when it has completed
        std::uint64_t lied = 0;     ///< writes numbered below were falsely said to be durable
        std::vector<Done> told;     ///< by the one in flight
        std::vector<Done> waiting;  ///< for the next
    };
    /// How to undo a write: cut back to `before`, or put `cut` back.
    struct Write {
        std::uint64_t before;
        std::vector<std::byte> cut;
    };
    struct File {
        std::vector<std::byte> bytes;
        std::deque<Write> pending;        ///< not durable
        std::uint64_t first_pending = 0;  ///< number of the first of them
        std::uint64_t name_hash = 0;      ///< of the name at its creation, for luck
        bool forsaken = false;            ///< nothing more becomes durable in this life
        Syncs syncs;
        std::uint64_t next_write() const { return first_pending + pending.size(); }
    };
    /// How to undo a change of the directory.
    struct Change {
        enum class What : std::uint8_t { Create, Rename, Remove } what;
        std::string name;    ///< created, removed, or renamed from
        std::string to;      ///< Rename
        Inode file;          ///< that was created, removed or renamed
        Inode replaced = 0;  ///< Rename: what `to` was before, or zero
    };
    static constexpr Inode directory = 0;

    static std::uint64_t durable_size(const File& file);
    Inode named(std::string_view file) const;
    const File* find(std::string_view file) const;
    Inode inode(std::string_view file);  ///< creates it
    Syncs& syncs_of(Inode file);
    void begin_sync(Inode file);
    void due(Inode file);
    void complete(Inode file);
    void lie_about(Inode file, std::uint64_t covers);
    void forsake(Inode file);
    void mark_in_flight(bool Syncs::* how);
    void count_sync();
    void done_with(DiskOperation operation);
    void make_durable(Inode file, std::uint64_t covers);
    void commit_changes(std::uint64_t covers);
    void lose_power();
    void lose_forsaken();
    void lose_writes(File& file, std::uint64_t kept, Prng* tearing);
    void tear(File& file, std::span<const std::byte> lost, Prng& luck);
    void undo_change();
    void forget_syncs(CrashKind how);
    void drop_unreachable();

    World& world_;
    ProcessId owner_;
    DiskModel model_;
    std::uint32_t stalls_ = 0;
    Duration slower_;
    std::uint32_t failing_ = 0;
    std::uint32_t full_ = 0;
    std::uint32_t lying_ = 0;
    bool took_confirmed_ = false;
    struct Watch {
        std::uint64_t left;
        std::uint64_t order;
        std::function<void()> then;
    };
    std::vector<Watch> watches_;  ///< of syncs
    FlatMap<std::string, Inode> names_;
    std::map<Inode, File> inodes_;
    Inode next_inode_ = 1;
    std::deque<Change> changes_;      ///< not durable
    std::uint64_t first_change_ = 0;  ///< number of the first of them
    Syncs directory_;
    std::vector<Done> telling_;  ///< of the sync that just completed; lends its memory to the next
};

}  // namespace lockstep::sim
