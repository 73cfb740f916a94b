#include "cli/commands.hpp"
#include "cli/input.hpp"
#include "cli/output.hpp"
#include "harness/data/probe_text.hpp"
#include "harness/services.hpp"
#include "harness/stop_signals.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <netdb.h>
#include <optional>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace lockstep::cli {
namespace {

Error error_of(std::string message) {
    Error error;
    error.message = std::move(message);
    return error;
}

std::int64_t read_clock(clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void sleep_until(std::int64_t monotonic_ns) {
    timespec until{};
    until.tv_sec = monotonic_ns / 1'000'000'000;
    until.tv_nsec = monotonic_ns % 1'000'000'000;
    ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
}

/// One clock for all stamps, which goes on whatever is done to the wall clock meanwhile.
class Times {
public:
    WallTime at(std::int64_t monotonic_ns) const {
        return WallTime{wall_ + (monotonic_ns - monotonic_)};
    }

private:
    std::int64_t wall_ = read_clock(CLOCK_REALTIME);
    std::int64_t monotonic_ = read_clock(CLOCK_MONOTONIC);
};

/// Lines of both threads, in the order of their times.
class Lines {
public:
    void add(std::int64_t at, std::string line) {
        const std::lock_guard lock(mutex_);
        lines_.emplace_back(at, std::move(line));
    }
    /// Those that began before `until`: by then all of them are here.
    void write(std::int64_t until, OutputFile& out) {
        const std::lock_guard lock(mutex_);
        std::ranges::stable_sort(lines_, {}, [](const auto& line) { return line.first; });
        std::size_t n = 0;
        for (; n < lines_.size() && lines_[n].first < until; ++n) out.write(lines_[n].second);
        lines_.erase(lines_.begin(), lines_.begin() + static_cast<std::ptrdiff_t>(n));
    }

private:
    std::mutex mutex_;
    std::vector<std::pair<std::int64_t, std::string>> lines_;
};

struct Address {
    sockaddr_storage storage{};
    socklen_t size = 0;
    int family = 0;
};

Result<Address> resolve(const std::string& text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == text.size())
        return error_of(fmt::format("--ping: '{}' is no address; write HOST:PORT", text));
    // The resolver takes a port modulo 65,536.
    const std::string port = text.substr(colon + 1);
    const bool digits = std::ranges::all_of(port, [](char c) { return c >= '0' && c <= '9'; });
    if (digits && (port.size() > 5 || std::stoi(port) > 65'535 || std::stoi(port) == 0))
        return error_of(fmt::format("--ping: '{}': ports are 1 to 65535", text));
    std::string host = text.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int failed = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
    if (failed != 0 || found == nullptr)
        return error_of(fmt::format("--ping: '{}': {}", text, ::gai_strerror(failed)));
    Address address;
    std::memcpy(&address.storage, found->ai_addr, found->ai_addrlen);
    address.size = found->ai_addrlen;
    address.family = found->ai_family;
    ::freeaddrinfo(found);
    return address;
}

/// Until the other side has answered, be it by a refusal; none if it did not within two seconds.
std::optional<std::int64_t> connect_time(const Address& address) {
    const int fd = ::socket(address.family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return std::nullopt;
    const std::int64_t began = read_clock(CLOCK_MONOTONIC);
    int failed = ::connect(fd, reinterpret_cast<const sockaddr*>(&address.storage), address.size);
    if (failed != 0) failed = errno;
    if (failed == EINPROGRESS) {
        pollfd waiting{fd, POLLOUT, 0};
        const int ready = ::poll(&waiting, 1, 2'000);
        socklen_t size = sizeof failed;
        failed = ETIMEDOUT;
        if (ready == 1) ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &size);
    }
    const std::int64_t took = read_clock(CLOCK_MONOTONIC) - began;
    ::close(fd);
    if (failed != 0 && failed != ECONNREFUSED) return std::nullopt;
    return took;
}

struct Counts {
    std::atomic<std::uint64_t> stalls{0};
    std::atomic<std::uint64_t> trips{0};
    std::atomic<std::uint64_t> lost{0};
    std::atomic<std::int64_t> longest{0};
    std::atomic<bool> stop{false};
};

void watch_stalls(std::int64_t every, const Times& times, Lines& lines, Counts& counts) {
    std::int64_t due = read_clock(CLOCK_MONOTONIC) + every;
    while (!counts.stop) {
        sleep_until(due);
        const std::int64_t now = read_clock(CLOCK_MONOTONIC);
        const std::int64_t late = now - due;
        if (late >= every) {
            lines.add(due, data::probe_length("stall", times.at(due), Duration{late}));
            ++counts.stalls;
            counts.longest = std::max(counts.longest.load(), late);
        }
        due = now + every;
    }
}

void watch_address(const Address& address, const Times& times, Lines& lines, Counts& counts) {
    constexpr std::int64_t every = 200'000'000;
    while (!counts.stop) {
        const std::int64_t began = read_clock(CLOCK_MONOTONIC);
        const auto took = connect_time(address);
        if (took) {
            lines.add(began, data::probe_length("rtt", times.at(began), Duration{*took}));
            ++counts.trips;
        } else {
            lines.add(began, data::probe_line("lost", times.at(began)));
            ++counts.lost;
        }
        while (!counts.stop && read_clock(CLOCK_MONOTONIC) < began + every)
            sleep_until(std::min(began + every, read_clock(CLOCK_MONOTONIC) + 20'000'000));
    }
}

/// A line that renews itself on a terminal.
void show(std::int64_t elapsed, std::int64_t total, const Counts& counts) {
    constexpr std::int64_t width = 24;
    const auto filled = static_cast<std::size_t>(std::min(elapsed, total) * width / total);
    fmt::print(stderr, "\r\x1b[K[{}{}] {} of {}, {} stalls, longest {}", std::string(filled, '#'),
               std::string(width - filled, '.'), harness::long_span_text({elapsed}),
               harness::long_span_text({total}), harness::grouped(counts.stalls),
               harness::span_text({counts.longest / 1'000 * 1'000}));
    std::fflush(stderr);
}

/// Waits until the time is over, or a signal comes, and writes what is there by then.
void tend(std::int64_t span, const Times& times, Lines& lines, Counts& counts, OutputFile& out) {
    // A connection may be two seconds under way before its line is there.
    constexpr std::int64_t behind = 3'000'000'000;
    const bool terminal = ::isatty(STDERR_FILENO) == 1;
    const std::int64_t began = read_clock(CLOCK_MONOTONIC);
    std::int64_t alive = began;
    for (;;) {
        const std::int64_t now = read_clock(CLOCK_MONOTONIC);
        if (harness::StopSignals::caught() || now - began >= span) break;
        if (terminal) show(now - began, span, counts);
        if (now - alive >= 1'000'000'000) {  // if it is killed, this is how long was looked
            alive = now;
            lines.add(now, data::probe_line("alive", times.at(now)));
            lines.write(now - behind, out);
        }
        sleep_until(std::min(now + 100'000'000, began + span));
    }
    if (terminal) {
        fmt::print(stderr, "\r\x1b[K");
        std::fflush(stderr);
    }
}

}  // namespace

ExitCode probe(const ProbeArguments& arguments) {
    const auto span = parse_wall_time("--for", arguments.span);
    if (!span) return bad_input(span.error());
    const auto every = parse_wall_time("--every", arguments.every);
    if (!every) return bad_input(every.error());
    if (every.value() >= span.value())
        return bad_input(error_of("--every: allowed is less than --for"));
    std::optional<Address> address;
    if (!arguments.ping.empty()) {
        auto resolved = resolve(arguments.ping);
        if (!resolved) return bad_input(resolved.error());
        address = resolved.value();
    }
    if (arguments.out.empty())
        return bad_input({"--out: nothing is said; name a file, or - for stdout", "", 0, 0});
    // A measurement of a day is not written over by the next.
    std::error_code code;
    if (std::filesystem::is_regular_file(arguments.out, code) &&
        std::filesystem::file_size(arguments.out, code) > 0)
        return bad_input(
            {"--out: there is something in that file already; name another, or remove "
             "it",
             arguments.out});
    auto opened = OutputFile::open("--out", arguments.out);
    if (!opened) return bad_input(opened.error());
    OutputFile out = std::move(opened).value();

    const std::int64_t every_ns = std::int64_t{every.value().count()} * 1'000'000;
    const Times times;
    Lines lines;
    Counts counts;
    out.write(data::probe_title());
    out.write(data::probe_line("begin", times.at(read_clock(CLOCK_MONOTONIC)),
                               fmt::format("every={0}us above={0}us", every_ns / 1'000)));
    const harness::StopSignals signals;
    std::thread stalls([&] { watch_stalls(every_ns, times, lines, counts); });
    std::thread trips;
    if (address) trips = std::thread([&] { watch_address(*address, times, lines, counts); });
    tend(std::int64_t{span.value().count()} * 1'000'000, times, lines, counts, out);
    counts.stop = true;
    stalls.join();
    if (trips.joinable()) trips.join();
    const std::int64_t end = read_clock(CLOCK_MONOTONIC);
    lines.add(end, data::probe_line("end", times.at(end)));
    lines.write(INT64_MAX, out);
    if (const std::string failed = out.close(); !failed.empty()) {
        fmt::print(stderr, "{}: {}\n", harness::program_name(), failed);
        return ExitCode::GaveUp;
    }
    fmt::print(stderr, "{} stalls of {} and more, longest {}", harness::grouped(counts.stalls),
               harness::span_text({every_ns}),
               harness::span_text({counts.longest / 1'000 * 1'000}));
    if (address)
        fmt::print(stderr, "; {} connections, {} lost", harness::grouped(counts.trips),
                   harness::grouped(counts.lost));
    if (arguments.out != "-")
        fmt::print(stderr, "\nnext: {} data {}", harness::program_name(), arguments.out);
    fmt::print(stderr, "\n");
    return ExitCode::AsExpected;
}

}  // namespace lockstep::cli
