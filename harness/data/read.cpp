#include "harness/data/read.hpp"

#include "harness/data/combine.hpp"
#include "harness/data/format.hpp"
#include "harness/data/line_source.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace lockstep::data {
namespace {

constexpr std::array entries{
    &probe_format,      &hdr_log_format,     &hdr_percentiles_format,
    &go_gctrace_format, &ping_format,        &prometheus_format,
    &fio_format,        &etcd_format,        &election_format,
    &throttle_format,   &jdk_unified_format, &jdk8_format,
    &csv_format,        &numbers_format,
};

Error error_of(std::string message, std::uint64_t line = 0) {
    Error error;
    error.message = std::move(message);
    error.line = static_cast<int>(std::min<std::uint64_t>(line, INT32_MAX));
    return error;
}

const FormatEntry* entry_named(std::string_view name) {
    const auto it = std::ranges::find_if(
        entries, [name](const FormatEntry* entry) { return entry->note.name == name; });
    return it == entries.end() ? nullptr : *it;
}

/// The format that a line can be of only; null if there is none.
const FormatEntry* recognised(std::string_view line) {
    for (const FormatEntry* const entry : entries)
        if (entry->recognises != nullptr && entry->recognises(line)) return entry;
    return nullptr;
}

/// Calls `take` with each line until that says true.
template <class Take>
void each_line(std::string_view text, Take take) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (take(line)) return;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

/// Text has no such bytes, in whatever encoding of it that logs have. A file that was cut while it
/// was written begins with zeros, and goes on with text.
bool is_binary(std::string_view beginning) {
    beginning.remove_prefix(std::min(beginning.find_first_not_of('\0'), beginning.size()));
    const std::string_view head = beginning.substr(0, 65'536);
    return std::ranges::count_if(head, [](char c) {
               return (c >= 0 && c < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\x1b') ||
                      c == 0x7f;
           }) > 0;
}

Result<const FormatEntry*> format_of(std::string_view beginning, const ReadOptions& options) {
    if (beginning.empty()) return error_of("the file is empty");
    if (is_binary(beginning)) return error_of("this is no text, but a binary file");
    if (!options.format.empty()) {
        const FormatEntry* entry = entry_named(options.format);
        if (entry != nullptr) return entry;
        std::vector<std::string_view> names;
        for (const FormatEntry* known : entries) names.push_back(known->note.name);
        return error_of(fmt::format("no format is called '{}'; there are {}", options.format,
                                    fmt::join(names, ", ")));
    }
    const FormatEntry* found = nullptr;
    std::string first;
    each_line(beginning, [&](std::string_view line) {
        if (first.empty()) first = std::string(trimmed(line).substr(0, 60));
        found = recognised(line);
        return found != nullptr;
    });
    if (found != nullptr) return found;
    for (const FormatEntry* entry : entries)
        if (entry->may_be != nullptr && entry->may_be(beginning)) return entry;
    if (first.empty()) return error_of("the file has only empty lines");
    return error_of(fmt::format("no known format has lines like '{}'; --format names one, and "
                                "docs/data-formats.md lists them",
                                harness::printable(first)),
                    1);
}

/// One file, from its first to its last line.
class Reading {
public:
    Reading(const FormatEntry& entry, const ReadOptions& options, bool keep_points)
        : entry_(entry),
          measure_(options.as.value_or(entry.note.measure)),
          format_(entry.make(options, measure_)),
          sink_(keep_points) {}

    std::optional<Error> read(LineSource& source, const std::function<void()>& progress) {
        std::string_view line;
        while (source.next(line)) {
            sink_.begin_line(source.number());
            take(line);
            if (sink_.refused()) return sink_.refused();
            if (source.number() % 16'384 == 0 && progress) progress();
        }
        if (source.failure()) return error_of(*source.failure(), source.number() + 1);
        format_->finish(sink_);
        if (sink_.refused()) return sink_.refused();
        return emptiness(source.number());
    }
    Sink& sink() { return sink_; }

private:
    void take(std::string_view line) {
        if (line.empty()) return;
        if (line.front() == '\0') {
            line.remove_prefix(std::min(line.find_first_not_of('\0'), line.size()));
            sink_.skip("zeros, where the file was cut while it was written");
        }
        if (format_->line(line, sink_) == Format::Line::Ours) return;
        if (trimmed(line).empty()) return;
        const FormatEntry* other = recognised(line);
        if (other != nullptr && other != &entry_)
            return sink_.refuse(fmt::format(
                "this line is of the format {}, but the lines before are of {}: put them into "
                "files of their own",
                other->note.name, entry_.note.name));
        sink_.skip("lines that are not of this format");
    }
    std::optional<Error> emptiness(std::uint64_t lines) {
        const auto& all = sink_.all();
        const bool any = std::ranges::any_of(all, [](const Found& found) {
            return found.count > 0 || found.measure == Measure::LeadershipLost;
        });
        if (any) {
            std::erase_if(sink_.all(), [](const Found& found) {
                return found.count == 0 && found.measure != Measure::LeadershipLost;
            });
            return std::nullopt;
        }
        return error_of(fmt::format("nothing was found in {} line{} of the format {}: {}",
                                    harness::grouped(lines), lines == 1 ? "" : "s",
                                    entry_.note.name, entry_.if_empty));
    }

    const FormatEntry& entry_;
    Measure measure_;
    std::unique_ptr<Format> format_;
    Sink sink_;
};

Result<FileFound> read_source(const std::string& name, LineSource& source, std::uint64_t size,
                              const ReadOptions& options, bool keep_points) {
    const auto in_file = [&name](Error error) {
        error.file = name;
        return error;
    };
    const auto beginning = source.beginning();
    if (source.failure() && beginning.empty()) return in_file(error_of(*source.failure(), 1));
    const auto entry = format_of(beginning, options);
    if (!entry) return in_file(entry.error());
    Reading reading(*entry.value(), options, keep_points);
    std::function<void()> progress;
    if (options.progress) progress = [&] { options.progress(source.bytes(), size); };
    if (auto error = reading.read(source, progress)) return in_file(*std::move(error));
    return FileFound{name, entry.value()->note.name, std::move(reading.sink())};
}

/// A file, or standard input; closed in the end.
class Opened {
public:
    explicit Opened(const std::string& path) : standard_(path == "-") {
        fd_ = standard_ ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        struct stat status{};
        if (fd_ < 0 || ::fstat(fd_, &status) != 0) return;
        if (S_ISREG(status.st_mode)) size_ = static_cast<std::uint64_t>(status.st_size);
    }
    ~Opened() {
        if (fd_ >= 0 && !standard_) ::close(fd_);
    }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;
    int fd() const { return fd_; }
    std::uint64_t size() const { return size_; }

private:
    bool standard_;
    int fd_ = -1;
    std::uint64_t size_ = 0;
};

Result<std::vector<Summary>> read_all(const std::vector<std::string>& files,
                                      const ReadOptions& options, bool keep_points) {
    std::vector<FileFound> found;
    for (const auto& path : files) {
        const std::string name = path == "-" ? "stdin" : path;
        const Opened opened(path);
        if (opened.fd() < 0) {
            Error error = error_of(fmt::format("cannot be opened: {}", std::strerror(errno)));
            error.file = name;
            return error;
        }
        LineSource source(opened.fd());
        auto one = read_source(name, source, opened.size(), options, keep_points);
        if (!one) return one.error();
        found.push_back(std::move(one).value());
    }
    return combine(found, keep_points);
}

std::vector<Series> series_of(std::vector<Summary> summaries) {
    std::vector<Series> all;
    for (Summary& summary : summaries) all.push_back(std::move(summary.series));
    return all;
}

}  // namespace

std::span<const FormatEntry* const> all_formats() {
    return entries;
}

std::vector<FormatNote> formats() {
    std::vector<FormatNote> all;
    for (const FormatEntry* entry : entries) all.push_back(entry->note);
    return all;
}

Result<std::vector<Series>> read_series(const std::vector<std::string>& files,
                                        const ReadOptions& options) {
    auto all = read_all(files, options, true);
    if (!all) return all.error();
    return series_of(std::move(all).value());
}

Result<std::vector<Summary>> summarise(const std::vector<std::string>& files,
                                       const ReadOptions& options) {
    return read_all(files, options, false);
}

Result<std::vector<Series>> read_text(const std::string& name, std::string_view bytes,
                                      const ReadOptions& options) {
    LineSource source(bytes);
    auto one = read_source(name, source, bytes.size(), options, true);
    if (!one) return one.error();
    std::vector<FileFound> found;
    found.push_back(std::move(one).value());
    return series_of(combine(found, true));
}

}  // namespace lockstep::data
