#include "harness/shrink/shrink.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

namespace lockstep::harness {
namespace {

/// As people say it: without digits that mean nothing next to a run's length.
std::string roughly(Duration d) {
    const Duration unit = d >= seconds(10)  ? seconds(1)
                          : d >= seconds(1) ? milliseconds(100)
                                            : milliseconds(1);
    return span_text(unit * ((d.ns + unit.ns / 2) / unit.ns));
}

}  // namespace

std::string reduction_text(const ScenarioSize& before, const ScenarioSize& after) {
    std::vector<std::string> parts;
    const auto fewer = [&](std::uint64_t from, std::uint64_t to, std::string_view word) {
        if (to < from)
            parts.push_back(fmt::format("{} {}{} to {}", from, word, from == 1 ? "" : "s", to));
    };
    fewer(before.faults, after.faults, "fault");
    fewer(before.servers, after.servers, "server");
    fewer(before.clients, after.clients, "client");
    fewer(before.locks, after.locks, "lock");
    if (roughly(after.horizon) != roughly(before.horizon))
        parts.push_back(fmt::format("{} to {}", roughly(before.horizon), roughly(after.horizon)));
    return parts.empty() ? "nothing can be taken away" : fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace lockstep::harness
