#pragma once

#include "tests/layout/source_tree.hpp"

/// What may not be used where runs must come out the same on every machine (docs/determinism.md).
namespace lockstep::test::layout {

struct Finding {
    int line;
    std::string_view rule;  ///< `unordered`, `pointer-key`, `static-state`, ...
    std::string what;
};

/// core/, sim/, properties/ (without rapid/) and scenarios/.
bool is_deterministic_code(std::string_view path);

/// Everything in the text that a rule forbids in that file, by line; exceptions are not asked for.
std::vector<Finding> findings_in(std::string_view path, std::string_view text);

/// A file that may do what the rule forbids, and why.
struct Exception {
    std::string_view path;
    std::string_view rule;
    std::string_view reason;
};
const std::vector<Exception>& exceptions();
bool excepted(std::string_view path, std::string_view rule);

}  // namespace lockstep::test::layout
