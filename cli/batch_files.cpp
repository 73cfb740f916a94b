#include "cli/batch_files.hpp"

#include "harness/export_json.hpp"
#include "harness/gate/junit.hpp"
#include "harness/gate/minimums.hpp"
#include "harness/services.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <unistd.h>
#include <utility>

namespace lockstep::cli {

BatchFiles::BatchFiles(OutputFile json, OutputFile junit, OutputFile rates)
    : json_(std::move(json)), junit_(std::move(junit)), rates_(std::move(rates)) {}

Result<BatchFiles> BatchFiles::open(const std::string& json, const std::string& junit,
                                    const std::string& rates) {
    if (same_file(json, junit) || (json == "-" && junit == "-"))
        return Error{"--junit: that file is the one of --json", junit};
    auto json_file = OutputFile::open("--json", json);
    if (!json_file) return json_file.error();
    auto junit_file = OutputFile::open("--junit", junit);
    if (!junit_file) return junit_file.error();
    if (same_file(rates, json) || same_file(rates, junit))
        return Error{"--rates: that file is another one's already", rates};
    auto rates_file = OutputFile::open("--rates", rates);
    if (!rates_file) return rates_file.error();
    return BatchFiles(std::move(json_file).value(), std::move(junit_file).value(),
                      std::move(rates_file).value());
}

ExitCode BatchFiles::write(const harness::Batch& batch, const std::string& build) {
    if (!json_.is_standard_output() && !junit_.is_standard_output() && !rates_.is_standard_output())
        fmt::print("{}", harness::batch_text(batch, harness::paint_for(STDOUT_FILENO),
                                             harness::width_for(STDOUT_FILENO)));
    if (json_) json_.write(harness::batch_json(batch, {version_number(), build}));
    if (junit_) junit_.write(harness::batch_junit(batch));
    if (rates_) rates_.write(harness::rates_text(harness::measured_rates(batch)));
    const ExitCode code = harness::exit_code(batch);
    bool whole = true;
    for (OutputFile* file : {&json_, &junit_, &rates_})
        if (const std::string why = file->close(); !why.empty()) {
            fmt::print(stderr, "{}: {}\n", harness::program_name(), why);
            whole = false;
        }
    return !whole && code == ExitCode::AsExpected ? ExitCode::GaveUp : code;
}

}  // namespace lockstep::cli
