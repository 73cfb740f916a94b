#pragma once

#include "harness/history/record.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace lockstep::history {

/// What became of a line.
enum class Got : std::uint8_t { Record, Header, Nothing, Bad };

/// Why a line was refused: what was found, and what is allowed. Columns count from 1.
struct Problem {
    std::string message;
    int column = 0;
};

/// Reads a history's lines, one JSON object each. Written by hand because histories have millions
/// of lines of a dozen known fields: it makes no tree and copies no text, but for escaped ones.
class JsonLines {
public:
    Got read(std::string_view text, Record& record, Header& header);
    const Problem& problem() const { return problem_; }

private:
    enum class Field : std::uint8_t;

    bool object(Record& record, Header& header);
    bool member(Record& record, Header& header);
    bool value_of(Field field, Record& record, Header& header);
    bool judge_header(const Record& record, Header& header);
    bool complete(const Record& record);

    void skip_space();
    bool fail(std::string message);
    bool fail_here(std::string_view what, std::string_view allowed);
    bool take(char c, std::string_view allowed);
    bool string(std::string_view& out, std::string_view what);
    bool escaped(std::string_view& out, const char* from, std::string_view what);
    bool escape(std::string& out);
    bool name(std::string_view& out, std::string_view what);
    template <class T>
    bool number(Maybe<T>& out, std::string_view what);
    bool op(Record& record);
    bool kind(Record& record);
    bool skip_value(int depth);
    bool null();
    std::string found() const;

    const char* start_ = nullptr;
    const char* at_ = nullptr;
    const char* end_ = nullptr;
    std::uint32_t seen_ = 0;  ///< a bit for each field
    std::uint64_t version_ = 0;
    std::array<std::string, 6> unescaped_;  ///< of a line with many escaped texts, all but six fail
    std::size_t unescaped_count_ = 0;
    Problem problem_;
};

/// Whether the bytes are UTF-8.
bool is_utf8(std::string_view text);

}  // namespace lockstep::history
