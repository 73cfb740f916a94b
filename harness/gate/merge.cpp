#include "harness/gate/merge.hpp"

#include "harness/gate/stored_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

namespace lockstep::harness {
namespace {

namespace fs = std::filesystem;

/// The directories with results that are meant by one.
std::vector<std::string> expanded(const std::string& directory) {
    std::vector<std::string> inside;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(directory, code)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with("shard-") && fs::is_directory(entry.path(), code))
            inside.push_back(entry.path().string());
    }
    std::sort(inside.begin(), inside.end());
    if (inside.empty()) inside.push_back(directory);
    return inside;
}

Result<std::vector<StoredResults>> open_all(const std::vector<std::string>& directories) {
    std::vector<StoredResults> all;
    for (const auto& named : directories)
        for (const auto& directory : expanded(named)) {
            auto results = StoredResults::open(directory);
            if (!results) return results.error();
            all.push_back(std::move(results).value());
        }
    return all;
}

ExplorationIdentity whole(ExplorationIdentity identity) {
    identity.shard.reset();
    return identity;
}

Shard shard_of(const StoredResults& results) {
    return results.identity().shard.value_or(Shard{});
}

std::optional<Error> different(const StoredResults& first, const StoredResults& other) {
    const auto mine = whole(first.identity());
    const std::string difference = mine.difference(whole(other.identity()).text());
    if (!difference.empty())
        return Error{fmt::format("differs from {} in {}; only parts of one exploration can be "
                                 "merged",
                                 first.directory(), difference),
                     other.directory()};
    if (shard_of(first).count != shard_of(other).count)
        return Error{
            fmt::format("is shard {}, but {} is shard {}; only parts of one exploration "
                        "can be merged",
                        to_string(shard_of(other)), first.directory(), to_string(shard_of(first))),
            other.directory()};
    return std::nullopt;
}

std::optional<Error> overlap(const std::vector<StoredResults>& sorted) {
    for (std::size_t i = 1; i < sorted.size(); ++i)
        if (shard_of(sorted[i - 1]) == shard_of(sorted[i]))
            return Error{fmt::format("shard {} is in {} as well; leave one of them out",
                                     to_string(shard_of(sorted[i])), sorted[i - 1].directory()),
                         sorted[i].directory()};
    return std::nullopt;
}

std::string missing_shards(const std::vector<StoredResults>& sorted) {
    const std::uint64_t count = shard_of(sorted.front()).count;
    std::string list;
    std::size_t at = 0;
    std::uint64_t shown = 0;
    std::uint64_t missing = 0;
    for (std::uint64_t index = 1; index <= count; ++index) {
        if (at < sorted.size() && shard_of(sorted[at]).index == index) {
            ++at;
            continue;
        }
        ++missing;
        if (shown++ < 10) list += (list.empty() ? "" : ", ") + to_string(Shard{index, count});
    }
    if (missing > 10) list += fmt::format(" and {} more", missing - 10);
    return list;
}

std::optional<Error> unfinished(const std::vector<StoredResults>& sorted) {
    if (const std::string list = missing_shards(sorted); !list.empty())
        return Error{fmt::format("missing: shard {}; run what is missing, or merge what there is "
                                 "with --partial",
                                 list),
                     {}};
    for (const auto& results : sorted) {
        if (results.missing() == 0) continue;
        const std::string what = results.identity().shard
                                     ? "shard " + to_string(*results.identity().shard)
                                     : "the exploration";
        return Error{fmt::format("{} is not finished: {} of {} runs are missing; this goes on "
                                 "where it stopped: {}; or merge what there is with --partial",
                                 what, grouped(results.missing()),
                                 grouped(results.missing() + results.finished()),
                                 results.command_that_finishes()),
                     results.directory()};
    }
    return std::nullopt;
}

Result<std::unique_ptr<ExploreStore>> open_out(const std::string& out, const StoredResults& first) {
    if (out.empty()) return std::unique_ptr<ExploreStore>();
    std::error_code code;
    if (fs::exists(fs::path(out) / "results", code))
        return Error{
            "there are results already, which are not written over; give another "
            "directory with --out",
            out};
    auto opened = ExploreStore::open(out, whole(first.identity()), encode(first.about()));
    if (!opened) return opened.error();
    return std::move(opened.value().store);
}

std::optional<Error> add_all(const std::vector<StoredResults>& sorted, ExploreStore* store,
                             Batch& batch) {
    for (std::size_t subject = 0; subject < batch.tallies.size(); ++subject)
        for (const auto& results : sorted) {
            const bool read = results.replay(subject, [&](const Outcome& outcome) {
                batch.tallies[subject].add(outcome);
                if (store != nullptr) store->keep(subject, outcome);
            });
            if (!read)
                return Error{"a result can be read no longer; is something writing there?",
                             results.directory()};
        }
    if (store != nullptr && !store->trouble().empty())
        return Error{fmt::format("--out: {}", store->trouble()), {}};
    return std::nullopt;
}

}  // namespace

Result<Merged> merge(const std::vector<std::string>& directories, const MergeOptions& options) {
    auto opened = open_all(directories);
    if (!opened) return opened.error();
    auto& all = opened.value();
    if (all.empty()) return Error{"no directory with results was named", {}};
    for (const auto& results : all)
        if (const auto error = different(all.front(), results)) return *error;
    std::vector<StoredResults> sorted;
    std::vector<std::size_t> order(all.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return shard_of(all[a]).index < shard_of(all[b]).index;
    });
    for (const std::size_t i : order) sorted.push_back(std::move(all[i]));
    if (const auto error = overlap(sorted)) return *error;
    if (!options.partial)
        if (const auto error = unfinished(sorted)) return *error;
    const StoredResults& first = sorted.front();
    auto out = open_out(options.out, first);
    if (!out) return out.error();
    ExploreStore* store = out.value().get();

    Merged merged;
    merged.identity = whole(first.identity());
    Batch& batch = merged.batch;
    batch.whole_catalogue = first.about().whole_catalogue;
    batch.repeats = first.about().repeats;
    for (std::size_t i = 0; i < batch.repeats.size(); ++i)
        batch.tallies.emplace_back(merged.identity.scenarios[i].first, first.about().demands[i]);
    if (const auto error = add_all(sorted, store, batch)) return *error;
    Exploration& exploration = batch.exploration;
    exploration.total = merged.identity.seeds * batch.tallies.size();
    bool all_out_of_time = true;
    for (const auto& results : sorted) {
        exploration.done += results.finished();
        // They ran side by side.
        exploration.elapsed = std::max(exploration.elapsed, results.elapsed());
        all_out_of_time = all_out_of_time && (results.missing() == 0 || results.out_of_time());
    }
    merged.missing = exploration.total - exploration.done;
    all_out_of_time = all_out_of_time && missing_shards(sorted).empty();
    exploration.out_of_time = merged.missing > 0 && all_out_of_time;
    exploration.interrupted = merged.missing > 0 && !all_out_of_time;
    if (store != nullptr)
        store->finish(
            merged.missing == 0 ? ExploreStore::Ending::Complete : ExploreStore::Ending::Stopped,
            exploration.elapsed);
    return merged;
}

}  // namespace lockstep::harness
