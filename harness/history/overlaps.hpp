#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace lockstep::history {

/// What ended a hold, or did not.
enum class Ending : std::uint8_t { None, Release, Lost, Deadline, Reacquired };

/// A process had a lock, for all that is sure.
struct Span {
    static constexpr std::int64_t open = INT64_MAX;

    std::uint64_t grant = 0;
    std::uint32_t process = 0;
    std::uint64_t token = 0;
    bool has_token = false;
    std::int64_t from = 0;
    std::int64_t to = open;
    std::uint64_t from_line = 0;
    std::uint64_t to_line = 0;
    Ending ending = Ending::None;
};

/// A release that may not have happened leaves a second reading, in which the hold goes on.
enum class Reading : std::uint8_t {
    Plain,
    Asked,    ///< the release has been called and not been answered
    Refused,  ///< it was answered no
    Unknown,  ///< nobody knows
};

/// Looks for holds of two processes that overlap. Keeps what is open, and what ended so lately that
/// lines to come may still lie before it.
class Overlaps {
public:
    /// By how much two holds overlap, if that may matter: more than twice the clock error is
    /// certain; less is not, down to minus twice.
    struct Pair {
        const Span& first;  ///< began first; of a second reading, the one that goes on in it
        const Span& second;
        std::int64_t by;
        bool certain;
        Reading reading;  ///< not plain: only if the release at `release_line` did not happen
        std::uint64_t release_line;
        std::uint64_t answer_line;
    };
    using Found = std::function<void(const Pair&)>;

    explicit Overlaps(std::int64_t clock_error) : error_(2 * clock_error) {}

    void begin(const Span& span, std::int64_t now, const Found& found);
    /// Ends the hold of this grant, unless it ended earlier.
    void end(std::uint64_t grant, std::int64_t to, std::uint64_t line, Ending ending,
             std::int64_t now, const Found& found);
    /// The release was called: the hold ends, but for the reading in which it goes on until then.
    void asked(std::uint64_t grant, std::int64_t at, std::uint64_t line, std::int64_t until,
               std::int64_t now, const Found& found);
    /// How it was answered. Reading::Plain: it happened.
    void answered(std::uint64_t grant, Reading reading, std::uint64_t line, std::int64_t now,
                  const Found& found);
    /// Second readings of this process end: it asks for the lock anew.
    void asks_again(std::uint32_t process, std::int64_t at, std::int64_t now, const Found& found);
    void finish(const Found& found);

private:
    struct Hold {
        Span span;
        Reading reading = Reading::Plain;
        std::uint64_t release_line = 0;
        std::uint64_t answer_line = 0;
        bool has_hit = false;
        Span hit;  ///< the earliest that overlaps it, should it not end before
    };

    bool ended(const Hold& hold) const {
        return hold.span.to != Span::open && hold.reading != Reading::Asked;
    }
    void settle(std::int64_t now, const Found& found);
    void judge(const Hold& hold, std::size_t position, const Found& found);
    void compare(const Hold& a, const Span& b, const Found& found) const;

    std::int64_t error_;
    std::vector<Hold> holds_;
};

}  // namespace lockstep::history
