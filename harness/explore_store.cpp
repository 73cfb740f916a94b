#include "harness/explore_store.hpp"

#include "core/base/assert.hpp"
#include "core/base/hash.hpp"
#include "harness/results_file.hpp"
#include "harness/summary.hpp"
#include "scenarios/scenario_toml.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <span>
#include <sstream>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace lockstep::harness {
namespace {

using results_file::Kind;
using results_file::magic;
using results_file::next_body;
using results_file::write_at;

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

Error cannot(const std::string& path, std::string_view what, int code) {
    return Error{fmt::format("{}: {}; give another directory with --out, or --no-out to keep "
                             "nothing",
                             what, std::strerror(code)),
                 path};
}

}  // namespace

std::string ExplorationIdentity::text() const {
    std::string out = fmt::format("build {}\nepoch {}\nfirst-seed {}\nseeds {}\n", build,
                                  plan_epoch, first_seed, seeds);
    if (shard) out += fmt::format("shard {}\n", to_string(*shard));
    for (const auto& [name, hash] : scenarios)
        out += fmt::format("scenario {} {:016x}\n", name, hash);
    return out;
}

std::optional<ExplorationIdentity> ExplorationIdentity::parse(const std::string& text) {
    ExplorationIdentity identity;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const auto space = line.find(' ');
        if (space == std::string::npos) return std::nullopt;
        const std::string key = line.substr(0, space);
        std::istringstream rest(line.substr(space + 1));
        if (key == "build") identity.build = line.substr(space + 1);
        if (key == "epoch") rest >> identity.plan_epoch;
        if (key == "first-seed") rest >> identity.first_seed;
        if (key == "seeds") rest >> identity.seeds;
        char slash = 0;
        if (key == "shard") {
            identity.shard.emplace();
            rest >> identity.shard->index >> slash >> identity.shard->count;
        }
        // A name may have spaces in it.
        const auto last = line.rfind(' ');
        if (key == "scenario" && last > space) {
            rest.str(line.substr(last + 1));
            rest >> std::hex;
            identity.scenarios.emplace_back(line.substr(space + 1, last - space - 1), 0);
            rest >> identity.scenarios.back().second;
        }
        if (rest.fail()) return std::nullopt;
    }
    if (identity.text() != text) return std::nullopt;
    return identity;
}

std::string ExplorationIdentity::difference(const std::string& text) const {
    std::istringstream mine(this->text());
    std::istringstream theirs(text);
    for (std::string a, b; true;) {
        const bool more_mine = static_cast<bool>(std::getline(mine, a));
        const bool more_theirs = static_cast<bool>(std::getline(theirs, b));
        if (!more_mine && !more_theirs) return "";
        if (!more_mine || !more_theirs) return "the list of scenarios";
        if (a == b) continue;
        if (a.starts_with("build")) return "the program";
        if (a.starts_with("epoch")) return "the plan epoch";
        if (a.starts_with("first-seed") || a.starts_with("seeds")) return "the seeds";
        if (a.starts_with("shard") || b.starts_with("shard")) return "the shard";
        const std::string_view name = std::string_view(a).substr(0, a.rfind(' '));
        return b.starts_with(name) ? fmt::format("what is in {}", name) : "the list of scenarios";
    }
}

std::string build_id() {
    std::FILE* file = std::fopen("/proc/self/exe", "rb");
    if (file == nullptr) return "";
    std::vector<std::byte> block(std::size_t{1} << 20);
    std::uint64_t hash = 0;
    for (std::size_t n; (n = std::fread(block.data(), 1, block.size(), file)) > 0;)
        hash = hash_bytes(std::span(block).first(n), hash);
    const bool failed = std::ferror(file) != 0;
    std::fclose(file);
    return failed ? "" : fmt::format("{:016x}", hash);
}

std::uint64_t content_hash(const scenario::Scenario& scenario) {
    return hash_bytes(bytes_of(scenario::to_toml(scenario)));
}

