#include "core/base/prng.hpp"

#include "core/base/hash.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace lockstep::test::base {

TEST_CASE("base: a seed's numbers are the same everywhere and for ever") {
    // Repros of failures live as long as this: a change of these raises the plan epoch.
    Prng prng(1);
    const std::array<std::uint64_t, 4> expected = {0xfc06d5f275a73fd8ULL, 0x95fabd803316fcb6ULL,
                                                   0xed4c75f0ff4f444aULL, 0x24ca4076dddb1249ULL};
    for (const std::uint64_t number : expected) CHECK(prng.next() == number);
    CHECK(spread(0) == 0xe220a8397b1dcdafULL);  // splitmix64's first of seed 0
    CHECK(hash_words(1, 2, 3) == 0x95db1d506183bbe7ULL);
    CHECK(hash_name("loss") == 0x51262943948d229fULL);
}

TEST_CASE("base: streams of neighbouring seeds have nothing in common") {
    std::set<std::uint64_t> seen;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        Prng prng(seed);
        for (int i = 0; i < 100; ++i) seen.insert(prng.next());
    }
    CHECK(seen.size() == 10'000);
}

TEST_CASE("base: a copy of a stream goes on as the stream does") {
    Prng a(7);
    a.next();
    Prng b = a;
    for (int i = 0; i < 10; ++i) CHECK(a.next() == b.next());
}

TEST_CASE("base: draws stay in their range, reach its ends, and are even") {
    Prng prng(3);
    std::array<int, 7> counts{};
    for (int i = 0; i < 70'000; ++i) {
        const std::uint64_t drawn = prng.below(7);
        REQUIRE(drawn < 7);
        ++counts[drawn];
    }
    for (const int count : counts) {
        CHECK(count > 9'500);
        CHECK(count < 10'500);
    }
    for (int i = 0; i < 100; ++i) CHECK(prng.below(1) == 0);

    std::set<std::int64_t> drawn;
    for (int i = 0; i < 1'000; ++i) drawn.insert(prng.between(-2, 2));
    CHECK(drawn == std::set<std::int64_t>{-2, -1, 0, 1, 2});
    for (int i = 0; i < 100; ++i) {
        const Duration d = prng.between(seconds(1), seconds(2));
        CHECK(d >= seconds(1));
        CHECK(d <= seconds(2));
    }
    CHECK(prng.between(seconds(3), seconds(3)) == seconds(3));
}

TEST_CASE("base: a chance in a million is that") {
    Prng prng(5);
    int hits = 0;
    for (int i = 0; i < 100'000; ++i) {
        CHECK_FALSE(prng.chance(0));
        CHECK(prng.chance(1'000'000));
        if (prng.chance(250'000)) ++hits;
    }
    CHECK(hits > 24'500);
    CHECK(hits < 25'500);
}

TEST_CASE("base: hashes depend on every word and its place") {
    CHECK(hash_words(1, 2, 3) != hash_words(1, 3, 2));
    CHECK(hash_words(1, 2) != hash_words(2, 2));
    CHECK(hash_words(0) != hash_words(0, 0));
    CHECK(hash_words(0, 0) != hash_words(0, 0, 0));
    CHECK(fold(1, 2) != fold(2, 1));
    for (int bit = 0; bit < 64; ++bit) {
        CHECK(hash_words(9, std::uint64_t{1} << bit) != hash_words(9, 0));
        CHECK(hash_words(std::uint64_t{1} << bit, 9) != hash_words(0, 9));
    }
    const std::array bytes = {std::byte{1}, std::byte{2}};
    CHECK(hash_bytes(bytes) != hash_bytes(bytes, 1));
    CHECK(hash_bytes(bytes) != hash_bytes(std::span(bytes).first(1)));
    CHECK(hash_name("loss") != hash_name("lost"));
}

}  // namespace lockstep::test::base
