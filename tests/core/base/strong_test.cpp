#include "core/base/strong.hpp"

#include "core/base/time.hpp"
#include "tests/support/catch.hpp"

#include <concepts>
#include <tuple>
#include <type_traits>

/// Mixing what differs in meaning must not compile; most of these checks are the compiler's.
namespace lockstep::test::base {
namespace {

template <class A, class B>
concept Compares = requires(A a, B b) { a == b; } || requires(A a, B b) { a < b; };
template <class A, class B>
concept Assigns = requires(A a, B b) { a = b; };
template <class A, class B>
concept Adds = requires(A a, B b) { a + b; };
template <class A, class B>
concept Subtracts = requires(A a, B b) { a - b; };

template <class A, class B>
concept Mixes = Compares<A, B> || Assigns<A, B> || Adds<A, B> || Subtracts<A, B> ||
                std::convertible_to<A, B> || std::constructible_from<A, B>;

using Ids = std::tuple<Term, LogIndex, NodeId, SessionId, RequestSeq, FencingToken, PersistId,
                       LockId, Nonce, SendingNo>;

template <std::size_t I, std::size_t J>
constexpr bool apart() {
    if constexpr (I == J)
        return true;
    else
        return !Mixes<std::tuple_element_t<I, Ids>, std::tuple_element_t<J, Ids>>;
}

template <std::size_t I, std::size_t... J>
constexpr bool apart_from_all(std::index_sequence<J...>) {
    return (apart<I, J>() && ...);
}

template <std::size_t... I>
constexpr bool all_apart(std::index_sequence<I...> all) {
    return (apart_from_all<I>(all) && ...);
}

static_assert(all_apart(std::make_index_sequence<std::tuple_size_v<Ids>>()));

// The concepts do see what compiles: without this, the line above could hold of anything.
static_assert(Mixes<Term, Term> && Compares<Term, Term> && Assigns<Term, Term>);
static_assert(Adds<LocalTime, Duration> && Subtracts<LocalTime, LocalTime>);

// A number becomes an id only where that is written down, and an id never becomes a number.
static_assert(!std::convertible_to<std::uint64_t, Term>);
static_assert(std::constructible_from<Term, std::uint64_t>);
static_assert(!std::convertible_to<Term, std::uint64_t> && !std::convertible_to<Term, bool>);
static_assert(!Assigns<Term, std::uint64_t> && !Compares<Term, std::uint64_t>);
static_assert(!Adds<Term, Term> && !Adds<Term, int>);

static_assert(!Mixes<LocalTime, WallTime> && !Mixes<WallTime, LocalTime>);
static_assert(!Adds<LocalTime, LocalTime> && !Compares<LocalTime, Duration>);
static_assert(!Assigns<LocalTime, Duration> && !Assigns<Duration, LocalTime>);
static_assert(std::same_as<decltype(LocalTime() - LocalTime()), Duration>);
static_assert(!std::convertible_to<std::int64_t, Ppm> && !Compares<Ppm, Duration>);

static_assert(sizeof(Term) == 8 && sizeof(NodeId) == 4 && std::is_trivially_copyable_v<Term>);

}  // namespace

TEST_CASE("base: an id knows its neighbours, its order and nothing") {
    CHECK(Term(4).next() == Term(5));
    CHECK(Term(4).prev() == Term(3));
    CHECK(Term(4) < Term(5));
    CHECK_FALSE(static_cast<bool>(Term()));
    CHECK(static_cast<bool>(Term(1)));
}

TEST_CASE("base: spans and instants add up") {
    CHECK(seconds(2) == milliseconds(2'000));
    CHECK(milliseconds(3) == microseconds(3'000));
    CHECK(microseconds(1) == nanoseconds(1'000));
    CHECK(seconds(3) * 2 / 3 == seconds(2));
    CHECK(-seconds(1) < Duration());
    const LocalTime at = LocalTime{5} + seconds(1);
    CHECK(at - LocalTime{5} == seconds(1));
    CHECK(at - seconds(1) == LocalTime{5});
    CHECK(at < LocalTime::never());
    Duration d = seconds(1);
    d += seconds(2);
    d -= milliseconds(500);
    CHECK(d == milliseconds(2'500));
}

TEST_CASE("base: what is shrunk is never too long, what is stretched never too short") {
    CHECK(shrink(seconds(10), Ppm{10'000}) == milliseconds(9'900));
    CHECK(stretch(milliseconds(9'900), Ppm{10'000}) == seconds(10));
    CHECK(shrink(nanoseconds(1), Ppm{1}) == nanoseconds(0));   // down
    CHECK(stretch(nanoseconds(1), Ppm{1}) == nanoseconds(2));  // up
    CHECK(shrink(seconds(5), Ppm{0}) == seconds(5));
    CHECK(stretch(seconds(5), Ppm{0}) == seconds(5));
    CHECK(stretch(Duration(), Ppm{10'000}) == Duration());
    // A century: the product does not fit 64 bits.
    const Duration century = seconds(3'155'760'000);
    CHECK(shrink(century, Ppm{500'000}) == century / 2);
    CHECK(stretch(century / 2, Ppm{500'000}) == century);

    for (std::int64_t ppm = 0; ppm < 1'000'000; ppm += 99'991)
        for (std::int64_t ns = 0; ns < 5'000'000'000; ns += 333'333'331) {
            const Duration span{ns};
            const Ppm bound{ppm};
            // Exactly, in integers: span x (1 - bound) lies in [shrunk, shrunk + 1).
            const auto exact = static_cast<__int128>(ns) * (1'000'000 - ppm);
            const auto shrunk = static_cast<__int128>(shrink(span, bound).ns) * 1'000'000;
            CHECK(shrunk <= exact);
            CHECK(exact - shrunk < 1'000'000);
            // Whoever waits the stretched span has waited the span on the slowest clock that is
            // allowed.
            CHECK(shrink(stretch(span, bound), bound) >= span);
            if (ns > 0) CHECK(shrink(stretch(span, bound) - nanoseconds(1), bound) < span);
        }
}

}  // namespace lockstep::test::base
