#include "core/base/codec.hpp"

#include "tests/support/catch.hpp"

#include <array>
#include <vector>

namespace lockstep::test::base {
namespace {

std::vector<std::byte> bytes(std::initializer_list<int> values) {
    std::vector<std::byte> out;
    for (const int v : values) out.push_back(static_cast<std::byte>(v));
    return out;
}

std::vector<std::byte> written(auto&& write) {
    Writer out;
    write(out);
    return {out.bytes().begin(), out.bytes().end()};
}

enum class Colour : std::uint8_t { Red, Green };

}  // namespace

TEST_CASE("base: the written form is little-endian, on every machine") {
    CHECK(written([](Writer& w) { w.u8(0xab); }) == bytes({0xab}));
    CHECK(written([](Writer& w) { w.u32(0x01020304); }) == bytes({4, 3, 2, 1}));
    CHECK(written([](Writer& w) { w.u64(0x0102030405060708); }) == bytes({8, 7, 6, 5, 4, 3, 2, 1}));
    CHECK(written([](Writer& w) { w.i64(-2); }) ==
          bytes({0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}));
    CHECK(written([](Writer& w) { w.boolean(true); }) == bytes({1}));
    CHECK(written([](Writer& w) { w.varint(0); }) == bytes({0}));
    CHECK(written([](Writer& w) { w.varint(127); }) == bytes({0x7f}));
    CHECK(written([](Writer& w) { w.varint(128); }) == bytes({0x80, 1}));
    CHECK(written([](Writer& w) { w.varint(UINT64_MAX); }) ==
          bytes({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}));
    CHECK(written([](Writer& w) { w.id(Term(300)); }) == bytes({0xac, 2}));
    CHECK(written([](Writer& w) { w.blob(Blob::copy_of(bytes({7, 8}))); }) == bytes({2, 7, 8}));
}

TEST_CASE("base: what was written is read again") {
    Writer w;
    w.u8(255);
    w.u32(UINT32_MAX);
    w.u64(UINT64_MAX);
    w.i64(INT64_MIN);
    w.boolean(false);
    w.duration(-seconds(3));
    w.id(NodeId(UINT32_MAX));
    w.id(Nonce(UINT64_MAX));
    w.blob(Blob());
    w.blob(Blob::copy_of(bytes({1, 2, 3})));
    w.raw(bytes({9, 9}));
    Reader r(w.bytes());
    CHECK(r.u8() == 255);
    CHECK(r.u32() == UINT32_MAX);
    CHECK(r.u64() == UINT64_MAX);
    CHECK(r.i64() == INT64_MIN);
    CHECK_FALSE(r.boolean());
    CHECK(r.duration() == -seconds(3));
    CHECK(r.id<NodeId>() == NodeId(UINT32_MAX));
    CHECK(r.id<Nonce>() == Nonce(UINT64_MAX));
    CHECK(r.blob().empty());
    CHECK(r.blob() == Blob::copy_of(bytes({1, 2, 3})));
    CHECK(r.raw(2).size() == 2);
    CHECK(r.done());
    w.clear();
    CHECK(w.size() == 0);
}

TEST_CASE("base: numbers at every edge of the variable form come back") {
    for (int bit = 0; bit < 64; ++bit)
        for (const std::uint64_t delta : {UINT64_MAX, std::uint64_t{0}, std::uint64_t{1}}) {
            const std::uint64_t value = (std::uint64_t{1} << bit) + delta;
            Writer w;
            w.varint(value);
            Reader r(w.bytes());
            CHECK(r.varint() == value);
            CHECK(r.done());
        }
}

TEST_CASE("base: a number has one spelling, and a longer one is refused") {
    for (const auto& wrong : {
             bytes({0x80, 0}),        // zero, in two bytes
             bytes({0xff, 0x80, 0}),  // padded
             bytes({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2}),  // over 64 bits
             bytes({0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1}),
             bytes({0x80}),  // cut off
             bytes({}),
         }) {
        Reader r(wrong);
        CHECK(r.varint() == 0);
        CHECK(r.failed());
    }
}

TEST_CASE("base: what is too large, too short or not one of them is refused") {
    const auto refused = [](const std::vector<std::byte>& input, auto&& read) {
        Reader r(input);
        read(r);
        return r.failed();
    };
    CHECK(refused(bytes({0xff, 0xff, 0xff, 0xff, 0x1f}), [](Reader& r) { r.id<NodeId>(); }));
    CHECK_FALSE(refused(bytes({0xff, 0xff, 0xff, 0xff, 0x0f}), [](Reader& r) { r.id<NodeId>(); }));
    CHECK(refused(bytes({2}), [](Reader& r) { r.boolean(); }));
    CHECK(refused(bytes({2}), [](Reader& r) { r.enumerator<Colour>(2); }));
    CHECK_FALSE(refused(bytes({1}), [](Reader& r) { r.enumerator<Colour>(2); }));
    CHECK(refused(bytes({1, 2, 3}), [](Reader& r) { r.u32(); }));
    CHECK(refused(bytes({1, 2, 3, 4, 5, 6, 7}), [](Reader& r) { r.u64(); }));
    CHECK(refused(bytes({3, 1, 2}), [](Reader& r) { r.blob(); }));
    CHECK(refused(bytes({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}),
                  [](Reader& r) { r.blob(); }));
    CHECK(refused(bytes({3, 1, 2}), [](Reader& r) { r.count(); }));  // more than can follow
    CHECK_FALSE(refused(bytes({2, 1, 2}), [](Reader& r) { r.count(); }));
    CHECK(refused(bytes({1}), [](Reader& r) { r.raw(2); }));
}

TEST_CASE("base: the first mistake stays, and everything after it reads as zero") {
    const auto input = bytes({2, 1, 1, 1, 1, 1, 1, 1, 1});
    Reader r(input);
    r.boolean();
    REQUIRE(r.failed());
    CHECK(r.u8() == 0);
    CHECK(r.u64() == 0);
    CHECK(r.varint() == 0);
    CHECK(r.blob().empty());
    CHECK(r.left() == 0);
    CHECK_FALSE(r.done());
}

TEST_CASE("base: bytes left over are no success") {
    const auto input = bytes({1, 2});
    Reader r(input);
    r.u8();
    CHECK_FALSE(r.failed());
    CHECK_FALSE(r.done());
    CHECK(r.left() == 1);
}

}  // namespace lockstep::test::base