Result<ExploreStore::Opened> ExploreStore::open(const std::string& directory,
                                                const ExplorationIdentity& identity,
                                                std::span<const std::byte> about) {
    std::error_code code;
    std::filesystem::create_directories(directory, code);
    if (!std::filesystem::is_directory(directory))
        return cannot(directory, "cannot be made into a directory for results",
                      code ? code.value() : ENOTDIR);
    Opened opened;
    opened.store.reset(new ExploreStore);
    ExploreStore& store = *opened.store;
    store.path_ = (std::filesystem::path(directory) / "results").string();
    store.subjects_ = identity.scenarios.size();
    if (auto error = store.lock(directory)) return *std::move(error);
    if (auto error = store.begin(identity, about, opened)) return *std::move(error);
    return opened;
}

ExploreStore::~ExploreStore() {
    if (file_ >= 0) ::close(file_);
    if (lock_ >= 0) ::close(lock_);
}

std::optional<Error> ExploreStore::lock(const std::string& directory) {
    const auto path = std::filesystem::path(directory) / "lock";
    lock_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (lock_ < 0) return cannot(path.string(), "cannot be created", errno);
    // A lock of the process: workers do not inherit it, and it goes however the process ends.
    struct flock whole{};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    if (::fcntl(lock_, F_SETLK, &whole) != 0) {
        const int why = errno;
        if (why != EACCES && why != EAGAIN) return cannot(path.string(), "cannot be locked", why);
        struct flock other{};
        other.l_type = F_WRLCK;
        other.l_whence = SEEK_SET;
        ::fcntl(lock_, F_GETLK, &other);
        return Error{fmt::format("another exploration is at work here (process {}); wait for it, "
                                 "or give another directory with --out, or --no-out",
                                 other.l_pid),
                     directory};
    }
    // For people alone; an old number does no harm.
    const std::string pid = fmt::format("{}\n", ::getpid());
    if (::ftruncate(lock_, 0) == 0) write_at(lock_, bytes_of(pid), 0);
    const auto ignore = std::filesystem::path(directory) / ".gitignore";
    const int file = ::open(ignore.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file >= 0) {
        write_at(file, bytes_of("*\n"), 0);
        ::close(file);
    }
    return std::nullopt;
}

std::optional<Error> ExploreStore::begin(const ExplorationIdentity& identity,
                                         std::span<const std::byte> about, Opened& opened) {
    const std::string text = identity.text();
    file_ = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
    if (file_ < 0 && errno != ENOENT) return cannot(path_, "cannot be opened", errno);
    if (file_ < 0) return start_anew(text, about);
    std::vector<std::byte> body;
    salt_ = 0;
    end_ = magic.size();
    const bool ours = results_file::has_magic(file_) && next_body(file_, end_, salt_, body);
    std::string why = "what is there is no list of results";
    if (ours) {
        const std::string theirs(reinterpret_cast<const char*>(body.data()), body.size());
        salt_ = hash_bytes(body);
        const std::string difference = identity.difference(theirs);
        bool complete = false;
        std::uint64_t outcomes = 0;
        const std::uint64_t first = end_;
        while (next_body(file_, end_, salt_, body)) {
            complete = !body.empty() && body[0] == static_cast<std::byte>(Kind::Complete);
            const bool one = !body.empty() && body[0] == static_cast<std::byte>(Kind::Outcome);
            outcomes += one ? 1 : 0;
        }
        if (identity.build.empty())
            why = "this program cannot read itself to see whether it is the same";
        else if (!difference.empty())
            why = fmt::format("the results there differ in {}", difference);
        else if (!complete) {
            opened.resumes = true;
            opened.note = fmt::format("goes on where it stopped, after {} runs", outcomes);
            // What is torn goes, or it would stand between the records.
            if (::ftruncate(file_, static_cast<off_t>(end_)) != 0)
                return cannot(path_, "cannot be written", errno);
            end_ = first;
            return std::nullopt;
        } else {
            why = "";  // the same again, from the beginning: nothing to wonder at
        }
    }
    ::close(file_);
    file_ = -1;
    const std::string before = path_ + ".before";
    if (::rename(path_.c_str(), before.c_str()) != 0)
        return cannot(path_, "cannot be renamed", errno);
    if (!why.empty()) opened.note = fmt::format("starts anew: {}, and are kept in {}", why, before);
    return start_anew(text, about);
}

