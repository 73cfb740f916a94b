#include "harness/history/edn_forms.hpp"

#include "harness/data/line_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lockstep::history {
namespace {

/// A comma is white space in EDN.
bool is_space(char c) {
    return c == ' ' || c == ',' || c == '\t' || c == '\r' || c == '\n';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool opens(char c) {
    return c == '{' || c == '[' || c == '(';
}
bool closes(char c) {
    return c == '}' || c == ']' || c == ')';
}

/// Where the form that begins at `at` ends; npos if it does not.
std::size_t end_of_form(std::string_view text, std::size_t at) {
    int depth = 0;
    while (at < text.size()) {
        const char c = text[at];
        if (c == '"') {
            for (++at; at < text.size() && text[at] != '"'; ++at)
                if (text[at] == '\\') ++at;
            if (at >= text.size()) return std::string_view::npos;
            ++at;
        } else if (c == ';') {
            at = text.find('\n', at);
            if (at == std::string_view::npos) return at;
            continue;
        } else if (opens(c)) {
            ++depth;
            ++at;
        } else if (closes(c)) {
            if (depth == 0) return at;
            --depth;
            ++at;
        } else if (is_space(c)) {
            ++at;
            continue;
        } else {
            at += c == '\\' ? 2 : 1;  // a character, whatever it is
            while (at < text.size() && !is_space(text[at]) && !opens(text[at]) &&
                   !closes(text[at]) && text[at] != '"' && text[at] != ';')
                ++at;
            // A tag belongs to the form after it.
            if (c == '#') continue;
        }
        if (depth == 0) return std::min(at, text.size());
    }
    return std::string_view::npos;
}

/// A name without what EDN puts around it.
std::string_view bare(std::string_view text) {
    if (text.size() >= 2 && text.front() == '"') return text.substr(1, text.size() - 2);
    if (text.starts_with(':')) return text.substr(1);
    return text;
}

bool is_whole(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, is_digit);
}

}  // namespace

bool EdnForms::fail(std::string message) {
    problem_ = {std::move(message), 0};
    return false;
}

Got EdnForms::read(std::string_view line, std::uint64_t number, Record& record) {
    text_.erase(0, at_);
    at_ = 0;
    if (text_.empty()) first_line_ = number;
    line_ = number;
    text_.append(line);
    text_ += '\n';
    return more(record);
}

Got EdnForms::more(Record& record) {
    for (;;) {
        end_ = text_.size();
        space();
        // Maps may be in one vector or list, and may have tags.
        while (at_ < text_.size() &&
               (text_[at_] == '[' || text_[at_] == '(' || text_[at_] == ']' || text_[at_] == ')')) {
            ++at_;
            space();
        }
        if (at_ == text_.size()) return Got::Nothing;
        if (at_ > 0 && line_ != first_line_ && text_[at_ - 1] == '\n') first_line_ = line_;
        const std::size_t tag = at_;
        if (text_[at_] == '#') {
            while (at_ < text_.size() && text_[at_] != '{' && !is_space(text_[at_])) ++at_;
            space();
        }
        if (at_ == text_.size()) {
            at_ = tag;
            return Got::Nothing;
        }
        if (text_[at_] != '{') {
            const auto rest = std::string_view(text_).substr(at_, 12);
            fail(
                fmt::format("found '{}'; allowed is a map of an operation, "
                            "{{:process 0, :type :invoke, :f :acquire, :time 12}}",
                            rest.substr(0, rest.find('\n'))));
            return Got::Bad;
        }
        const std::size_t end = end_of_form(text_, at_);
        if (end == std::string::npos) {
            at_ = tag;
            if (text_.size() - at_ <= data::LineSource::longest_line) return Got::Nothing;
            fail("a map that is longer than any operation's");
            return Got::Bad;
        }
        end_ = end;
        if (!map(record)) return Got::Bad;
        at_ = end;
        if (client_) {
            record.line = first_line_;
            return Got::Record;
        }
    }
}

bool EdnForms::complete() {
    end_ = text_.size();
    space();
    return at_ == text_.size() || fail("the map that begins here has no end: is the file cut off?");
}

void EdnForms::space() {
    while (at_ < end_) {
        if (text_[at_] == ';')
            at_ = std::min(text_.find('\n', at_), end_);
        else if (is_space(text_[at_]))
            ++at_;
        else
            return;
    }
}

