#pragma once

#include "core/base/assert.hpp"
#include "core/raft/types.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep::raft {

/// The last indices of the appends that are on the way to a peer, oldest first.
class InflightWindow {
public:
    explicit InflightWindow(std::size_t capacity) : ring_(capacity) {}

    bool empty() const { return size_ == 0; }
    bool full() const { return size_ == ring_.size(); }
    void push(LogIndex last) {
        LOCKSTEP_ASSERT(!full(), "capacity={}", ring_.size());
        ring_[(head_ + size_++) % ring_.size()] = last;
    }
    /// What ends at or before `index` has arrived.
    void acknowledge(LogIndex index) {
        for (; size_ > 0 && ring_[head_] <= index; --size_) head_ = (head_ + 1) % ring_.size();
    }
    void clear() { size_ = 0; }

private:
    std::vector<LogIndex> ring_;
    std::size_t head_ = 0;
    std::size_t size_ = 0;
};

/// What a leader knows of another member, and how it sends to it:
///
///   Probe      where the logs agree is not known: one append at a time
///   Replicate  it is known: a window of appends, sent before the earlier ones are answered
///   Snapshot   the peer needs what the log no longer holds: nothing until the snapshot has arrived
struct Peer {
    enum class Mode : std::uint8_t { Probe, Replicate, Snapshot };

    Peer(NodeId peer, LogIndex next_index, LocalTime now, std::size_t window_size)
        : id(peer), next(next_index), heard_at(now), moved_at(now), window(window_size) {}

    NodeId id;
    Mode mode = Mode::Probe;
    bool probing = false;  ///< in Probe: one is on the way
    LogIndex match;        ///< agrees and is durable there, up to here
    LogIndex next;         ///< first entry to send; above match
    std::uint64_t round_acked = 0;
    LocalTime heard_at;
    LocalTime moved_at;  ///< when match rose last, or the first in flight was sent
    InflightWindow window;

    void probe_from(LogIndex first) {
        LOCKSTEP_ASSERT(first > match, "first={} match={}", first.value, match.value);
        mode = Mode::Probe;
        probing = false;
        next = first;
        window.clear();
    }
    void replicate() {
        mode = Mode::Replicate;
        next = match.next();
        window.clear();
    }
};

}  // namespace lockstep::raft
