// shrink, replay, accept: from a failing seed to a regression.
#include "tests/cli/program.hpp"

#include <string>

namespace lockstep::test::program {
namespace {

/// Shrinks the unfenced pause in the folder.
Answer shrink_pause(const Folder& folder, const std::string& more = "") {
    return folder.lockstep_says("shrink fencing-none --out r.toml " + more);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("failures: shrinking leaves a repro that replays to the same digest") {
    const Folder folder;
    const Answer shrunk = shrink_pause(folder);
    CHECK(shrunk.code == 0);
    CHECK(says(shrunk, "FENCE-2 NoLostUpdate"));
    CHECK(says(shrunk, "<- decisive"));
    CHECK(says(shrunk, "3 servers to 1"));
    CHECK(says(shrunk, "accept ./r.toml"));
    const Answer replayed = folder.lockstep_says("replay r.toml");
    CHECK(replayed.code == 1);
    CHECK(says(replayed, "FAILS AGAIN  FENCE-2/"));
    CHECK(says(replayed, "that of the repro\n"));
    // The same arguments, the same repro.
    CHECK(folder.lockstep_says("shrink fencing-none --out again.toml").code == 0);
    CHECK(folder.read("again.toml") == folder.read("r.toml"));
    const Answer refused = shrink_pause(folder);
    CHECK(refused.code == 2);
    CHECK(says(refused, "there already"));
}

TEST_CASE("failures: what holds, and what misses its mark, are told apart") {
    const Folder folder;
    REQUIRE(shrink_pause(folder).code == 0);
    const std::string text = folder.read("r.toml");
    folder.write("fixed.toml",
                 replaced(replaced(text, "fencing = \"none\"", "fencing = \"fenced\""),
                          "[[expect]]\nviolated = \"FENCE-2\"\n", ""));
    const Answer held = folder.lockstep_says("replay fixed.toml");
    CHECK(held.code == 0);
    CHECK(says(held, "HELD"));
    CHECK(says(held, "it was edited"));
    folder.write("missed.toml",
                 replaced(folder.read("fixed.toml"), "when.nth = 1", "when.nth = 99"));
    const Answer missed = folder.lockstep_says("replay missed.toml");
    CHECK(missed.code == 3);
    CHECK(says(missed, "NO LONGER EXERCISES"));
    CHECK(says(missed, "missed: pause of worker-a"));
    CHECK(folder.lockstep_says("accept missed.toml").code == 2);
}

TEST_CASE("failures: a repro that cannot be is refused") {
    const Folder folder;
    REQUIRE(shrink_pause(folder).code == 0);
    const std::string text = folder.read("r.toml");
    const auto refuses = [&](const std::string& bytes, const std::string& why) {
        folder.write("bad.toml", bytes);
        const Answer answer = folder.lockstep_says("replay bad.toml");
        INFO(answer.out);
        CHECK(answer.code == 2);
        CHECK(says(answer, why));
    };
    refuses(text.substr(0, text.find("[repro]")), "no table [repro]");
    refuses(text.substr(0, text.find("content = ")), "content");
    refuses(replaced(text, "version = \"0.1.0\"", "version = \"99.0.0\""), "newer");
    refuses(replaced(text, "FENCE-2/", "FENCE-9/"), "fingerprint");
    refuses("", "no table [repro]");
    CHECK(folder.lockstep_says("replay none.toml").code == 2);
    CHECK(folder.lockstep_says("replay calm").code == 2);
}

TEST_CASE("failures: the first event that differs from another run's is shown") {
    const Folder folder;
    REQUIRE(shrink_pause(folder).code == 0);
    REQUIRE(folder.lockstep_says("replay r.toml --events a.jsonl").code == 1);
    const Answer same = folder.lockstep_says("replay r.toml --against a.jsonl");
    CHECK(says(same, "events are those of a.jsonl"));
    std::string events = folder.read("a.jsonl");
    folder.write("b.jsonl", replaced(events, "\"event\":\"granted\"", "\"event\":\"greeted\""));
    const Answer other = folder.lockstep_says("replay r.toml --against b.jsonl");
    CHECK(other.code == 1);
    CHECK(says(other, "first difference, b.jsonl:"));
    CHECK(says(other, "greeted"));
    REQUIRE(folder.lockstep_says("run chaos --events c.jsonl").code == 0);
    CHECK(folder.lockstep_says("replay r.toml --against c.jsonl").code == 2);
    CHECK(folder.lockstep_says("replay r.toml --events r.toml").code == 2);
    CHECK(folder.read("r.toml").find("[repro]") != std::string::npos);
}

TEST_CASE("failures: a repro is accepted once, with its story") {
    const Folder folder;
    REQUIRE(shrink_pause(folder).code == 0);
    const Answer first =
        folder.lockstep_says("accept r.toml --to kept --name pause --story 'It was paused.'");
    INFO(first.out);
    CHECK(first.code == 0);
    CHECK(folder.read("kept/pause.toml").starts_with("# It was paused.\n"));
    CHECK(folder.lockstep_says("replay kept/pause.toml").code == 1);
    const Answer second = folder.lockstep_says("accept r.toml --to kept --name pause");
    CHECK(second.code == 2);
    CHECK(says(second, "there already"));
    CHECK(folder.lockstep_says("accept r.toml --to kept --name ../pause").code == 2);
}

TEST_CASE("failures: exploring shrinks one failure of each kind") {
    const Folder folder;
    // No service answers within a millisecond.
    const std::string calm = "explore calm --seeds 3 --jobs 1 --set run.slack=1ms";
    const Answer told = folder.lockstep_says(calm + " --out o");
    INFO(told.out);
    CHECK(told.code == 1);
    CHECK(says(told, "AVAIL-1"));
    CHECK(says(told, "3 of 3 runs"));
    CHECK(says(told, "shrunk"));
    CHECK(says(told, "lockstep accept o/repros/calm-AVAIL-1-1.toml"));
    CHECK(folder.lockstep_says("replay o/repros/calm-AVAIL-1-1.toml").code == 1);
    const Answer plain = folder.lockstep_says(calm + " --out p --no-shrink");
    CHECK(plain.code == 1);
    CHECK(!says(plain, "shrunk"));
}

}  // namespace lockstep::test::program
