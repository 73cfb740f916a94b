#pragma once

#include "core/base/strong.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep::lock {

struct Waiter {
    SessionId session;
    RequestSeq seq;
    /// The entry that queued it: the order of the queue, and in the hash its place.
    LogIndex since;
};

/// Who waits for one lock, in the order of the log. Coming and being served cost the same whatever
/// the length; leaving costs a binary search. Places that were left stay behind, and are swept out
/// together when they are as many as those who wait.
class WaitQueue {
public:
    std::size_t size() const { return waiting_; }
    bool empty() const { return waiting_ == 0; }

    /// `since` is above that of all who came before.
    void push(const Waiter& waiter) {
        places_.push_back(waiter);
        ++waiting_;
    }
    /// Who is next. The queue must not be empty.
    const Waiter& front() const { return places_[first_]; }
    void pop_front() {
        ++first_;
        left();
    }
    /// Nothing if nobody of that place waits.
    const Waiter* find(LogIndex since) const {
        const auto at = place_of(since);
        return at == places_.size() ? nullptr : &places_[at];
    }
    void leave(LogIndex since) {
        const auto at = place_of(since);
        if (at == places_.size()) return;
        places_[at].session = SessionId();
        left();
    }
    /// Calls visitor(const Waiter&) in the order in which they will be served.
    template <class Visitor>
    void for_each(Visitor&& visitor) const {
        for (std::size_t i = first_; i < places_.size(); ++i)
            if (places_[i].session) visitor(places_[i]);
    }

private:
    std::size_t place_of(LogIndex since) const {
        const auto at =
            std::lower_bound(places_.begin() + static_cast<std::ptrdiff_t>(first_), places_.end(),
                             since, [](const Waiter& w, LogIndex s) { return w.since < s; });
        const bool waits = at != places_.end() && at->since == since && at->session;
        return waits ? static_cast<std::size_t>(at - places_.begin()) : places_.size();
    }
    void left() {
        --waiting_;
        while (first_ < places_.size() && !places_[first_].session) ++first_;
        static constexpr std::size_t few = 16;
        if (places_.size() < 2 * waiting_ + few) return;
        places_.erase(places_.begin(), places_.begin() + static_cast<std::ptrdiff_t>(first_));
        std::erase_if(places_, [](const Waiter& w) { return !w.session; });
        first_ = 0;
    }

    std::vector<Waiter> places_;  ///< by `since`; a session of zero has left
    std::size_t first_ = 0;       ///< of those who wait; before it all were served
    std::size_t waiting_ = 0;
};

}  // namespace lockstep::lock
