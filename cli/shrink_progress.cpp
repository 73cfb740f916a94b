#include "cli/shrink_progress.hpp"

#include "cli/progress.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace lockstep::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds renewed_every{100};
constexpr milliseconds plain_every{10'000};

}  // namespace

ShrinkProgress::ShrinkProgress() : terminal_(renews_lines()) {}

void ShrinkProgress::show(const harness::ShrinkProgress& progress) {
    if (progress.elapsed - last_ < (terminal_ ? renewed_every : plain_every)) return;
    last_ = progress.elapsed;
    const std::string text = fmt::format(
        "{} tried, {} taken: {} faults, {} servers, {} clients, {}",
        harness::grouped(progress.tried), harness::grouped(progress.taken), progress.size.faults,
        progress.size.servers, progress.size.clients, harness::span_text(progress.size.horizon));
    if (!terminal_) {
        fmt::print(stderr, "shrink: {}\n", text);
        return;
    }
    visible_ = true;
    fmt::print(stderr, "\r\x1b[Kshrinking: {}", text);
    std::fflush(stderr);
}

void ShrinkProgress::finish() {
    if (!visible_) return;
    visible_ = false;
    fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
}

}  // namespace lockstep::cli
