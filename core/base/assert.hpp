#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace lockstep {

/// A mistake of this program's own, never of its input. A run that meets one ends with the
/// outcome `crashed`; a worker process that cannot unwind is ended by it and reported the same way.
class AssertionFailed : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line,
                                   const std::string& values);

}  // namespace lockstep

/// On in every build. The message carries the values: LOCKSTEP_ASSERT(a <= b, "a={} b={}", a, b).
#define LOCKSTEP_ASSERT(condition, ...)                                  \
    do {                                                                 \
        if (!(condition)) [[unlikely]]                                   \
            ::lockstep::assertion_failed(#condition, __FILE__, __LINE__, \
                                         ::fmt::format(__VA_ARGS__));    \
    } while (false)
