#include "harness/explore_store.hpp"

#include "core/base/assert.hpp"
#include "core/base/hash.hpp"
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

constexpr std::string_view magic = "lockstep results 1\n";
constexpr std::size_t record_header = 12;
/// A length beyond it is no length.
constexpr std::size_t longest_body = std::size_t{1} << 26;
enum class Kind : std::uint8_t { Outcome, Complete };

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

/// False with `errno` set.
bool write_at(int fd, std::span<const std::byte> bytes, std::uint64_t at) {
    while (!bytes.empty()) {
        const ssize_t n = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(at));
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) errno = ENOSPC;
        if (n <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(n));
        at += static_cast<std::uint64_t>(n);
    }
    return true;
}

bool read_at(int fd, std::span<std::byte> bytes, std::uint64_t at) {
    while (!bytes.empty()) {
        const ssize_t n = ::pread(fd, bytes.data(), bytes.size(), static_cast<off_t>(at));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(n));
        at += static_cast<std::uint64_t>(n);
    }
    return true;
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
    for (const auto& [name, hash] : scenarios)
        out += fmt::format("scenario {} {:016x}\n", name, hash);
    return out;
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
                                                const ExplorationIdentity& identity) {
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
    if (auto error = store.begin(identity, opened)) return *std::move(error);
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

std::optional<Error> ExploreStore::begin(const ExplorationIdentity& identity, Opened& opened) {
    const std::string text = identity.text();
    file_ = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
    if (file_ < 0 && errno != ENOENT) return cannot(path_, "cannot be opened", errno);
    if (file_ < 0) return start_anew(text);
    std::string found(magic.size(), '\0');
    std::vector<std::byte> body;
    salt_ = 0;
    end_ = magic.size();
    const bool ours = read_at(file_, std::as_writable_bytes(std::span(found)), 0) &&
                      found == magic && next_body(body);
    std::string why = "what is there is no list of results";
    if (ours) {
        const std::string theirs(reinterpret_cast<const char*>(body.data()), body.size());
        salt_ = hash_bytes(body);
        const std::string difference = identity.difference(theirs);
        bool complete = false;
        std::uint64_t outcomes = 0;
        const std::uint64_t first = end_;
        while (next_body(body)) {
            complete = !body.empty() && body[0] == static_cast<std::byte>(Kind::Complete);
            outcomes += complete ? 0 : 1;
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
    return start_anew(text);
}

std::optional<Error> ExploreStore::start_anew(const std::string& identity) {
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file_ < 0) return cannot(path_, "cannot be created", errno);
    salt_ = 0;
    end_ = magic.size();
    if (!write_at(file_, bytes_of(magic), 0) || !append(bytes_of(identity)) ||
        ::fdatasync(file_) != 0) {
        const int why = errno;
        ::unlink(path_.c_str());
        return cannot(path_, "cannot be written", why);
    }
    salt_ = hash_bytes(bytes_of(identity));
    return std::nullopt;
}

/// The record at `end_`, which moves behind it. False if there is none that is whole.
bool ExploreStore::next_body(std::vector<std::byte>& body) {
    std::array<std::byte, record_header> header{};
    if (!read_at(file_, header, end_)) return false;
    Reader in(header);
    const std::size_t size = in.u32();
    const std::uint64_t checksum = in.u64();
    if (size > longest_body) return false;
    body.resize(size);
    if (!read_at(file_, body, end_ + record_header) || hash_bytes(body, salt_) != checksum)
        return false;
    end_ += record_header + size;
    return true;
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
    for (std::uint64_t start = end_; next_body(body); start = end_) {
        Reader in(body);
        Outcome outcome;
        const auto kind = static_cast<Kind>(in.u8());
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

void ExploreStore::finish(bool complete) {
    if (!trouble_.empty()) return;
    const std::array<std::byte, 1> last{static_cast<std::byte>(Kind::Complete)};
    if (complete && !append(last)) trouble_ = std::strerror(errno);
    synced_ = {};
    sync();
}

}  // namespace lockstep::harness
