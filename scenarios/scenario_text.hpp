#pragma once

#include "core/base/result.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace lockstep::scenario {

inline constexpr std::size_t largest_file = 1
                                            << 18;  ///< bytes; a thousand faults take a third of it
inline constexpr int deepest_nesting = 32;          ///< of brackets, and of parts of a dotted key

/// What must be true of bytes before a TOML parser sees them: not too many, UTF-8, no control
/// characters but tab and line ends, brackets and dotted keys not nested too deep. Parsers of TOML
/// recurse, and some abort on bytes that are not text (docs/adr/0001-toml-library.md). The error
/// has the line; the caller adds the file.
std::optional<Error> refuse_text(std::string_view text);

}  // namespace lockstep::scenario
