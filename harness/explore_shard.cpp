#include "harness/explore_shard.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <system_error>

namespace lockstep::harness {
namespace {

constexpr std::uint64_t most_shards = 100'000;

std::optional<std::uint64_t> number(std::string_view text) {
    std::uint64_t n = 0;
    const char* end = text.data() + text.size();
    const auto [rest, failed] = std::from_chars(text.data(), end, n);
    if (failed != std::errc() || rest != end) return std::nullopt;
    return n;
}

Error refusal(std::string message) {
    return Error{std::move(message), {}};
}

Error no_shard(std::string_view where, std::string_view found) {
    return refusal(
        fmt::format("{}: found '{}'; allowed are i/n with i from 1 to n, as in 2/4, and "
                    "n at most {}",
                    where, found, most_shards));
}

Result<Shard> parse(std::string_view where, std::string_view text) {
    const auto slash = text.find('/');
    if (slash == std::string_view::npos) return no_shard(where, text);
    const auto index = number(text.substr(0, slash));
    const auto count = number(text.substr(slash + 1));
    if (!index || !count || *index == 0 || *index > *count || *count > most_shards)
        return no_shard(where, text);
    return Shard{*index, *count};
}

/// The numbers that schedulers hand to their tasks.
class Environment {
public:
    explicit Environment(const std::function<const char*(const char*)>& variable)
        : variable_(variable) {}

    /// Empty if it is not set, or set to nothing.
    std::string text(const char* name) const {
        const char* value = variable_(name);
        return value == nullptr ? "" : value;
    }
    bool has(const char* name) const { return !text(name).empty(); }
    Result<std::uint64_t> count(const char* name) const {
        const auto n = number(text(name));
        if (n) return *n;
        return refusal(
            fmt::format("{} is '{}', which is no whole number; --shard i/n says which "
                        "part is meant",
                        name, text(name)));
    }

private:
    const std::function<const char*(const char*)>& variable_;
};

/// `index` from 0 on.
Result<FoundShard> found(std::uint64_t index, std::uint64_t count, std::string source) {
    if (count == 0 || index >= count || count > most_shards)
        return refusal(
            fmt::format("{} says part {} of {}, which there is not; --shard i/n says "
                        "which part is meant",
                        source, index + 1, count));
    return FoundShard{Shard{index + 1, count}, std::move(source)};
}

Result<FoundShard> from_slurm(const Environment& environment, std::optional<std::uint64_t> count) {
    const auto id = environment.count("SLURM_ARRAY_TASK_ID");
    if (!id) return id.error();
    std::uint64_t first = 0;
    std::uint64_t step = 1;
    if (environment.has("SLURM_ARRAY_TASK_MIN")) {
        const auto min = environment.count("SLURM_ARRAY_TASK_MIN");
        if (!min) return min.error();
        first = min.value();
    }
    if (environment.has("SLURM_ARRAY_TASK_STEP")) {
        const auto by = environment.count("SLURM_ARRAY_TASK_STEP");
        if (!by) return by.error();
        if (by.value() > 0) step = by.value();
    }
    if (!count) {
        if (!environment.has("SLURM_ARRAY_TASK_COUNT"))
            return refusal(
                "SLURM_ARRAY_TASK_ID is set and SLURM_ARRAY_TASK_COUNT is not; say "
                "--shard auto/N, with the number of tasks");
        const auto tasks = environment.count("SLURM_ARRAY_TASK_COUNT");
        if (!tasks) return tasks.error();
        count = tasks.value();
    }
    if (id.value() < first || (id.value() - first) % step != 0)
        return refusal(
            fmt::format("SLURM_ARRAY_TASK_ID is {}, which is not among the tasks from {} on in "
                        "steps of {}; --shard i/n says which part is meant",
                        id.value(), first, step));
    return found((id.value() - first) / step, *count, "SLURM_ARRAY_TASK_ID");
}

Result<FoundShard> from_kubernetes(const Environment& environment,
                                   std::optional<std::uint64_t> count) {
    const auto index = environment.count("JOB_COMPLETION_INDEX");
    if (!index) return index.error();
    if (!count) {
        if (!environment.has("LOCKSTEP_SHARDS"))
            return refusal(
                "JOB_COMPLETION_INDEX is set, but Kubernetes does not tell the number "
                "of completions; set LOCKSTEP_SHARDS to it, or say --shard auto/N");
        const auto shards = environment.count("LOCKSTEP_SHARDS");
        if (!shards) return shards.error();
        count = shards.value();
    }
    return found(index.value(), *count, "JOB_COMPLETION_INDEX");
}

Result<FoundShard> from_gitlab(const Environment& environment, std::optional<std::uint64_t> count) {
    const auto index = environment.count("CI_NODE_INDEX");
    if (!index) return index.error();
    if (!count) {
        const auto total = environment.count("CI_NODE_TOTAL");
        if (!total) return total.error();
        count = total.value();
    }
    if (index.value() == 0) return refusal("CI_NODE_INDEX is 0; it counts from 1 on");
    return found(index.value() - 1, *count, "CI_NODE_INDEX");
}

}  // namespace

std::string to_string(const Shard& shard) {
    return fmt::format("{}/{}", shard.index, shard.count);
}

std::string folder_of(const Shard& shard) {
    return fmt::format("shard-{}-of-{}", shard.index, shard.count);
}

SeedRange part_of(const Shard& shard, SeedRange seeds) {
    const auto cut = [&](std::uint64_t i) {
        return static_cast<std::uint64_t>(static_cast<unsigned __int128>(seeds.count) * i /
                                          shard.count);
    };
    const std::uint64_t begin = cut(shard.index - 1);
    return {seeds.first + begin, cut(shard.index) - begin};
}

Result<FoundShard> find_shard(const std::string& said,
                              const std::function<const char*(const char*)>& variable) {
    const Environment environment(variable);
    std::optional<std::uint64_t> count;
    if (said.starts_with("auto/")) {
        count = number(std::string_view(said).substr(5));
        if (!count || *count == 0 || *count > most_shards) return no_shard("--shard", said);
    } else if (!said.empty()) {
        const auto shard = parse("--shard", said);
        if (!shard) return shard.error();
        if (shard.value().count == 1) return FoundShard{};
        return FoundShard{shard.value(), ""};
    }
    Result<FoundShard> result = FoundShard{};
    if (!count && environment.has("LOCKSTEP_SHARD")) {
        const auto shard = parse("LOCKSTEP_SHARD", environment.text("LOCKSTEP_SHARD"));
        if (!shard) return shard.error();
        result = FoundShard{shard.value(), "LOCKSTEP_SHARD"};
    } else if (environment.has("SLURM_ARRAY_TASK_ID")) {
        result = from_slurm(environment, count);
    } else if (environment.has("JOB_COMPLETION_INDEX")) {
        result = from_kubernetes(environment, count);
    } else if (environment.has("CI_NODE_INDEX")) {
        result = from_gitlab(environment, count);
    } else if (count && *count > 1) {
        return refusal(
            fmt::format("--shard: found '{}', but no variable tells which part this is: "
                        "there is no SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX or "
                        "CI_NODE_INDEX",
                        said));
    }
    if (result && result.value().shard && result.value().shard->count == 1) return FoundShard{};
    return result;
}

}  // namespace lockstep::harness
