#include "harness/history/json_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace lockstep::history {

enum class JsonLines::Field : std::uint8_t {
    Time,
    Process,
    Id,
    Op,
    Type,
    Lock,
    Resource,
    Session,
    Token,
    N,
    ReadVersion,
    Version,
    Ttl,
    Format,
    ClockError,
    DriftPpm,
    Lost,
    Note,  ///< read over, as is everything whose name begins with an underscore
    None
};

namespace {

/// In the order of the fields.
constexpr std::array<std::string_view, 18> field_names{
    "time",     "process",          "id",          "op",        "type",         "lock",
    "resource", "session",          "token",       "n",         "read_version", "version",
    "ttl",      "lockstep_history", "clock_error", "drift_ppm", "lost",         "note"};

constexpr std::string_view allowed_fields =
    "time, process, id, op, type, lock, resource, session, token, n, read_version, version, ttl, "
    "note, and names that begin with _";

template <std::size_t N>
int position_of(std::string_view text, const std::array<std::string_view, N>& names) {
    for (std::size_t i = 0; i < N; ++i)
        if (names[i].size() == text.size() && names[i] == text) return static_cast<int>(i);
    return -1;
}

constexpr std::array<std::string_view, 6> op_names{"acquire", "renew", "release",
                                                   "write",   "read",  "lost"};
constexpr std::array<std::string_view, 4> kind_names{"call", "ok", "no", "unknown"};

bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

}  // namespace

std::string_view to_string(Op op) {
    return op_names[static_cast<std::size_t>(op)];
}
std::string_view to_string(Kind kind) {
    return kind_names[static_cast<std::size_t>(kind)];
}

Got JsonLines::read(std::string_view text, Record& record, Header& header) {
    start_ = at_ = text.data();
    end_ = start_ + text.size();
    seen_ = 0;
    unescaped_count_ = 0;
    skip_space();
    if (at_ == end_) return Got::Nothing;
    const std::uint64_t line = record.line;
    record = {};
    record.line = line;
    if (!object(record, header)) return Got::Bad;
    if ((seen_ >> static_cast<int>(Field::Format) & 1) != 0)
        return judge_header(record, header) ? Got::Header : Got::Bad;
    return complete(record) ? Got::Record : Got::Bad;
}

bool JsonLines::object(Record& record, Header& header) {
    if (!take('{', "a JSON object, {...}")) return false;
    skip_space();
    if (at_ != end_ && *at_ == '}') {
        ++at_;
    } else {
        for (;;) {
            if (!member(record, header)) return false;
            skip_space();
            if (at_ != end_ && *at_ == ',') {
                ++at_;
                skip_space();
                continue;
            }
            if (!take('}', "',' or '}'")) return false;
            break;
        }
    }
    skip_space();
    return at_ == end_ || fail_here("after the object", "nothing: one object a line");
}

bool JsonLines::member(Record& record, Header& header) {
    const char* const from = at_;
    std::string_view key;
    if (!string(key, "a field's name")) return false;
    const int position = position_of(key, field_names);
    const auto field = position < 0 ? Field::None : static_cast<Field>(position);
    if (field == Field::None && !key.starts_with('_')) {
        at_ = from;
        return fail(fmt::format("no field is called '{}'; there are {}", key, allowed_fields));
    }
    skip_space();
    if (!take(':', "':'")) return false;
    skip_space();
    if (field == Field::None || field == Field::Note) return skip_value(0);
    const std::uint32_t bit = std::uint32_t{1} << position;
    if ((seen_ & bit) != 0) {
        at_ = from;
        return fail(fmt::format("'{}' is given twice in one line", key));
    }
    if (null()) return true;
    seen_ |= bit;
    return value_of(field, record, header);
}

bool JsonLines::value_of(Field field, Record& record, Header& header) {
    Maybe<std::int64_t> time;
    Maybe<std::uint64_t> version;
    std::string_view text;
    switch (field) {
        case Field::Time:
            if (!number(time, "time")) return false;
            record.time = time.value;
            return true;
        case Field::Process:
            return name(record.process, "process");
        case Field::Id:
            return name(record.id, "id");
        case Field::Op:
            return op(record);
        case Field::Type:
            return kind(record);
        case Field::Lock:
            return name(record.lock, "lock");
        case Field::Resource:
            return name(record.resource, "resource");
        case Field::Session:
            return name(record.session, "session");
        case Field::Token:
            return number(record.token, "token");
        case Field::N:
            return number(record.n, "n");
        case Field::ReadVersion:
            return number(record.read_version, "read_version");
        case Field::Version:
            return number(record.version, "version");
        case Field::Ttl:
            return number(record.ttl, "ttl");
        case Field::Format:
            if (!number(version, "lockstep_history")) return false;
            version_ = version.value;
            return true;
        case Field::ClockError:
            return number(header.clock_error, "clock_error");
        case Field::DriftPpm:
            return number(header.drift_ppm, "drift_ppm");
        case Field::Lost: {
            const char* const from = at_;
            if (!string(text, "lost")) return false;
            header.lost_is_exact = text == "exact";
            if (header.lost_is_exact || text == "told") return true;
            at_ = from;
            return fail(fmt::format("lost: found '{}'; allowed are exact and told", text));
        }
        case Field::Note:
        case Field::None:
            break;
    }
    return skip_value(0);
}

bool JsonLines::judge_header(const Record& record, Header& header) {
    if (version_ != 1)
        return fail(fmt::format("a history of format {}; this program reads format 1", version_));
    constexpr std::uint32_t of_lines = (1U << static_cast<int>(Field::Ttl)) - 1;
    if ((seen_ & of_lines) != 0)
        return fail(
            "the line with lockstep_history says what goes for the whole history: it has "
            "clock_error, ttl, drift_ppm, lost and note, and nothing of an operation");
    if (record.ttl) header.ttl = record.ttl.value;
    if (header.drift_ppm && header.drift_ppm.value >= 1'000'000)
        return fail(fmt::format("drift_ppm: found {}; allowed is less than 1000000",
                                header.drift_ppm.value));
    return true;
}

