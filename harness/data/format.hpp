#pragma once

#include "harness/data/read.hpp"
#include "harness/data/sink.hpp"

#include <array>
#include <memory>
#include <span>
#include <string_view>

namespace lockstep::data {

/// Understands the lines of one file.
class Format {
public:
    virtual ~Format() = default;

    enum class Line : std::uint8_t {
        Ours,     ///< of this format, whether it says something or not
        Foreign,  ///< not of this format
    };
    /// `text` is good only during the call.
    virtual Line line(std::string_view text, Sink& sink) = 0;
    /// After the last line.
    virtual void finish(Sink& sink) { static_cast<void>(sink); }
};

struct FormatEntry {
    FormatNote note;
    /// Whether a line can be of this format only. None: the format is looked at only if no line at
    /// the beginning of the file is of another.
    bool (*recognises)(std::string_view line);
    /// Without `recognises`: whether a file that begins like this can be of this format.
    bool (*may_be)(std::string_view beginning);
    std::unique_ptr<Format> (*make)(const ReadOptions& options, Measure measure);
    /// What to say of a file of this format in which nothing was found.
    std::string_view if_empty;
};

/// In the order in which they are tried.
std::span<const FormatEntry* const> all_formats();

extern const FormatEntry jdk_unified_format;
extern const FormatEntry jdk8_format;
extern const FormatEntry go_gctrace_format;
extern const FormatEntry ping_format;
extern const FormatEntry hdr_log_format;
extern const FormatEntry hdr_percentiles_format;
extern const FormatEntry prometheus_format;
extern const FormatEntry fio_format;
extern const FormatEntry etcd_format;
extern const FormatEntry throttle_format;
extern const FormatEntry election_format;
extern const FormatEntry probe_format;
extern const FormatEntry csv_format;
extern const FormatEntry numbers_format;

}  // namespace lockstep::data
