#include "harness/lease/page.hpp"

#include "harness/lease/plot_labels.hpp"
#include "harness/lease/plot_scale.hpp"
#include "harness/lease/plot_text.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace lockstep::test {
namespace {

using lease::Figure;
using lease::Plot;
using lease::SettingResult;
using lease::Sweep;
using lease::Told;

constexpr double endless = std::numeric_limits<double>::infinity();

Figure known(double value) {
    return {value, {value * 0.9, value * 1.1}, {value * 0.5, value * 2}};
}

SettingResult priced(std::int64_t lease_s, double losses, double p99) {
    SettingResult result;
    result.setting.lease = seconds(lease_s);
    result.setting.renew_every = seconds(lease_s) / 3;
    result.figures.losses = known(losses);
    result.figures.renewals = known(100);
    result.figures.crash_p50 = known(p99 * 0.8);
    result.figures.crash_p99 = known(p99);
    result.figures.crash_worst = {p99, {p99, endless}, {p99, endless}};
    result.simulated = seconds(86'400);
    return result;
}

const std::string odd_file = R"(logs/<b>&"gc".log)";

/// Five leases over a log with an odd name, a known default, and today's setting.
Sweep swept_leases() {
    Sweep sweep;
    sweep.axes = {"lease"};
    sweep.span = seconds(30 * 86'400);
    sweep.observed = seconds(2 * 86'400);
    for (const auto& [lease_s, losses] :
         {std::pair{5, 900.0}, {11, 30.0}, {17, 3.0}, {31, 1.0}, {61, 0.0}})
        sweep.results.push_back(priced(lease_s, losses, static_cast<double>(lease_s)));
    sweep.results[1].figures.losses.data.high = endless;
    sweep.results[2].harms.push_back(
        {lease::Harm::Kind::Pause, odd_file + ":812, 2026-03-01 12:00:00Z", seconds(17), 40, 31});
    sweep.marked.push_back(priced(60, 0.5, 59));
    sweep.marked.back().setting.name = "etcd";
    sweep.now = priced(15, 20, 15);
    lease::Input pauses;
    pauses.name = "pauses";
    pauses.said = odd_file;
    pauses.about = "31 in 48 h";
    pauses.measured = true;
    pauses.count = 31;
    pauses.longest = seconds(17);
    pauses.longest_where = odd_file + ":812, 2026-03-01 12:00:00Z";
    pauses.lengths = {{milliseconds(0), milliseconds(10), 30},
                      {milliseconds(10), seconds(10), 0},
                      {seconds(10), Duration::max(), 1}};
    sweep.inputs.push_back(pauses);
    return sweep;
}

Sweep swept_pairs() {
    Sweep sweep = swept_leases();
    sweep.axes = {"lease", "deadline"};
    sweep.results.clear();
    for (const std::int64_t lease_s : {10, 20, 40})
        for (const std::int64_t deadline_s : {8, 19}) {
            if (deadline_s > lease_s) continue;
            sweep.results.push_back(priced(lease_s, 7'771.0 / static_cast<double>(lease_s),
                                           static_cast<double>(lease_s)));
            sweep.results.back().setting.deadline = seconds(deadline_s);
        }
    return sweep;
}

Told told_about(const Sweep& sweep, const std::vector<std::string>& wants) {
    Told told;
    for (const auto& text : wants) told.wants.push_back(lease::parse_want(text).value());
    told.answer = lease::answer(sweep, told.wants, {4, 0});
    told.command = "lockstep lease --pauses '" + odd_file + "' --seed 1";
    for (const auto& text : wants) told.asked += " --want '" + text + "'";
    return told;
}

/// Why a text is no well-formed markup; empty if it is. Comments and CDATA are none.
std::string malformed(const std::string& text) {
    std::vector<std::string> open;
    for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at)) {
        const std::size_t end = text.find('>', at);
        if (end == std::string::npos) return "a tag without end";
        std::string tag = text.substr(at + 1, end - at - 1);
        at = end;
        if (tag.starts_with("!DOCTYPE")) continue;
        if (tag.find('<') != std::string::npos) return "a tag in a tag: " + tag;
        if (std::ranges::count(tag, '"') % 2 != 0) return "an open quote: " + tag;
        if (tag.ends_with('/')) continue;
        const std::string name = tag.substr(0, tag.find_first_of(" \n"));
        if (!name.starts_with('/')) {
            open.push_back(name);
        } else {
            if (open.empty() || "/" + open.back() != name)
                return "closes what is not open: " + name;
            open.pop_back();
        }
    }
    return open.empty() ? "" : "never closed: " + open.back();
}

std::size_t times(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

bool shows(const std::string& text, const std::string& part) {
    return times(text, part) > 0;
}

/// Without styles and markup: what people read, pointers' titles included.
std::string words(const std::string& page) {
    std::string out;
    bool markup = false;
    for (std::size_t i = page.find("</style>"); i < page.size(); ++i) {
        if (page[i] == '<') markup = true;
        if (!markup) out += page[i];
        if (page[i] == '>') {
            markup = false;
            out += ' ';
        }
    }
    return out;
}

std::string plot_of(const Sweep& sweep, const Told& told, const std::string& name) {
    for (const Plot& plot : lease::plots(sweep, told))
        if (plot.name == name) return plot.svg;
    return "";
}

/// About where the texts of a drawing are, which are centred.
std::vector<lease::Box> boxes_of(const std::string& svg) {
    std::vector<lease::Box> boxes;
    for (std::size_t at = svg.find("<text"); at != svg.npos; at = svg.find("<text", at + 1)) {
        const double x = std::stod(svg.substr(svg.find(" x=\"", at) + 4));
        const double y = std::stod(svg.substr(svg.find(" y=\"", at) + 4));
        const std::size_t begin = svg.find('>', at) + 1;
        const double half =
            lease::text_width(svg.substr(begin, svg.find('<', begin) - begin), 14) / 2;
        boxes.push_back({x - half, y - 12, x + half, y + 4});
    }
    return boxes;
}

}  // namespace

TEST_CASE("lease-page: it and its plots are well-formed, whatever was swept and wanted") {
    REQUIRE(malformed("<a><b></a>") != "");
    REQUIRE(malformed("<a>") != "");
    Sweep single = swept_leases();
    single.axes.clear();
    single.results.resize(1);
    Sweep bare;
    for (const Sweep& sweep : {swept_leases(), swept_pairs(), single, bare})
        for (const auto& wants : std::vector<std::vector<std::string>>{
                 {}, {"losses < 100/month"}, {"losses < 1/year", "crash takeover p99 < 2s"}}) {
            const Told told = told_about(sweep, wants);
            CHECK(malformed(lease::sweep_page(sweep, told)) == "");
            for (const Plot& plot : lease::plots(sweep, told)) CHECK(malformed(plot.svg) == "");
        }
}

TEST_CASE("lease-page: names of files are text, and the command is there to be pasted") {
    const Sweep sweep = swept_leases();
    const std::string page = lease::sweep_page(sweep, told_about(sweep, {"losses < 10/month"}));
    CHECK_FALSE(shows(page, "<b>"));
    CHECK(shows(page, "logs/&lt;b&gt;&amp;&quot;gc&quot;.log:812, 2026-03-01"));
    CHECK(shows(page,
                "<pre>lockstep lease --pauses 'logs/&lt;b&gt;&amp;&quot;gc&quot;.log' --seed 1 "
                "--want 'losses &lt; 10/month'</pre>"));
    CHECK(lease::escaped("a\x1b\xff<") == "a\\x1b\\xff&lt;");
}

TEST_CASE("lease-page: a row for each setting, default and today's, in both tables") {
    const Sweep sweep = swept_leases();
    const std::string page = lease::sweep_page(sweep, told_about(sweep, {"losses < 10/month"}));
    for (const char* lease : {"5", "11", "17", "31", "61", "60", "15"})
        CHECK(times(page, std::string("<span class=\"key\">") + lease + "</span>") == 2);
    CHECK(times(page, "<span class=\"role\">etcd</span>") == 2);
    CHECK(times(page, "<tr class=\"now\">") == 2);
    CHECK(times(page, "<tr class=\"chosen\">") == 2);
    CHECK(times(page, "<tr class=\"knee\">") == 0);
    CHECK(shows(page, "31 of 40"));
}

TEST_CASE("lease-page: what has no end is an arrow, and no number is infinite or none at all") {
    Sweep sweep = swept_leases();
    const Told told = told_about(sweep, {"losses < 10/month"});
    CHECK(times(plot_of(sweep, told, "losses"), "class=\"arrow\"") == 1);
    const std::string text = words(lease::sweep_page(sweep, told));
    for (const char* wrong : {"inf ", "inf,", "inf)", "nan", "-inf", "1e+"})
        CHECK_FALSE(shows(text, wrong));
    for (const Plot& plot : lease::plots(sweep, told))
        for (const char* wrong : {"\"inf", "\"-inf", "nan", " inf", "922337"})
            CHECK_FALSE(shows(plot.svg, wrong));
    sweep.results[1].figures.losses.data.high = 40;
    CHECK(times(plot_of(sweep, told, "losses"), "class=\"arrow\"") == 0);
}

TEST_CASE("lease-page: a default that is swept itself is there once") {
    Sweep sweep = swept_leases();
    sweep.results[4].setting = sweep.marked[0].setting;
    const Told told = told_about(sweep, {});
    CHECK(times(lease::sweep_page(sweep, told), "<span class=\"role\">etcd</span>") == 2);
    CHECK(times(plot_of(sweep, told, "front"), ">etcd<") == 0);
    sweep.results[4].setting.lease = seconds(61);
    sweep.results[4].setting.name = "";
    CHECK(times(plot_of(sweep, told, "front"), ">etcd<") == 1);
}

TEST_CASE("lease-page: maps are for two parameters, and nothing is drawn against none") {
    const Sweep pairs = swept_pairs();
    const std::string map = plot_of(pairs, told_about(pairs, {}), "map-losses");
    // Five settings of six pairs, with their numbers.
    CHECK(times(map, "class=\"empty\"") == 6);
    CHECK(times(map, "class=\"cell mid on") == 5);
    CHECK(shows(map, ">777</text>"));
    CHECK(plot_of(pairs, told_about(pairs, {}), "map-takeover") != "");
    Sweep one = swept_leases();
    CHECK(plot_of(one, told_about(one, {}), "map-losses") == "");
    CHECK(plot_of(one, told_about(one, {}), "losses") != "");
    one.axes.clear();
    one.results.resize(1);
    one.marked.clear();
    one.now.reset();
    std::vector<std::string> names;
    for (const Plot& plot : lease::plots(one, told_about(one, {}))) names.push_back(plot.name);
    CHECK(names == std::vector<std::string>{"stops"});
    one.inputs[0].measured = false;
    CHECK(lease::plots(one, told_about(one, {})).empty());
}

TEST_CASE("lease-page: marks, bounds and the choice are named in the plots") {
    const Sweep sweep = swept_leases();
    const Told told = told_about(sweep, {"losses < 10/month", "crash takeover p99 < 40s"});
    const std::string losses = plot_of(sweep, told, "losses");
    for (const char* label : {">etcd<", ">now<", ">chosen<", ">losses &lt; 10/month<"})
        CHECK(times(losses, label) == 1);
    CHECK(shows(plot_of(sweep, told, "takeover"), ">crash takeover p99 &lt; 40s<"));
    CHECK(shows(plot_of(sweep, told, "front"), ">chosen 17/16.95/5.667 s<"));
    CHECK(shows(plot_of(sweep, told, "stops"), ">lease 17 s<"));
    CHECK(shows(plot_of(sweep, told, "stops"), ":812<"));
    // Nothing is recommended if the model contradicts what was counted.
    Told against = told;
    against.observed = lease::Observed{1, seconds(90 * 86'400)};
    against.checked = lease::Checked{60, 50, 70, false};
    CHECK_FALSE(shows(plot_of(sweep, against, "losses"), ">chosen<"));
    CHECK_FALSE(shows(lease::sweep_page(sweep, against), "<tr class=\"chosen\">"));
}

TEST_CASE("lease-page: wants are answered in words") {
    const Sweep sweep = swept_leases();
    const std::string yes =
        words(lease::sweep_page(sweep, told_about(sweep, {"losses < 10/month"})));
    CHECK(shows(yes, "yes, 3.00 a month, at most 6.00 a month"));
    const std::string no =
        words(lease::sweep_page(sweep, told_about(sweep, {"crash takeover p99 < 2s"})));
    CHECK(shows(no, "No setting meets all wants."));
    CHECK(shows(no, "no, 5 s"));
}

TEST_CASE("lease-page: the same sweep makes the same bytes, and budgets that cut it are told") {
    Sweep sweep = swept_pairs();
    const Told told = told_about(sweep, {"losses < 100/month"});
    const std::string page = lease::sweep_page(sweep, told);
    CHECK(page ==
          lease::sweep_page(swept_pairs(), told_about(swept_pairs(), {"losses < 100/month"})));
    CHECK_FALSE(shows(page, "The budget of time ended"));
    sweep.whole = false;
    CHECK(shows(lease::sweep_page(sweep, told), "The budget of time ended"));
}

TEST_CASE(
    "lease-page: an axis puts zero apart, equal ratios at equal lengths, and ends nowhere else") {
    const auto scale = lease::Scale::with_zero(1, 100, 300, 0, 20);
    CHECK(scale.at(0) == Approx(300));
    CHECK(scale.at(0.5) == Approx(290));
    CHECK(scale.at(1) == Approx(280));
    CHECK(scale.at(10) == Approx(140));
    CHECK(scale.at(1e9) == Approx(0));
    CHECK(scale.at(endless) == Approx(0));
    CHECK(scale.ticks(3) == std::vector<double>{0, 1, 10, 100});
    CHECK(lease::Scale::of(14, 62, 0, 100).ticks(6) == std::vector<double>{15, 20, 30, 40, 50});
}

TEST_CASE("lease-page: labels of marks at one place lie apart and within the area") {
    lease::Labels labels({0, 0, 200, 200});
    for (const char* text : {"one label", "two labels", "three", "four", "five", "six", "seven"})
        labels.beside({195, 100}, 8, text, "x");
    lease::Canvas canvas;
    labels.draw(canvas);
    const auto boxes = boxes_of(canvas.body());
    REQUIRE(boxes.size() == 7);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        CHECK(boxes[i].left >= -0.1);
        CHECK(boxes[i].right <= 200.1);
        CHECK(boxes[i].top >= 0);
        CHECK(boxes[i].bottom <= 200);
        for (std::size_t j = 0; j < i; ++j) {
            const bool apart =
                boxes[i].right < boxes[j].left + 0.2 || boxes[j].right < boxes[i].left + 0.2 ||
                boxes[i].bottom <= boxes[j].top + 0.2 || boxes[j].bottom <= boxes[i].top + 0.2;
            CHECK(apart);
        }
    }
}

TEST_CASE("lease-page: long names lose their middle, not half a character") {
    CHECK(lease::shortened("gc.log:812", 10) == "gc.log:812");
    CHECK(lease::shortened("abcdefghijkl", 7) == "abc\u2026jkl");
    CHECK(lease::shortened("\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4", 4) ==
          "\u00e4\u2026\u00e4\u00e4");
}

}  // namespace lockstep::test
