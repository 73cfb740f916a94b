#pragma once

#include "core/base/result.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace lockstep::data {

/// So many values in (from, up_to].
struct HdrCount {
    std::int64_t from = 0;
    std::int64_t up_to = 0;
    std::uint64_t count = 0;
};

/// A histogram as HdrHistogram puts it into logs: base64 of its second encoding, compressed.
Result<std::vector<HdrCount>> decode_hdr(std::string_view base64);

}  // namespace lockstep::data
