#include "core/base/assert.hpp"
#include "core/base/blob.hpp"
#include "core/base/flat_map.hpp"
#include "core/base/prng.hpp"
#include "core/base/result.hpp"
#include "tests/support/catch.hpp"

#include <map>
#include <string>
#include <vector>

namespace lockstep::test::base {
namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
    std::vector<std::byte> bytes;
    for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
    return bytes;
}

}  // namespace

TEST_CASE("base: a flat map is a map, whatever is done to it") {
    Prng prng(11);
    FlatMap<int, int> flat;
    std::map<int, int> model;
    for (int step = 0; step < 20'000; ++step) {
        const int key = static_cast<int>(prng.below(40));
        const std::uint64_t what = prng.below(10);
        if (what < 5) {
            flat[key] = step;
            model[key] = step;
        } else if (what < 8) {
            REQUIRE(flat.erase(key) == (model.erase(key) == 1));
        } else if (what == 8) {
            const auto at = flat.lower_bound(key);
            const auto expected = model.lower_bound(key);
            REQUIRE((at == flat.end()) == (expected == model.end()));
            if (at != flat.end()) REQUIRE(at->first == expected->first);
        } else if (prng.below(50) == 0) {
            const auto odd = [](const auto& item) { return item.first % 2 == 1; };
            flat.erase_if(odd);
            std::erase_if(model, odd);
        }
        REQUIRE(flat.size() == model.size());
        REQUIRE(flat.contains(key) == model.contains(key));
        if (const int* found = flat.find(key)) REQUIRE(*found == model.at(key));
        REQUIRE(std::equal(flat.begin(), flat.end(), model.begin(), model.end(),
                           [](const auto& a, const auto& b) {
                               return a.first == b.first && a.second == b.second;
                           }));
    }
}

TEST_CASE("base: a flat map makes values by default, and erases while iterated") {
    FlatMap<int, std::string> map;
    CHECK(map.empty());
    CHECK(map.find(1) == nullptr);
    CHECK(map[3].empty());
    map[1] = "one";
    map[3] = "three";
    map[2] = "two";
    for (auto it = map.begin(); it != map.end();) it = it->first == 2 ? map.erase(it) : it + 1;
    const auto& fixed = map;
    REQUIRE(fixed.find(3) != nullptr);
    CHECK(*fixed.find(3) == "three");
    CHECK(fixed.size() == 2);
    map.clear();
    CHECK(map.empty());
}

TEST_CASE("base: blobs share their bytes and compare by them") {
    const auto text = bytes_of("entry");
    const Blob a = Blob::copy_of(text);
    const Blob b = a;
    CHECK(a.bytes().data() == b.bytes().data());
    CHECK(a.hash() == hash_bytes(text));
    CHECK(a == Blob::copy_of(text));
    CHECK_FALSE(a == Blob::copy_of(bytes_of("other")));
    CHECK_FALSE(a == Blob());
    CHECK(std::ranges::equal(a.bytes(), text));
}

TEST_CASE("base: a blob outlives its first owner, and survives being assigned to itself") {
    Blob kept;
    {
        Blob first = Blob::copy_of(bytes_of("entry"));
        kept = first;
        Blob moved = std::move(first);
        CHECK(first.empty());  // NOLINT(bugprone-use-after-move): that is what is asked
        first = moved;
        CHECK(first == kept);
    }
    CHECK(kept.size() == 5);
    const Blob& same = kept;
    kept = same;
    CHECK(std::ranges::equal(kept.bytes(), bytes_of("entry")));
    kept = Blob();
    CHECK(kept.empty());
}

TEST_CASE("base: nothing at all is a blob, too") {
    CHECK(Blob().empty());
    CHECK(Blob().bytes().empty());
    CHECK(Blob() == Blob::copy_of({}));
    CHECK(Blob().hash() == Blob::copy_of({}).hash());
}

TEST_CASE("base: an assertion says what, where, and the values") {
    const int one = 1, two = 2;
    CHECK_NOTHROW([&] { LOCKSTEP_ASSERT(one < two, "one={}", one); }());
    try {
        LOCKSTEP_ASSERT(one == two, "one={} two={}", one, two);
        FAIL("it went on");
    } catch (const AssertionFailed& e) {
        const std::string text = e.what();
        CHECK(text.find("one == two") != std::string::npos);
        CHECK(text.find("one=1 two=2") != std::string::npos);
        CHECK(text.find("containers_test.cpp") != std::string::npos);
    }
}

TEST_CASE("base: a result is a value, or why there is none") {
    const Result<int> good(7);
    CHECK(good.ok());
    CHECK(good.value() == 7);
    const Result<int> bad(Error{"expected a number", "a.toml", 3, 4});
    CHECK_FALSE(static_cast<bool>(bad));
    CHECK(bad.error().message == "expected a number");
    CHECK(bad.error().line == 3);
    Result<std::string> text(std::string("long enough to be moved from its place"));
    const std::string taken = std::move(text).value();
    CHECK(taken.starts_with("long enough"));
}

}  // namespace lockstep::test::base
