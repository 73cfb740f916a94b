#include "harness/explain/pinpoint.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::harness {
namespace {

constexpr std::uint64_t bar_width = 40;

std::string name_of(const std::vector<std::string>& names, sim::ProcessId process) {
    if (!process || process.value > names.size()) return "the world";
    return printable(names[process.value - 1]);
}

std::string percent(const FailureChance& chance) {
    return fmt::format("{}%", chance.failed * 100 / chance.runs);
}

/// What is sure is full, what may be is dotted.
std::string bar(const FailureChance& chance) {
    const auto [least, most] = interval_95(chance.failed, chance.runs);
    const auto columns = [](std::uint64_t per_mille) {
        return static_cast<std::size_t>((per_mille * bar_width + 500) / 1'000);
    };
    const std::size_t full = columns(chance.failed * 1'000 / chance.runs);
    const std::size_t sure = std::min(columns(least), full);
    const std::size_t possible = std::max(columns(most), full);
    return std::string(sure, '#') + std::string(full - sure, '=') +
           std::string(possible - full, '-') + std::string(bar_width - possible, ' ');
}

std::string verdict(const Pinpoint& p, const std::vector<std::string>& names) {
    if (p.chances.empty()) return "nothing was run to its end";
    const FailureChance& first = p.chances.front();
    if (!p.jump) {
        if (first.failed == first.runs)
            return fmt::format(
                "It fails whatever the luck: {} of {} runs whose luck was drawn anew from the "
                "beginning. What the scenario asks for decides.",
                first.failed, first.runs);
        return "Nowhere does the chance rise by more than may be chance itself; more --runs, or "
               "more --points, may tell.";
    }
    const FailureChance& before = p.chances[*p.jump - 1];
    const FailureChance& after = p.chances[*p.jump];
    std::string text =
        fmt::format("The chance jumps from {} to {} between {} and {}", percent(before),
                    percent(after), seconds_text(before.from.ns), seconds_text(after.from.ns));
    if (!p.happened) return text + ".";
    const bool inside = p.happened->at > before.from && p.happened->at <= after.from;
    return fmt::format(
        "{}{} {} {}{}.", text,
        inside ? ":" : fmt::format("; next, at {},", seconds_text(p.happened->at.ns)),
        name_of(names, p.happened->process), printable(p.happened->text),
        inside ? fmt::format(" (at {})", seconds_text(p.happened->at.ns)) : "");
}

}  // namespace

std::string pinpoint_text(const Pinpoint& p, const std::vector<std::string>& names,
                          const Paint& paint, std::size_t width) {
    std::string out = fmt::format("{:>10}  {:>6}  {:>9}\n", "from", "fails", "95%");
    for (std::size_t i = 0; i < p.chances.size(); ++i) {
        const FailureChance& chance = p.chances[i];
        const auto [least, most] = interval_95(chance.failed, chance.runs);
        const bool jump = p.jump && i == *p.jump;
        const std::string line = fmt::format(
            "{:>10}  {:>6}  {:>3} - {:>3}  |{}|{}", seconds_text(chance.from.ns), percent(chance),
            least / 10, (most + 9) / 10, bar(chance), jump ? "  <- here" : "");
        out += jump ? paint(Tone::Bad, line) : line;
        out += "\n";
    }
    out += "\n" + wrapped(verdict(p, names), 0, width, paint, Tone::Strong) + "\n";
    return out;
}

}  // namespace lockstep::harness
