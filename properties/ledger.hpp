#pragma once

#include "properties/property.hpp"
#include "properties/setup.hpp"

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::properties {

/// Which assumptions were in fact broken, by which kind of process, and when first.
class Assumptions {
public:
    void broken(const Stamp& stamp, Need need);
    /// The first of the needs that was broken no later than at the stamp.
    std::optional<Need> broken_by(const Stamp& stamp, const std::vector<Need>& needs) const;
    /// Whether any of the needs was ever broken.
    bool any_broken(const std::vector<Need>& needs) const;

private:
    struct Break {
        Need need;
        Stamp since;
    };
    std::vector<Break> breaks_;
};

/// What became of each property: the one place that knows of verdicts and excuses.
class Ledger {
public:
    explicit Ledger(const Setup& setup);

    /// The property compared something that could have been otherwise.
    void checked(PropertyId id) { ++entries_[index(id)].checks; }
    /// The property is violated. `evidence()` makes the sentence; it is called for the first time
    /// only, and once more if an excused violation hides one without excuse, which may be reported
    /// later and date from before.
    template <class Evidence>
    void object(PropertyId id, const Stamp& stamp, Evidence&& evidence) {
        ++violations_;
        Entry& entry = entries_[index(id)];
        const bool first = entry.violations++ == 0;
        if (first || (entry.first->excused_by && !assumptions_.broken_by(stamp, entry.needs)))
            keep(id, stamp, std::forward<Evidence>(evidence)());
    }
    /// What was checked of the property proves nothing: it counts as idle, unless it is violated.
    void forgo(PropertyId id) { entries_[index(id)].forgone = true; }
    void broken(const Stamp& stamp, Need need) { assumptions_.broken(stamp, need); }

    std::vector<Report> reports() const;
    std::uint64_t violations() const { return violations_; }

private:
    struct Entry {
        std::uint64_t checks = 0;
        std::uint64_t violations = 0;
        bool forgone = false;
        std::optional<Violation> first;
        std::vector<Need> needs;
    };
    static constexpr std::size_t index(PropertyId id) { return static_cast<std::size_t>(id); }
    void keep(PropertyId id, const Stamp& stamp, std::string evidence);

    std::array<Entry, property_count> entries_;
    Assumptions assumptions_;
    std::uint64_t violations_ = 0;
};

}  // namespace lockstep::properties
