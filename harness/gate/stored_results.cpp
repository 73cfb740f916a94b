#include "harness/gate/stored_results.hpp"

#include "core/base/codec.hpp"
#include "core/base/hash.hpp"
#include "harness/results_file.hpp"
#include "harness/services.hpp"
#include "harness/summary.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>
#include <utility>

namespace lockstep::harness {
namespace {

using results_file::Kind;

/// The process that explores there now; zero if none does.
pid_t explorer_in(const std::string& directory) {
    const auto path = std::filesystem::path(directory) / "lock";
    const int lock = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (lock < 0) return 0;
    struct flock other{};
    other.l_type = F_RDLCK;
    other.l_whence = SEEK_SET;
    const bool locked = ::fcntl(lock, F_GETLK, &other) == 0 && other.l_type != F_UNLCK;
    ::close(lock);
    return locked ? other.l_pid : 0;
}

}  // namespace

Result<StoredResults> StoredResults::open(const std::string& directory) {
    StoredResults results;
    results.directory_ = directory;
    results.path_ = (std::filesystem::path(directory) / "results").string();
    if (const pid_t pid = explorer_in(directory); pid > 0)
        return Error{
            fmt::format("an exploration is at work here (process {}); wait until it is finished",
                        pid),
            directory};
    results.file_ = ::open(results.path_.c_str(), O_RDONLY | O_CLOEXEC);
    if (results.file_ < 0)
        return Error{fmt::format("there are no results that can be read: {}; a directory is "
                                 "expected that was the --out of an exploration",
                                 std::strerror(errno)),
                     results.path_};
    std::vector<std::byte> body;
    std::uint64_t at = results_file::magic.size();
    std::optional<ExplorationIdentity> identity;
    if (results_file::has_magic(results.file_) &&
        results_file::next_body(results.file_, at, 0, body))
        identity =
            ExplorationIdentity::parse({reinterpret_cast<const char*>(body.data()), body.size()});
    if (!identity)
        return Error{
            "this is no list of results of this version of the program, or it was cut "
            "off before it said of what; explore anew with another --out",
            results.path_};
    results.identity_ = *std::move(identity);
    results.salt_ = hash_bytes(body);
    results.begin_ = at;
    results.subjects_.resize(results.identity_.scenarios.size());
    results.index();
    if (!results.has_about_)
        return Error{
            "these results do not say what is demanded of them; explore anew with another "
            "--out",
            results.path_};
    return results;
}

StoredResults::StoredResults(StoredResults&& other) noexcept
    : directory_(std::move(other.directory_)),
      path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      salt_(other.salt_),
      begin_(other.begin_),
      identity_(std::move(other.identity_)),
      about_(std::move(other.about_)),
      has_about_(other.has_about_),
      out_of_time_(other.out_of_time_),
      elapsed_(other.elapsed_),
      subjects_(std::move(other.subjects_)) {}

StoredResults::~StoredResults() {
    if (file_ >= 0) ::close(file_);
}

void StoredResults::index() {
    const SeedRange range = seeds();
    std::vector<std::byte> body;
    std::uint64_t at = begin_;
    for (std::uint64_t start = at; results_file::next_body(file_, at, salt_, body); start = at) {
        Reader in(body);
        const auto kind = static_cast<Kind>(in.u8());
        out_of_time_ = kind == Kind::OutOfTime;
        if (kind == Kind::About) {
            auto about = decode_about(std::span(body).subspan(1));
            has_about_ = about.has_value() && about->demands.size() == subjects_.size();
            if (has_about_) about_ = *std::move(about);
        } else if (kind == Kind::Outcome) {
            const std::uint64_t subject = in.varint();
            const std::uint64_t seed = in.u64();
            const bool ours = !in.failed() && subject < subjects_.size() && seed >= range.first &&
                              seed - range.first < range.count;
            // Of two records of one seed the first counts, as when an exploration goes on.
            if (ours) subjects_[static_cast<std::size_t>(subject)].emplace(seed, start);
        } else {
            elapsed_ += std::chrono::milliseconds(in.varint());
        }
    }
}

SeedRange StoredResults::seeds() const {
    const SeedRange all{identity_.first_seed, identity_.seeds};
    return identity_.shard ? part_of(*identity_.shard, all) : all;
}

std::uint64_t StoredResults::finished() const {
    std::uint64_t sum = 0;
    for (const auto& seeds : subjects_) sum += seeds.size();
    return sum;
}

bool StoredResults::replay(std::size_t subject,
                           const std::function<void(const Outcome&)>& on_outcome) const {
    std::vector<std::byte> body;
    for (const auto& [seed, place] : subjects_.at(subject)) {
        std::uint64_t at = place;
        if (!results_file::next_body(file_, at, salt_, body)) return false;
        Reader in(body);
        in.u8();
        in.varint();
        Outcome outcome;
        if (!decode_summary(std::span(body).last(in.left()), outcome)) return false;
        on_outcome(outcome);
    }
    return true;
}

std::string StoredResults::command_that_finishes() const {
    std::string command = program_name() + " explore";
    const auto quoted = [](const std::string& word) {
        return word.find_first_of(" '\"$\\*?;&|<>()") == std::string::npos ? word
                                                                           : "'" + word + "'";
    };
    if (!about_.whole_catalogue)
        for (const auto& repeat : about_.repeats) command += " " + quoted(repeat.scenario);
    if (identity_.first_seed != 1) command += fmt::format(" --first-seed {}", identity_.first_seed);
    command += fmt::format(" --seeds {}", identity_.seeds);
    if (!about_.repeats.empty())
        for (const auto& set : about_.repeats.front().sets) command += " --set " + quoted(set);
    // The shard has a folder of its own in the --out that was said.
    std::filesystem::path out = directory_;
    if (!out.has_filename()) out = out.parent_path();
    if (identity_.shard) {
        command += " --shard " + to_string(*identity_.shard);
        if (out.filename() == folder_of(*identity_.shard)) out = out.parent_path();
    }
    return command + " --out " + quoted(out.empty() ? "." : out.string());
}

}  // namespace lockstep::harness
