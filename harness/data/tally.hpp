#pragma once

#include "harness/data/series.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace lockstep::data {

/// How lengths are distributed, in constant memory: to 0.1% of a length.
class Tally {
public:
    void add(const Point& point);
    void add(const Tally& other);
    /// The longest lies so much later, in that file.
    void move_longest(Duration by, std::uint32_t file) {
        longest_.at += by;
        longest_.file = file;
    }

    std::uint64_t count() const { return count_; }
    /// All lengths together; no more than Duration::max().
    Duration total() const { return total_; }
    /// The first of the longest.
    const Point& longest() const { return longest_; }
    /// The length that `share` (parts per million) of all do not exceed. None if there are too few
    /// to tell it from the longest: 999,900 takes 10,000.
    std::optional<Duration> quantile(std::uint64_t share) const;
    /// How many are longer.
    std::uint64_t longer_than(Duration length) const;

private:
    static constexpr unsigned precision = 10;  ///< bits of a length that count

    static std::size_t slot_of(std::uint64_t ns);
    static std::uint64_t middle_of(std::size_t slot);

    std::vector<std::uint64_t> slots_;
    std::uint64_t count_ = 0;
    Duration total_;
    Point longest_;
};

/// Of a series that has points.
Tally tally_of(const Series& series);

}  // namespace lockstep::data
