#pragma once

#include "harness/history/floor.hpp"
#include "harness/history/record.hpp"

#include <cstdint>
#include <string>

namespace lockstep::history {

inline constexpr std::uint32_t no_number = UINT32_MAX;

/// A call without its end yet; at its end, with what the end adds.
struct OpenCall {
    std::string id;
    Op op = Op::Acquire;
    std::uint32_t process = 0;
    std::uint32_t lock = no_number;
    std::uint32_t resource = no_number;
    std::string session;  ///< empty: none
    std::uint64_t line = 0;
    std::int64_t time = 0;
    Maybe<std::uint64_t> token;
    Maybe<std::uint64_t> n;
    Maybe<std::uint64_t> read_version;
    Maybe<std::uint64_t> version;
    Maybe<std::int64_t> ttl;

    Floor::Below tokens;         ///< an acquire's: what the lock had granted before
    Floor::Below heights;        ///< a write's or read's: what the resource had taken before
    Floor::Below versions;       ///< and the version that it had
    std::uint64_t grant = 0;     ///< a release's: what it ends; 0: nothing that is known
    bool matched = false;        ///< and that has the release's token
    bool of_another = false;     ///< a release's: its token is not that of the last grant
    std::uint64_t lease = 0;     ///< the session that it is of in the linearizability check
    std::uint64_t released = 0;  ///< the token that a release gives up there
    std::uint64_t explains = 0;  ///< the number that the linearizability check gave it
};

/// An end of a call.
struct End {
    std::uint64_t line = 0;
    std::int64_t time = 0;
    std::int64_t now = 0;  ///< the latest stamp so far
    Kind kind = Kind::Ok;
};

/// a + b, but no later than the end of time.
constexpr std::int64_t add(std::int64_t a, std::int64_t b) {
    return b > INT64_MAX - a ? INT64_MAX : a + b;
}

}  // namespace lockstep::history
