#include "harness/gate/shrunk_failure.hpp"

#include "harness/services.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <vector>

namespace lockstep::harness {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

/// Nobody reads a half-written repro: it is there when it is whole.
bool write_whole(const fs::path& path, const std::string& text) {
    const fs::path part = path.string() + ".part";
    std::ofstream out(part, std::ios::binary);
    out << text;
    out.close();
    std::error_code code;
    if (out) fs::rename(part, path, code);
    if (out && !code) return true;
    fs::remove(part, code);
    return false;
}

}  // namespace

std::string reduction_text(const Shrunk& shrunk) {
    std::vector<std::string> parts;
    const auto count = [&](std::size_t before, std::size_t after, const char* what) {
        if (before != after)
            parts.push_back(
                fmt::format("{} {}{} to {}", before, what, before == 1 ? "" : "s", after));
        else
            parts.push_back(fmt::format("{} {}{}", before, what, before == 1 ? "" : "s"));
    };
    count(shrunk.before.faults, shrunk.after.faults, "fault");
    count(shrunk.before.servers, shrunk.after.servers, "server");
    count(shrunk.before.clients, shrunk.after.clients, "client");
    if (shrunk.before.locks != 1) count(shrunk.before.locks, shrunk.after.locks, "lock");
    parts.push_back(
        fmt::format("{} to {}", span_text(shrunk.before.horizon), span_text(shrunk.after.horizon)));
    return fmt::format("{}{}", fmt::join(parts, ", "),
                       shrunk.minimal ? "" : " (time ran out before it was minimal)");
}

std::optional<Fingerprint> failure_in(const Outcome& outcome,
                                      std::optional<properties::PropertyId> property) {
    for (const Fingerprint& why : fingerprints(outcome))
        if (!property || why.property == property) return why;
    return std::nullopt;
}

ShrunkFailure shrink_and_explain(const FailureToTell& failure, const ShrinkOptions& options) {
    ShrunkFailure told;
    told.shrunk = shrink(*failure.scenario, failure.seed, failure.why, options);
    RunOptions logged;
    logged.keep_log = true;
    logged.keep_messages = true;
    told.outcome = run(told.shrunk.scenario, told.shrunk.seed, logged);
    FailureFacts& facts = told.facts;
    facts.scenario = failure.scenario->name;
    facts.seed = failure.seed;
    facts.runs = failure.runs;
    facts.failed = failure.failed;
    facts.process_names = told.outcome.process_names;
    facts.reduction = reduction_text(told.shrunk);
    facts.again = repeat_command(failure.repeat, failure.seed);
    scenario::Scenario pinned = told.shrunk.scenario;
    if (const auto* violation = violation_of(told.outcome, failure.why)) {
        facts.explanation = explain(
            told.outcome, harness::resolve(told.shrunk.scenario, told.shrunk.seed), *violation);
        pinned.story = facts.explanation.harm + "\n\n" + facts.explanation.cause;
    } else {
        facts.ended = told.outcome.end == End::Finished ? "" : told.outcome.end_detail;
        pinned.story = told.outcome.end_detail;
    }
    told.repro = make_repro(pinned, told.outcome, failure.why);
    return told;
}

std::string repro_name(const std::string& scenario, const Fingerprint& why, std::uint64_t seed) {
    const std::string id = to_string(why);
    return fmt::format("{}-{}-{}.toml", fs::path(scenario).stem().string(),
                       id.substr(0, id.find('/')), seed);
}

Result<std::string> keep_repro(const Repro& repro, const std::string& directory,
                               const std::string& name) {
    std::error_code code;
    fs::create_directories(directory, code);
    const std::string text = to_toml(repro);
    const std::string stem = fs::path(name).stem().string();
    for (int number = 1; number < 10'000; ++number) {
        const fs::path path =
            fs::path(directory) / (number == 1 ? name : fmt::format("{}-{}.toml", stem, number));
        if (fs::exists(path, code)) {
            if (contents(path) == text) return path.string();
            continue;
        }
        if (!write_whole(path, text))
            return Error{"the repro cannot be written here; is there room, and a right to write?",
                         path.string()};
        return path.string();
    }
    return Error{"there are ten thousand repros of that name here; remove some", directory};
}

void tell_where(FailureFacts& facts, const std::string& path, std::uint64_t seed) {
    facts.look =
        fmt::format("{} run {} --seed {} --html why.html", program_name(), shell_word(path), seed);
    facts.keep = fmt::format("{} accept {}", program_name(), shell_word(path));
}

}  // namespace lockstep::harness
