#include "core/base/assert.hpp"

namespace lockstep {

void assertion_failed(const char* condition, const char* file, int line,
                      const std::string& values) {
    throw AssertionFailed(
        fmt::format("{}:{}: assertion failed: {}: {}", file, line, condition, values));
}

}  // namespace lockstep
