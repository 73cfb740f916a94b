#include "core/resource/machine.hpp"

#include "core/resource/record_codec.hpp"
#include "tests/support/catch.hpp"

namespace lockstep::test::machines {
namespace {

using resource::call_key;
using resource::Fencing;
using resource::Kind;
using resource::Record;
using resource::TakenCall;

constexpr Record record{1, 2, FencingToken(3), 4, 5, 6};

template <class... Entries>
std::vector<std::byte> file_of(const Entries&... entries) {
    Writer out;
    (encode(entries, out), ...);
    return {out.bytes().begin(), out.bytes().end()};
}

std::vector<std::byte> rewritten(const resource::Machine& machine) {
    Writer out;
    resource::encode_file(machine, out);
    return {out.bytes().begin(), out.bytes().end()};
}

}  // namespace

TEST_CASE("resource: a driver that does not care which finds each resource in its file") {
    const auto file = file_of(Record{9, 1, FencingToken(2), 1, 4, 0}, record);
    const auto store = resource::recover(Kind::Store, Fencing::Fenced, file);
    CHECK(std::get<resource::Store>(store.machine).record() == record);
    CHECK(store.valid_bytes == file.size());
    REQUIRE(store.found.size() == 2);
    CHECK(std::get<events::WriteRecovered>(store.found[1]).op == 5);
    CHECK(std::get<events::WriteRecovered>(store.found[1]).prior_version == 1);

    const auto row = resource::recover(Kind::Row, Fencing::Fenced, file);
    CHECK(std::get<resource::Row>(row.machine).record() == record);
    CHECK(row.found.size() == 2);

    const auto calls = file_of(TakenCall{call_key(1, 1), 7, 8, FencingToken(9)});
    const auto endpoint = resource::recover(Kind::Endpoint, Fencing::Fenced, calls);
    CHECK(std::get<resource::Endpoint>(endpoint.machine).find(call_key(1, 1))->value == 8);
    REQUIRE(endpoint.found.size() == 1);
    CHECK(std::get<events::CallRecovered>(endpoint.found[0]).op == 7);
}

TEST_CASE(
    "resource: a torn call is as if it had never been made, and so is any that flipped a bit") {
    const TakenCall first{call_key(1, 1), 7, 8, FencingToken(9)};
    const TakenCall second{call_key(1, 2), 8, 9, FencingToken(9)};
    const auto whole = file_of(first, second);
    CHECK(whole.size() == 2 * resource::call_bytes);
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const auto found = resource::recover_calls(std::span(whole).first(size));
        CHECK(found.calls.size() == size / resource::call_bytes);
        CHECK(found.valid_bytes == found.calls.size() * resource::call_bytes);
    }
    for (std::size_t bit = resource::call_bytes * 8; bit < whole.size() * 8; ++bit) {
        auto bytes = whole;
        bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
        CHECK(resource::recover_calls(bytes).calls == std::vector{first});
    }
    CHECK(resource::recover_calls(std::vector<std::byte>(resource::call_bytes)).calls.empty());
    // Nor is a record taken for a call.
    CHECK(resource::recover_calls(file_of(record)).calls.empty());
    CHECK(resource::recover(whole).valid_bytes == 0);
}

TEST_CASE("resource: a file that was written anew tells the same, in less") {
    Writer long_file;
    for (std::uint64_t v = 1; v <= 500; ++v)
        encode(Record{v, v, FencingToken(v), 1, v, v - 1}, long_file);
    const auto store = resource::recover(Kind::Store, Fencing::Fenced, long_file.bytes());
    const auto short_file = rewritten(store.machine);
    CHECK(short_file.size() == resource::record_bytes);
    CHECK(resource::recover(short_file).record == resource::recover(long_file.bytes()).record);

    Writer calls;
    for (std::uint32_t k = 1; k <= 500; ++k)
        encode(TakenCall{call_key(k % 3, k), k, k, FencingToken(k)}, calls);
    const auto endpoint = resource::recover(Kind::Endpoint, Fencing::Fenced, calls.bytes());
    const auto kept = rewritten(endpoint.machine);
    CHECK(kept.size() <= 3 * resource::Endpoint::kept * resource::call_bytes);
    const auto again = resource::recover(Kind::Endpoint, Fencing::Fenced, kept);
    const auto& before = std::get<resource::Endpoint>(endpoint.machine);
    const auto& after = std::get<resource::Endpoint>(again.machine);
    std::size_t known = 0;
    for (std::uint32_t k = 1; k <= 500; ++k) {
        const auto* a = before.find(call_key(k % 3, k));
        const auto* b = after.find(call_key(k % 3, k));
        REQUIRE((a == nullptr) == (b == nullptr));
        if (a == nullptr) continue;
        CHECK(*a == *b);
        ++known;
    }
    CHECK(known > 10);
}

TEST_CASE("resource: each kind of machine takes its own requests through one door") {
    for (const Kind kind : {Kind::Store, Kind::Endpoint, Kind::Row}) {
        auto machine = resource::recover(kind, Fencing::Fenced, {}).machine;
        resource::Effects effects;
        wire::ResourceRequest request = wire::Write{LockId(1), FencingToken(1), 1, 1, 0, 1};
        if (kind == Kind::Endpoint)
            request = wire::Call{LockId(1), FencingToken(1), call_key(1, 1), 1, 1};
        resource::step(machine, resource::Request{NodeId(1), request}, effects);
        REQUIRE(effects.persist.size() == 1);
        effects.clear();
        resource::step(machine, resource::Persisted{1}, effects);
        CHECK(effects.replies.size() == 1);
    }
}

}  // namespace lockstep::test::machines
