#include "cli/input.hpp"
#include "cli/lease_input.hpp"
#include "cli/output.hpp"
#include "harness/data/read.hpp"
#include "harness/lease/rate.hpp"
#include "harness/services.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

/// What happens in the world of a sweep: files, or rates and lengths.
namespace lockstep::cli {
namespace {

std::vector<std::string> words_of(const std::string& text) {
    std::vector<std::string> words;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t comma = std::min(text.find(',', from), text.size());
        if (comma > from) words.push_back(text.substr(from, comma - from));
        from = comma + 1;
    }
    return words;
}

/// "stops.csv column pause unit ms in 7d": files, and what they do not say themselves.
struct Said {
    std::vector<std::string> files;
    data::ReadOptions options;
    Duration observed{};
};

Result<Said> parse_said(const std::string& option, std::string text) {
    Said said;
    // A file may be called so.
    while (::access(text.c_str(), F_OK) != 0) {
        std::size_t at = std::string::npos;
        std::string_view word;
        for (const std::string_view known : {" in ", " unit ", " column "}) {
            const std::size_t last = text.rfind(known);
            if (last != std::string::npos && (at == std::string::npos || last > at)) {
                at = last;
                word = known;
            }
        }
        if (at == std::string::npos) break;
        const std::string value = text.substr(at + word.size());
        text.resize(at);
        if (word == " column ") said.options.column = value;
        if (word == " unit ") {
            if (!data::unit_named(value))
                return Error{fmt::format("{}: '{}' is no unit of time; write ns, us, ms, s, m or h",
                                         option, harness::printable(value)),
                             "", 0, 0};
            said.options.unit = value;
        }
        if (word == " in ") {
            const auto in = lease::parse_length(option, value);
            if (!in) return in.error();
            said.observed = in.value();
        }
    }
    said.files =
        ::access(text.c_str(), F_OK) == 0 ? std::vector<std::string>{text} : words_of(text);
    return said;
}

/// What a table does not say of itself can be said beside its name.
Error with_advice(Error error, const std::string& option) {
    if (error.message.find("--unit") != std::string::npos ||
        error.message.find("--column") != std::string::npos)
        error.message += fmt::format("; here: {} '{} column NAME unit ms'", option,
                                     harness::printable(error.file));
    return error;
}

/// The lengths of that measure; a file that holds no other is taken for what the option is about.
Result<data::Series> read_files(const std::string& option, Said& said, data::Measure measure) {
    for (std::size_t i = 0; i < said.files.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (same_file(said.files[i], said.files[j]))
                return Error{
                    fmt::format("{}: that file is there twice, and is no more evidence so", option),
                    said.files[i], 0, 0};
    auto read = data::read_series(said.files, said.options);
    if (!read) return with_advice(read.error(), option);
    const auto wanted = [&](const data::Series& s) { return s.measure == measure; };
    if (std::ranges::none_of(read.value(), wanted)) {
        // Of these nothing says what was measured; of others the format does.
        constexpr std::string_view open[] = {"csv", "numbers", "hdr-log", "hdr-percentiles",
                                             "prometheus"};
        const std::string& format = read.value().front().format;
        if (std::ranges::find(open, format) == std::end(open))
            return Error{fmt::format("{}: expected '{}'; this file ({}) holds '{}'", option,
                                     data::to_string(measure), format,
                                     data::to_string(read.value().front().measure)),
                         said.files.front(), 0, 0};
        said.options.as = measure;
        read = data::read_series(said.files, said.options);
        if (!read) return read.error();
    }
    if (std::ranges::count_if(read.value(), wanted) != 1)
        return Error{fmt::format("{}: these files measure it in {} ways (`{} data` says which); "
                                 "give those of one",
                                 option, std::ranges::count_if(read.value(), wanted),
                                 harness::program_name()),
                     said.files.front(), 0, 0};
    return std::move(*std::ranges::find_if(read.value(), wanted));
}

}  // namespace

Result<lease::Source> lease_source(const std::string& option, const std::string& text,
                                   data::Measure measure, Duration otherwise) {
    if (text.empty()) return lease::Source{};
    if (lease::looks_like_rate(text)) return lease::parse_rate(option, text, otherwise);
    auto said = parse_said(option, text);
    if (!said) return said.error();
    const Duration observed = said.value().observed;
    auto series = read_files(option, said.value(), measure);
    if (!series) return series.error();
    lease::Source source;
    source.series = std::move(series).value();
    if (observed.ns == 0) return source;
    if (source.series.observed.ns > 0)
        return Error{fmt::format("{}: how long was looked is in the file, {}; leave off ' in {}'",
                                 option, harness::long_span_text(source.series.observed),
                                 harness::span_text(observed)),
                     source.series.files.front(), 0, 0};
    source.series.observed = observed;
    return source;
}

Result<lease::Observed> lease_observed(const std::string& text) {
    auto said = lease::parse_observed(text);
    if (said || ::access(text.c_str(), R_OK) != 0) return said;
    Said log{{text}, {}, {}};
    auto series = read_files("--observed", log, data::Measure::LeadershipLost);
    if (!series) return series.error();
    if (series.value().observed.ns <= 0)
        return Error{
            "--observed: this log does not say over which time it goes; write how many "
            "there were: '3 losses in 90d'",
            text, 0, 0};
    return lease::Observed{series.value().points.size(), series.value().observed};
}

}  // namespace lockstep::cli
