#include "cli/progress.hpp"

#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace lockstep::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds plain_every{10'000};
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

Progress::Progress(std::string command) : command_(std::move(command)) {
    // A terminal that cannot move its cursor gets lines, as a file does.
    const char* terminal = std::getenv("TERM");
    const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
    terminal_ = !dumb && ::isatty(STDERR_FILENO) == 1;
}

void Progress::show(const harness::ExploreProgress& progress) {
    if (!terminal_ && progress.elapsed - last_ < plain_every) return;
    last_ = progress.elapsed;
    const auto ms =
        std::max<std::uint64_t>(static_cast<std::uint64_t>(progress.elapsed.count()), 1);
    std::string text = fmt::format(
        "{} of {} runs, {} a second{}", harness::grouped(progress.done),
        harness::grouped(progress.total),
        harness::grouped((progress.done - progress.resumed) * 1'000 / ms), left_text(progress));
    if (failures_ > 0) text += fmt::format(", {} not as expected", harness::grouped(failures_));
    if (!terminal_) {
        fmt::print(stderr, "{}: {}\n", command_, text);
        return;
    }
    const std::uint64_t filled =
        progress.total == 0 ? 0 : progress.done * bar_width / progress.total;
    visible_ = true;
    fmt::print(stderr, "\r\x1b[K[{}{}] {}", std::string(filled, '#'),
               std::string(bar_width - filled, '.'), text);
    std::fflush(stderr);
}

void Progress::finish() {
    if (!visible_) return;
    visible_ = false;
    fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
}

}  // namespace lockstep::cli
