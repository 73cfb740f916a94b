#pragma once

#include "core/base/result.hpp"
#include "harness/data/series.hpp"
#include "harness/data/tally.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Reads logs of pauses, latencies, syncs of disks and lost leases.
namespace lockstep::data {

struct ReadOptions {
    std::string format;  ///< a name of formats(); empty: recognised by the first lines
    std::string column;  ///< of CSV, its name or number from 1; of Prometheus, the metric
    /// Of numbers that carry none: "ns", "us", "ms", "s", "m", "h"; empty: the file must say.
    std::string unit;
    std::optional<Measure> as;  ///< what the lengths are; none: what the format is about
    /// Called now and then with the bytes that were read so far, of so many (0: not known).
    std::function<void(std::uint64_t read, std::uint64_t size)> progress;
};

/// All that the files ("-": standard input; gzip or plain) say, a series for each measure and
/// format in the order in which they appear. Files of one series follow each other by their times,
/// not by their names; times of different lives or hosts that overlap are laid end to end, so that
/// `observed` is the sum of all.
/// Fails, with file and line, on what cannot be taken for what it says: see docs/data-formats.md.
Result<std::vector<Series>> read_series(const std::vector<std::string>& files,
                                        const ReadOptions& options);

/// A series without its points, and their distribution.
struct Summary {
    Series series;
    Tally tally;
};
/// The same in constant memory, however long the files are.
Result<std::vector<Summary>> summarise(const std::vector<std::string>& files,
                                       const ReadOptions& options);

/// One file whose bytes are here already.
Result<std::vector<Series>> read_text(const std::string& name, std::string_view bytes,
                                      const ReadOptions& options);

struct FormatNote {
    std::string_view name;   ///< "jdk-unified"
    std::string_view about;  ///< in a few words
    Measure measure;         ///< unless ReadOptions::as says otherwise
};
/// The formats that can be read.
std::vector<FormatNote> formats();

/// "pause", "rtt", "disk", "outage", "lost".
std::string_view to_string(Measure measure);
std::optional<Measure> measure_named(std::string_view name);
/// Nanoseconds of a unit; none if it is no unit of time.
std::optional<std::int64_t> unit_named(std::string_view name);

}  // namespace lockstep::data
