#include "cli/progress.hpp"

#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace lockstep::cli {
namespace {

constexpr std::uint64_t bar_width = 24;

std::string left_text(const harness::ExploreProgress& progress) {
    const std::uint64_t done_now = progress.done - progress.resumed;
    if (done_now == 0 || progress.done >= progress.total) return "";
    const auto elapsed = static_cast<std::uint64_t>(progress.elapsed.count());
    std::uint64_t left = elapsed * (progress.total - progress.done) / done_now;
    if (progress.budget.count() > 0) {
        const auto budget = static_cast<std::uint64_t>(progress.budget.count());
        left = std::min(left, budget > elapsed ? budget - elapsed : 0);
    }
    return fmt::format(", {} left", harness::long_span_text(
                                        lockstep::milliseconds(static_cast<std::int64_t>(left))));
}

}  // namespace

Progress::Progress(std::string command) : command_(std::move(command)) {}

void Progress::show(const harness::ExploreProgress& progress) {
    if (!line_.due()) return;
    const auto ms =
        std::max<std::uint64_t>(static_cast<std::uint64_t>(progress.elapsed.count()), 1);
    std::string text = fmt::format(
        "{} of {} runs, {} a second{}", harness::grouped(progress.done),
        harness::grouped(progress.total),
        harness::grouped((progress.done - progress.resumed) * 1'000 / ms), left_text(progress));
    if (failures_ > 0) text += fmt::format(", {} not as expected", harness::grouped(failures_));
    if (!line_.on_terminal()) {
        line_.show(fmt::format("{}: {}", command_, text));
        return;
    }
    const std::uint64_t filled =
        progress.total == 0 ? 0 : progress.done * bar_width / progress.total;
    line_.show(fmt::format("[{}{}] {}", std::string(filled, '#'),
                           std::string(bar_width - filled, '.'), text));
}

}  // namespace lockstep::cli
