#pragma once

#include "harness/history/judge_file.hpp"
#include "harness/history/report.hpp"
#include "tests/support/catch.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

/// Histories made by hand, and what is judged of them.
namespace lockstep::test::histories {

using history::Finding;
using history::Given;
using history::Judgement;
using history::State;
using properties::PropertyId;

inline Result<Judgement> judged(const std::string& text, const Given& given = {}) {
    std::FILE* file = std::tmpfile();
    REQUIRE(file != nullptr);
    REQUIRE(std::fwrite(text.data(), 1, text.size(), file) == text.size());
    std::rewind(file);
    auto result = history::judge_file(::fileno(file), "h", given);
    std::fclose(file);
    return result;
}

inline Judgement judgement_of(const std::string& text, const Given& given = {}) {
    const auto result = judged(text, given);
    INFO(text.substr(0, 2'000));
    if (!result) INFO(result.error().line << ": " << result.error().message);
    REQUIRE(result.ok());
    return result.value();
}

inline const Finding& of(const Judgement& judgement, PropertyId id) {
    return judgement.findings[static_cast<std::size_t>(id)];
}

inline State state(const Judgement& judgement, PropertyId id) {
    return of(judgement, id).state;
}

/// The codes of the properties in this state, in their order: "LOCK-2 GRANT-1".
inline std::string in_state(const Judgement& judgement, State wanted) {
    std::string out;
    for (const Finding& finding : judgement.findings) {
        if (finding.state != wanted) continue;
        if (!out.empty()) out += ' ';
        out += properties::code_of(finding.id);
    }
    return out;
}

inline std::string read_bytes(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    REQUIRE(in.good());
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline std::string data(const std::string& name) {
    return read_bytes(std::string(LOCKSTEP_TEST_DIR) + "/histories/data/" + name);
}

/// With LOCKSTEP_UPDATE_GOLDEN set, `actual` is written there first: look at the difference.
inline std::string golden_report(const std::string& name, const std::string& actual) {
    const std::string path = std::string(LOCKSTEP_TEST_DIR) + "/histories/golden/" + name;
    if (std::getenv("LOCKSTEP_UPDATE_GOLDEN") != nullptr)
        std::ofstream(path, std::ios::binary) << actual;
    return read_bytes(path);
}

inline std::vector<std::string> lines_of_text(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        lines.push_back(text.substr(at, end - at));
        at = end == std::string::npos ? text.size() : end + 1;
    }
    return lines;
}

inline std::string joined(const std::vector<std::string>& lines) {
    std::string out;
    for (const std::string& line : lines) out += line + "\n";
    return out;
}

/// The text with the first occurrence of something replaced, which must be there.
inline std::string with(std::string text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    INFO(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

/// A line at so many milliseconds: `line(1'000, "a", "acquire", "call", "\"lock\":\"job\"")`.
inline std::string line(std::int64_t ms, std::string_view process, std::string_view op,
                        std::string_view type, std::string_view more = "") {
    std::string out = "{\"time\":" + std::to_string(ms * 1'000'000) + ",\"process\":\"";
    out.append(process).append("\",\"op\":\"").append(op).append("\",\"type\":\"");
    out.append(type).append("\"");
    if (!more.empty()) out.append(",").append(more);
    return out + "}\n";
}

}  // namespace lockstep::test::histories
