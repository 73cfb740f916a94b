#pragma once

#include <cstdint>
#include <deque>
#include <map>

namespace lockstep::history {

/// A number that must grow in real time: a token with what orders writes under it, or a version.
struct Height {
    std::uint64_t major = 0;
    std::uint64_t minor = 0;
    constexpr auto operator<=>(const Height&) const = default;
};

/// Who had which height confirmed, and where. Line 0: nobody yet.
struct Mark {
    Height height;
    std::uint64_t line = 0;
    std::int64_t time = 0;
    std::uint32_t process = 0;
};

/// The highest of what had been confirmed before a call began: what was confirmed before whatever
/// the clock error was, and what may have been. Costs memory for four clock errors of history and
/// for calls that are open.
class Floor {
public:
    explicit Floor(std::int64_t clock_error) : error_(2 * clock_error) {}

    struct Below {
        Mark sure;
        std::uint64_t number = 0;  ///< of the call
    };
    /// A call begins. `now`: the latest time of the history so far.
    Below at_call(std::int64_t time, std::uint32_t process, std::int64_t now);
    /// The call is over, which must be told of every call: the highest that may have been confirmed
    /// before it.
    Mark maybe_before(const Below& below);
    /// How much is kept, for tests.
    std::size_t kept() const { return recent_.size() + young_.size() + grown_.size(); }
    void confirmed(const Mark& mark, std::int64_t now);

private:
    struct Young {
        std::int64_t time;
        std::uint32_t process;
        Mark maybe;
        bool over = false;
    };
    static void raise(Mark& to, const Mark& mark) {
        if (to.line == 0 || mark.height > to.height) to = mark;
    }
    void forget(std::int64_t now);

    std::int64_t error_;  ///< of the distance of two stamps
    Mark settled_;        ///< the highest of all that came before any call to come
    std::deque<Mark> recent_;
    std::deque<Young> young_;  ///< calls before which something may still be confirmed
    std::uint64_t first_young_ = 0;
    std::map<std::uint64_t, Mark> grown_;  ///< what calls that are not young any more had
};

}  // namespace lockstep::history
