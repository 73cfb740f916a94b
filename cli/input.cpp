#include "cli/input.hpp"

#include "harness/catalogue.hpp"
#include "harness/services.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <string_view>
#include <thread>
#include <utility>

namespace lockstep::cli {
namespace {

Error error_of(std::string message) {
    Error error;
    error.message = std::move(message);
    return error;
}

}  // namespace

ExitCode bad_input(const Error& error) {
    std::fflush(stdout);
    fmt::print(stderr, "{}: {}\n", harness::program_name(),
               harness::printable(harness::error_text(error)));
    return ExitCode::BadInput;
}

std::vector<std::string> or_catalogue(const std::vector<std::string>& names) {
    std::vector<std::string> all;
    for (const auto& name : names)
        if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
    if (!names.empty()) return all;
    for (const auto& file : harness::catalogue_files()) all.emplace_back(file.name);
    return all;
}

Result<scenario::Scenario> load_scenario(const std::string& name, const Selection& selection) {
    auto scenario = harness::load_scenario(name, selection.sets);
    if (scenario || !scenario.error().file.empty()) return scenario;
    const bool about_sets = scenario.error().message.starts_with("--set");
    const Origin& from = about_sets ? selection.sets_from : selection.names_from;
    if (from.file.empty()) return scenario;
    // In a file the key is called `set`.
    std::string message = scenario.error().message;
    if (about_sets) message.erase(0, std::string_view("--set").size());
    if (message.starts_with(": ") || message.starts_with(' '))
        message.erase(0, message.find(' ') + 1);
    return Error{fmt::format("{}: {}", about_sets ? "set" : "scenarios", message), from.file,
                 from.line};
}

Result<std::vector<scenario::Scenario>> load_scenarios(const Selection& selection) {
    std::vector<scenario::Scenario> scenarios;
    for (const auto& name : or_catalogue(selection.names)) {
        auto scenario = load_scenario(name, selection);
        if (!scenario) return scenario.error();
        scenarios.push_back(std::move(scenario).value());
    }
    return scenarios;
}

std::string path_of(const std::string& scenario) {
    const bool path = scenario.find('/') != std::string::npos || scenario.ends_with(".toml");
    return path ? scenario : "";
}

Result<std::chrono::milliseconds> parse_wall_time(const std::string& option,
                                                  const std::string& text) {
    std::uint64_t n = 0;
    const char* end = text.data() + text.size();
    const auto [rest, failed] = std::from_chars(text.data(), end, n);
    const std::string unit(rest, end);
    std::uint64_t ms = 0;
    if (unit == "ms") ms = 1;
    if (unit == "s") ms = 1'000;
    if (unit == "m") ms = 60'000;
    if (unit == "h") ms = 3'600'000;
    constexpr std::uint64_t most = 30ULL * 24 * 3'600'000;
    if (failed != std::errc() || ms == 0 || n == 0 || n > most / ms)
        return error_of(fmt::format(
            "{}'{}' is no span of wall time; write a number and ms, s, m or h, as in 5m, at most "
            "720h",
            option.empty() ? "" : option + ": ", text));
    return std::chrono::milliseconds(n * ms);
}

Result<std::optional<std::int64_t>> parse_span(const char* flag, const std::string& text) {
    if (text.empty()) return std::optional<std::int64_t>();
    const auto refuse = [&] {
        return error_of(
            fmt::format("{}: '{}' is no span of time; write a number and ns, us, ms, s or m, as in "
                        "5ms, at most "
                        "1000000s",
                        flag, text));
    };
    const std::size_t unit_at = text.find_first_not_of("0123456789.");
    if (unit_at == 0 || unit_at == std::string::npos) return refuse();
    const std::string unit = text.substr(unit_at);
    const std::int64_t scale = unit == "ns"   ? 1
                               : unit == "us" ? 1'000
                               : unit == "ms" ? 1'000'000
                               : unit == "s"  ? 1'000'000'000
                               : unit == "m"  ? 60'000'000'000
                                              : 0;
    const std::size_t point = text.find('.');
    const std::size_t whole_end = std::min(point, unit_at);
    std::int64_t whole = 0;
    const auto [rest, failed] = std::from_chars(text.data(), text.data() + whole_end, whole);
    constexpr std::int64_t most = 1'000'000'000'000'000;
    if (scale == 0 || failed != std::errc() || rest != text.data() + whole_end ||
        whole > most / scale)
        return refuse();
    std::int64_t ns = whole * scale;
    if (point < unit_at) {
        if (point + 1 == unit_at) return refuse();
        std::int64_t place = scale;
        for (std::size_t i = point + 1; i < unit_at; ++i) {
            place /= 10;
            if (text[i] == '.' || (place == 0 && text[i] != '0')) return refuse();
            ns += place * (text[i] - '0');
        }
    }
    return std::optional(ns);
}

Result<bool> check_seeds(std::uint64_t first, std::uint64_t count) {
    if (count == 0) return error_of("--seeds: 0 seeds show nothing; give at least 1");
    constexpr std::uint64_t most = 1'000'000'000;
    if (count > most)
        return error_of(
            fmt::format("--seeds: {} is more than the {} of one exploration", count, most));
    if (first > std::numeric_limits<std::uint64_t>::max() - (count - 1))
        return error_of(
            fmt::format("--first-seed: {} seeds from {} on do not fit into 64 bits", count, first));
    return true;
}

Result<std::string> read_file(const std::string& option, const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (!in.good() && text.empty()) return Error{option + ": cannot be read", path};
    return text;
}

unsigned jobs_of(std::uint64_t asked) {
    if (asked > 0) return static_cast<unsigned>(asked);
    return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace lockstep::cli
