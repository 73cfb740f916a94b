#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "cli/shrinking.hpp"
#include "harness/services.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>

namespace lockstep::cli {
namespace {

/// A scenario's name is made of a to z, 0 to 9 and -.
std::string name_from(const std::string& stem) {
    std::string name;
    for (const char c : stem) {
        const bool upper = c >= 'A' && c <= 'Z';
        const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        name += upper ? static_cast<char>(c - 'A' + 'a') : plain ? c : '-';
    }
    return name;
}

const char* why_not(harness::Replay::Result result) {
    switch (result) {
        case harness::Replay::Result::FailsAgain:
            return "";
        case harness::Replay::Result::FailsOtherwise:
            return "it fails otherwise than it says";
        case harness::Replay::Result::Held:
            return "it does not fail";
        case harness::Replay::Result::NoLongerExercises:
            return "it does not fail, and its faults find no target";
    }
    return "";
}

}  // namespace

ExitCode accept(const AcceptArguments& arguments) {
    const auto loaded = harness::load_repro(arguments.file);
    if (!loaded) return bad_input(loaded.error());
    const harness::Repro& repro = loaded.value();
    const auto replay = harness::replay(repro);
    if (replay.result != harness::Replay::Result::FailsAgain || replay.untrustworthy)
        return bad_input(
            {fmt::format(
                 "is not accepted: {}; `{} replay {}` says more, `{} shrink` "
                 "makes it anew",
                 replay.untrustworthy ? "its digest is another one" : why_not(replay.result),
                 harness::program_name(), arguments.file, harness::program_name()),
             arguments.file});
    auto kept = harness::make_repro(repro.scenario, replay.outcome, repro.fingerprint);
    const std::string stem = std::filesystem::path(arguments.file).stem().string();
    kept.scenario.name = name_from(stem);
    if (!arguments.story.empty())
        kept.scenario.story = harness::wrapped(harness::printable(arguments.story), 0, 96);
    const std::string path =
        (std::filesystem::path(arguments.to) / (kept.scenario.name + ".toml")).string();
    if (const auto error = write_new_file(path, to_toml(kept))) return bad_input(*error);
    fmt::print("accepted: {}\n", path);
    return ExitCode::AsExpected;
}

}  // namespace lockstep::cli