std::optional<Error> ExploreStore::start_anew(const std::string& identity,
                                              std::span<const std::byte> about) {
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file_ < 0) return cannot(path_, "cannot be created", errno);
    salt_ = 0;
    end_ = magic.size();
    bool written = write_at(file_, bytes_of(magic), 0) && append(bytes_of(identity));
    salt_ = hash_bytes(bytes_of(identity));
    if (!about.empty()) {
        body_.clear();
        body_.u8(static_cast<std::uint8_t>(Kind::About));
        body_.raw(about);
        written = written && append(body_.bytes());
    }
    if (written && ::fdatasync(file_) == 0) return std::nullopt;
    const int why = errno;
    ::unlink(path_.c_str());
    return cannot(path_, "cannot be written", why);
}

bool ExploreStore::append(std::span<const std::byte> body) {
    record_.clear();
    record_.u32(static_cast<std::uint32_t>(body.size()));
    record_.u64(hash_bytes(body, salt_));
    record_.raw(body);
    if (!write_at(file_, record_.bytes(), end_)) return false;
    end_ += record_.size();
    return true;
}

void ExploreStore::replay(
    const std::function<void(std::size_t subject, Outcome outcome)>& on_outcome) {
    std::vector<std::byte> body;
    for (std::uint64_t start = end_; next_body(file_, end_, salt_, body); start = end_) {
        Reader in(body);
        Outcome outcome;
        const auto kind = static_cast<Kind>(in.u8());
        if (kind == Kind::About || kind == Kind::OutOfTime) continue;
        const std::uint64_t subject = in.varint();
        const std::size_t left = in.left();
        if (kind == Kind::Outcome && subject < subjects_ &&
            decode_summary(std::span(body).last(left), outcome)) {
            on_outcome(static_cast<std::size_t>(subject), std::move(outcome));
            continue;
        }
        // Its checksum is right and yet it is none of ours: what follows is run again.
        end_ = start;
        break;
    }
}

void ExploreStore::keep(std::size_t subject, const Outcome& outcome) {
    if (!trouble_.empty()) return;
    body_.clear();
    body_.u8(static_cast<std::uint8_t>(Kind::Outcome));
    body_.varint(subject);
    encode_summary(outcome, body_);
    if (append(body_.bytes())) return sync();
    trouble_ = std::strerror(errno);
    // A half-written record would be ignored, but takes room that may be missing.
    if (::ftruncate(file_, static_cast<off_t>(end_)) != 0) trouble_ += ", and it stays torn";
}

void ExploreStore::sync() {
    const auto now = std::chrono::steady_clock::now();
    if (now - synced_ < std::chrono::seconds(1)) return;
    synced_ = now;
    // Some file systems find out only now that there is no room.
    if (::fdatasync(file_) != 0 && errno != EINVAL) trouble_ = std::strerror(errno);
}

void ExploreStore::finish(Ending ending, std::chrono::milliseconds elapsed) {
    if (!trouble_.empty()) return;
    if (ending != Ending::Stopped) {
        body_.clear();
        const Kind kind = ending == Ending::Complete ? Kind::Complete : Kind::OutOfTime;
        body_.u8(static_cast<std::uint8_t>(kind));
        body_.varint(static_cast<std::uint64_t>(elapsed.count()));
        if (!append(body_.bytes())) trouble_ = std::strerror(errno);
    }
    synced_ = {};
    sync();
}

}  // namespace lockstep::harness
