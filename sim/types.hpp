#pragma once

#include "core/base/strong.hpp"
#include "core/base/time.hpp"

#include <cstdint>
#include <string>

namespace lockstep::sim {

/// True time, which no process can read. Starts at zero.
using SimTime = Instant<struct TrueClock>;
/// Processes are addressed by their node id.
using ProcessId = NodeId;

enum class ProcessKind : std::uint8_t { Server, Client, Resource };
enum class CrashKind : std::uint8_t { Kill, Power };       ///< the page cache survives, or does not
enum class ClockMode : std::uint8_t { Runs, Frozen };      ///< what a paused process's clock does
enum class LinkMode : std::uint8_t { Datagram, Ordered };  ///< as UDP, or as TCP

/// Timers of a program are numbered by itself, from 0.
using TimerId = std::uint32_t;

}  // namespace lockstep::sim
