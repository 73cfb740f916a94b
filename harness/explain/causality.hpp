#pragma once

#include "harness/explain/chronicle.hpp"

#include <vector>

namespace lockstep::harness {

/// What must have happened before what: the order within a process, a message's sending before its
/// taking, the end of a hold before the next grant of its lock, a proposal before its effect, a
/// session's end before that of its locks, a fault before what it did.
class Causality {
public:
    explicit Causality(const Chronicle& log);

    /// What comes directly before the place, the same process's last first.
    const std::vector<Place>& before(Place place) const { return before_[place]; }
    /// For each place of the log whether it can have led to that one, itself included.
    std::vector<bool> past_of(Place place) const;
    /// The sending of the message that the process had just taken when this happened, in the same
    /// instant; nowhere if there is none.
    Place message_behind(Place place) const;

private:
    const Chronicle& log_;
    std::vector<std::vector<Place>> before_;
};

}  // namespace lockstep::harness
