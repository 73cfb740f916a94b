#pragma once

#include "sim/types.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What goes wrong in a run, as data. A plan is fixed before the run starts; what its aims turn out
/// to mean is decided while it runs (see FaultInjector).
namespace lockstep::sim {

enum class FaultKind : std::uint8_t {
    Pause,        ///< nothing of the process runs
    StallFiber,   ///< one strand of the process stands still, the rest runs on
    Cut,          ///< links to the peers are cut
    Loss,         ///< more messages to and from the peers are lost
    Delay,        ///< messages to and from the peers take longer
    Duplicate,    ///< more messages arrive twice
    Reorder,      ///< more messages are overtaken
    ClockDrift,   ///< monotonic and wall clock run fast or slow
    ClockStep,    ///< the wall clock jumps, and jumps back at the end
    ClockFreeze,  ///< the monotonic clock of a process that runs on stands still
    CrashKill,    ///< killed: the page cache survives; restarted at the end
    CrashPower,   ///< power lost: what was not synced may be gone; restarted at the end
    DiskStall,    ///< syncs do not complete
    DropMessage,  ///< the next message of one kind is lost
    BlackHole,    ///< what is sent to and from the peers vanishes; nobody is told, then or later
    Reset,        ///< the connections with the peers are reset; both ends are told
    Swizzle,      ///< the members of a group are cut off one by one, and come back in another order
    ClockStrobe,  ///< the wall clock jumps forth and back, every `period`
    DiskSlow,     ///< each sync takes `amount` longer
    DiskError,    ///< syncs fail; what was not synced may be gone
    DiskFull,     ///< nothing can be appended
    DiskRot,      ///< one byte of what was synced is changed: breaks disk-honest
    DiskLies,     ///< syncs complete without effect; a power loss then breaks disk-honest
    CrashAtSync,  ///< power is lost at the `count`-th sync from now on; restarted at the end
    CrashLoop,    ///< killed every `period`, down for `amount` each time
    RestartAll,   ///< power is lost everywhere in a group at once; restarted at the end
    ZoneLoss,     ///< power is lost in one zone; restarted at the end
};
inline constexpr std::size_t fault_kinds = 27;

/// As scenarios and output spell it: `pause`, `stall-fiber`, ...
std::string_view to_string(FaultKind kind);
/// What it does, in one line for people.
std::string_view meaning(FaultKind kind);
std::optional<FaultKind> fault_kind(std::string_view name);

/// Whom a fault, or a trigger, means.
struct Aim {
    enum class By : std::uint8_t {
        Process,  ///< the process of this name
        Role,     ///< whoever has the role when the fault starts
        Trigger,  ///< the process at which the fault's trigger was met
        Group,    ///< everybody in it: `servers`, `clients`, `resources`, `zone-1`, ... (kinds
                  ///< that act on a group only)
    };
    By by = By::Process;
    std::string name;  ///< of the process or the role; empty for Trigger

    bool operator==(const Aim&) const = default;
};

/// `worker-a`, `leader`, or `trigger`.
std::string to_string(const Aim& aim);

/// Something that must happen first. The fault starts at the nth time, counted from the fault's
/// `start` on.
struct Trigger {
    enum class On : std::uint8_t { Event, Point, Message, Disk };
    On on = On::Event;
    std::string what;          ///< name of the event kind, point, message kind or disk operation
    std::optional<Aim> where;  ///< at this process only (a message's sender); at any, if absent
    std::uint32_t nth = 1;

    bool operator==(const Trigger&) const = default;
};

enum class Direction : std::uint8_t { Both, Out, In };  ///< seen from the aimed process

/// One thing that goes wrong. Fields that its kind does not read keep their defaults.
struct Fault {
    FaultKind kind = FaultKind::Pause;
    Aim aim;
    /// The other ends of the links that suffer: names of processes, roles, or the groups `servers`,
    /// `clients`, `resources` and `others`. Empty means `others`. The aimed process is never one.
    std::vector<std::string> peers;
    Direction direction = Direction::Both;
    std::optional<Trigger> trigger;
    Duration start;     ///< since the beginning of the run; of a triggered fault the earliest start
    Duration duration;  ///< since it started; until then an unresolved aim waits for somebody
    ClockMode clock = ClockMode::Runs;  ///< Pause
    std::int64_t ppm =
        0;            ///< ClockDrift: of the rate, signed; Loss, Duplicate, Reorder: added chance
    Duration amount;  ///< ClockStep: the jump, signed; Delay: added to each message
    std::uint32_t strand = 1;  ///< StallFiber: 0 the callbacks, k the k-th fiber
    std::string message;       ///< DropMessage: name of the message kind. Loss, Delay, Duplicate,
                               ///< Reorder: only messages of this kind; empty: all
    Duration period;           ///< ClockStrobe, CrashLoop: from one time to the next
    std::uint32_t count = 1;   ///< CrashAtSync

    /// One line for people: `pause of worker-a for 15 s`.
    std::string label() const;
    bool operator==(const Fault&) const = default;
};

using FaultPlan = std::vector<Fault>;

/// Which fields a kind reads, for checking and for writing a plan down.
struct FaultFields {
    bool peers = false;
    bool clock = false;
    bool ppm = false;
    bool amount = false;
    bool strand = false;
    bool message = false;
    bool message_optional = false;
    bool period = false;
    bool count = false;
    bool group = false;  ///< aimed at a group, and only at one
    bool lasts = true;   ///< false: over as soon as it has started
};
FaultFields fields_of(FaultKind kind);

/// A span of time for people and for TOML: `15s`, `250ms`, `1500us`; exact.
std::string to_string(Duration d);

}  // namespace lockstep::sim
