#pragma once

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "core/base/result.hpp"
#include "harness/batch.hpp"

#include <string>

namespace lockstep::cli {

/// The files that --json and --junit name, for what a batch came to.
class BatchFiles {
public:
    static Result<BatchFiles> open(const std::string& json, const std::string& junit);
    /// Those, and the table, unless standard output is one of them. `build` is that of the program
    /// that ran the batch. What the batch says of the exit code.
    ExitCode write(const harness::Batch& batch, const std::string& build);

private:
    BatchFiles(OutputFile json, OutputFile junit);
    OutputFile json_;
    OutputFile junit_;
};

}  // namespace lockstep::cli
