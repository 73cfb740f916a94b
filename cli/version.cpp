#include "cli/commands.hpp"
#include "harness/explore_store.hpp"
#include "scenarios/resolve.hpp"

#include <fmt/format.h>

// Defined by the build.
#ifndef LOCKSTEP_VERSION
#define LOCKSTEP_VERSION "unknown"
#endif

namespace lockstep::cli {

std::string version_number() {
    return LOCKSTEP_VERSION;
}

std::string version_text() {
#ifdef __clang__
    constexpr const char* compiler = "";  // the version says "Clang" itself
#else
    constexpr const char* compiler = "g++ ";
#endif
    return fmt::format("lockstep {}, plan epoch {}, built with {}{}", LOCKSTEP_VERSION,
                       scenario::plan_epoch, compiler, __VERSION__);
}

ExitCode version() {
    const std::string build = harness::build_id();
    fmt::print("{}\nbuild {}\n", version_text(), build.empty() ? "unknown" : build);
    return ExitCode::AsExpected;
}

}  // namespace lockstep::cli
