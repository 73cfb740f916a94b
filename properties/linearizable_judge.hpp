#pragma once

#include "core/base/flat_map.hpp"
#include "properties/linearizable_timeline.hpp"

#include <utility>
#include <vector>

namespace lockstep::properties::lin {

/// A queue in one array, of which no item is moved when the first is taken.
template <class T>
class Queue {
public:
    bool empty() const { return first_ == items_.size(); }
    std::size_t size() const { return items_.size() - first_; }
    T& front() { return items_[first_]; }
    T& back() { return items_.back(); }
    T& operator[](std::size_t i) { return items_[first_ + i]; }
    void push_back(const T& item) { items_.push_back(item); }
    void pop_back() { items_.pop_back(); }
    void pop_front() {
        ++first_;
        if (first_ < 64 || first_ * 2 < items_.size()) return;
        items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_));
        first_ = 0;
    }

private:
    std::vector<T> items_;
    std::size_t first_ = 0;
};

/// What the history keeps beside its timelines: open calls, refusals that cannot be judged yet, and
/// what is the same in all timelines.
struct History::Judge {
    struct Call {
        enum class Kind : std::uint8_t { Done, Acquire, Release } kind = Kind::Done;
        LockId lock;
        SessionId session;
        FencingToken token;
        std::int64_t called = 0;
        std::uint64_t place = 0;
    };
    struct Session {
        SessionId id;
        std::int64_t promised = always;
        std::int64_t may_end = never;
        std::uint64_t promised_in = 0;  ///< places, as those below
        std::uint64_t may_end_in = 0;
        std::uint64_t over_in = 0;
        std::uint32_t open = 0;  ///< calls without outcome
        bool closed = false;     ///< no more calls come: over, or gone
    };

    Judge(Rules r, Names n) : rules(r), names(std::move(n)) { timelines.emplace_back(r); }

    std::uint32_t lock_index(LockId lock);
    std::uint32_t slot_of(SessionId session);

    CallId call(const Call& call);
    /// The call, which is closed now; none if the history is judged no more.
    std::optional<Call> outcome(CallId id, Call::Kind kind);
    void refuse(const Refusal& refusal);
    void release_without_effect(const Call& call, bool unknown, std::int64_t answered);

    void advance(std::int64_t to);
    /// Judges what was told up to now.
    void judge(std::int64_t horizon);
    void settle_all();
    void judge_refusal(const Refusal& refusal);
    bool has_choice(const Timeline& timeline, const Refusal& refusal) const;
    void come_to_nothing(Timeline timeline);
    void explain(Timeline timeline, std::vector<Refusal> todo, std::vector<Timeline>& out);
    void branch(const Timeline& timeline, const Refusal& refusal, std::vector<Refusal> todo,
                std::vector<Timeline>& out);
    void thin_out();
    void forget(std::int64_t horizon);
    void forget_session(std::uint32_t slot);
    /// For each timeline f(timeline); those for which it is false are no explanation.
    template <class F>
    void keep_if(F&& f) {
        if (done) return;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < timelines.size(); ++i) {
            if (!f(timelines[i])) {
                if (kept == 0 && i + 1 == timelines.size()) object(timelines[i]);
                continue;
            }
            if (kept != i) timelines[kept] = std::move(timelines[i]);
            ++kept;
        }
        timelines.erase(timelines.begin() + static_cast<std::ptrdiff_t>(kept), timelines.end());
    }
    struct Reasons;
    void object(const Timeline& timeline);

    Rules rules;
    Names names;
    FlatMap<LockId, std::uint32_t> lock_of;
    std::vector<LockId> locks;
    FlatMap<SessionId, std::uint32_t> session_of;
    std::vector<Session> sessions;
    std::vector<std::uint32_t> spare;
    std::vector<SessionId> ended;  ///< sorted: of sessions that are over and forgotten
    Queue<Call> calls;             ///< from the oldest open one on
    std::uint64_t first_call = 1;  ///< the number of the first of them
    Queue<Refusal> refusals;       ///< not judged yet, by their answers
    Queue<std::pair<std::int64_t, std::uint64_t>> lowest;  ///< of their calls, growing, numbered
    std::uint64_t refusals_told = 0;
    std::uint64_t refusals_judged = 0;
    std::vector<std::uint32_t> changed;  ///< locks in which something may be forgotten
    std::vector<std::uint32_t> closed;   ///< sessions that may be forgotten
    std::vector<Timeline> timelines;     ///< never empty while the history is judged
    std::optional<Timeline> failed;      ///< the first that came to nothing of late
    std::uint32_t tries = 0;             ///< timelines followed for one refusal
    std::optional<Objection> objection;
    std::int64_t now = always;
    std::uint64_t place = 0;  ///< of what is being told
    std::uint64_t explained = 0;
    bool void_promises = false;
    bool gave_up = false;
    bool done = false;  ///< nothing is judged any more
    bool finished = false;
};

}  // namespace lockstep::properties::lin
