#pragma once

#include "core/base/time.hpp"

#include <string>
#include <string_view>

/// The lines that `lockstep probe` writes, and the format "lockstep-probe" reads.
namespace lockstep::data {

std::string probe_title();
/// "begin", "alive", "lost", "end".
std::string probe_line(std::string_view word, WallTime at, std::string_view rest = {});
/// "stall" and "rtt", which began at `at`.
std::string probe_length(std::string_view word, WallTime at, Duration length);

}  // namespace lockstep::data
