#include "cli/shrinking.hpp"

#include "core/base/hash.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace lockstep::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds plain_every{10'000};
constexpr milliseconds drawn_every{100};
constexpr std::size_t story_width = 96;

std::optional<Error> cannot_write(const std::string& path, int error) {
    return Error{fmt::format("cannot be written: {}", std::strerror(error)), path};
}

}  // namespace

ShrinkLine::ShrinkLine(std::string what) : what_(std::move(what)) {
    const char* terminal = std::getenv("TERM");
    const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
    terminal_ = !dumb && ::isatty(STDERR_FILENO) == 1;
}

void ShrinkLine::show(const harness::ShrinkProgress& progress) {
    const milliseconds every = terminal_ ? drawn_every : plain_every;
    if (progress.elapsed - last_ < every) return;
    last_ = progress.elapsed;
    const auto& size = progress.size;
    const std::string text =
        fmt::format("{}: {} runs; {} fault{}, {} server{}, {} client{}, {} s", what_,
                    harness::grouped(progress.tried), size.faults, size.faults == 1 ? "" : "s",
                    size.servers, size.servers == 1 ? "" : "s", size.clients,
                    size.clients == 1 ? "" : "s", harness::seconds_text(size.horizon.ns));
    if (!terminal_) {
        fmt::print(stderr, "{}\n", text);
        return;
    }
    visible_ = true;
    fmt::print(stderr, "\r\x1b[K{}", text);
    std::fflush(stderr);
}

void ShrinkLine::finish() {
    if (!visible_) return;
    visible_ = false;
    fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
}

std::string evidence_of(const harness::Shrunk& shrunk) {
    for (const auto& report : shrunk.outcome.reports)
        if (shrunk.fingerprint.property == report.id && report.first)
            return fmt::format("at {}: {}", harness::seconds_text(report.first->at.ns),
                               report.first->evidence);
    return shrunk.outcome.end_detail;
}

harness::Repro repro_of(const harness::Shrunk& shrunk, const std::string& found) {
    harness::Repro repro = harness::make_repro(shrunk.scenario, shrunk.outcome, shrunk.fingerprint);
    const std::string what =
        shrunk.fingerprint.property
            ? fmt::format("{} {}", properties::code_of(*shrunk.fingerprint.property),
                          properties::describe(*shrunk.fingerprint.property).name)
            : std::string("The run ended badly");
    repro.scenario.story = harness::printable(fmt::format("{}, {}", what, evidence_of(shrunk)));
    repro.scenario.story = harness::wrapped(repro.scenario.story, 0, story_width);
    repro.scenario.story +=
        "\n\n" + harness::wrapped(fmt::format("Found by {}. Shrunk: {}.", harness::printable(found),
                                              harness::reduction_text(shrunk.before, shrunk.after)),
                                  0, story_width);
    return repro;
}

std::string file_name_of(const harness::Repro& repro) {
    const std::uint64_t words =
        hash_words(repro.content, repro.seed, hash_name(to_string(repro.fingerprint).c_str()));
    const std::string_view code = repro.fingerprint.property
                                      ? properties::code_of(*repro.fingerprint.property)
                                      : std::string_view("end");
    return fmt::format("{}-{:08x}.toml", code, words >> 32);
}

std::optional<Error> write_new_file(const std::string& path, const std::string& text) {
    namespace fs = std::filesystem;
    std::error_code code;
    const fs::path file(path);
    if (file.has_parent_path()) fs::create_directories(file.parent_path(), code);
    if (code) return cannot_write(path, code.value());
    // Whole or not at all; the link fails where a file is, so that none is lost.
    const std::string begun = fmt::format("{}.{}", path, ::getpid());
    std::FILE* out = std::fopen(begun.c_str(), "wbx");
    if (out == nullptr) return cannot_write(path, errno);
    const bool written = std::fwrite(text.data(), 1, text.size(), out) == text.size();
    const int write_error = errno;
    const bool closed = std::fclose(out) == 0;
    const int close_error = errno;
    int error = !written ? write_error : !closed ? close_error : 0;
    if (error == 0 && ::link(begun.c_str(), path.c_str()) != 0) error = errno;
    ::unlink(begun.c_str());
    if (error != EEXIST) return error == 0 ? std::nullopt : cannot_write(path, error);
    std::ifstream in(path, std::ios::binary);
    const std::string there{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (there == text) return std::nullopt;
    return Error{"another file is there, and is left as it is; name another, or move it away",
                 path};
}

}  // namespace lockstep::cli
