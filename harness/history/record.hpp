#pragma once

#include <cstdint>
#include <string_view>

/// Histories of lock services that ran elsewhere: reading, judging and writing them. The format is
/// described in docs/history-format.md.
namespace lockstep::history {

enum class Op : std::uint8_t { Acquire, Renew, Release, Write, Read, Lost };
/// A call, or how it ended. `No`: the service refused it. `Unknown`: it may have happened or not.
enum class Kind : std::uint8_t { Call, Ok, No, Unknown };

std::string_view to_string(Op);
std::string_view to_string(Kind);

/// A number that a line may leave out.
template <class T>
struct Maybe {
    T value{};
    bool given = false;

    constexpr explicit operator bool() const { return given; }
    constexpr Maybe& operator=(T v) {
        value = v;
        given = true;
        return *this;
    }
};

/// One line of a history. The texts are the reader's, and stay until it reads the next record.
struct Record {
    std::uint64_t line = 0;  ///< counted from 1
    std::int64_t time = 0;   ///< ns, since whatever instant the history counts from
    Op op = Op::Acquire;
    Kind kind = Kind::Call;
    std::string_view process;
    std::string_view id;  ///< empty: the one call of this process that is open
    std::string_view lock;
    std::string_view resource;
    std::string_view session;
    Maybe<std::uint64_t> token;
    Maybe<std::uint64_t> n;
    Maybe<std::uint64_t> read_version;
    Maybe<std::uint64_t> version;
    Maybe<std::int64_t> ttl;  ///< ns
};

/// What the first line of a history may say of the whole.
struct Header {
    Maybe<std::int64_t> clock_error;  ///< ns
    Maybe<std::int64_t> ttl;          ///< ns
    Maybe<std::int64_t> drift_ppm;
    /// Each process says `lost` at the very instant at which its lease is over, so that nobody has
    /// to conclude it from a TTL.
    bool lost_is_exact = false;
};

}  // namespace lockstep::history
