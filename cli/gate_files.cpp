#include "cli/gate_files.hpp"

#include "cli/input.hpp"
#include "harness/explore_store.hpp"
#include "harness/export_json.hpp"
#include "harness/services.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace lockstep::cli {
namespace {

bool in_github_actions() {
    const char* said = std::getenv("GITHUB_ACTIONS");
    return said != nullptr && std::string_view(said) == "true";
}

/// Steps before this one may have said something there.
void append_to_step_summary(const std::string& text) {
    const char* path = std::getenv("GITHUB_STEP_SUMMARY");
    if (path == nullptr || *path == '\0') return;
    std::FILE* file = std::fopen(path, "ab");
    const bool written =
        file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    const bool closed = file == nullptr || std::fclose(file) == 0;
    if (!written || !closed)
        fmt::print(stderr, "gate: the summary could not be written to GITHUB_STEP_SUMMARY ({})\n",
                   harness::printable(path));
}

struct Named {
    const char* option;
    const std::string& path;
};

/// Two options must not write one file, and none may write over what is read.
std::string clash(const std::vector<Named>& written, const std::vector<Named>& read) {
    for (std::size_t i = 0; i < written.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j)
            if (same_file(written[i].path, written[j].path) ||
                (written[i].path == "-" && written[j].path == "-"))
                return fmt::format("{}: that file is the one of {}", written[i].option,
                                   written[j].option);
        for (const Named& one : read)
            if (same_file(written[i].path, one.path))
                return fmt::format("{}: that file is read ({}), and would be written over",
                                   written[i].option, one.option);
    }
    return "";
}

}  // namespace

Result<GateFiles> GateFiles::open(const GateArguments& arguments) {
    const std::vector<Named> written{
        {"--json", arguments.json}, {"--junit", arguments.junit}, {"--summary", arguments.summary}};
    std::vector<std::string> paths;
    for (const auto& name : arguments.scenarios) paths.push_back(path_of(name));
    std::vector<Named> read{{"--known", arguments.known},
                            {"--baseline", arguments.baseline},
                            {"--rates", arguments.rates}};
    for (const auto& path : paths) read.push_back({"a scenario", path});
    if (const std::string why = clash(written, read); !why.empty()) return Error{why, {}};
    GateFiles files;
    const std::array<OutputFile*, 3> all{&files.json_, &files.junit_, &files.summary_};
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto file = OutputFile::open(written[i].option, written[i].path);
        if (!file) return file.error();
        *all.at(i) = std::move(file).value();
    }
    return files;
}

bool GateFiles::says_on_stdout() const {
    return !json_.is_standard_output() && !junit_.is_standard_output() &&
           !summary_.is_standard_output();
}

ExitCode GateFiles::write(const harness::GateReport& report) {
    const std::string markdown = harness::gate_markdown(report);
    if (says_on_stdout()) {
        fmt::print("{}", harness::gate_text(report, harness::paint_for(STDOUT_FILENO),
                                            harness::width_for(STDOUT_FILENO)));
        if (in_github_actions()) fmt::print("{}", harness::gate_annotations(report));
    }
    append_to_step_summary(markdown);
    if (json_) json_.write(harness::gate_json(report, {version_number(), harness::build_id()}));
    if (junit_) junit_.write(harness::gate_junit(report));
    if (summary_) summary_.write(markdown);
    const ExitCode code = harness::exit_code(report);
    bool whole = true;
    for (OutputFile* file : {&json_, &junit_, &summary_})
        if (const std::string why = file->close(); !why.empty()) {
            fmt::print(stderr, "{}: {}\n", harness::program_name(), why);
            whole = false;
        }
    return !whole && code == ExitCode::AsExpected ? ExitCode::GaveUp : code;
}

}  // namespace lockstep::cli
