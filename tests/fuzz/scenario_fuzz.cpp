// Whatever the bytes, the reader of scenarios gives a scenario that can be run, or says what is
// wrong. A scenario that it gives, written down, reads back as an equal one.
#include "scenarios/resolve.hpp"
#include "scenarios/scenario_toml.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lockstep;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto read = scenario::parse_scenario(text, "fuzz.toml");
    if (!read) {
        fuzz::demand(!scenario::to_string(read.error()).empty(), "an error that says nothing");
        return 0;
    }
    const auto again = scenario::parse_scenario(scenario::to_toml(read.value()), "again.toml");
    fuzz::demand(again.ok(), "what was written does not read back");
    fuzz::demand(again.value() == read.value(), "what was written reads back as another scenario");
    (void)scenario::resolve(read.value(), 1);
    return 0;
}
