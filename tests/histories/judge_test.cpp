#include "tests/histories/histories.hpp"

namespace lockstep::test::histories {
namespace {

constexpr std::string_view grant5 =
    R"({"time": 1100000000, "process": "a", "op": "acquire", "type": "ok", "id": 1, "token": 5})";

}  // namespace

TEST_CASE("histories: a lease that goes from worker to worker is held") {
    const Judgement judgement = judgement_of(data("handover.jsonl"));
    CHECK(in_state(judgement, State::Violated).empty());
    CHECK(in_state(judgement, State::Undecidable).empty());
    for (const PropertyId id :
         {PropertyId::Lock1, PropertyId::Lock2, PropertyId::Lock3, PropertyId::Grant1,
          PropertyId::Act1, PropertyId::Fence1, PropertyId::Fence2, PropertyId::Belief1})
        CHECK(state(judgement, id) == State::Held);
    CHECK(judgement.operations == 11);
    const std::string text = history::report_text(judgement, {});
    CHECK(text == golden_report("handover.txt", text));
    const std::string json = history::report_json(judgement);
    CHECK(json == golden_report("handover.json", json));
}

TEST_CASE("histories: a token that is lowered violates LOCK-2") {
    const std::string lowered =
        with(data("handover.jsonl"), "\"id\": 1, \"token\": 9", "\"id\": 1, \"token\": 4");
    const Judgement judgement = judgement_of(lowered);
    CHECK(state(judgement, PropertyId::Lock2) == State::Violated);
    // The holder goes on to use a token that nobody gave it.
    CHECK(in_state(judgement, State::Violated) == "LOCK-2 GRANT-1 LIN-1");
    CHECK(of(judgement, PropertyId::Lock2).violation.lines ==
          std::vector<std::uint64_t>{3, 12, 13});
    const std::string text = history::report_text(judgement, {});
    CHECK(text == golden_report("token_lowered.txt", text));
    const std::string json = history::report_json(judgement);
    CHECK(json == golden_report("token_lowered.json", json));
}

TEST_CASE("histories: a token that is lowered wherever it is used lets in stale writes") {
    std::string lowered = data("handover.jsonl");
    for (std::size_t at; (at = lowered.find("\"token\": 9")) != std::string::npos;)
        lowered.replace(at, 10, "\"token\": 4");
    CHECK(in_state(judgement_of(lowered), State::Violated) == "LOCK-2 FENCE-1 LIN-1");
}

TEST_CASE("histories: a grant that is dropped violates GRANT-1") {
    const std::string all = data("handover.jsonl");
    const std::string answer = with(all, std::string(grant5) + "\n", "");
    CHECK(in_state(judgement_of(answer), State::Violated) == "GRANT-1");

    auto lines = lines_of_text(all);
    std::erase_if(lines, [](const std::string& line) {
        return line.find("acquire") != std::string::npos &&
               line.find("\"b\"") != std::string::npos &&
               line.find("\"id\": 1,") != std::string::npos;
    });
    REQUIRE(lines.size() == lines_of_text(all).size() - 2);
    const Judgement both = judgement_of(joined(lines));
    CHECK(in_state(both, State::Violated) == "GRANT-1");
    CHECK(of(both, PropertyId::Grant1).violation.text.find("process b") != std::string::npos);
}

TEST_CASE("histories: a renewal that is moved past its TTL violates ACT-1") {
    // The lease was good until 11.0; the next renewal is sent at 17.
    std::string moved = with(data("handover.jsonl"), "9000000000, ", "11500000000, ");
    moved = with(moved, "9100000000, ", "11600000000, ");
    const Judgement judgement = judgement_of(moved);
    CHECK(in_state(judgement, State::Violated) == "ACT-1");
    const std::string text = history::report_text(judgement, {});
    CHECK(text == golden_report("renewal_moved.txt", text));
}

TEST_CASE("histories: what happened while the lease had run out is no overlap") {
    const std::string common =
        line(0, "a", "acquire", "call", R"("lock":"job","ttl":10000000000)") +
        line(10, "a", "acquire", "ok", R"("token":1)");
    const std::string later = line(12'000, "b", "acquire", "call", R"("lock":"job","id":"x")") +
                              line(12'010, "b", "acquire", "ok", R"("token":2,"id":"x")");
    const Judgement held = judgement_of(common + later);
    CHECK(state(held, PropertyId::Belief1) == State::Held);
    CHECK(state(held, PropertyId::Lock3) == State::Held);

    // An answered renewal carries the belief on, into the other's.
    const Judgement renewed = judgement_of(
        common + line(9'000, "a", "renew", "call", R"("lock":"job","ttl":10000000000)") +
        line(9'010, "a", "renew", "ok") + later);
    CHECK(in_state(renewed, State::Violated) == "LOCK-1 BELIEF-1 LIN-1");
    // One that was not answered does not.
    const Judgement unanswered = judgement_of(
        common + line(9'000, "a", "renew", "call", R"("lock":"job","ttl":10000000000)") + later);
    CHECK(in_state(unanswered, State::Violated).empty());
}

TEST_CASE("histories: an acquire that waited has a lease from its answer on, at the latest") {
    const std::string waited = line(0, "a", "acquire", "call", R"("lock":"job","ttl":1000000000)") +
                               line(5'000, "a", "acquire", "ok");
    const auto renewed_at = [&](std::int64_t ms) {
        return judgement_of(waited +
                            line(ms, "a", "renew", "call", R"("lock":"job","ttl":1000000000)") +
                            line(ms + 1, "a", "renew", "ok") +
                            line(ms + 2, "b", "acquire", "call", R"("lock":"job")") +
                            line(ms + 3, "b", "acquire", "ok"));
    };
    // Whether it is in time, the answer says; how long it lasts, the first renewal.
    CHECK(state(renewed_at(5'999), PropertyId::Act1) == State::Held);
    CHECK(state(renewed_at(6'000), PropertyId::Act1) == State::Violated);
    CHECK(state(renewed_at(5'999), PropertyId::Belief1) == State::Violated);
    // Without one, it is not known to stand at any time.
    const Judgement alone =
        judgement_of(waited + line(5'100, "b", "acquire", "call", R"("lock":"job")") +
                     line(5'200, "b", "acquire", "ok"));
    CHECK(state(alone, PropertyId::Belief1) == State::Idle);
}

TEST_CASE("histories: a lease that is cut short violates LOCK-3") {
    const std::string opened = line(0, "a", "renew", "call") +
                               line(5, "a", "renew", "ok", R"("session":"s","ttl":10000000000)");
    const std::string granted = line(6, "a", "acquire", "call", R"("lock":"job","session":"s")") +
                                line(8, "a", "acquire", "ok", R"("token":1)");
    const auto refused_at = [&](std::int64_t ms) {
        return judgement_of(opened + granted +
                            line(ms - 1, "a", "renew", "call", R"("session":"s")") +
                            line(ms, "a", "renew", "no"));
    };
    CHECK(state(refused_at(9'999), PropertyId::Lock3) == State::Violated);
    CHECK(state(refused_at(10'000), PropertyId::Lock3) == State::Held);

    // Or it hears of it later than another was granted the lock.
    const auto lost = [&](std::int64_t granted_at, const Given& given = {}) {
        return judgement_of(opened + granted +
                                line(granted_at - 1, "b", "acquire", "call", R"("lock":"job")") +
                                line(granted_at, "b", "acquire", "ok", R"("token":2)") +
                                line(12'000, "a", "lost", "call", R"("session":"s")"),
                            given);
    };
    CHECK(state(lost(9'999), PropertyId::Lock3) == State::Violated);
    CHECK(state(lost(10'001), PropertyId::Lock3) == State::Held);
    // Clocks that may be 1% apart end it 1% earlier.
    Given drift;
    drift.drift_ppm = 10'000;
    CHECK(state(lost(9'899, drift), PropertyId::Lock3) == State::Violated);
    CHECK(state(lost(9'999, drift), PropertyId::Lock3) == State::Held);

    // Or earlier.
    const Judgement first_lost =
        judgement_of(opened + granted + line(5'000, "a", "lost", "call", R"("lock":"job")") +
                     line(6'000, "b", "acquire", "call", R"("lock":"job")") +
                     line(6'001, "b", "acquire", "ok", R"("token":2)"));
    CHECK(in_state(first_lost, State::Violated) == "LOCK-3");
}

TEST_CASE("histories: two grants that stand at once violate LOCK-1 and BELIEF-1") {
    const std::string two = line(0, "a", "acquire", "call") + line(1, "a", "acquire", "ok") +
                            line(2, "b", "acquire", "call") + line(3, "b", "acquire", "ok") +
                            line(4, "b", "release", "call") + line(5, "b", "release", "ok") +
                            line(6, "a", "release", "call") + line(7, "a", "release", "ok");
    const Judgement judgement = judgement_of(two);
    CHECK(in_state(judgement, State::Violated) == "LOCK-1 BELIEF-1 LIN-1");
    CHECK(of(judgement, PropertyId::Lock1).violations == 1);
    // Whoever holds on to the end overlaps as well.
    const Judgement open =
        judgement_of(line(0, "a", "acquire", "call") + line(1, "a", "acquire", "ok") +
                     line(2, "b", "acquire", "call") + line(3, "b", "acquire", "ok"));
    CHECK(in_state(open, State::Violated) == "LOCK-1 BELIEF-1 LIN-1");
}

TEST_CASE("histories: a loss that is told late is no second grant") {
    // The service may have ended it at any time after it was last heard to stand.
    const Judgement judgement =
        judgement_of(line(0, "a", "acquire", "call") + line(1, "a", "acquire", "ok") +
                     line(2, "b", "acquire", "call") + line(3, "b", "acquire", "ok") +
                     line(4, "b", "release", "call") + line(5, "b", "release", "ok") +
                     line(6, "a", "lost", "call"));
    CHECK(state(judgement, PropertyId::Lock1) == State::Held);
    // Its process believed otherwise.
    CHECK(state(judgement, PropertyId::Belief1) == State::Violated);
}

TEST_CASE("histories: a refused release is judged under both readings") {
    const auto story = [](std::string_view answer, std::string_view ttl) {
        return line(0, "a", "acquire", "call", ttl) + line(10, "a", "acquire", "ok") +
               line(100, "a", "release", "call") + line(110, "a", "release", answer) +
               line(200, "b", "acquire", "call") + line(210, "b", "acquire", "ok") +
               line(300, "b", "release", "call") + line(310, "b", "release", "ok");
    };
    const Judgement no = judgement_of(story("no", ""));
    CHECK(in_state(no, State::Undecidable) == "LOCK-1 LIN-1");
    CHECK(in_state(no, State::Violated).empty());
    const std::string text = history::report_text(no, {});
    CHECK(text == golden_report("refused_release.txt", text));

    // What may have happened explains the rest; the verdict says that it rests on it.
    const Judgement unknown = judgement_of(story("unknown", ""));
    CHECK(state(unknown, PropertyId::Lock1) == State::Held);
    CHECK(of(unknown, PropertyId::Lock1).notes.size() == 1);
    // The readings agree where the lease had run out in between.
    const Judgement leased = judgement_of(story("no", R"("ttl":150000000)"));
    CHECK(state(leased, PropertyId::Lock1) == State::Held);
    CHECK(of(leased, PropertyId::Lock1).notes.empty());
    CHECK(state(judgement_of(story("ok", "")), PropertyId::Lock1) == State::Held);
}

TEST_CASE("histories: a refused release that is answered late is judged all the same") {
    const std::string late = line(0, "a", "acquire", "call") + line(10, "a", "acquire", "ok") +
                             line(100, "a", "release", "call") + line(200, "b", "acquire", "call") +
                             line(210, "b", "acquire", "ok") + line(300, "b", "release", "call") +
                             line(310, "b", "release", "ok");
    CHECK(state(judgement_of(late + line(400, "a", "release", "no")), PropertyId::Lock1) ==
          State::Undecidable);
    CHECK(state(judgement_of(late + line(400, "a", "release", "ok")), PropertyId::Lock1) ==
          State::Held);
    // Without an answer it is unknown.
    const Judgement open = judgement_of(late);
    CHECK(state(open, PropertyId::Lock1) == State::Held);
    CHECK(of(open, PropertyId::Lock1).notes.size() == 1);
}

TEST_CASE("histories: equal tokens are seen whatever the times") {
    const std::string twins = line(0, "a", "acquire", "call", R"("lock":"job")") +
                              line(1, "b", "acquire", "call", R"("lock":"job")") +
                              line(2, "a", "acquire", "ok", R"("token":7)") +
                              line(3, "a", "release", "call", R"("lock":"job")") +
                              line(4, "a", "release", "ok") +
                              line(5, "b", "acquire", "ok", R"("token":7)");
    CHECK(in_state(judgement_of(twins), State::Violated) == "LOCK-2 LIN-1");
    // Acquires that were open together may be granted in either order.
    CHECK(state(judgement_of(with(twins, "ok\",\"token\":7}\n{\"time\":3",
                                  "ok\",\"token\":9}\n{\"time\":3")),
                PropertyId::Lock2) == State::Held);
}

TEST_CASE("histories: stale writes and lost updates") {
    const auto write = [](std::int64_t ms, std::string_view process, int token, int n, int read,
                          int version) {
        return line(ms, process, "write", "call",
                    "\"resource\":\"r\",\"token\":" + std::to_string(token) + ",\"n\":" +
                        std::to_string(n) + ",\"read_version\":" + std::to_string(read)) +
               line(ms + 5, process, "write", "ok", "\"version\":" + std::to_string(version));
    };
    CHECK(in_state(judgement_of(write(0, "a", 3, 1, 0, 1) + write(10, "a", 3, 2, 1, 2) +
                                write(20, "b", 4, 1, 2, 3)),
                   State::Violated)
              .empty());
    // Lower token; same token, n that does not grow; an old version.
    CHECK(in_state(judgement_of(write(0, "b", 4, 1, 0, 1) + write(10, "a", 3, 2, 1, 2)),
                   State::Violated) == "FENCE-1");
    CHECK(in_state(judgement_of(write(0, "a", 3, 2, 0, 1) + write(10, "a", 3, 2, 1, 2)),
                   State::Violated) == "FENCE-1");
    CHECK(in_state(judgement_of(write(0, "a", 3, 1, 0, 1) + write(10, "b", 4, 1, 0, 2)),
                   State::Violated) == "FENCE-2");
    // Two that overlap cannot both rest on one version, nor one on what the other replaced.
    const std::string overlapping =
        line(0, "a", "write", "call", R"("resource":"r","read_version":4)") +
        line(1, "b", "write", "call", R"("resource":"r","read_version":4)") +
        line(2, "a", "write", "ok", R"("version":5)") +
        line(3, "b", "write", "ok", R"("version":6)");
    CHECK(in_state(judgement_of(overlapping), State::Violated) == "FENCE-2");
    CHECK(
        state(
            judgement_of(with(
                overlapping,
                "\"b\",\"op\":\"write\",\"type\":\"call\",\"resource\":\"r\",\"read_version\":4",
                "\"b\",\"op\":\"write\",\"type\":\"call\",\"resource\":\"r\",\"read_version\":5")),
            PropertyId::Fence2) == State::Held);
    // A read that has lost an acknowledged write; one under an old token.
    const std::string reading = write(0, "a", 3, 1, 0, 1);
    CHECK(in_state(judgement_of(reading + line(10, "b", "read", "call", R"("resource":"r")") +
                                line(11, "b", "read", "ok", R"("version":0)")),
                   State::Violated) == "FENCE-2");
    CHECK(in_state(
              judgement_of(reading + line(10, "b", "read", "call", R"("resource":"r","token":2)") +
                           line(11, "b", "read", "ok", R"("version":1)")),
              State::Violated) == "FENCE-1");
    // What was refused, or is unknown, is nothing that was taken.
    CHECK(state(judgement_of(line(0, "b", "write", "call", R"("resource":"r","token":9)") +
                             line(1, "b", "write", "unknown") + write(10, "a", 3, 1, 0, 1)),
                PropertyId::Fence1) == State::Idle);
}

}  // namespace lockstep::test::histories
