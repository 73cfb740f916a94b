#include "cli/run_exports.hpp"

#include "cli/input.hpp"
#include "harness/services.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::cli {
namespace {

using NamedFile = std::pair<const char*, std::string>;

/// In the order of Export.
std::array<NamedFile, export_count> options_of(const RunArguments& arguments) {
    return {{{"--events", arguments.events},
             {"--json", arguments.json},
             {"--history", arguments.history},
             {"--html", arguments.html},
             {"--perfetto", arguments.perfetto}}};
}

std::optional<Error> refuse_shared_files(const RunArguments& arguments) {
    std::vector<NamedFile> files{{"the scenario", path_of(arguments.scenario)}};
    for (const NamedFile& file : options_of(arguments)) files.push_back(file);
    for (std::size_t i = 0; i < files.size(); ++i)
        for (std::size_t k = i + 1; k < files.size(); ++k)
            if (same_file(files[i].second, files[k].second))
                return Error{fmt::format("{}: that file is {}, and would be written over",
                                         files[k].first, files[i].first),
                             files[k].second};
    return std::nullopt;
}

}  // namespace

Result<Exports> Exports::open(const RunArguments& arguments) {
    const auto options = options_of(arguments);
    const auto to_stdout = std::count_if(options.begin(), options.end(),
                                         [](const NamedFile& file) { return file.second == "-"; });
    if (to_stdout > 1)
        return Error{
            "--events, --json, --history, --html, --perfetto: only one of them can go to standard "
            "output",
            {}};
    if (auto error = refuse_shared_files(arguments)) return *std::move(error);
    Exports exports;
    for (std::size_t i = 0; i < options.size(); ++i) {
        auto file = OutputFile::open(options[i].first, options[i].second);
        if (!file) return file.error();
        exports.files_[i] = std::move(file).value();
    }
    return exports;
}

bool Exports::take_standard_output() const {
    return std::any_of(files_.begin(), files_.end(),
                       [](const OutputFile& file) { return file.is_standard_output(); });
}

bool Exports::close() {
    bool whole = true;
    for (OutputFile& file : files_) {
        const std::string why = file.close();
        if (why.empty()) continue;
        whole = false;
        fmt::print(stderr, "{}: {}\n", harness::program_name(), why);
    }
    return whole;
}

}  // namespace lockstep::cli
