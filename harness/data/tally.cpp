#include "harness/data/tally.hpp"

#include <algorithm>
#include <bit>

namespace lockstep::data {

std::size_t Tally::slot_of(std::uint64_t ns) {
    if (ns < (std::uint64_t{1} << (precision + 1))) return ns;
    const auto shift = static_cast<unsigned>(std::bit_width(ns)) - precision - 1;
    return (static_cast<std::size_t>(shift) << precision) + (ns >> shift);
}

std::uint64_t Tally::middle_of(std::size_t slot) {
    if (slot < (std::size_t{1} << (precision + 1))) return slot;
    const std::size_t shift = (slot >> precision) - 1;
    const std::uint64_t lowest = (slot - (shift << precision)) << shift;
    return lowest + (std::uint64_t{1} << shift) / 2;
}

void Tally::add(const Point& point) {
    const auto slot =
        slot_of(static_cast<std::uint64_t>(std::max<std::int64_t>(point.length.ns, 0)));
    if (slot >= slots_.size()) slots_.resize(slot + 1);
    ++slots_[slot];
    if (count_ == 0 || point.length > longest_.length) longest_ = point;
    ++count_;
    total_ = total_ > Duration::max() - point.length ? Duration::max() : total_ + point.length;
}

void Tally::add(const Tally& other) {
    if (other.count_ == 0) return;
    if (other.slots_.size() > slots_.size()) slots_.resize(other.slots_.size());
    for (std::size_t i = 0; i < other.slots_.size(); ++i) slots_[i] += other.slots_[i];
    if (count_ == 0 || other.longest_.length > longest_.length) longest_ = other.longest_;
    count_ += other.count_;
    total_ = total_ > Duration::max() - other.total_ ? Duration::max() : total_ + other.total_;
}

std::optional<Duration> Tally::quantile(std::uint64_t share) const {
    constexpr std::uint64_t all = 1'000'000;
    if (count_ == 0 || share > all) return std::nullopt;
    if (share < all && static_cast<unsigned __int128>(count_) * (all - share) < all)
        return std::nullopt;
    // The smallest length that so many do not exceed.
    const auto rank = static_cast<std::uint64_t>(
        (static_cast<unsigned __int128>(count_) * share + all - 1) / all);
    std::uint64_t seen = 0;
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
        seen += slots_[slot];
        if (seen < rank || seen == 0) continue;
        const auto middle = static_cast<std::int64_t>(middle_of(slot));
        return std::min(Duration{middle}, longest_.length);
    }
    return longest_.length;
}

std::uint64_t Tally::longer_than(Duration length) const {
    if (length.ns < 0) return count_;
    std::uint64_t longer = 0;
    for (std::size_t slot = slot_of(static_cast<std::uint64_t>(length.ns)) + 1;
         slot < slots_.size(); ++slot)
        longer += slots_[slot];
    return longer;
}

Tally tally_of(const Series& series) {
    Tally tally;
    for (const Point& point : series.points) tally.add(point);
    return tally;
}

}  // namespace lockstep::data
