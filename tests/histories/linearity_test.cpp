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

TEST_CASE("histories: LIN-1 is not held where a grant without a token is beside those with one") {
    const std::string mixed =
        held_by("a", 0, 5, 1) + line(10, "b", "acquire", "call", R"("lock":"job")") +
        line(11, "b", "acquire", "ok") + line(12, "b", "release", "call", R"("lock":"job")") +
        line(13, "b", "release", "ok");
    const Judgement judgement = judgement_of(mixed + held_by("a", 20, 25, 3));
    CHECK(state(judgement, PropertyId::Lin1) == State::Undecidable);
    const Finding& finding = of(judgement, PropertyId::Lin1);
    CHECK(finding.doubt.text.find("without a token") != std::string::npos);
    CHECK(finding.doubt.lines == std::vector<std::uint64_t>{5, 6});
    CHECK(finding.decided_by == "a token in each grant of the lock");
    // The rest is judged on.
    const Judgement both =
        judgement_of(mixed + line(20, "a", "acquire", "call", R"("lock":"job")") +
                     line(21, "a", "acquire", "ok", R"("token":4)") +
                     line(22, "b", "acquire", "call", R"("lock":"job")") +
                     line(23, "b", "acquire", "ok", R"("token":5)"));
    CHECK(state(both, PropertyId::Lin1) == State::Violated);
    CHECK(of(both, PropertyId::Lin1).undecided == 1);
    // Where the first grants have none, none is needed: the order of the answers is that of grants.
    const Judgement later = judgement_of(data("jepsen-two-holders.edn"));
    CHECK(state(later, PropertyId::Lin1) == State::Violated);
}

