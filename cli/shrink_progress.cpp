#include "cli/shrink_progress.hpp"

#include "harness/text.hpp"

#include <fmt/format.h>

namespace lockstep::cli {

void ShrinkProgress::show(const harness::ShrinkProgress& progress) {
    if (!line_.due()) return;
    line_.show(fmt::format("shrinking: {} tried, {} taken: {} faults, {} servers, {} clients, {}",
                           harness::grouped(progress.tried), harness::grouped(progress.taken),
                           progress.size.faults, progress.size.servers, progress.size.clients,
                           harness::span_text(progress.size.horizon)));
}

}  // namespace lockstep::cli
