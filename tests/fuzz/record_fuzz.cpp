// Recovery of a protected resource takes any bytes, and what it found good is found again.
#include "core/resource/record_codec.hpp"
#include "tests/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lockstep;
    const auto bytes = fuzz::bytes_of(data, size);
    const auto found = resource::recover(bytes);
    fuzz::demand(found.valid_bytes <= bytes.size(), "more is valid than there is");
    const auto again = resource::recover(bytes.first(found.valid_bytes));
    fuzz::demand(again.valid_bytes == found.valid_bytes, "what was valid is no more");
    fuzz::demand(again.record == found.record, "what was recovered is no more");
    return 0;
}
