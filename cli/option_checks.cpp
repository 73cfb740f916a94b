#include "cli/option_checks.hpp"

#include "cli/input.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>

namespace lockstep::cli {

const CLI::Validator& whole_number() {
    static const CLI::Validator validator(
        [](std::string& text) -> std::string {
            std::uint64_t n = 0;
            const char* end = text.data() + text.size();
            const auto [rest, failed] = std::from_chars(text.data(), end, n);
            const bool padded = text.size() > 1 && text.front() == '0';
            if (failed == std::errc() && rest == end && !padded) return "";
            return fmt::format("found '{}'; allowed is a whole number below 2^64", text);
        },
        "");
    return validator;
}

const CLI::Validator& workers() {
    static const CLI::Validator validator(
        [](std::string& text) -> std::string {
            const CLI::Range range(1, 256);
            return range(text).empty() ? "" : fmt::format("found {}; allowed are 1 to 256", text);
        },
        "");
    return validator;
}

/// "90s", "5m".
const CLI::Validator& wall_time() {
    static const CLI::Validator validator(
        [](std::string& text) -> std::string {
            const auto span = parse_wall_time("", text);
            return span ? "" : span.error().message;
        },
        "");
    return validator;
}

const CLI::Validator& directory() {
    static const CLI::Validator validator(
        [](std::string& text) -> std::string {
            return text.empty() ? "found no directory; give one, or --no-out to keep no results"
                                : "";
        },
        "");
    return validator;
}

void add_jobs(CLI::App* command, std::uint64_t& jobs, const char* help) {
    command->add_option("--jobs,-j", jobs, help)
        ->type_name("N")
        ->check(whole_number())
        ->check(workers());
}

void add_sets(CLI::App* command, std::vector<std::string>& sets) {
    command->add_option("--set", sets, set_help)->type_name("K=V")->allow_extra_args(false);
}

}  // namespace lockstep::cli
