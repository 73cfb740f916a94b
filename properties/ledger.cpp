#include "properties/ledger.hpp"

#include <algorithm>
#include <tuple>

namespace lockstep::properties {
namespace {

bool no_later(const Stamp& a, const Stamp& b) {
    return std::tie(a.at, a.ordinal) <= std::tie(b.at, b.ordinal);
}

/// What the property needs in this run. Where a scenario expects lost updates because it fences
/// less, there is nothing to excuse them.
std::vector<Need> needs_of(const Description& description, const Setup& setup) {
    const bool fences_less =
        setup.fencing == FencingMode::WriteOnly || setup.fencing == FencingMode::None;
    if (description.id == PropertyId::Fence2 && fences_less) return {};
    return {description.needs.begin(), description.needs.begin() + description.need_count};
}

}  // namespace

void Assumptions::broken(const Stamp& stamp, Need need) {
    const bool known =
        std::any_of(breaks_.begin(), breaks_.end(), [&](const Break& b) { return b.need == need; });
    if (!known) breaks_.push_back({need, stamp});
}

std::optional<Need> Assumptions::broken_by(const Stamp& stamp,
                                           const std::vector<Need>& needs) const {
    for (const Break& b : breaks_) {
        if (!no_later(b.since, stamp)) continue;
        if (std::find(needs.begin(), needs.end(), b.need) != needs.end()) return b.need;
    }
    return std::nullopt;
}

bool Assumptions::any_broken(const std::vector<Need>& needs) const {
    return std::any_of(breaks_.begin(), breaks_.end(), [&](const Break& b) {
        return std::find(needs.begin(), needs.end(), b.need) != needs.end();
    });
}

Ledger::Ledger(const Setup& setup) {
    for (const PropertyId id : all_properties())
        entries_[index(id)].needs = needs_of(describe(id), setup);
}

void Ledger::keep(PropertyId id, const Stamp& stamp, std::string evidence) {
    Entry& entry = entries_[index(id)];
    entry.first = Violation{id, stamp.at, stamp.ordinal, std::move(evidence),
                            assumptions_.broken_by(stamp, entry.needs)};
}

std::vector<Report> Ledger::reports() const {
    std::vector<Report> all;
    all.reserve(entries_.size());
    for (const PropertyId id : all_properties()) {
        const Entry& entry = entries_[index(id)];
        Verdict verdict = Verdict::Held;
        if (entry.first)
            verdict = entry.first->excused_by ? Verdict::Excused : Verdict::Violated;
        else if (entry.checks == 0 || entry.forgone)
            verdict = Verdict::Idle;
        const std::uint64_t checks = entry.forgone ? 0 : entry.checks;
        all.push_back({id, verdict, entry.first, entry.violations, checks, entry.needs,
                       assumptions_.any_broken(entry.needs)});
    }
    return all;
}

}  // namespace lockstep::properties
