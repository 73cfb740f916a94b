#include "harness/export_json.hpp"

#include "scenarios/resolve.hpp"
#include "tests/harness/fixtures.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace lockstep::test {
namespace {

using nlohmann::json;

json read_json(const harness::Batch& batch) {
    return json::parse(harness::batch_json(batch, {"1.2.3", "00ff"}));
}

/// The rows of the table that begins with this word, each cut into words, numbers without commas;
/// notes are rows too.
std::vector<std::vector<std::string>> rows_of(const std::string& text, const std::string& heading) {
    std::istringstream lines(text);
    std::vector<std::vector<std::string>> rows;
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream in(line);
        std::vector<std::string> words;
        for (std::string word; in >> word;) {
            std::string plain = word;
            std::erase(plain, ',');
            const bool number = plain.find_first_not_of("0123456789") == std::string::npos;
            words.push_back(number ? plain : word);
        }
        if (inside && words.empty()) return rows;
        if (inside) rows.push_back(words);
        if (!inside && !words.empty() && words[0] == heading) inside = true;
    }
    return rows;
}

std::string digits(const json& number) {
    return std::to_string(number.get<std::uint64_t>());
}

using Row = std::vector<std::string>;

}  // namespace

TEST_CASE("json: the faults, marks and properties of the table are those of the JSON") {
    const auto batch = mixed_batch();
    const std::string text = harness::batch_text(batch, {});
    const json all = read_json(batch);

    std::vector<Row> faults;
    for (const auto& fault : all["faults"])
        faults.push_back({fault["kind"], digits(fault["planned"]), digits(fault["fired"]),
                          digits(fault["met_nobody"])});
    Row roles{"aimed", "at", "a", "role,", "and", "hit:"};
    for (const auto& role : all["roles"]) {
        roles.push_back(role["role"]);
        roles.push_back(digits(role["hits"]));
    }
    faults.push_back(roles);
    const json& triggers = all["triggers"];
    faults.push_back({"waited", "for", "a", "trigger:", digits(triggers["waited"]), "of", "which",
                      digits(triggers["met"]), "were", "met", "and", digits(triggers["unmet"]),
                      "were", "not"});
    CHECK(rows_of(text, "fault") == faults);

    std::vector<Row> marks;
    for (const auto& mark : all["marks"]) {
        marks.push_back(
            {mark["mark"], digits(mark["times"]), digits(mark["runs"]), digits(mark["scenarios"])});
        if (mark["required_by"] > 0)
            marks.back().insert(marks.back().end(),
                                {"required", "by", digits(mark["required_by"])});
        for (const auto& name : mark["never_reached_by"])
            marks.push_back({"NEVER", "REACHED", "by", name});
    }
    CHECK(rows_of(text, "mark") == marks);

    std::vector<Row> properties;
    for (const auto& p : all["properties"]) {
        properties.push_back({p["id"], p["name"], digits(p["held"]), digits(p["violated"]),
                              digits(p["excused"]), digits(p["idle"]), digits(p["judged"]),
                              digits(p["checks"])});
        for (const auto& [assumption, runs] : p["excused_by"].items())
            properties.push_back({"excused", "by", assumption + ":", digits(runs)});
    }
    CHECK(rows_of(text, "property") == properties);
    CHECK(text.find("excused by clock-rate(server): 1") != std::string::npos);
}

