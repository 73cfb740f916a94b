#include "harness/gate/merge.hpp"

#include "cli/batch_files.hpp"
#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace lockstep::cli {

ExitCode merge(const MergeArguments& arguments) {
    const auto merged = harness::merge(arguments.directories, {arguments.partial, arguments.out});
    if (!merged) return bad_input(merged.error());
    // Only now: a merge that was refused leaves what is there as it was.
    auto files = BatchFiles::open(arguments.json, arguments.junit);
    if (!files) return bad_input(files.error());
    const harness::Batch& batch = merged.value().batch;
    if (merged.value().missing > 0)
        fmt::print(stderr, "merge: {} of {} runs are missing, and nothing is known of them\n",
                   harness::grouped(merged.value().missing),
                   harness::grouped(batch.exploration.total));
    return files.value().write(batch, merged.value().identity.build);
}

}  // namespace lockstep::cli
