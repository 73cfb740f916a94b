#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "harness/explore_store.hpp"
#include "harness/gate/shrunk_failure.hpp"
#include "harness/repro/repro.hpp"
#include "harness/services.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using harness::Replay;
using harness::Repro;

bool is_name(const std::string& name) {
    const auto good = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_' || c == '.';
    };
    return !name.empty() && name.front() != '.' && std::all_of(name.begin(), name.end(), good);
}

/// Without this the regression could not tell a fix from a scenario that misses its mark.
std::optional<Error> refuse(const Replay& replay, const std::string& file) {
    if (replay.untrustworthy)
        return Error{"its digest is another under the very program that wrote it: replay it first",
                     file};
    if (replay.result == Replay::Result::FailsOtherwise)
        return Error{fmt::format("it fails in another way now, {}; shrink that, or mend it first",
                                 to_string(replay.found.front())),
                     file};
    if (replay.result == Replay::Result::NoLongerExercises)
        return Error{fmt::format("it no longer exercises what it is about: {} missed its target",
                                 replay.missed.empty() ? "a fault" : replay.missed.front()),
                     file};
    return std::nullopt;
}

}  // namespace

ExitCode accept(const AcceptArguments& arguments) {
    auto loaded = harness::load_repro(arguments.file);
    if (!loaded) return bad_input(loaded.error());
    Repro& repro = loaded.value();
    std::string name =
        arguments.name.empty() ? fs::path(arguments.file).filename().string() : arguments.name;
    if (!name.ends_with(".toml")) name += ".toml";
    if (!is_name(name))
        return bad_input(Error{
            fmt::format("--name: found '{}'; allowed are letters, digits, dots, - and _", name),
            {}});
    const fs::path to = fs::path(arguments.to) / name;
    if (fs::exists(to))
        return bad_input({"that file is there already; give another --name", to.string()});
    const Replay replay = harness::replay(repro);
    if (const auto error = refuse(replay, arguments.file)) return bad_input(*error);
    if (!arguments.story.empty()) repro.scenario.story = arguments.story;
    if (repro.scenario.story.empty())
        return bad_input({"it has no story: say what it is about with --story", arguments.file});
    repro.scenario.name = to.stem().string();
    // Of a bug that is mended the digest was that of the failing run.
    repro.digest = replay.outcome.digest;
    repro.content = harness::repro_content(repro.scenario);
    repro.build = harness::build_id();
    const auto path = harness::keep_repro(repro, arguments.to, name);
    if (!path) return bad_input(path.error());
    fmt::print("{}: accepted\n", path.value());
    if (replay.result == Replay::Result::FailsAgain && !harness::is_foretold(repro))
        fmt::print("  it fails still, {}: tests and gates will, too, until that is mended\n",
                   to_string(repro.fingerprint));
    return ExitCode::AsExpected;
}

}  // namespace lockstep::cli
