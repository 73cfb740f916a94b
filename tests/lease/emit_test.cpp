#include "harness/lease/emit.hpp"

#include "tests/support/catch.hpp"

#include <string>

namespace lockstep::test {
namespace {

lease::Setting chosen(Duration lease, Duration deadline, Duration renew) {
    lease::Setting setting;
    setting.lease = lease;
    setting.deadline = deadline;
    setting.renew_every = renew;
    return setting;
}

bool names(const lease::Emitted& emitted, const std::string& text) {
    return emitted.text.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("lease-emit: Kubernetes' leader election gets whole seconds, on the safe side") {
    const auto made = lease::emit(
        "kubernetes", chosen(milliseconds(40'300), milliseconds(30'900), milliseconds(5'370)));
    REQUIRE(made);
    CHECK(made.value().setting.lease == seconds(41));
    CHECK(made.value().setting.deadline == seconds(30));
    CHECK(made.value().setting.renew_every == seconds(5));
    CHECK(made.value().setting.poll_every == seconds(5));
    CHECK(made.value().notes.size() == 2);
    for (const char* line : {"  leaseDuration: 41s\n", "  renewDeadline: 30s\n",
                             "  retryPeriod: 5s\n", "--leader-elect-lease-duration=41s"})
        CHECK(names(made.value(), line));
}

TEST_CASE("lease-emit: Kubernetes' rules hold, and what they cost is said") {
    // leaseDuration > renewDeadline, where the deadline is the lease but for a margin.
    const auto late =
        lease::emit("kubernetes", chosen(seconds(15), milliseconds(15'000), seconds(5)));
    REQUIRE(late);
    CHECK(late.value().setting.deadline == seconds(14));
    // renewDeadline > 1.2 x retryPeriod.
    const auto tight = lease::emit("kubernetes", chosen(seconds(30), seconds(11), seconds(10)));
    REQUIRE(tight);
    CHECK(tight.value().setting.renew_every == seconds(5));
    CHECK(tight.value().notes.size() == 3);
    // Of a second and less nothing is left.
    CHECK_FALSE(lease::emit("kubernetes", chosen(milliseconds(200), {}, milliseconds(50))));
    lease::Setting delayed = chosen(seconds(30), seconds(20), seconds(5));
    delayed.lock_delay = seconds(15);
    CHECK(lease::emit("kubernetes", delayed).value().notes.size() == 3);
}

TEST_CASE("lease-emit: what was rounded stays what it is") {
    for (const std::string& system : lease::emit_names())
        for (const std::int64_t ms : {2'400, 7'000, 15'000, 40'300, 119'500}) {
            CAPTURE(system, ms);
            const auto once = lease::emit(
                system, chosen(milliseconds(ms), milliseconds(ms * 2 / 3), milliseconds(ms / 7)));
            REQUIRE(once);
            const auto twice = lease::emit(system, once.value().setting);
            REQUIRE(twice);
            CHECK(twice.value().setting == once.value().setting);
            CHECK(twice.value().text == once.value().text);
        }
}

TEST_CASE("lease-emit: etcd gets a TTL, and renews as its client does") {
    const auto made = lease::emit("etcd", chosen(milliseconds(40'100), seconds(30), seconds(5)));
    REQUIRE(made);
    CHECK(made.value().setting.lease == seconds(41));
    CHECK(made.value().setting.renew_every == seconds(41) / 3);
    CHECK(made.value().setting.deadline == Duration{});
    CHECK(made.value().notes.size() == 2);
    CHECK(names(made.value(), "concurrency.WithTTL(41)"));
    CHECK(names(made.value(), "etcdctl lock --ttl=41 NAME"));
    const auto least = lease::emit("etcd", chosen(milliseconds(900), {}, milliseconds(300)));
    REQUIRE(least);
    CHECK(least.value().setting.lease == seconds(2));
    CHECK(least.value().notes.size() == 1);
}

}  // namespace lockstep::test
