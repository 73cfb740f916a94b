#include "sim/fault.hpp"

#include <fmt/format.h>

#include <array>

namespace lockstep::sim {
namespace {

constexpr std::array<std::string_view, fault_kinds> names{
    "pause",      "stall-fiber",  "cut",        "loss",         "delay",      "duplicate",
    "reorder",    "clock-drift",  "clock-step", "clock-freeze", "crash-kill", "crash-power",
    "disk-stall", "drop-message", "black-hole", "reset",        "swizzle",    "clock-strobe",
    "disk-slow",  "disk-error",   "disk-full",  "disk-rot",     "disk-lies",  "crash-at-sync",
    "crash-loop", "restart-all",  "zone-loss"};

constexpr std::array<std::string_view, fault_kinds> meanings{
    "nothing of the process runs",
    "one strand of the process stands still, the rest runs on",
    "links to the peers are cut",
    "more messages to and from the peers are lost",
    "messages to and from the peers take longer",
    "more messages arrive twice",
    "more messages are overtaken by later ones",
    "both clocks of the process run fast or slow",
    "the wall clock jumps, and jumps back at the end",
    "the monotonic clock of a process that runs on stands still",
    "killed: what was written survives, synced or not; restarted at the end",
    "power lost: what was not synced may be gone; restarted at the end",
    "syncs do not complete",
    "the next message of one kind is lost",
    "what is sent to and from the peers vanishes, and nobody is told",
    "the connections with the peers are reset; both ends are told",
    "a group is cut off one by one, and comes back in another order",
    "the wall clock jumps forth and back, every period",
    "each sync takes longer",
    "syncs fail; what was not synced may be gone",
    "nothing can be appended",
    "one byte of what was synced is changed",
    "syncs complete without effect",
    "power is lost at the count-th sync from then on; restarted at the end",
    "killed every period, and down for a while each time",
    "power is lost everywhere in a group at once; restarted at the end",
    "power is lost in one zone; restarted at the end"};

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text.empty() ? "others" : text;
}

/// `from`, `to` or `between`, as the direction has it.
std::string link_of(const Fault& fault) {
    const std::string peers = joined(fault.peers);
    const std::string aim = to_string(fault.aim);
    switch (fault.direction) {
        case Direction::Both:
            return fmt::format("between {} and {}", aim, peers);
        case Direction::Out:
            return fmt::format("from {} to {}", aim, peers);
        case Direction::In:
            return fmt::format("from {} to {}", peers, aim);
    }
    return {};
}

std::string percent(std::int64_t ppm) {
    std::string text = fmt::format("{}.{:04}", ppm / 10'000, ppm % 10'000);
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    return text + "%";
}

/// ` of acquire-reply`, if the fault concerns one kind of message.
std::string of_kind(const Fault& fault) {
    return fault.message.empty() ? "" : " of " + fault.message;
}

std::string what_of_disk_or_crash(const Fault& fault, const std::string& aim) {
    switch (fault.kind) {
        case FaultKind::Swizzle:
            return fmt::format("{} cut off one by one", aim);
        case FaultKind::DiskSlow:
            return fmt::format("disk of {} slower by {}", aim, to_string(fault.amount));
        case FaultKind::DiskError:
            return fmt::format("disk of {} failing", aim);
        case FaultKind::DiskFull:
            return fmt::format("disk of {} full", aim);
        case FaultKind::DiskRot:
            return fmt::format("one byte of {}'s disk rotted", aim);
        case FaultKind::DiskLies:
            return fmt::format("disk of {} lying", aim);
        case FaultKind::CrashAtSync:
            return fmt::format("power loss of {} at sync {}", aim, fault.count);
        case FaultKind::CrashLoop:
            return fmt::format("kill of {} every {}, down {} each time", aim,
                               to_string(fault.period), to_string(fault.amount));
        case FaultKind::RestartAll:
            return fmt::format("power loss of all {}", aim);
        case FaultKind::ZoneLoss:
            return fmt::format("loss of {}", aim);
        default:
            return {};
    }
}

std::string what(const Fault& fault) {
    const std::string aim = to_string(fault.aim);
    const std::string on_links = link_of(fault);
    switch (fault.kind) {
        case FaultKind::Pause:
            return fmt::format("pause of {}{}", aim,
                               fault.clock == ClockMode::Frozen ? " with its clock frozen" : "");
        case FaultKind::StallFiber:
            return fault.strand == 0 ? fmt::format("stall of the callbacks of {}", aim)
                                     : fmt::format("stall of fiber {} of {}", fault.strand, aim);
        case FaultKind::Cut:
            return fmt::format("cut {}", on_links);
        case FaultKind::Loss:
            return fmt::format("{} loss{} {}", percent(fault.ppm), of_kind(fault), on_links);
        case FaultKind::Delay:
            return fmt::format("{} more delay{} {}", to_string(fault.amount), of_kind(fault),
                               on_links);
        case FaultKind::Duplicate:
            return fmt::format("{} duplicates{} {}", percent(fault.ppm), of_kind(fault), on_links);
        case FaultKind::Reorder:
            return fmt::format("{} reordered{} {}", percent(fault.ppm), of_kind(fault), on_links);
        case FaultKind::ClockDrift:
            return fmt::format("clock of {} off by {} ppm", aim, fault.ppm);
        case FaultKind::ClockStep:
            return fmt::format("wall clock of {} moved by {}", aim, to_string(fault.amount));
        case FaultKind::ClockFreeze:
            return fmt::format("clock of {} frozen", aim);
        case FaultKind::CrashKill:
            return fmt::format("kill of {}", aim);
        case FaultKind::CrashPower:
            return fmt::format("power loss of {}", aim);
        case FaultKind::DiskStall:
            return fmt::format("disk of {} stalled", aim);
        case FaultKind::DropMessage:
            return fmt::format("{} lost {}", fault.message, on_links);
        case FaultKind::BlackHole:
            return fmt::format("black hole {}", on_links);
        case FaultKind::Reset:
            return fmt::format("connections reset {}", on_links);
        case FaultKind::ClockStrobe:
            return fmt::format("wall clock of {} moved by {} and back every {}", aim,
                               to_string(fault.amount), to_string(fault.period));
        default:
            return what_of_disk_or_crash(fault, aim);
    }
}

}  // namespace