/// The next form of the map, as it is written.
std::string_view EdnForms::form() {
    space();
    const std::size_t from = at_;
    const std::string_view within(text_.data(), end_);
    const std::size_t end = end_of_form(within, at_);
    at_ = std::min(end, end_);
    return within.substr(from, at_ - from);
}

bool EdnForms::map(Record& record) {
    record = {};
    has_ = 0;
    client_ = true;
    ++at_;
    --end_;  // what closes the map
    for (space(); at_ < end_; space()) {
        const std::string_view key = form();
        if (key.empty()) return fail("a bracket that closes nothing");
        space();
        if (at_ >= end_) return fail(fmt::format("'{}' has no value", key));
        const std::size_t before = at_;
        if (!pair(key, record)) return false;
        if (at_ == before) return fail(fmt::format("'{}' has no value", key));
    }
    if (!client_) return true;
    constexpr std::array<std::string_view, 4> names{":process", ":type", ":f", ":time"};
    for (std::size_t i = 0; i < names.size(); ++i)
        if ((has_ >> i & 1) == 0)
            return fail(fmt::format("'{}' is missing; every map has :process, :type, :f and :time",
                                    names[i]));
    return true;
}

bool EdnForms::pair(std::string_view key, Record& record) {
    const auto name = [&](std::string_view& out) {
        out = bare(form());
        return is_utf8(out) || fail(fmt::format("{}: the text is not UTF-8", key));
    };
    if (key == ":process") {
        has_ |= HasProcess;
        const std::string_view text = form();
        // :nemesis and its like act on the world, not on locks.
        if (!is_whole(text)) client_ = false;
        record.process = text;
        return true;
    }
    if (key == ":type") return type(form(), record);
    if (key == ":f") return f(form(), record);
    if (key == ":value") return value(record);
    if (key == ":lock") return name(record.lock);
    if (key == ":session") return name(record.session);
    if (key == ":time") {
        has_ |= HasTime;
        std::uint64_t time = 0;
        if (!whole(key, INT64_MAX, time)) return false;
        record.time = static_cast<std::int64_t>(time);
        return true;
    }
    form();
    return true;
}

bool EdnForms::type(std::string_view text, Record& record) {
    has_ |= HasType;
    constexpr std::array<std::string_view, 4> names{":invoke", ":ok", ":fail", ":info"};
    const auto found = std::ranges::find(names, text);
    if (found == names.end())
        return fail(
            fmt::format(":type: found '{}'; allowed are :invoke, :ok, :fail and :info", text));
    record.kind = static_cast<Kind>(found - names.begin());
    return true;
}

bool EdnForms::f(std::string_view text, Record& record) {
    has_ |= HasF;
    for (const Op op : {Op::Acquire, Op::Renew, Op::Release, Op::Write, Op::Read, Op::Lost}) {
        if (bare(text) != to_string(op)) continue;
        record.op = op;
        return true;
    }
    if (!client_) return true;
    return fail(fmt::format(
        ":f: found '{}'; allowed are :acquire, :release, :renew, :write, :read and :lost", text));
}

/// Mutex tests leave :value nil, or put the token there.
bool EdnForms::value(Record& record) {
    std::uint64_t token = 0;
    if (is_digit(text_[at_])) {
        if (!whole(":value", UINT64_MAX, token)) return false;
        record.token = token;
        return true;
    }
    const std::string_view all = form();
    const std::size_t fence = all.starts_with('{') ? all.find(":fence ") : std::string_view::npos;
    if (fence == std::string_view::npos) return true;
    const std::size_t after = at_;
    at_ = static_cast<std::size_t>(all.data() - text_.data()) + fence + 7;
    space();
    if (is_digit(text_[at_])) {
        if (!whole(":fence", UINT64_MAX, token)) return false;
        record.token = token;
    }
    at_ = after;
    return true;
}

bool EdnForms::whole(std::string_view key, std::uint64_t most, std::uint64_t& out) {
    const std::string_view text = form();
    out = 0;
    for (const char c : text) {
        if (!is_digit(c))
            return fail(fmt::format("{}: found '{}'; allowed is a whole number", key, text));
        const auto digit = static_cast<std::uint64_t>(c - '0');
        if (out > (most - digit) / 10)
            return fail(fmt::format("{}: found {}; allowed is at most {}", key, text, most));
        out = out * 10 + digit;
    }
    return !text.empty() || fail(fmt::format("'{}' has no value", key));
}

}  // namespace lockstep::history
