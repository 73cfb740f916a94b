#include "tests/cli/program.hpp"
#include "tests/harness/timeline/timeline_runs.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <regex>

namespace lockstep::test::timeline {
namespace {

using nlohmann::json;

constexpr std::size_t megabyte = 1'000'000;

std::string data_text(const std::string& page) {
    const std::string before = "<script type=\"application/json\" id=\"run\">";
    const auto begin = page.find(before) + before.size();
    return page.substr(begin, page.find("</script>", begin) - begin);
}

json data_of(const std::string& page) {
    return json::parse(data_text(page));
}

std::string page_of(const Run& run,
                    const harness::TimelineOptions& options = {"title", "command", {}, {}}) {
    return harness::timeline_html(run.outcome, run.settings, options);
}

/// The positions of numbers that stand for one message, or time, process and kind of an event.
constexpr std::size_t message_numbers = 6;

TEST_CASE("timeline-page: is one page that asks for nothing from anywhere") {
    HandMade made;
    made.grant(1'000, HandMade::a, 5, 33);
    const std::string page = page_of(made.run());
    CHECK(page.find("<style>") != std::string::npos);
    CHECK(page.find("default-src 'none'") != std::string::npos);
    const std::regex outside(
        "(src|href)=|url\\((?!#)|@import|fetch\\(|XMLHttp|https?://(?!www\\.w3\\.org/2000/svg)");
    const std::string own = page.substr(0, page.find(data_text(page)));
    CHECK(std::regex_replace(own, std::regex("href=\"#"), "").find("href=") == std::string::npos);
    const auto script = page.find("<script>");
    REQUIRE(script != std::string::npos);
    for (const std::string& part : {own, page.substr(script)}) {
        const std::string inner = std::regex_replace(part, std::regex("href=\"#"), "");
        std::smatch found;
        const bool any = std::regex_search(inner, found, outside);
        INFO((any ? found.str() : ""));
        CHECK(!any);
    }
}

TEST_CASE("timeline-page: what came from outside cannot leave its place") {
    const std::string evil = "</script><script>alert(1)</script><!-- \" \\ \xff \x01 \xe2\x80\xa8";
    HandMade made;
    made.outcome().process_names[1] = evil;
    made.outcome().lock_names[0] = evil;
    made.outcome().end_detail = evil;
    made.grant(1'000, HandMade::a, 5, 33);
    made.add(1'500, HandMade::a, harness::MessageLine{evil, true});
    made.send(2'000, 1, HandMade::a, HandMade::n1, evil, evil);
    violate(made.outcome(), PropertyId::Lock1, sim::SimTime{3'000'000'000}, evil);
    harness::Explanation why;
    why.property = PropertyId::Lock1;
    why.at = sim::SimTime{3'000'000'000};
    why.harm = why.cause = why.looks_like = why.fencing = evil;
    why.story = {{why.at, HandMade::a, evil, true, 2}};
    why.chain = {0, 2, 3};
    const std::string page = page_of(made.run(), {evil, evil, why, {}});
    CHECK(page.find("alert(1)</script>") == std::string::npos);
    CHECK(page.find("<script>alert") == std::string::npos);
    const json data = data_of(page);
    const std::string safe = data["title"];
    CHECK(safe.starts_with("</script><script>alert(1)</script><!-- \" \\ \uFFFD \x01 "));
    CHECK(data["command"] == safe);
    CHECK(data["processes"][1][0] == safe);
    CHECK(data["locks"][0] == safe);
    CHECK(data["violations"][0]["text"] == safe);
    CHECK(data["explanation"]["harm"] == safe);
    CHECK(data["explanation"]["steps"][0][2] == safe);
    CHECK(data["explanation"]["chain"].size() == 3);
    CHECK(data["explanation"]["chain"][1][2] == "note " + safe);
    CHECK(data["explanation"]["chain"][2] == json::array({2'000'000, 2, safe, 1, -1}));
}

TEST_CASE("timeline-page: a short run is there as a whole") {
    const Run run = run_of("pause-past-lease", 1);
    const std::string page = page_of(run);
    CHECK(page.size() < megabyte);
    const json data = data_of(page);
    const auto end = data["end"].get<std::int64_t>();
    CHECK(data["detail"] == json::array({0, end}));
    CHECK(data["coarseness"] == json::array({0, 0}));
    const auto sent =
        std::count_if(run.outcome.log.begin(), run.outcome.log.end(), [](const auto& l) {
            const auto* line = std::get_if<harness::MessageLine>(&l.what);
            return line != nullptr && !line->is_note;
        });
    CHECK(data["messages"][1].size() == message_numbers * static_cast<std::size_t>(sent));
    CHECK(data["before"][1].empty());
    CHECK(data["after"][1].empty());
    // The times add up to that of the last message.
    std::int64_t at = data["messages"][0];
    for (std::size_t i = 0; i < data["messages"][1].size(); i += message_numbers)
        at += data["messages"][1][i].get<std::int64_t>();
    std::int64_t last = 0;
    for (const auto& logged : run.outcome.log)
        if (std::holds_alternative<harness::MessageLine>(logged.what)) last = logged.at.ns / 1'000;
    CHECK(at == last);
}

/// A run of 600 s with 2,000 events and messages a second.
HandMade long_run() {
    HandMade made;
    made.outcome().simulated = seconds(600);
    std::uint64_t number = 0;
    for (std::int64_t ms = 1; ms < 599'000; ++ms) {
        const auto token = static_cast<std::uint64_t>(ms);
        made.send(ms, ++number, HandMade::a, HandMade::n1, "acquire");
        made.take(ms, number, HandMade::a, HandMade::n1);
        if (ms % 20 == 0) made.grant(ms, HandMade::a, 5, token);
        if (ms % 20 == 5) {
            made.add(ms, HandMade::a,
                     events::ReleaseCalled{HandMade::job, SessionId(5), FencingToken(token - 5)});
            made.add(ms, HandMade::n1,
                     events::Released{HandMade::job, SessionId(5), RequestSeq(1),
                                      FencingToken(token - 5), LogIndex(token)});
        }
        made.add(ms, HandMade::n1, events::CommitAdvanced{LogIndex(token), Term(1), 0, true});
    }
    return made;
}

TEST_CASE("timeline-page: a long run is cut to size around its violation") {
    HandMade made = long_run();
    const sim::SimTime at{400'000'000'000};
    violate(made.outcome(), PropertyId::Lock1, at, "two");
    const auto began = std::chrono::steady_clock::now();
    const std::string page = page_of(made.run());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    UNSCOPED_INFO(took.count() << " s");
    CHECK(page.size() < megabyte);
    CHECK(page.size() > megabyte / 2);
    const json data = data_of(page);
    const auto violated = at.ns / 1'000;
    CHECK(data["detail"][0] < violated - 1'000'000);
    CHECK(data["detail"][1] > violated + 500'000);
    CHECK(data["detail"][1] < violated + 100'000'000);
    // The tracks go on to the end, coarser.
    CHECK(data["coarseness"][0] > 0);
    std::int64_t last = 0;
    const json lane = data["beliefs"][0][2];
    for (std::size_t i = 0; i < lane.size(); i += 5) last += lane[i].get<std::int64_t>();
    last += lane[lane.size() - 4].get<std::int64_t>();
    CHECK(last > 590'000'000);
    // This is generous, for builds with sanitizers; docs/timeline.md has what was measured.
    CHECK(took.count() < 60);
}

TEST_CASE("timeline-page: texts without end do not make it larger than a megabyte") {
    HandMade made;
    const std::string much(3 * megabyte, 'x');
    made.outcome().process_names[1] = much;
    made.grant(1'000, HandMade::a, 5, 33);
    for (int i = 0; i < 9'000; ++i)
        made.add(1'500, HandMade::a, harness::MessageLine{much.substr(0, 2'000), true});
    violate(made.outcome(), PropertyId::Lock1, sim::SimTime{3'000'000'000}, much);
    CHECK(page_of(made.run(), {much, much, {}, {}}).size() < megabyte);
}

TEST_CASE("timeline-page: the program writes it, with its explanation") {
    const program::Folder folder;
    const auto answer = folder.lockstep_says(
        "run pause-between-check-and-write --set resource.fencing=none --html page.html --perfetto "
        "trace.json");
    CHECK(answer.code == 0);
    const json data = data_of(folder.read("page.html"));
    CHECK(data["title"] == "pause-between-check-and-write");
    CHECK(data["violations"][0]["id"] == "FENCE-2");
    CHECK(data["violations"][0]["expected"] == 1);
    CHECK(data["explanation"]["id"] == "FENCE-2");
    CHECK(data["explanation"]["steps"].size() >= 5);
    CHECK(json::parse(folder.read("trace.json"))["traceEvents"].size() > 1'000);
    CHECK(folder.lockstep_says("run calm --html - --perfetto -").code == 2);
    CHECK(folder.lockstep_says("run calm --html page.html --events page.html").code == 2);
}

/// Whatever the script stumbles over is put into the document.
std::string with_trap(std::string page) {
    const std::string trap =
        "<script>window.onerror = (what, where, line) => { const p = document.createElement('p');"
        "p.textContent = 'TR' + 'AP ' + what + ' ' + line; document.body.prepend(p); };</script>";
    return page.replace(page.find("<script type"), 0, trap);
}

TEST_CASE("timeline-page: its script runs without an error where there is a browser") {
    if (program::shell("command -v chromium").code != 0) return;
    const program::Folder folder;
    HandMade guest;  // says nothing but what its clients were told
    guest.add(1'000, HandMade::a,
              events::GrantTold{HandMade::job, SessionId(5), RequestSeq(1), FencingToken(1),
                                LocalTime::never()});
    HandMade nothing;
    nothing.outcome() = {};
    const std::vector<std::pair<std::string, Run>> runs{
        {"chaos", run_of("chaos", 3)}, {"guest", guest.run()}, {"nothing", nothing.run()}};
    for (const auto& [name, run] : runs) {
        INFO(name);
        const std::string path = folder.write(name + ".html", with_trap(page_of(run)));
        const auto dom = program::shell(
            "HOME=/tmp timeout 60 chromium --headless=new --no-sandbox --disable-gpu "
            "--user-data-dir=" +
            path + ".profile --virtual-time-budget=3000 --dump-dom 'file://" + path +
            "#messages=all&rows=all' 2>/dev/null");
        if (dom.code != 0 || dom.out.empty()) return;  // it does not run here
        CHECK(dom.out.find("TRAP") == std::string::npos);
        CHECK(dom.out.find("id=\"tracks\"") != std::string::npos);
    }
}

}  // namespace
}  // namespace lockstep::test::timeline
