#pragma once

#include "core/base/codec.hpp"
#include "core/base/result.hpp"
#include "harness/explore_shard.hpp"
#include "harness/run.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::harness {

/// All that decides what an exploration finds: two of equal identity come to the same.
struct ExplorationIdentity {
    std::string build;  ///< a hash of the program (build_id)
    std::uint32_t plan_epoch = 0;
    std::uint64_t first_seed = 1;
    std::uint64_t seeds = 0;
    /// The name of each scenario and the hash of all that is in it, in the order of the subjects.
    std::vector<std::pair<std::string, std::uint64_t>> scenarios;
    /// The part of the seeds that this machine runs; absent: all.
    std::optional<Shard> shard = std::nullopt;

    /// A line each, "seeds 1000".
    std::string text() const;
    /// Of such a text; nothing if it is none.
    static std::optional<ExplorationIdentity> parse(const std::string& text);
    /// What is the first thing that differs in another one, in words: "the build". Empty if none.
    std::string difference(const std::string& text) const;
};

/// A hash of the running program's bytes, sixteen hex digits; empty if they cannot be read.
std::string build_id();
/// A hash of every value of the scenario, written out.
std::uint64_t content_hash(const scenario::Scenario& scenario);

/// Keeps the outcomes of finished seeds in a directory, so that the same exploration goes on where
/// it stopped, however it was stopped. The directory contains
///
///     lock             held by the exploration that is at work; says its process
///     results          "lockstep results 2\n", then records
///     results.before   the results of the exploration that was there before this one
///     .gitignore       keeps all of it out of repositories
///
/// A record is the length of its body (u32), the XXH3 of the body (u64, seeded with the hash of the
/// first body) and the body, all little-endian. The first body is the identity's text; of each
/// further one the first byte is 0 for an outcome (then the subject as a varint and the summary of
/// summary.hpp), 1 for the end of an exploration that ran all its seeds, 3 for one that ran out of
/// its budget (both: then how long it took, in ms as a varint), 2 for what is needed to tell of the
/// results without the scenarios (explore_about.hpp). The first record that is cut off or does not
/// agree with its checksum, and all behind it, count as never written.
///
/// Each outcome is written when it arrives, which survives the death of any process, and synced
/// every second, for the death of the machine.
class ExploreStore {
public:
    struct Opened {
        std::unique_ptr<ExploreStore> store;
        /// What a person should know: that an exploration goes on, or why one starts anew. May be
        /// empty.
        std::string note;
        bool resumes = false;
    };
    /// How an exploration came to its end.
    enum class Ending : std::uint8_t { Stopped, Complete, OutOfTime };

    /// Creates the directory if need be. An error says what to do; nothing is open then. `about` is
    /// kept with new results, for whoever reads them elsewhere.
    static Result<Opened> open(const std::string& directory, const ExplorationIdentity& identity,
                               std::span<const std::byte> about = {});
    ~ExploreStore();
    ExploreStore(const ExploreStore&) = delete;
    ExploreStore& operator=(const ExploreStore&) = delete;

    /// Passes on every outcome that was kept before, in the order in which they were. Once, before
    /// the first `keep`.
    void replay(const std::function<void(std::size_t subject, Outcome outcome)>& on_outcome);
    /// What cannot be written is given up for good: see `trouble`. Nothing else suffers.
    void keep(std::size_t subject, const Outcome& outcome);
    /// All is kept that there is. Complete: all seeds have run.
    void finish(Ending ending, std::chrono::milliseconds elapsed = {});
    /// Why nothing is kept any longer; empty if all is well.
    const std::string& trouble() const { return trouble_; }

private:
    ExploreStore() = default;
    std::optional<Error> lock(const std::string& directory);
    std::optional<Error> begin(const ExplorationIdentity& identity,
                               std::span<const std::byte> about, Opened& opened);
    std::optional<Error> start_anew(const std::string& identity, std::span<const std::byte> about);
    bool append(std::span<const std::byte> body);
    void sync();

    std::string path_;  ///< of the results
    int lock_ = -1;
    int file_ = -1;
    std::uint64_t salt_ = 0;    ///< of the checksums
    std::uint64_t end_ = 0;     ///< of the last good record
    std::size_t subjects_ = 0;  ///< of this exploration
    std::chrono::steady_clock::time_point synced_;
    std::string trouble_;
    Writer body_;
    Writer record_;
};

}  // namespace lockstep::harness
