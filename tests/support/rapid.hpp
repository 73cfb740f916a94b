#pragma once

#include "tests/support/catch.hpp"

#include <rapidcheck.h>

#include <sstream>
#include <string>
#include <unordered_map>
#include <utility>

namespace lockstep::test {

/// Checks a RapidCheck property inside a Catch2 test case. A failure prints the shrunk case and the
/// RC_PARAMS that replay it. (RapidCheck's own Catch2 header knows Catch2 v2 only and prints none.)
template <class Testable>
void check_property(const std::string& name, Testable&& testable) {
    rc::detail::TestMetadata metadata;
    metadata.id = name;
    metadata.description = name;
    const auto result = rc::detail::checkTestable(std::forward<Testable>(testable), metadata);
    std::ostringstream text;
    rc::detail::printResultMessage(result, text);
    if (result.template is<rc::detail::FailureResult>()) {
        rc::detail::Configuration configuration;
        configuration.reproduce.emplace(name,
                                        result.template get<rc::detail::FailureResult>().reproduce);
        text << "\nreplay with RC_PARAMS='" << rc::detail::configToMinimalString(configuration)
             << "'";
    }
    INFO(text.str());
    REQUIRE(result.template is<rc::detail::SuccessResult>());
}

}  // namespace lockstep::test
