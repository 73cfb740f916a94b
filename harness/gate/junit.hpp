#pragma once

#include "harness/batch.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::harness {

/// For an XML document, in text and in quotes. What XML 1.0 cannot hold (control characters, bytes
/// that are not UTF-8, U+FFFE and U+FFFF) comes out as "\x1b"; tabs and line ends stay.
std::string xml_text(std::string_view text);

struct JunitCase {
    enum class Result : std::uint8_t { Passed, Failed, Error, Skipped };
    std::string name;
    Result result = Result::Passed;
    std::string kind;     ///< of a failure, "LOCK-1"
    std::string message;  ///< a line
    std::string body;     ///< what there is to know
};
struct JunitSuite {
    std::string name;
    std::vector<JunitCase> cases;
};
/// A JUnit report as CI servers read it. It has no times: equal results are equal bytes.
std::string junit_text(std::string_view name, const std::vector<JunitSuite>& suites);

/// In which case of a suite a violation of the property is told; without one, a run that ended
/// badly.
std::string junit_case_of(const std::optional<properties::PropertyId>& property);

/// A suite a scenario; in each a case for how runs ended, one for each group of properties
/// ("LOCK"), and one for what is demanded of the batch. A failure has its evidence and the commands
/// that repeat it; doubts are errors; a group that was idle in every run is skipped.
std::vector<JunitSuite> junit_suites(const Batch& batch);
std::string batch_junit(const Batch& batch);

}  // namespace lockstep::harness