std::string_view to_string(FaultKind kind) {
    return names.at(static_cast<std::size_t>(kind));
}

std::string_view meaning(FaultKind kind) {
    return meanings.at(static_cast<std::size_t>(kind));
}

std::optional<FaultKind> fault_kind(std::string_view name) {
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == name) return static_cast<FaultKind>(i);
    return std::nullopt;
}

std::string to_string(const Aim& aim) {
    return aim.by == Aim::By::Trigger ? "trigger" : aim.name;
}

FaultFields fields_of(FaultKind kind) {
    FaultFields fields;
    fields.lasts =
        kind != FaultKind::Reset && kind != FaultKind::DropMessage && kind != FaultKind::DiskRot;
    switch (kind) {
        case FaultKind::Pause:
            fields.clock = true;
            break;
        case FaultKind::StallFiber:
            fields.strand = true;
            break;
        case FaultKind::Cut:
        case FaultKind::BlackHole:
        case FaultKind::Reset:
            fields.peers = true;
            break;
        case FaultKind::Loss:
        case FaultKind::Duplicate:
        case FaultKind::Reorder:
            fields.peers = fields.ppm = fields.message_optional = true;
            break;
        case FaultKind::Delay:
            fields.peers = fields.amount = fields.message_optional = true;
            break;
        case FaultKind::ClockDrift:
            fields.ppm = true;
            break;
        case FaultKind::ClockStep:
        case FaultKind::DiskSlow:
            fields.amount = true;
            break;
        case FaultKind::ClockStrobe:
        case FaultKind::CrashLoop:
            fields.amount = fields.period = true;
            break;
        case FaultKind::CrashAtSync:
            fields.count = true;
            break;
        case FaultKind::Swizzle:
        case FaultKind::RestartAll:
        case FaultKind::ZoneLoss:
            fields.group = true;
            break;
        case FaultKind::DropMessage:
            fields.peers = fields.message = true;
            break;
        case FaultKind::ClockFreeze:
        case FaultKind::CrashKill:
        case FaultKind::CrashPower:
        case FaultKind::DiskStall:
        case FaultKind::DiskError:
        case FaultKind::DiskFull:
        case FaultKind::DiskLies:
        case FaultKind::DiskRot:
            break;
    }
    return fields;
}

std::string Fault::label() const {
    std::string text = what(*this);
    if (fields_of(kind).lasts) text += " for " + to_string(duration);
    if (!trigger) return text;
    text += fmt::format(", when {}", trigger->what);
    if (trigger->nth != 1) text += fmt::format(" (number {})", trigger->nth);
    if (trigger->where) text += " at " + to_string(*trigger->where);
    return text;
}

std::string to_string(Duration d) {
    if (d.ns == INT64_MIN) return "-9223372036854775808ns";
    const char* sign = d.ns < 0 ? "-" : "";
    const std::int64_t ns = d.ns < 0 ? -d.ns : d.ns;
    if (ns == 0) return "0s";
    struct Unit {
        std::int64_t ns;
        const char* name;
    };
    for (const Unit unit : {Unit{1'000'000'000, "s"}, {1'000'000, "ms"}, {1'000, "us"}})
        if (ns % unit.ns == 0) return fmt::format("{}{}{}", sign, ns / unit.ns, unit.name);
    return fmt::format("{}{}ns", sign, ns);
}

}  // namespace lockstep::sim