bool JsonLines::complete(const Record& record) {
    constexpr std::uint32_t of_header =
        ((1U << static_cast<int>(Field::Note)) - 1) ^ ((1U << static_cast<int>(Field::Format)) - 1);
    if ((seen_ & of_header) != 0)
        return fail(
            "clock_error, drift_ppm and lost belong into a first line with "
            "\"lockstep_history\": 1");
    constexpr std::array needed{Field::Time, Field::Process, Field::Op, Field::Type};
    for (const Field field : needed) {
        if ((seen_ >> static_cast<int>(field) & 1) != 0) continue;
        if (field == Field::Type && record.op == Op::Lost) continue;
        return fail(fmt::format("'{}' is missing; every line has time, process, op and type",
                                field_names[static_cast<std::size_t>(field)]));
    }
    return true;
}

void JsonLines::skip_space() {
    while (at_ != end_ && is_space(*at_)) ++at_;
}

bool JsonLines::fail(std::string message) {
    problem_.message = std::move(message);
    problem_.column = static_cast<int>(at_ - start_) + 1;
    return false;
}

/// What stands here, for a person.
std::string JsonLines::found() const {
    if (at_ == end_) return "the end of the line";
    const auto size = std::min<std::ptrdiff_t>(end_ - at_, 12);
    std::string text;
    for (const char c : std::string_view(at_, static_cast<std::size_t>(size))) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte > 0x7e) {
            if (text.empty()) return fmt::format("the byte 0x{:02x}", byte);
            break;
        }
        text += c;
    }
    return fmt::format("'{}{}'", text, end_ - at_ > size ? "..." : "");
}

bool JsonLines::fail_here(std::string_view what, std::string_view allowed) {
    return fail(fmt::format("{}{}found {}; allowed is {}", what, what.empty() ? "" : ": ", found(),
                            allowed));
}

bool JsonLines::take(char c, std::string_view allowed) {
    if (at_ == end_ || *at_ != c) return fail_here("", allowed);
    ++at_;
    return true;
}

bool JsonLines::string(std::string_view& out, std::string_view what) {
    if (at_ == end_ || *at_ != '"') return fail_here(what, "a text in double quotes");
    const char* const from = ++at_;
    bool ascii = true;
    for (; at_ != end_; ++at_) {
        const auto c = static_cast<unsigned char>(*at_);
        if (c == '"') {
            out = std::string_view(from, static_cast<std::size_t>(at_ - from));
            ++at_;
            return ascii || is_utf8(out) || fail(fmt::format("{}: the text is not UTF-8", what));
        }
        if (c == '\\') return escaped(out, from, what);
        if (c < 0x20) return fail_here(what, "no control character in a text");
        ascii &= c < 0x80;
    }
    return fail(fmt::format("{}: the text has no end", what));
}

bool JsonLines::name(std::string_view& out, std::string_view what) {
    const char* const from = at_;
    if (at_ != end_ && *at_ == '"') {
        if (!string(out, what)) return false;
        if (!out.empty()) return true;
        at_ = from;
        return fail(fmt::format("{}: found an empty text; leave the field out instead", what));
    }
    while (at_ != end_ && is_digit(*at_)) ++at_;
    out = std::string_view(from, static_cast<std::size_t>(at_ - from));
    const bool ends = at_ == end_ || *at_ == ',' || *at_ == '}' || is_space(*at_);
    if (!out.empty() && ends) return true;
    at_ = from;
    return fail_here(what, "a text in double quotes or a whole number");
}

template <class T>
bool JsonLines::number(Maybe<T>& out, std::string_view what) {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    const char* const from = at_;
    std::uint64_t value = 0;
    bool fits = true;
    for (; at_ != end_ && is_digit(*at_); ++at_) {
        const auto digit = static_cast<std::uint64_t>(*at_ - '0');
        fits = fits && value <= (most - digit) / 10;
        value = value * 10 + digit;
    }
    const bool ends = at_ == end_ || *at_ == ',' || *at_ == '}' || is_space(*at_);
    const bool padded = at_ - from > 1 && *from == '0';
    if (at_ == from || !ends || padded) {
        at_ = from;
        return fail_here(what, std::numeric_limits<T>::is_signed
                                   ? "a whole number of nanoseconds, such as 1500000000"
                                   : "a whole number");
    }
    if (!fits) {
        const std::string digits(from, at_);
        at_ = from;
        return fail(fmt::format("{}: found {}; allowed is at most {}", what, digits, most));
    }
    out = static_cast<T>(value);
    return true;
}

bool JsonLines::op(Record& record) {
    const char* const from = at_;
    std::string_view text;
    if (!string(text, "op")) return false;
    const int position = position_of(text, op_names);
    if (position < 0) {
        at_ = from;
        return fail(fmt::format(
            "op: found '{}'; allowed are acquire, renew, release, write, read and lost", text));
    }
    record.op = static_cast<Op>(position);
    return true;
}

bool JsonLines::kind(Record& record) {
    const char* const from = at_;
    std::string_view text;
    if (!string(text, "type")) return false;
    const int position = position_of(text, kind_names);
    if (position < 0) {
        at_ = from;
        return fail(fmt::format("type: found '{}'; allowed are call, ok, no and unknown", text));
    }
    record.kind = static_cast<Kind>(position);
    return true;
}

bool JsonLines::null() {
    if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with("null"))
        return false;
    at_ += 4;
    return true;
}

}  // namespace lockstep::history
