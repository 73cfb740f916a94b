#include "harness/history/judge_file.hpp"

#include "harness/data/line_source.hpp"
#include "harness/history/edn_forms.hpp"
#include "harness/history/json_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace lockstep::history {
namespace {

/// A mistake in the clock error of more than this is no error of a clock.
constexpr std::int64_t largest_error = 3'600'000'000'000;

class Reader {
public:
    Reader(int fd, std::string file, const Given& given, const Told& told)
        : source_(fd), file_(std::move(file)), given_(given), told_(told) {}

    Result<Judgement> run();

private:
    bool json(std::string_view line);
    bool edn(std::string_view line);
    bool take(const Record& record);
    bool begin();
    bool refuse(std::uint64_t line, std::string message, int column = 0);
    bool looks_like_edn(std::string_view line) const;
    Terms terms() const;
    Judgement judgement();

    data::LineSource source_;
    const std::string file_;
    const Given& given_;
    const Told& told_;
    JsonLines json_;
    EdnForms edn_;
    Header header_;
    std::unique_ptr<Checker> checker_;  ///< made when the terms are known: at the first operation
    Record record_;
    std::uint64_t lines_ = 0;
    Error error_;
};

bool Reader::refuse(std::uint64_t line, std::string message, int column) {
    error_.file = file_;
    error_.line = static_cast<int>(std::min<std::uint64_t>(line, INT32_MAX));
    error_.column = column;
    error_.message = std::move(message);
    return false;
}

Terms Reader::terms() const {
    Terms terms;
    terms.clock_error = given_.clock_error.value_or(header_.clock_error.value);
    terms.ttl = given_.ttl.value_or(header_.ttl.value);
    terms.drift_ppm = given_.drift_ppm.value_or(header_.drift_ppm.value);
    terms.lost_is_exact = header_.lost_is_exact;
    return terms;
}

bool Reader::begin() {
    if (checker_) return true;
    const Terms terms = this->terms();
    if (terms.clock_error > largest_error)
        return refuse(source_.number(), "a clock error of more than an hour orders nothing");
    checker_ = std::make_unique<Checker>(terms);
    return true;
}

bool Reader::take(const Record& record) {
    if (!begin()) return false;
    return checker_->on(record) || refuse(record.line, checker_->problem());
}

bool Reader::json(std::string_view line) {
    record_.line = source_.number();
    switch (json_.read(line, record_, header_)) {
        case Got::Record:
            return take(record_);
        case Got::Header:
            if (!checker_) return true;
            return refuse(source_.number(),
                          "lockstep_history stands in the first line, before all operations");
        case Got::Nothing:
            return true;
        case Got::Bad:
            break;
    }
    if (source_.unfinished())
        return refuse(
            source_.number(),
            fmt::format("the last line is cut off ({}); without it, the rest can be judged",
                        json_.problem().message));
    return refuse(source_.number(), json_.problem().message, json_.problem().column);
}

bool Reader::edn(std::string_view line) {
    for (Got got = edn_.read(line, source_.number(), record_);; got = edn_.more(record_)) {
        if (got == Got::Nothing) return true;
        if (got == Got::Bad) return refuse(edn_.problem_line(), edn_.problem().message);
        if (!take(record_)) return false;
    }
}

/// EDN's maps begin with a keyword, JSON's with a text.
bool Reader::looks_like_edn(std::string_view line) const {
    const auto begin = line.find_first_not_of(" \t\r[(");
    if (begin == std::string_view::npos) return line.find_first_of("[(") != line.npos;
    if (line[begin] == '#' || line[begin] == ';') return true;
    if (line[begin] != '{') return false;
    const auto next = line.find_first_not_of(" \t\r,", begin + 1);
    return next != std::string_view::npos && line[next] == ':';
}

Result<Judgement> Reader::run() {
    constexpr std::uint64_t tell_every = 1 << 16;
    bool is_edn = false;
    bool first = true;
    std::string_view line;
    while (source_.next(line)) {
        if (first && line.find_first_not_of(" \t\r") != std::string_view::npos) {
            is_edn = looks_like_edn(line);
            first = false;
        }
        if (!(is_edn ? edn(line) : json(line))) return error_;
        if (++lines_ % tell_every == 0 && told_)
            told_(source_.bytes(), checker_ ? checker_->operations() : 0);
    }
    if (source_.failure()) {
        refuse(source_.number() + 1, *source_.failure());
        return error_;
    }
    if (is_edn && !edn_.complete()) {
        refuse(edn_.problem_line(), edn_.problem().message);
        return error_;
    }
    if (!checker_ || checker_->operations() == 0) {
        refuse(0,
               "no operation in it; a history has a line for each call and each end "
               "(docs/history-format.md)");
        return error_;
    }
    return judgement();
}

Judgement Reader::judgement() {
    Judgement out;
    out.file = file_;
    out.terms = terms();
    out.findings = checker_->finish();
    out.lines = lines_;
    out.operations = checker_->operations();
    out.open_calls = checker_->open_calls();
    out.processes = checker_->processes();
    out.locks = checker_->locks();
    out.resources = checker_->resources();
    out.first_time = std::max<std::int64_t>(checker_->first_time(), 0);
    out.last_time = checker_->last_time();
    return out;
}

}  // namespace

bool Judgement::any(State state) const {
    return std::ranges::any_of(findings, [&](const Finding& f) { return f.state == state; });
}

Result<Judgement> judge_file(int fd, const std::string& file, const Given& given,
                             const Told& told) {
    return Reader(fd, file, given, told).run();
}

}  // namespace lockstep::history
