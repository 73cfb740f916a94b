#include "harness/catalogue.hpp"
#include "harness/history/writer.hpp"
#include "harness/run.hpp"
#include "tests/histories/histories.hpp"

#include <algorithm>

namespace lockstep::test::histories {
namespace {

struct Written {
    harness::Outcome outcome;
    std::string text;
};

Written written(const std::string& name, const std::vector<std::string>& sets = {},
                std::uint64_t seed = 1) {
    const auto scenario = harness::load_scenario(name, sets).value();
    harness::RunOptions options;
    options.keep_log = true;
    Written out{harness::run(scenario, seed, options), ""};
    REQUIRE(out.outcome.end == harness::End::Finished);
    out.text = history::history_of(out.outcome, scenario::resolve(scenario, seed));
    return out;
}

properties::Verdict verdict(const harness::Outcome& outcome, PropertyId id) {
    return outcome.reports[static_cast<std::size_t>(id)].verdict;
}

/// The lines of the text that hold all of these words.
std::vector<std::size_t> having(const std::vector<std::string>& lines,
                                const std::vector<std::string>& words) {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (std::ranges::all_of(words, [&](const std::string& word) {
                return lines[i].find(word) != std::string::npos;
            }))
            out.push_back(i);
    return out;
}

std::int64_t number_in(const std::string& line, const std::string& name) {
    const std::size_t at = line.find("\"" + name + "\":");
    REQUIRE(at != std::string::npos);
    return std::stoll(line.substr(at + name.size() + 3));
}

std::string word_in(const std::string& line, const std::string& name) {
    const std::size_t at = line.find("\"" + name + "\":\"") + name.size() + 4;
    return line.substr(at, line.find('"', at) - at);
}

/// The end of the call of this line.
std::size_t end_of(const std::vector<std::string>& lines, std::size_t call) {
    const auto ends = having(lines, {"\"process\":\"" + word_in(lines[call], "process") + "\"",
                                     "\"id\":\"" + word_in(lines[call], "id") + "\""});
    REQUIRE(ends.size() == 2);
    return ends[1];
}

}  // namespace

TEST_CASE("histories: what held in a run is held in its history") {
    for (const char* name :
         {"calm", "pause-past-lease", "client-clock-drift", "holder-cut-from-service",
          "leader-crash-after-grant", "minority-partition", "store-loses-power"}) {
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            INFO(name << " seed " << seed);
            const Written run = written(name, {}, seed);
            const Judgement judgement = judgement_of(run.text);
            CHECK(in_state(judgement, State::Violated).empty());
            CHECK(in_state(judgement, State::Undecidable).empty());
            for (const PropertyId id :
                 {PropertyId::Lock1, PropertyId::Lock2, PropertyId::Grant1, PropertyId::Fence1,
                  PropertyId::Fence2, PropertyId::Belief1})
                if (verdict(run.outcome, id) == properties::Verdict::Held)
                    CHECK(state(judgement, id) == State::Held);
        }
    }
}

TEST_CASE("histories: what was violated in a run is violated in its history") {
    const Written unfenced = written("pause-past-lease", {"resource.fencing=none"});
    REQUIRE(verdict(unfenced.outcome, PropertyId::Fence2) == properties::Verdict::Violated);
    CHECK(in_state(judgement_of(unfenced.text), State::Violated) == "FENCE-1 FENCE-2");

    // A clock that stood still excuses the run; a history knows of no excuse.
    const Written frozen = written("frozen-clock");
    REQUIRE(verdict(frozen.outcome, PropertyId::Belief1) == properties::Verdict::Excused);
    CHECK(in_state(judgement_of(frozen.text), State::Violated) == "BELIEF-1");
}

TEST_CASE("histories: a run's history is a function of scenario and seed") {
    CHECK(written("calm", {}, 4).text == written("calm", {}, 4).text);
}

TEST_CASE("histories: a run's history with one thing changed is violated by the right property") {
    const std::string text = written("calm").text;
    const auto lines = lines_of_text(text);
    const auto grants = having(lines, {"\"op\":\"acquire\",\"type\":\"ok\""});
    REQUIRE(grants.size() > 10);

    auto lowered = lines;
    std::string& grant = lowered[grants[8]];
    const std::int64_t before = number_in(lines[grants[2]], "token");
    const std::size_t at = grant.find("\"token\":");
    grant = grant.substr(0, at) + "\"token\":" + std::to_string(before - 1) + "}";
    CHECK(state(judgement_of(joined(lowered)), PropertyId::Lock2) == State::Violated);
    CHECK(state(judgement_of(joined(lowered)), PropertyId::Belief1) == State::Held);

    auto dropped = lines;
    dropped.erase(dropped.begin() + static_cast<std::ptrdiff_t>(grants[8]));
    CHECK(in_state(judgement_of(joined(dropped)), State::Violated) == "GRANT-1");
}

TEST_CASE("histories: a renewal of a run that is moved past its TTL is violated") {
    const auto lines = lines_of_text(written("calm").text);
    // The last renewal of a process, so that no later one keeps the session alive before it.
    const auto calls = having(lines, {"\"op\":\"renew\",\"type\":\"call\",\"session\""});
    const std::string process = word_in(lines[calls.back()], "process");
    const auto own = having(lines, {"\"process\":\"" + process + "\"",
                                    "\"op\":\"renew\",\"type\":\"call\",\"session\""});
    REQUIRE(own.size() > 2);
    const std::string call = lines[own.back()];
    const std::string end = lines[end_of(lines, own.back())];
    REQUIRE(end.find("\"ok\"") != std::string::npos);
    const auto moved_to = [&](std::int64_t time) {
        auto moved = lines;
        std::erase(moved, call);
        std::erase(moved, end);
        auto place = moved.begin() + 1;
        while (place != moved.end() && number_in(*place, "time") <= time) ++place;
        const auto at = [&](const std::string& line) {
            return "{\"time\":" + std::to_string(time) + line.substr(line.find(','));
        };
        moved.insert(place, {at(call), at(end)});
        return judgement_of(joined(moved));
    };
    // TTL 12 s from the sending of the renewal before it.
    const std::int64_t before = number_in(lines[own[own.size() - 2]], "time");
    CHECK(in_state(moved_to(before + 12'000'000'000), State::Violated) == "ACT-1");
    CHECK(in_state(moved_to(before + 11'999'999'999), State::Violated).empty());
}

}  // namespace lockstep::test::histories
