#include "tests/layout/arrows.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace lockstep::test::layout {
namespace {

struct Arrows {
    std::string_view room;
    std::vector<std::string_view> to;  ///< what it includes directly
};

/// Every room, each below those that it includes.
const std::vector<Arrows>& arrows() {
    static const std::vector<Arrows> all = {
        {"core/base", {}},
        {"core/events", {"core/base"}},
        {"core/wire", {"core/events"}},
        {"core/raft", {"core/events"}},
        {"core/lock", {"core/wire"}},
        {"core/client", {"core/wire"}},
        {"core/resource", {"core/wire"}},
        {"core/server", {"core/raft", "core/lock"}},
        {"sim", {"core/base"}},
        {"properties", {"core/events", "sim"}},
        {"scenarios", {"core/server", "core/client", "core/resource", "sim"}},
        {"scenarios/world", {"scenarios"}},
        {"scenarios/services", {"scenarios/world"}},
        {"scenarios/workloads", {"scenarios/world"}},
        {"harness", {"properties", "scenarios/services", "scenarios/workloads"}},
        {"harness/history", {"harness/data"}},
        {"harness/data", {"harness"}},
        {"harness/timeline", {"harness/explain"}},
        {"harness/repro", {"harness"}},
        {"harness/shrink", {"harness/repro"}},
        {"harness/explain", {"harness"}},
        {"harness/timeline", {"harness/explain"}},
        {"harness/gate", {"harness/shrink", "harness/explain"}},
        {"harness/lease", {"harness/data"}},
        {"cli", {"harness/history", "harness/timeline", "harness/gate", "harness/lease"}},
        {"properties/rapid", {"cli"}},
        {"bench", {"cli"}},
        {"bench/simgrid", {}},
        {"tests", {"cli", "properties/rapid"}},
    };
    return all;
}

/// Which files may include a library or a system's header, by the beginning of either's name.
struct Guest {
    std::string_view header;
    std::vector<std::string_view> rooms;
};

const std::vector<Guest>& guests() {
    static const std::vector<Guest> all = {
        {"fmt/", {""}},
        {"boost/", {"sim/fiber"}},
        {"sanitizer/", {"sim/fiber"}},
        {"valgrind/", {"sim/fiber"}},
        {"cxxabi.h", {"sim/fiber"}},
        {"sys/mman.h", {"sim/fiber", "tests/fuzz/"}},
        {"toml.hpp", {"scenarios/scenario_toml"}},
        {"toml++/", {"scenarios/scenario_toml"}},
        {"CLI/", {"cli/"}},
        {"nlohmann/",
         {"harness/export_json", "harness/gate/gate_json", "harness/gate/baseline",
          "harness/lease/report_json", "tests/harness/"}},
        {"rapidcheck", {"properties/rapid/", "tests/rapid/", "tests/support/rapid.hpp"}},
        {"catch2/", {"tests/"}},
        {"benchmark/", {"bench/"}},
        {"simgrid/", {"bench/simgrid/"}},
        {"zlib.h", {"harness/data/unzip.cpp"}},
        {"xxhash.h", {"core/base/blob.cpp"}},
        // Worker processes, terminals and clocks are the business of what runs the runs.
        {"unistd.h", {"sim/fiber", "harness/", "cli/", "tests/", "bench/"}},
        {"sys/", {"harness/", "cli/", "tests/", "bench/"}},
        {"fcntl.h", {"harness/", "cli/", "tests/"}},
        {"netdb.h", {"cli/probe"}},
        {"poll.h", {"harness/", "cli/", "tests/"}},
    };
    return all;
}

/// Headers of the standard library look like none of the others.
bool is_standard(std::string_view name) {
    return name.find_first_of("/.") == std::string_view::npos;
}

const Arrows* arrows_of(std::string_view room) {
    // A service's room is a folder of its own below this one.
    if (room.starts_with("scenarios/services/")) room = "scenarios/services";
    const auto it = std::ranges::find(arrows(), room, &Arrows::room);
    return it == arrows().end() ? nullptr : &*it;
}

bool reaches(const Arrows& from, std::string_view to) {
    return std::ranges::any_of(from.to, [to](std::string_view next) {
        const Arrows* below = arrows_of(next);
        return next == to || (below != nullptr && reaches(*below, to));
    });
}

/// Of the simulator, a property knows what the world reports, and in which units.
constexpr std::array<std::string_view, 2> world_for_properties = {"sim/world_events.hpp",
                                                                  "sim/types.hpp"};

std::optional<std::string> objection_to_guest(std::string_view path, std::string_view name) {
    if (is_standard(name)) return std::nullopt;
    for (const Guest& guest : guests()) {
        if (!name.starts_with(guest.header)) continue;
        if (std::ranges::any_of(guest.rooms,
                                [path](std::string_view r) { return path.starts_with(r); }))
            return std::nullopt;
        return "a header that has another room";
    }
    return "a header that has no room";
}

}  // namespace

std::string room_of(std::string_view path) {
    const std::string_view folder = path.substr(0, std::min(path.rfind('/'), path.size()));
    if (folder.starts_with("tests")) return "tests";
    // A service of one file would share the room with all others.
    if (folder == "scenarios/services") return "";
    if (folder.starts_with("scenarios/services/")) {
        const std::size_t end = folder.find('/', std::string_view("scenarios/services/").size());
        return std::string(folder.substr(0, end));
    }
    return arrows_of(folder) != nullptr ? std::string(folder) : std::string();
}

bool arrow_allowed(std::string_view from_room, std::string_view to_room) {
    if (from_room == to_room) return true;
    const Arrows* from = arrows_of(from_room);
    if (from == nullptr || arrows_of(to_room) == nullptr) return false;
    const bool service = to_room.starts_with("scenarios/services/");
    return reaches(*from, service ? std::string_view("scenarios/services") : to_room);
}

std::optional<std::string> objection(std::string_view path, const Include& include) {
    const std::string room = room_of(path);
    if (room.empty()) return "a file in no room";
    if (!include.quoted) return objection_to_guest(path, include.name);
    const std::string to = room_of(include.name);
    if (to.empty()) return "not a path from the root";
    if (!arrow_allowed(room, to)) return room + " may not include " + to;
    if (room == "properties" && to == "sim" &&
        std::ranges::find(world_for_properties, include.name) == world_for_properties.end())
        return "of the simulator, properties know its events alone";
    return std::nullopt;
}

}  // namespace lockstep::test::layout
