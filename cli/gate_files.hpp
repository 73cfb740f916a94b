#pragma once

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "core/base/result.hpp"
#include "harness/gate/gate.hpp"

#include <string>
#include <vector>

namespace lockstep::cli {

/// What the gate says, and where: on standard output, in the files that options name, and, if
/// GitHub Actions runs it, as annotations and in the summary of the job.
class GateFiles {
public:
    static Result<GateFiles> open(const GateArguments& arguments);
    /// What the report says of the exit code, unless a file could not be written.
    ExitCode write(const harness::GateReport& report);

private:
    GateFiles() = default;
    bool says_on_stdout() const;

    OutputFile json_;
    OutputFile junit_;
    OutputFile summary_;
};

}  // namespace lockstep::cli