TEST_CASE("histories: LIN-1 has no order of grants from answers that came after the lease") {
    const auto story = [](std::string_view token_a, std::string_view token_b) {
        return line(0, "c", "acquire", "call", R"("lock":"job","ttl":1000000000)") +
               line(1, "c", "acquire", "ok", token_a.empty() ? "" : R"("token":1)") +
               line(2, "c", "release", "call", R"("lock":"job")") + line(3, "c", "release", "ok") +
               line(4, "a", "acquire", "call", R"("lock":"job","ttl":1000000000)") +
               line(2'000, "b", "acquire", "call", R"("lock":"job","ttl":1000000000)") +
               line(2'001, "b", "acquire", "ok", token_b) +
               line(2'500, "a", "acquire", "ok", token_a);
    };
    const Judgement without = judgement_of(story("", ""));
    CHECK(state(without, PropertyId::Lin1) == State::Undecidable);
    CHECK(of(without, PropertyId::Lin1).doubt.lines == std::vector<std::uint64_t>{5, 8});
    CHECK(state(judgement_of(story(R"("token":2)", R"("token":3)")), PropertyId::Lin1) ==
          State::Held);
    CHECK(state(judgement_of(story(R"("token":3)", R"("token":2)")), PropertyId::Lin1) ==
          State::Violated);
}

TEST_CASE("histories: LIN-1 of sessions that an answer names") {
    const auto beside = [](std::string_view opened, std::string_view released) {
        return std::string(opened) + line(10, "a", "acquire", "call", R"("lock":"job")") +
               line(11, "a", "acquire", "ok", R"("token":1,"session":"s")") +
               (released.empty() ? ""
                                 : line(12, "a", "release", "call", R"("lock":"job")") +
                                       line(13, "a", "release", "ok")) +
               line(20, "b", "acquire", "call", R"("lock":"job")") +
               line(21, "b", "acquire", "ok", R"("token":2)");
    };
    // The session is new, and begins with that grant.
    CHECK(state(judgement_of(beside("", "")), PropertyId::Lin1) == State::Violated);
    CHECK(state(judgement_of(beside("", "released")), PropertyId::Lin1) == State::Held);
    // It goes on after its first lock was given back.
    const std::string again = line(30, "a", "acquire", "call", R"("lock":"other","session":"s")") +
                              line(31, "a", "acquire", "ok", R"("token":1)") +
                              line(32, "b", "acquire", "call", R"("lock":"other")");
    CHECK(state(judgement_of(beside("", "released") + again + line(33, "b", "acquire", "unknown")),
                PropertyId::Lin1) == State::Held);
    CHECK(state(judgement_of(beside("", "released") + again +
                             line(33, "b", "acquire", "ok", R"("token":2)")),
                PropertyId::Lin1) == State::Violated);
    // It was there before: until when its lease runs was not known at the call.
    const std::string opened = line(0, "a", "renew", "call") +
                               line(5, "a", "renew", "ok", R"("session":"s","ttl":10000000000)");
    const Judgement late = judgement_of(beside(opened, "released"));
    CHECK(state(late, PropertyId::Lin1) == State::Undecidable);
    CHECK(of(late, PropertyId::Lin1).decided_by == "the session in the call of the acquire");
}

TEST_CASE("histories: LIN-1 lets a grant with a TTL inside a session end by that, and no sooner") {
    const auto next_at = [](std::int64_t ms) {
        return judgement_of(
            line(0, "a", "renew", "call") +
            line(5, "a", "renew", "ok", R"("session":"s","ttl":60000000000)") +
            line(10, "a", "acquire", "call", R"("lock":"job","session":"s","ttl":1000000000)") +
            line(11, "a", "acquire", "ok", R"("token":1)") +
            line(ms - 1, "b", "acquire", "call", R"("lock":"job")") +
            line(ms, "b", "acquire", "ok", R"("token":2)"));
    };
    CHECK(state(next_at(1'009), PropertyId::Lin1) == State::Violated);
    CHECK(state(next_at(1'010), PropertyId::Lin1) == State::Held);
}

TEST_CASE("histories: LIN-1 does not take the release of an earlier grant for that of the last") {
    const std::string twice = line(0, "a", "acquire", "call", R"("lock":"job","ttl":100000000)") +
                              line(1, "a", "acquire", "ok", R"("token":1)") +
                              line(200, "a", "acquire", "call", R"("lock":"job")") +
                              line(201, "a", "acquire", "ok", R"("token":2)");
    const std::string earlier = line(300, "a", "release", "call", R"("lock":"job","token":1)") +
                                line(301, "a", "release", "ok");
    const std::string last = line(302, "a", "release", "call", R"("lock":"job","token":2)") +
                             line(303, "a", "release", "ok");
    const std::string other = line(302, "b", "acquire", "call", R"("lock":"job")") +
                              line(302, "b", "acquire", "ok", R"("token":3)");
    CHECK(state(judgement_of(twice + earlier + last + held_by("b", 400, 410, 3)),
                PropertyId::Lin1) == State::Held);
    // It may have freed the lock, but what was freed is not released afterwards.
    CHECK(state(judgement_of(twice + earlier + other), PropertyId::Lin1) == State::Held);
    CHECK(state(judgement_of(twice + earlier + other +
                             line(305, "a", "release", "call", R"("lock":"job","token":2)") +
                             line(306, "a", "release", "ok")),
                PropertyId::Lin1) == State::Violated);
}

TEST_CASE("histories: LIN-1 is not held where too much is kept to go on") {
    // That call stays open, and what came after it is kept.
    std::string text = line(0, "c", "acquire", "call", R"("lock":"other")");
    for (int i = 0; i < 120'000; ++i)
        text += held_by(i % 2 == 0 ? "a" : "b", 10 + i * 10, 10 + i * 10 + 5, i + 1);
    const Judgement judgement = judgement_of(text);
    CHECK(state(judgement, PropertyId::Lin1) == State::Undecidable);
    const Finding& finding = of(judgement, PropertyId::Lin1);
    CHECK(finding.checks < 240'000);
    CHECK(finding.doubt.time > 0);
    REQUIRE(finding.doubt.lines.size() == 1);
    CHECK(finding.doubt.lines.front() > 100'000);
    CHECK(finding.decided_by.find("each call that stays open") != std::string::npos);
}

TEST_CASE("histories: the evidence of LIN-1 names processes, terms and lines") {
    const auto text_of = [](const std::string& history) {
        const Judgement judgement = judgement_of(history);
        REQUIRE(state(judgement, PropertyId::Lin1) == State::Violated);
        return of(judgement, PropertyId::Lin1).violation;
    };
    const std::string first =
        line(1'000, "a", "acquire", "call") + line(1'100, "a", "acquire", "ok");
    const std::string second =
        line(2'000, "b", "acquire", "call") + line(2'100, "b", "acquire", "ok");
    const auto forever = text_of(first + second);
    CHECK(forever.text ==
          "the lock: the grant to process b was made by 1.100000 s, but the grant to process a has "
          "no TTL and had not been released");
    CHECK(forever.lines == std::vector<std::uint64_t>{3, 4, 1, 2});
    const std::string session = R"("lock":"job","session":"0d9c2c1a-7c52-4d60")";
    const auto leased = text_of(line(0, "a", "renew", "call", R"("session":"0d9c2c1a-7c52-4d60")") +
                                line(10, "a", "renew", "ok", R"("ttl":5000000000)") +
                                line(1'000, "a", "acquire", "call", session) +
                                line(1'100, "a", "acquire", "ok", R"("token":5)") +
                                line(2'000, "b", "acquire", "call", R"("lock":"job")") +
                                line(2'100, "b", "acquire", "ok", R"("token":6)"));
    CHECK(leased.text.find("the grant of token 5 to process a (session 0d9c2c1a-7c52-4d60) ") !=
          std::string::npos);
    CHECK(leased.text.find("cannot have ended before 5.000000 s, to which its lease ran") !=
          std::string::npos);
    // With the line of the renewal on which that rests.
    CHECK(leased.lines == std::vector<std::uint64_t>{5, 6, 3, 4, 2});
}

}  // namespace lockstep::test::histories
