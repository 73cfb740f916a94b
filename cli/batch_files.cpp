#include "cli/batch_files.hpp"

#include "harness/export_json.hpp"
#include "harness/gate/junit.hpp"
#include "harness/services.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <unistd.h>
#include <utility>

namespace lockstep::cli {

BatchFiles::BatchFiles(OutputFile json, OutputFile junit)
    : json_(std::move(json)), junit_(std::move(junit)) {}

Result<BatchFiles> BatchFiles::open(const std::string& json, const std::string& junit) {
    if (same_file(json, junit) || (json == "-" && junit == "-"))
        return Error{"--junit: that file is the one of --json", junit};
    auto json_file = OutputFile::open("--json", json);
    if (!json_file) return json_file.error();
    auto junit_file = OutputFile::open("--junit", junit);
    if (!junit_file) return junit_file.error();
    return BatchFiles(std::move(json_file).value(), std::move(junit_file).value());
}

ExitCode BatchFiles::write(const harness::Batch& batch, const std::string& build) {
    if (!json_.is_standard_output() && !junit_.is_standard_output())
        fmt::print("{}", harness::batch_text(batch, harness::paint_for(STDOUT_FILENO),
                                             harness::width_for(STDOUT_FILENO)));
    if (json_) json_.write(harness::batch_json(batch, {version_number(), build}));
    if (junit_) junit_.write(harness::batch_junit(batch));
    const ExitCode code = harness::exit_code(batch);
    bool whole = true;
    for (OutputFile* file : {&json_, &junit_})
        if (const std::string why = file->close(); !why.empty()) {
            fmt::print(stderr, "{}: {}\n", harness::program_name(), why);
            whole = false;
        }
    return !whole && code == ExitCode::AsExpected ? ExitCode::GaveUp : code;
}

}  // namespace lockstep::cli
