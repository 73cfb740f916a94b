#pragma once

#include "core/base/result.hpp"
#include "harness/explore_about.hpp"
#include "harness/explore_store.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::harness {

/// The results of one directory, read only. Which outcomes there are is known at once; they
/// themselves are read from the file when they are asked for, so that memory does not grow with
/// what is in them.
class StoredResults {
public:
    /// An error says what the directory lacks, and what to do.
    static Result<StoredResults> open(const std::string& directory);
    StoredResults(StoredResults&&) noexcept;
    StoredResults& operator=(StoredResults&&) = delete;
    ~StoredResults();

    const std::string& directory() const { return directory_; }
    const ExplorationIdentity& identity() const { return identity_; }
    const ExplorationAbout& about() const { return about_; }
    /// The part of the identity's seeds that should be here.
    SeedRange seeds() const;
    /// Finished runs, of all subjects.
    std::uint64_t finished() const;
    std::uint64_t missing() const { return seeds().count * subjects_.size() - finished(); }
    /// It ended because its budget was used up.
    bool out_of_time() const { return out_of_time_; }
    /// Wall time of the sessions that came to an end.
    std::chrono::milliseconds elapsed() const { return elapsed_; }

    /// The outcomes of one subject in the order of their seeds. False if one cannot be read.
    bool replay(std::size_t subject, const std::function<void(const Outcome&)>& on_outcome) const;
    /// The command that finishes what is missing.
    std::string command_that_finishes() const;

private:
    StoredResults() = default;
    void index();

    std::string directory_;
    std::string path_;
    int file_ = -1;
    std::uint64_t salt_ = 0;
    std::uint64_t begin_ = 0;  ///< behind the identity
    ExplorationIdentity identity_;
    ExplorationAbout about_;
    bool has_about_ = false;
    bool out_of_time_ = false;
    std::chrono::milliseconds elapsed_{0};
    std::vector<std::map<std::uint64_t, std::uint64_t>> subjects_;  ///< seed: place in the file
};

}  // namespace lockstep::harness
