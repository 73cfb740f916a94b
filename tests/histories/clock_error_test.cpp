#include "tests/histories/histories.hpp"

namespace lockstep::test::histories {
namespace {

Given error_of_ms(std::int64_t ms) {
    Given given;
    given.clock_error = ms * 1'000'000;
    return given;
}

/// a holds until its release is called; b is told so many ms later.
std::string handed_over(std::int64_t gap) {
    return line(0, "a", "acquire", "call", R"("lock":"job")") +
           line(10, "a", "acquire", "ok", R"("token":1)") +
           line(900, "b", "acquire", "call", R"("lock":"job")") +
           (gap < 0 ? line(1'000 + gap, "b", "acquire", "ok", R"("token":2)") : "") +
           line(1'000, "a", "release", "call", R"("lock":"job")") +
           (gap >= 0 ? line(1'000 + gap, "b", "acquire", "ok", R"("token":2)") : "") +
           line(1'500, "a", "release", "ok");
}

}  // namespace

TEST_CASE("histories: a verdict holds wherever the stamps may lie, or is none") {
    // Two stamps, each wrong by up to 5 ms, are in doubt up to 10 ms.
    CHECK(state(judgement_of(handed_over(10), error_of_ms(5)), PropertyId::Belief1) == State::Held);
    CHECK(state(judgement_of(handed_over(9), error_of_ms(5)), PropertyId::Belief1) ==
          State::Undecidable);
    CHECK(state(judgement_of(handed_over(-10), error_of_ms(5)), PropertyId::Belief1) ==
          State::Undecidable);
    CHECK(state(judgement_of(handed_over(-11), error_of_ms(5)), PropertyId::Belief1) ==
          State::Violated);
    CHECK(state(judgement_of(handed_over(9)), PropertyId::Belief1) == State::Held);
    CHECK(state(judgement_of(handed_over(-1)), PropertyId::Belief1) == State::Violated);

    const Judgement doubt = judgement_of(handed_over(6), error_of_ms(5));
    CHECK(of(doubt, PropertyId::Belief1).decided_by == "a clock error of at most 3 ms");
    CHECK(state(judgement_of(handed_over(6), error_of_ms(3)), PropertyId::Belief1) == State::Held);
    const std::string text = history::report_text(doubt, {});
    CHECK(text == golden_report("undecidable.txt", text));
}

TEST_CASE("histories: lines may be out of order by twice the clock error") {
    const std::string swapped = line(0, "a", "acquire", "call") + line(10, "a", "acquire", "ok") +
                                line(50, "b", "acquire", "call") + line(108, "b", "acquire", "ok") +
                                line(100, "a", "release", "call") + line(120, "a", "release", "ok");
    CHECK(state(judgement_of(swapped, error_of_ms(4)), PropertyId::Belief1) == State::Held);
    const auto refused = judged(swapped, error_of_ms(3));
    REQUIRE(!refused.ok());
    CHECK(refused.error().line == 5);
    CHECK(refused.error().message.find("goes back by 8 ms") != std::string::npos);
}

TEST_CASE("histories: tokens and writes of several clocks") {
    const auto granted = [](std::int64_t gap) {
        return line(0, "a", "acquire", "call") + line(100, "a", "acquire", "ok", R"("token":9)") +
               line(101, "a", "release", "call") + line(102, "a", "release", "ok") +
               line(102 + gap, "b", "acquire", "call") +
               line(300, "b", "acquire", "ok", R"("token":7)");
    };
    // By 102 + gap the answer of 100 was given for sure, or maybe.
    CHECK(state(judgement_of(granted(9), error_of_ms(5)), PropertyId::Lock2) == State::Violated);
    CHECK(state(judgement_of(granted(7), error_of_ms(5)), PropertyId::Lock2) == State::Undecidable);
    CHECK(state(judgement_of(granted(7)), PropertyId::Lock2) == State::Violated);

    const auto wrote = [](std::string_view who, std::int64_t at) {
        return line(0, "b", "write", "call", R"("resource":"r","token":9)") +
               line(100, "b", "write", "ok") +
               line(at, who, "write", "call", R"("resource":"r","token":3)") +
               line(200, who, "write", "ok");
    };
    CHECK(state(judgement_of(wrote("a", 105), error_of_ms(5)), PropertyId::Fence1) ==
          State::Undecidable);
    CHECK(state(judgement_of(wrote("a", 111), error_of_ms(5)), PropertyId::Fence1) ==
          State::Violated);
    // One process has one clock.
    CHECK(state(judgement_of(wrote("b", 101), error_of_ms(5)), PropertyId::Fence1) ==
          State::Violated);
    // Confirmed after the call, by its stamp, and maybe before it in truth.
    const std::string after = line(100, "a", "write", "call", R"("resource":"r","token":3)") +
                              line(101, "b", "write", "call", R"("resource":"r","token":9)") +
                              line(105, "b", "write", "ok") + line(200, "a", "write", "ok");
    CHECK(state(judgement_of(after, error_of_ms(5)), PropertyId::Fence1) == State::Undecidable);
    CHECK(state(judgement_of(after), PropertyId::Fence1) == State::Idle);
}

TEST_CASE("histories: a floor forgets what is long ago, and calls that have ended") {
    history::Floor floor(5);
    for (std::int64_t t = 0; t < 100'000; t += 2) {
        const auto below = floor.at_call(t, 1, t);
        floor.confirmed({{static_cast<std::uint64_t>(t), 0}, 1, t + 1, 2}, t + 1);
        CHECK(floor.maybe_before(below).line == 1);
        REQUIRE(floor.kept() < 50);
    }
    // A call that stays open keeps what it has.
    const auto below = floor.at_call(100'000, 1, 100'000);
    floor.confirmed({{7'000'000, 0}, 3, 100'005, 2}, 100'005);
    floor.confirmed({{8'000'000, 0}, 4, 100'010, 2}, 100'010);
    floor.confirmed({{9'000'000, 0}, 5, 200'000, 2}, 200'000);
    CHECK(floor.maybe_before(below).line == 3);
    CHECK(floor.kept() < 50);
}

TEST_CASE("histories: a file may state its clock error, and the caller knows better") {
    const std::string said = R"({"lockstep_history":1,"clock_error":5000000})"
                             "\n" +
                             handed_over(9);
    CHECK(state(judgement_of(said), PropertyId::Belief1) == State::Undecidable);
    CHECK(state(judgement_of(said, error_of_ms(1)), PropertyId::Belief1) == State::Held);
}

}  // namespace lockstep::test::histories