TEST_CASE("json: the scenarios of the table, their failures and doubts, are those of the JSON") {
    const auto batch = mixed_batch();
    const std::string text = harness::batch_text(batch, {});
    const json all = read_json(batch);
    REQUIRE(all["scenarios"].size() == 2);
    const auto rows = rows_of(text, "scenario");
    REQUIRE(rows.size() == 3);  // and the note of the second
    std::size_t i = 0;
    for (const auto& scenario : all["scenarios"]) {
        const Row& row = rows[i++];
        CHECK(row[0] == scenario["name"].get<std::string>());
        CHECK(row[1] == digits(scenario["runs"]));
        CHECK(row[2] == digits(scenario["as_expected"]));
        CHECK(row[3] == digits(scenario["not_as_expected"]));
        CHECK(row[4] == digits(scenario["steps"]));
        CHECK(row[row.size() - 2] ==
              digits(scenario["marks_reached"]) + "/" + digits(scenario["marks_required"]));
        std::uint64_t fired = 0;
        for (const auto& fault : scenario["faults"]) fired += fault["fired"].get<std::uint64_t>();
        CHECK(row.back() == std::to_string(fired));
        for (const auto& failure : scenario["failures"]) {
            CHECK(text.find("FAIL  " + scenario["name"].get<std::string>() + " seed " +
                            digits(failure["seed"])) != std::string::npos);
            CHECK(text.find("again: " + failure["again"].get<std::string>()) != std::string::npos);
            CHECK(failure["digest"].get<std::string>().size() == 16);
            for (const auto& violation : failure["violated"])
                CHECK(text.find(violation["evidence"].get<std::string>()) != std::string::npos);
        }
        for (const auto& doubt : scenario["doubts"])
            CHECK(text.find("DOUBT " + scenario["name"].get<std::string>() + ": " +
                            doubt.get<std::string>()) != std::string::npos);
    }
    CHECK(all["scenarios"][0]["failures"].size() == 2);
    CHECK(all["scenarios"][0]["doubts"].size() == 2);
    CHECK(all["scenarios"][1]["expects_violated"] == json::array({"FENCE-2"}));
    CHECK(rows[2] == Row{"expects", "FENCE-2", "violated:", "so", "in", "3", "runs"});
    CHECK(all["totals"]["runs"] == 6);
    CHECK(all["totals"]["not_as_expected"] == 2);
    CHECK(all["verdict"] == "violated");
    CHECK(all["exit_code"] == 1);
    CHECK(all["lockstep"]["version"] == "1.2.3");
    CHECK(all["lockstep"]["build"] == "00ff");
    CHECK(all["lockstep"]["plan_epoch"] == scenario::plan_epoch);
}

TEST_CASE("json: seeds and counts are whole numbers, whatever their size") {
    harness::Batch batch;
    batch.tallies = {{"one", {}}};
    batch.repeats = {{"one", {}}};
    Outcome outcome = held_outcome(18'446'744'073'709'551'615U);
    violate(outcome, PropertyId::Lock1, sim::SimTime{1}, "not \xff UTF-8");
    batch.tallies[0].add(outcome);
    batch.exploration.given_up = {{0, 18'446'744'073'709'551'614U}};
    const json all = read_json(batch);
    CHECK(all["scenarios"][0]["failures"][0]["seed"] == 18'446'744'073'709'551'615U);
    CHECK(all["exploration"]["gave_up"][0]["seed"] == 18'446'744'073'709'551'614U);
}

TEST_CASE("json: one run, and its events a line each") {
    Outcome outcome = held_outcome(4);
    outcome.process_names = {"n1", "worker-a"};
    outcome.lock_names = {"job"};
    outcome.marks = {{"lease-expired", 1}, {"two-leaders", 0}};
    violate(outcome, PropertyId::Fence2, sim::SimTime{5}, "lost");
    events::GrantTold told;
    told.lock = LockId(1);
    told.token = FencingToken(33);
    outcome.log = {{sim::SimTime{1'500}, sim::ProcessId(2), events::Event(told)},
                   {sim::SimTime{2'000}, sim::ProcessId(1),
                    harness::MessageLine{"n1 -> worker-a acquire-reply (arrives 0.000)"}}};
    const json run =
        json::parse(harness::outcome_json(outcome, {}, {"calm", {"lease.ttl=5s"}}, {"1", "2"}));
    CHECK(run["seed"] == 4);
    CHECK(run["as_expected"] == false);
    CHECK(run["again"] == "lockstep run calm --seed 4 --set lease.ttl=5s");
    CHECK(run["marks"].size() == 1);
    CHECK(run["properties"].size() == properties::property_count);
    const auto fence = std::find_if(run["properties"].begin(), run["properties"].end(),
                                    [](const json& p) { return p["property"] == "FENCE-2"; });
    REQUIRE(fence != run["properties"].end());
    CHECK((*fence)["verdict"] == "violated");
    CHECK((*fence)["evidence"] == "lost");

    std::vector<json> lines;
    harness::event_lines(outcome, {}, [&](std::string_view line) {
        CHECK(line.find('\n') == std::string_view::npos);
        lines.push_back(json::parse(line));
    });
    REQUIRE(lines.size() == 2);
    CHECK(lines[0]["at_ns"] == 1'500);
    CHECK(lines[0]["process"] == "worker-a");
    CHECK(lines[0]["event"] == "grant-told");
    CHECK(lines[0]["lock"] == "job");
    CHECK(lines[0]["token"] == 33);
    CHECK(lines[1]["event"] == "message");
}

}  // namespace lockstep::test
