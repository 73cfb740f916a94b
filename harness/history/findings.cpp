#include "harness/history/findings.hpp"

#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::history {

std::string_view to_string(State state) {
    constexpr std::array<std::string_view, 4> texts{"held", "violated", "undecidable", "idle"};
    return texts[static_cast<std::size_t>(state)];
}

void Findings::note(PropertyId id, Evidence evidence) {
    constexpr std::size_t told = 3;
    Finding& finding = at(id);
    if (finding.notes.size() < told)
        finding.notes.push_back(std::move(evidence));
    else
        ++finding.more_notes;
}

void Findings::doubt(PropertyId id, std::int64_t within, std::string_view otherwise) {
    Entry& entry = all_[static_cast<std::size_t>(id)];
    if (otherwise.empty())
        entry.within = std::min(entry.within, within);
    else if (std::ranges::find(entry.otherwise, otherwise) == entry.otherwise.end())
        entry.otherwise.emplace_back(otherwise);
}

std::vector<Finding> Findings::finish() {
    std::vector<Finding> out;
    for (std::size_t i = 0; i < all_.size(); ++i) {
        Entry& entry = all_[i];
        Finding& finding = entry.finding;
        finding.id = static_cast<PropertyId>(i);
        finding.state = finding.violations > 0  ? State::Violated
                        : finding.undecided > 0 ? State::Undecidable
                        : finding.checks > 0    ? State::Held
                                                : State::Idle;
        if (entry.within == 0)
            finding.decided_by = "stamps that differ: these are equal";
        else if (entry.within != INT64_MAX)
            finding.decided_by = fmt::format("a clock error of at most {}",
                                             harness::span_text(Duration{entry.within}));
        for (const std::string& other : entry.otherwise)
            finding.decided_by += (finding.decided_by.empty() ? "" : "; ") + other;
        out.push_back(std::move(finding));
    }
    return out;
}

}  // namespace lockstep::history
