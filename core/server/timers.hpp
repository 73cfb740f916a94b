#pragma once

#include "core/base/assert.hpp"
#include "core/base/flat_map.hpp"
#include "core/base/strong.hpp"
#include "core/base/time.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace lockstep::server {

/// What one leader times, on its own monotonic clock: leases, holds, delays. A renewal writes one
/// number: the heap keeps for each key a time at which it cannot be due before, and moves it when
/// that has come. A key that has ended must not be started again.
template <class Key>
class Timers {
public:
    /// Starts the full span at `now`.
    void start(const Key& key, Duration span, LocalTime now) { start(key, span, span, now); }
    /// Only `left` of the span is left at `now`; a renewal gives the full span.
    void start(const Key& key, Duration span, Duration left, LocalTime now) {
        LOCKSTEP_ASSERT(!running_.contains(key), "{} run", running_.size());
        const LocalTime due = end_of(left, now);
        running_[key] = {span, due};
        push({due, key});
    }
    /// The span runs anew from `from`, unless a later renewal came before.
    void renew(const Key& key, LocalTime from) {
        Timer* timer = running_.find(key);
        LOCKSTEP_ASSERT(timer != nullptr && !timer->taken, "{} run", running_.size());
        timer->due = std::max(timer->due, end_of(timer->span, from));
    }
    void end(const Key& key) { running_.erase(key); }
    /// Its end was taken, and proposed: it is renewed no more.
    bool taken(const Key& key) const {
        const Timer* timer = running_.find(key);
        return timer != nullptr && timer->taken;
    }

    /// A key whose span has run out by `now`, which is `taken` from then on; the earliest first.
    std::optional<Key> take_due(LocalTime now) {
        while (!heap_.empty() && heap_.front().at <= now) {
            const Key key = heap_.front().key;
            pop();
            Timer* timer = running_.find(key);
            if (timer == nullptr) continue;
            if (timer->due > now) {
                push({timer->due, key});
                continue;
            }
            timer->taken = true;
            return key;
        }
        return std::nullopt;
    }
    /// Nothing is due before it.
    LocalTime next_due() const { return heap_.empty() ? LocalTime::never() : heap_.front().at; }
    std::size_t size() const { return running_.size(); }
    /// Calls visitor(Key, LocalTime due) for each that is not taken, in the order of the keys.
    template <class Visitor>
    void for_each(Visitor&& visitor) const {
        for (const auto& [key, timer] : running_)
            if (!timer.taken) visitor(key, timer.due);
    }

private:
    struct Timer {
        Duration span;
        LocalTime due;
        bool taken = false;
    };
    struct Alarm {
        LocalTime at;
        Key key;
        /// For the heap operations, which keep the greatest in front: the earliest is.
        bool operator<(const Alarm& o) const { return at != o.at ? o.at < at : o.key < key; }
    };
    static LocalTime end_of(Duration span, LocalTime from) {
        return span.ns > LocalTime::never().ns - from.ns ? LocalTime::never() : from + span;
    }
    void push(const Alarm& alarm) {
        // What comes and goes well within its span must not fill the heap.
        static constexpr std::size_t stale_allowed = 64;
        if (heap_.size() >= 2 * running_.size() + stale_allowed) drop_stale();
        heap_.push_back(alarm);
        std::push_heap(heap_.begin(), heap_.end());
    }
    void pop() {
        std::pop_heap(heap_.begin(), heap_.end());
        heap_.pop_back();
    }
    void drop_stale() {
        std::erase_if(heap_, [&](const Alarm& a) { return !running_.contains(a.key); });
        std::make_heap(heap_.begin(), heap_.end());
    }

    FlatMap<Key, Timer> running_;
    std::vector<Alarm> heap_;  ///< one for each timer that is not taken, and some of ended ones
};

using LeaseTimers = Timers<SessionId>;

}  // namespace lockstep::server
