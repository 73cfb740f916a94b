#pragma once

#include "harness/timeline/model.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::harness::timeline {

/// One event of the trace event format, before it is text. What it does not use is zero.
struct TraceRecord {
    enum class Phase : std::uint8_t { Slice, Begin, End, FlowStart, FlowEnd, Instant, Counter };
    SimTime at;
    Duration lasts;  ///< Slice
    Phase phase = Phase::Slice;
    bool global = false;     ///< Instant: for all tracks
    std::uint32_t name = 0;  ///< in TraceRecords::names
    const char* category = "";
    std::uint32_t process = 0;  ///< the trace's number: of a process, a lock or the world
    std::uint32_t track = 0;    ///< within it
    std::uint64_t id = 0;       ///< Begin and End, FlowStart and FlowEnd: what belongs together
    const char* number_name = nullptr;  ///< of an argument
    std::uint64_t number = 0;
};

/// All of a run in the order of time. Slices of one track never overlap.
struct TraceRecords {
    struct Track {
        std::uint32_t process = 0;
        std::uint32_t track = 0;
        std::string name;
    };
    std::vector<std::string> names;
    std::vector<std::pair<std::uint32_t, std::string>> processes;  ///< in the order of showing
    std::vector<Track> tracks;
    std::vector<TraceRecord> records;
};

TraceRecords trace_records_of(const Outcome& outcome, const scenario::Resolved& settings,
                              const Model& model);

}  // namespace lockstep::harness::timeline
