#pragma once

#include "core/base/assert.hpp"
#include "core/base/strong.hpp"

#include <cstddef>
#include <vector>

namespace lockstep::properties {

/// Values by log index over one window (floor, top], both ends of which move. All operations take
/// constant time, but for growth, which doubles. A slot that was never written holds Value().
template <class Value>
class IndexRing {
public:
    LogIndex floor() const { return floor_; }  ///< the last index below the window
    LogIndex top() const { return top_; }      ///< the last index of the window
    bool holds(LogIndex i) const { return i > floor_ && i <= top_; }

    Value& at(LogIndex i) {
        LOCKSTEP_ASSERT(holds(i), "index={} floor={} top={}", i.value, floor_.value, top_.value);
        return slots_[i.value & mask_];
    }
    const Value& at(LogIndex i) const {
        LOCKSTEP_ASSERT(holds(i), "index={} floor={} top={}", i.value, floor_.value, top_.value);
        return slots_[i.value & mask_];
    }

    /// The value at the index, or null outside of the window.
    Value* find(LogIndex i) {
        if (i.value - floor_.value - 1 >= top_.value - floor_.value) return nullptr;
        return &slots_[i.value & mask_];
    }
    const Value* find(LogIndex i) const { return const_cast<IndexRing*>(this)->find(i); }

    /// Puts the value right behind the window if it belongs there and there is room.
    bool push(LogIndex i, const Value& value) {
        if (i != top_.next() || i.value - floor_.value > slots_.size()) return false;
        top_ = i;
        slots_[i.value & mask_] = value;
        return true;
    }

    /// Widens the window to include the index (above the floor). A gap of more than `max_gap` is no
    /// log's: the window then starts anew just below the index.
    void extend(LogIndex i) {
        LOCKSTEP_ASSERT(i > floor_, "index={} floor={}", i.value, floor_.value);
        if (i <= top_) return;
        if (i.value - top_.value > max_gap) restart(i.prev());
        if (i.value - floor_.value > slots_.size()) grow(i);
        while (top_ < i) {
            top_ = top_.next();
            slots_[top_.value & mask_] = Value();
        }
    }
    /// Forgets everything up to the index.
    void prune(LogIndex up_to) {
        if (up_to <= floor_) return;
        floor_ = up_to;
        if (top_ < floor_) top_ = floor_;
    }
    /// Takes the floor down; what the window gains is unwritten.
    void lower(LogIndex floor) {
        if (floor >= floor_) return;
        const LogIndex old = floor_;
        if (old.value - floor.value > max_gap) return restart(floor);
        if (top_.value - floor.value > slots_.size()) grow_from(floor, top_);
        floor_ = floor;
        for (LogIndex i = floor.next(); i <= old; i = i.next()) slots_[i.value & mask_] = Value();
    }
    /// Forgets everything above the index.
    void cut(LogIndex last) {
        if (last >= top_) return;
        if (last < floor_) floor_ = last;
        top_ = last;
    }
    /// An empty window after the index.
    void restart(LogIndex floor) { floor_ = top_ = floor; }

private:
    static constexpr std::uint64_t max_gap = std::uint64_t{1} << 20;

    void grow(LogIndex to) { grow_from(floor_, to); }
    void grow_from(LogIndex from, LogIndex to) {
        std::size_t size = slots_.empty() ? 64 : slots_.size();
        while (to.value - from.value > size) size *= 2;
        std::vector<Value> larger(size);
        for (LogIndex i = floor_.next(); i <= top_; i = i.next())
            larger[i.value & (size - 1)] = slots_[i.value & mask_];
        slots_.swap(larger);
        mask_ = size - 1;
    }

    LogIndex floor_;
    LogIndex top_;
    std::vector<Value> slots_;  ///< their number is a power of two
    std::uint64_t mask_ = 0;
};

}  // namespace lockstep::properties
