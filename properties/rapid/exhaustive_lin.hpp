#pragma once

#include "properties/linearizable_history.hpp"

#include <cstdint>
#include <ostream>
#include <vector>

/// Linearizability by trying every order: for small histories, to compare with. Test-only.
namespace lockstep::properties::rapid {

/// A call with its outcome, at instants of a few nanoseconds.
struct LinCall {
    enum class Outcome : std::uint8_t {
        Granted,
        Refused,
        Cancelled,
        Unknown,
        UnknownGivenBack,
        Released,
        NotHeld,
        ReleaseUnknown
    } outcome = Outcome::Granted;
    std::uint32_t lock = 1;
    std::uint64_t session = 1;
    std::uint64_t token = 0;
    std::int64_t called = 0;
    std::int64_t answered = 0;  ///< of an unknown outcome: when that became clear

    bool is_release() const { return outcome >= Outcome::Released; }
    bool is_maybe() const {
        return outcome >= Outcome::Cancelled && outcome <= Outcome::UnknownGivenBack;
    }
};

struct LinSession {
    std::int64_t promised = INT64_MIN;
    std::int64_t may_end = INT64_MAX;  ///< never
    std::int64_t over = INT64_MAX;     ///< never told
};

struct LinHistory {
    lin::Rules rules;
    std::vector<LinCall> calls;
    std::vector<LinSession> sessions;  ///< session i is at i - 1
};

/// Whether some order of steps explains it.
bool explainable(const LinHistory& history);
/// The history as the checker takes it. `turn` picks among the orders in which things of one
/// instant may be told.
lin::History tell(const LinHistory& history, std::uint64_t turn = 0);

/// A history that came about as bytes say: of up to `most` calls of three sessions and two locks,
/// stretched and with some outcomes lost. It can be explained.
LinHistory lin_history(const std::vector<std::uint8_t>& bytes, std::size_t most);
/// One thing in it is changed, as the bytes say.
void distort(LinHistory& history, const std::vector<std::uint8_t>& bytes);

std::ostream& operator<<(std::ostream& out, const LinHistory& history);

}  // namespace lockstep::properties::rapid
