#include "tests/histories/histories.hpp"

namespace lockstep::test::histories {
namespace {

std::string held_by(std::string_view who, std::int64_t from, std::int64_t to, int token) {
    const std::string t = "\"lock\":\"job\",\"token\":" + std::to_string(token);
    return line(from, who, "acquire", "call", R"("lock":"job")") +
           line(from + 1, who, "acquire", "ok", t) + line(to, who, "release", "call", t) +
           line(to + 1, who, "release", "ok");
}

}  // namespace

TEST_CASE("histories: one holder after another has a sequential explanation") {
    const Judgement judgement =
        judgement_of(held_by("a", 0, 5, 1) + held_by("b", 10, 15, 2) + held_by("a", 20, 25, 3));
    CHECK(state(judgement, PropertyId::Lin1) == State::Held);
    CHECK(of(judgement, PropertyId::Lin1).checks == 6);
}

TEST_CASE("histories: a grant beside another has no sequential explanation") {
    const std::string both = line(0, "a", "acquire", "call") + line(1, "a", "acquire", "ok") +
                             line(2, "b", "acquire", "call") + line(3, "b", "acquire", "ok") +
                             line(9, "a", "release", "call") + line(10, "a", "release", "ok");
    const Judgement judgement = judgement_of(both);
    CHECK(state(judgement, PropertyId::Lin1) == State::Violated);
    CHECK(of(judgement, PropertyId::Lin1).violation.text.find("the lock") != std::string::npos);
    // A release of unknown outcome explains it, a lease that may have run out as well.
    CHECK(state(judgement_of(line(0, "a", "acquire", "call") + line(1, "a", "acquire", "ok") +
                             line(2, "a", "release", "call") + line(3, "a", "release", "unknown") +
                             line(4, "b", "acquire", "call") + line(5, "b", "acquire", "ok")),
                PropertyId::Lin1) == State::Held);
    CHECK(state(judgement_of(line(0, "a", "acquire", "call", R"("ttl":3000000000)") +
                             line(1, "a", "acquire", "ok") + line(3'001, "b", "acquire", "call") +
                             line(3'002, "b", "acquire", "ok")),
                PropertyId::Lin1) == State::Held);
    CHECK(state(judgement_of(line(0, "a", "acquire", "call", R"("ttl":3000000000)") +
                             line(1, "a", "acquire", "ok") + line(2'001, "b", "acquire", "call") +
                             line(2'002, "b", "acquire", "ok")),
                PropertyId::Lin1) == State::Violated);
}

TEST_CASE("histories: a process may have the lock again after its lease ran out") {
    std::string text;
    for (int i = 0; i < 5; ++i)
        text += line(i * 2'000, i % 2 == 0 ? "a" : "b", "acquire", "call",
                     R"("lock":"job","ttl":1000000000,"id":)" + std::to_string(i)) +
                line(i * 2'000 + 1, i % 2 == 0 ? "a" : "b", "acquire", "ok",
                     "\"id\":" + std::to_string(i));
    const Judgement judgement = judgement_of(text);
    CHECK(state(judgement, PropertyId::Lin1) == State::Held);
    CHECK(in_state(judgement, State::Violated).empty());
}

TEST_CASE("histories: of leases that are over nothing is kept") {
    // Were they, it would give up half way.
    std::string text;
    for (int i = 0; i < 120'000; ++i)
        text += held_by(i % 2 == 0 ? "a" : "b", i * 10, i * 10 + 5, i + 1);
    const Judgement judgement = judgement_of(text);
    CHECK(state(judgement, PropertyId::Lin1) == State::Held);
    CHECK(of(judgement, PropertyId::Lin1).checks == 240'000);
}

TEST_CASE("histories: with several clocks, nothing is said of the order of all") {
    Given given;
    given.clock_error = 1;
    const Judgement judgement = judgement_of(held_by("a", 0, 5, 1), given);
    CHECK(state(judgement, PropertyId::Lin1) == State::Idle);
    CHECK(of(judgement, PropertyId::Lin1).idle_because.find("one clock") != std::string::npos);
}

}  // namespace lockstep::test::histories
