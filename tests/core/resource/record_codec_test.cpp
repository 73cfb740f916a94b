#include "core/resource/record_codec.hpp"

#include "tests/support/catch.hpp"

#include <array>

namespace lockstep::test::stores {
namespace {

using resource::Record;
using resource::record_bytes;
using resource::recover;

const Record first{1, 2, FencingToken(3), 4, 5};
const Record second{UINT64_MAX, 3, FencingToken(UINT64_MAX), 1, 6};

std::vector<std::byte> file_of(std::initializer_list<Record> records) {
    Writer out;
    for (const Record& record : records) encode(record, out);
    return {out.bytes().begin(), out.bytes().end()};
}

}  // namespace

TEST_CASE("resource: a file's last record counts") {
    CHECK(file_of({first}).size() == record_bytes);
    CHECK(recover(file_of({first})).record == first);
    const auto both = recover(file_of({first, second}));
    CHECK(both.record == second);
    CHECK(both.valid_bytes == 2 * record_bytes);
}

TEST_CASE("resource: an empty file holds a new record") {
    CHECK(recover({}).record == Record{});
    CHECK(recover({}).valid_bytes == 0);
}

TEST_CASE("resource: a torn tail is as if it had never been written, wherever it is torn") {
    const auto whole = file_of({first, second});
    for (std::size_t size = record_bytes; size < 2 * record_bytes; ++size) {
        INFO("size " << size);
        const auto found = recover(std::span(whole).first(size));
        CHECK(found.record == first);
        CHECK(found.valid_bytes == record_bytes);
    }
    for (std::size_t size = 0; size < record_bytes; ++size)
        CHECK(recover(std::span(whole).first(size)).record == Record{});
}

TEST_CASE("resource: a bit that flipped anywhere in the last record takes that record alone") {
    const auto whole = file_of({first, second});
    for (std::size_t bit = record_bytes * 8; bit < 2 * record_bytes * 8; ++bit) {
        INFO("bit " << bit);
        auto bytes = whole;
        bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
        CHECK(recover(bytes).record == first);
    }
}

TEST_CASE("resource: space that was allotted and never written is no record") {
    auto bytes = file_of({first});
    bytes.resize(3 * record_bytes);
    CHECK(recover(bytes).record == first);
    CHECK(recover(bytes).valid_bytes == record_bytes);
    CHECK(recover(std::array<std::byte, record_bytes>{}).valid_bytes == 0);
}

}  // namespace lockstep::test::stores
