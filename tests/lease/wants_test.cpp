#include "harness/lease/wants.hpp"

#include "harness/lease/report.hpp"
#include "tests/support/catch.hpp"

#include <cmath>
#include <limits>
#include <string>

namespace lockstep::lease {
namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

Figure exact(double value) {
    return {value, {value, value}, {value, value}};
}

/// A setting of that lease that loses so many a month and takes so long after a crash.
SettingResult setting(std::int64_t lease_s, Figure losses, double p99) {
    SettingResult result;
    result.setting.lease = seconds(lease_s);
    result.setting.renew_every = seconds(lease_s) / 3;
    result.figures.losses = losses;
    result.figures.renewals = exact(100);
    result.figures.crash_p99 = exact(p99);
    result.figures.crash_mean = exact(p99 * 0.8);
    return result;
}

/// Of a log of a day: short leases lose, long ones make wait.
Sweep sweep_of_a_day() {
    Sweep sweep;
    sweep.observed = seconds(86'400);
    sweep.inputs.emplace_back().name = "round trips";
    sweep.results.push_back(setting(5, exact(30), 5));
    sweep.results.push_back(setting(15, {2, {1.5, 2.5}, {1, 90}}, 15));
    sweep.results.push_back(setting(30, {0, {0, 0.5}, {0, 90}}, 30));
    sweep.results.push_back(setting(60, {0, {0, 0.5}, {0, 90}}, 60));
    return sweep;
}

std::string why_not_a_want(const std::string& text) {
    const auto want = parse_want(text);
    return want ? "" : want.error().message;
}

Told told_of(const Sweep& sweep, const std::vector<std::string>& wants) {
    Told told;
    for (const auto& text : wants) told.wants.push_back(parse_want(text).value());
    told.answer = answer(sweep, told.wants, {4, 0});
    return told;
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("wants: a bound is read in the unit of its figure") {
    CHECK(parse_want("losses < 1/month").value().at_most == Approx(1));
    CHECK(parse_want("losses<12/year").value().at_most == Approx(12 * 30 / 365.0));
    CHECK(parse_want(" taken-over < 0.5/week ").value().at_most == Approx(0.5 * 30 / 7));
    CHECK(parse_want("crash takeover p99 < 20s").value().at_most == Approx(20));
    CHECK(parse_want("release takeover p50 < 250ms").value().at_most == Approx(0.25));
    CHECK(parse_want("double belief < 10s/year").value().at_most == Approx(10));
    CHECK(parse_want("double belief < 1s/month").value().at_most == Approx(365 / 30.0));
    CHECK(parse_want("without holder < 0.1%").value().at_most == Approx(0.001));
    CHECK(parse_want("renewals < 500").value().at_most == Approx(500));
    // Tables have less room for names.
    CHECK(parse_want("no holder < 1%").value().metric->name == "without holder");
    CHECK(parse_want("graceful p99 < 1s").value().metric->name == "release takeover p99");
}

TEST_CASE("wants: amounts are told in the unit of the want") {
    const auto text = [](const char* want, double value) {
        return amount_text(parse_want(want).value(), value);
    };
    CHECK(text("losses < 6/year", 0.5) == "6.08 a year");
    CHECK(text("losses < 1/month", 0.5) == "0.5 a month");
    CHECK(text("double belief < 1s/month", 36.5) == "3.00 s a month");
    CHECK(text("crash takeover p99 < 20s", 12.3456) == "12.3 s");
    CHECK(text("without holder < 0.1%", 0.0005) == "0.05%");
    CHECK(text("renewals < 500", 200) == "200 a second");
    CHECK(text("losses < 1/week", unknown) == "? a week");
}

TEST_CASE("wants: what is no want is refused with what is allowed") {
    CHECK(has(why_not_a_want("losses"), "found no '<'"));
    CHECK(has(why_not_a_want("lossess < 1/month"), "there are losses"));
    CHECK(has(why_not_a_want("losses < 1"), "losses < 1/month"));
    CHECK(has(why_not_a_want("losses < -1/month"), "is no bound"));
    CHECK(has(why_not_a_want("losses < 1/fortnight"), "is no bound"));
    CHECK(has(why_not_a_want("crash takeover p99 < 20"), "crash takeover p99 < 20s"));
    CHECK(has(why_not_a_want("crash takeover p99 < 20s/day"), "is no bound"));
    CHECK(has(why_not_a_want("double belief < 10s"), "10s/year"));
    CHECK(has(why_not_a_want(""), "found no '<'"));
    CHECK(has(why_not_a_want("losses < 0/month"), "no log, however long"));
    CHECK(has(why_not_a_want("crash worst < 9s"), "want 'crash takeover p99'"));
}

TEST_CASE("wants: both intervals must allow it") {
    const Want want = parse_want("losses < 1/month").value();
    Figures figures;
    const auto met = [&](Figure losses) {
        figures.losses = losses;
        return judge(want, figures, seconds(86'400)).met;
    };
    CHECK(met({0.1, {0, 0.5}, {0, 0.9}}) == Met::Yes);
    CHECK(met({2, {1.5, 2.5}, {1, 90}}) == Met::No);
    CHECK(met({0.5, {0.2, 1.4}, {0, 0.9}}) == Met::NotSeen);
    CHECK(met({0, {0, 0.1}, {0, 90}}) == Met::NotInTheData);
    CHECK(met({0, {0, 0.1}, {0, unknown}}) == Met::NotInTheData);
    // None in 90 days bounds a rate at one a month, at 95%.
    figures.losses = {0, {0, 0.1}, {0, 90}};
    CHECK(judge(want, figures, seconds(86'400)).days == Approx(90).epsilon(0.01));
    // One in a day leaves up to 5.57 a day, which takes so many days to wear off.
    figures.losses = {0.5, {0.4, 0.6}, {0.3, 167}};
    CHECK(judge(want, figures, seconds(86'400)).days == Approx(167).epsilon(0.01));
    // What is assumed does not wear off: of 1 a month 0.7 are taken.
    figures.losses = {0.7, {0.6, 0.8}, {0.7, 0.7 + 90}, 0.7};
    CHECK(judge(want, figures, seconds(86'400)).days == Approx(300).epsilon(0.01));
    figures.losses.assumed = 1.2;
    CHECK(judge(want, figures, seconds(86'400)).days == 0);
}

TEST_CASE("wants: the cheapest setting that meets all of them is the answer") {
    Sweep sweep = sweep_of_a_day();
    const Told quick = told_of(sweep, {"losses < 40/month"});
    REQUIRE(quick.answer.chosen);
    CHECK(*quick.answer.chosen == 0);
    CHECK(!quick.answer.binds);
    // With a year of data nothing is left in doubt.
    for (auto& result : sweep.results)
        result.figures.losses.data = {0, result.figures.losses.value};
    const Told rare = told_of(sweep, {"losses < 1/month", "crash takeover p99 < 45s"});
    REQUIRE(rare.answer.chosen);
    CHECK(*rare.answer.chosen == 2);
    REQUIRE(rare.answer.binds);
    CHECK(*rare.answer.binds == 0);
    CHECK(*rare.answer.cheaper == 1);
    CHECK(has(answer_text(sweep, rare), "What binds: losses < 1/month. The next cheaper, 15/"));
    // And by what, of which there is a tenth at least.
    sweep.inputs.emplace_back().name = "pauses";
    sweep.results[1].causes = {{Harm::Kind::Outage, milliseconds(8'400), 50},
                               {Harm::Kind::Pause, milliseconds(15'100), 2}};
    sweep.results[1].harms = {{Harm::Kind::Outage, "api.csv:7", milliseconds(8'400), 9, 5}};
    CHECK(has(answer_text(sweep, rare), "misses it: outages over 8 s."));
    sweep.results[1].causes.pop_back();
    CHECK(has(answer_text(sweep, rare), "misses it: outages over 8 s, not stops."));
    CHECK(has(answer_text(sweep, rare), "outage of 8.4 s: 5 of 9 cost the lease  api.csv:7"));
    // A loss that costs hours makes a longer lease cheaper.
    const auto wants = std::vector<Want>{parse_want("crash takeover p99 < 45s").value()};
    CHECK(*answer(sweep, wants, {4, 0}).chosen == 0);
    CHECK(*answer(sweep, wants, {4, 7'200}).chosen == 2);
}

TEST_CASE("wants: today's setting is kept if it does, and nothing that does is cheaper") {
    Sweep sweep = sweep_of_a_day();
    sweep.now = setting(6, exact(25), 6);
    sweep.results.erase(sweep.results.begin());
    const Told keep = told_of(sweep, {"losses < 40/month"});
    CHECK(!keep.answer.chosen);
    CHECK(keep.answer.keep_now);
    CHECK(has(answer_text(sweep, keep), "Keep 6/"));
    CHECK(!has(answer_text(sweep, keep), "Change to"));
    // Not if something swept is cheaper, or it misses a want.
    CHECK(!told_of(sweep, {"losses < 20/month"}).answer.keep_now);
    sweep.results.push_back(setting(4, exact(30), 4));
    CHECK(!told_of(sweep, {"losses < 40/month"}).answer.keep_now);
    CHECK(has(answer_text(sweep, told_of(sweep, {"losses < 40/month"})), "Change to 4/"));
}

TEST_CASE("wants: what the data cannot show, and what no setting meets, is said") {
    const Sweep sweep = sweep_of_a_day();
    const Told doubt = told_of(sweep, {"losses < 1/month"});
    CHECK(!doubt.answer.chosen);
    const std::string said = answer_text(sweep, doubt);
    CHECK(has(said, "cannot be shown from 24.0 h"));
    CHECK(has(said, "about 90 days in all without a further loss would show it"));
    const Told none = told_of(sweep, {"losses < 10/month", "crash takeover p99 < 2s"});
    CHECK(!none.answer.chosen);
    CHECK(has(answer_text(sweep, none), "No setting meets all wants"));
    CHECK(has(answer_text(sweep, none), "crash takeover p99 < 2s: no"));
}

TEST_CASE("wants: what never renewed is not recommended for losing nothing") {
    Sweep sweep = sweep_of_a_day();
    for (SettingResult& result : sweep.results) {
        result.figures.losses = exact(0);
        result.figures.renewals = exact(0);
    }
    const Told none = told_of(sweep, {"losses < 10/month"});
    CHECK(!none.answer.chosen);
    CHECK(front(sweep).empty());
    CHECK(has(answer_text(sweep, none), "ever renewed its lease"));
    sweep.results[2].figures.renewals = exact(1);
    CHECK(told_of(sweep, {"losses < 10/month"}).answer.chosen == std::size_t{2});
}

TEST_CASE("wants: the front bends where both get dear") {
    const Sweep sweep = sweep_of_a_day();
    const auto best = front(sweep);
    CHECK(best == std::vector<std::size_t>{2, 1, 0});
    REQUIRE(knee(sweep, best));
    CHECK(*knee(sweep, best) == 1);
    CHECK(has(answer_text(sweep, told_of(sweep, {})), "Start from 15/"));
}

TEST_CASE("wants: what was counted is held against the model") {
    const auto seen = parse_observed("3 losses in 90d").value();
    CHECK(seen.losses == 3);
    CHECK(seen.in == seconds(90 * 86'400));
    CHECK(parse_observed("1 loss in 2d").value().losses == 1);
    for (const char* text : {"", "3", "3 losses", "losses in 90d", "3.5 losses in 90d",
                             "3 losses in -1d", "3 losses in 0s", "3 losses of 90d"})
        CHECK(!parse_observed(text));
    Figures now;
    now.losses = {0.8, {0.6, 1}, {0.3, 1.7}};
    CHECK(check_observed(seen, now).expected == Approx(2.4));
    CHECK(check_observed(seen, now).consistent);
    CHECK(!check_observed({40, seen.in}, now).consistent);
    CHECK(!check_observed({0, seconds(900 * 86'400)}, now).consistent);
    Sweep sweep = sweep_of_a_day();
    Told told = told_of(sweep, {});
    sweep.now = sweep.results[1];
    told.observed = Observed{4'000, seen.in};
    told.checked = check_observed(*told.observed, sweep.now->figures);
    CHECK(has(answer_text(sweep, told), "there is no recommendation"));
    CHECK(has(answer_text(sweep, told), "missing from the data"));
    CHECK(has(answer_text(sweep, told), "--outages"));
    CHECK(!has(answer_text(sweep, told), "Start from"));
    // What was given is not missing.
    sweep.inputs.emplace_back().name = "outages";
    CHECK(!has(answer_text(sweep, told), "--outages"));
}

TEST_CASE("wants: every figure is in the files") {
    const Sweep sweep = sweep_of_a_day();
    const std::string csv = sweep_csv(sweep);
    CHECK(std::count(csv.begin(), csv.end(), '\n') == 5);
    const std::string head = csv.substr(0, csv.find('\n'));
    const std::string row =
        csv.substr(head.size() + 1, csv.find('\n', head.size() + 1) - head.size() - 1);
    CHECK(std::count(head.begin(), head.end(), ',') == std::count(row.begin(), row.end(), ','));
    CHECK(has(head, "crash_takeover_p99_data_high"));
    const std::string json = sweep_json(sweep, told_of(sweep, {"losses < 40/month"}));
    CHECK(has(json, "\"chosen\": 0"));
    CHECK(has(json, "\"losses < 40/month\""));
}

}  // namespace lockstep::lease
