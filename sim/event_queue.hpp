#pragma once

#include "sim/types.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep::sim {

/// What a step does. The numbers are part of the digest.
enum class StepKind : std::uint32_t {
    Control = 1,       ///< a call that was asked for by World::at
    Message = 2,       ///< a message arrives at its destination
    Held = 3,          ///< a message of an ordered link meets a cut
    Timer = 4,         ///< a timer of a program
    FiberTimer = 5,    ///< a fiber's sleep or wait ends by the clock
    Fiber = 6,         ///< a fiber goes on: spawned, notified or yielding
    Io = 7,            ///< an operation of a device ends
    Deadline = 8,      ///< a clock reaches a watched deadline
    Backlog = 9,       ///< one thing that waited for a pause to end
    LinkTimeout = 10,  ///< a connection gives up
    ResetNotice = 11,  ///< one end hears that its connection is gone
};

/// One thing to happen. `slot` says which, by the kind.
struct QueueEntry {
    SimTime time;
    std::uint64_t tie = 0;
    std::uint64_t sequence = 0;
    StepKind kind{};
    std::uint32_t slot = 0;

    bool before(const QueueEntry& o) const {
        if (time != o.time) return time < o.time;
        if (tie != o.tie) return tie < o.tie;
        return sequence < o.sequence;
    }
};
static_assert(sizeof(QueueEntry) == 32);

/// A 4-ary heap ordered by (time, tie, sequence). Sequences count the pushes, from 1, so that no
/// two entries are equal and an owner recognises its own: entries are never removed, only disowned.
///
/// An entry that comes before all others stays beside the heap: a fiber that is woken at this very
/// instant, as most are, costs no sifting.
class EventQueue {
public:
    bool empty() const { return !has_first_ && heap_.empty(); }
    std::size_t size() const { return heap_.size() + (has_first_ ? 1 : 0); }
    /// Returns the entry's sequence.
    std::uint64_t push(SimTime time, std::uint64_t tie, StepKind kind, std::uint32_t slot) {
        const QueueEntry entry{time, tie, ++sequence_, kind, slot};
        if (has_first_) {
            if (entry.before(first_)) {
                rise(first_);
                first_ = entry;
            } else {
                rise(entry);
            }
        } else if (heap_.empty() || entry.before(heap_.front())) {
            first_ = entry;
            has_first_ = true;
        } else {
            rise(entry);
        }
        return sequence_;
    }

    /// Takes the one that comes first, if its time is not after `end`.
    bool take(SimTime end, QueueEntry& taken) {
        if (has_first_) {
            if (first_.time > end) return false;
            taken = first_;
            has_first_ = false;
            return true;
        }
        if (heap_.empty() || heap_.front().time > end) return false;
        taken = heap_.front();
        const QueueEntry last = heap_.back();
        heap_.pop_back();
        if (!heap_.empty()) sink(last);
        return true;
    }

private:
    void rise(const QueueEntry& entry) {
        heap_.push_back(entry);
        QueueEntry* const heap = heap_.data();
        std::size_t at = heap_.size() - 1;
        while (at > 0) {
            const std::size_t parent = (at - 1) / 4;
            if (!entry.before(heap[parent])) break;
            heap[at] = heap[parent];
            at = parent;
        }
        heap[at] = entry;
    }

    /// Fills the hole at the root.
    void sink(const QueueEntry& entry) {
        const std::size_t size = heap_.size();
        QueueEntry* const heap = heap_.data();
        QueueEntry* at = heap;
        for (std::size_t child = 1; child < size;) {
            QueueEntry* const first = heap + child;
            QueueEntry* least = first;
            if (child + 4 <= size) {
                QueueEntry* const left = first + (first[1].before(first[0]) ? 1 : 0);
                QueueEntry* const right = first + (first[3].before(first[2]) ? 3 : 2);
                least = right->before(*left) ? right : left;
            } else {
                for (QueueEntry* other = first + 1; other < heap + size; ++other)
                    if (other->before(*least)) least = other;
            }
            if (!least->before(entry)) break;
            *at = *least;
            at = least;
            child = 4 * static_cast<std::size_t>(at - heap) + 1;
        }
        *at = entry;
    }

    QueueEntry first_;
    bool has_first_ = false;
    std::vector<QueueEntry> heap_;
    std::uint64_t sequence_ = 0;
};

}  // namespace lockstep::sim
