#include "harness/explore_store.hpp"

#include "harness/batch.hpp"
#include "tests/harness/fixtures.hpp"
#include "tests/support/catch.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace lockstep::test {
namespace {

using harness::ExplorationIdentity;
using harness::ExploreStore;

/// A directory that is gone with the test.
class Directory {
public:
    Directory() {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "lockstep-store-XXXXXX").string();
        REQUIRE(::mkdtemp(pattern.data()) != nullptr);
        path_ = pattern;
    }
    ~Directory() { std::filesystem::remove_all(path_); }
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;
    std::string path() const { return path_.string(); }
    std::string results() const { return (path_ / "results").string(); }

private:
    std::filesystem::path path_;
};

ExplorationIdentity identity() {
    return {"0123456789abcdef", 1, 1, 400, {{"one", 0x11}, {"two", 0x22}}};
}

ExploreStore::Opened open_store(const Directory& directory,
                                const ExplorationIdentity& what = identity()) {
    auto opened = ExploreStore::open(directory.path(), what);
    if (!opened) FAIL(opened.error().message);
    return std::move(opened).value();
}

using Kept = std::vector<std::pair<std::size_t, std::uint64_t>>;

Kept replayed(ExploreStore& store) {
    Kept kept;
    store.replay([&](std::size_t subject, const Outcome& outcome) {
        CHECK(outcome.digest == held_outcome(outcome.seed).digest);
        kept.emplace_back(subject, outcome.seed);
    });
    return kept;
}

void keep_three(const Directory& directory, bool complete = false) {
    auto opened = open_store(directory);
    CHECK(replayed(*opened.store).empty());
    opened.store->keep(0, held_outcome(1));
    opened.store->keep(1, held_outcome(1));
    opened.store->keep(0, held_outcome(7));
    if (complete) opened.store->finish(ExploreStore::Ending::Complete);
    CHECK(opened.store->trouble().empty());
}

const Kept three{{0, 1}, {1, 1}, {0, 7}};

void put(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

Outcome run_store_fake(std::size_t subject, std::uint64_t seed) {
    Outcome outcome = held_outcome(seed);
    outcome.digest += subject;
    if (seed % 10 == 3) violate(outcome, PropertyId::Lock1, sim::SimTime{1}, "two holders");
    return outcome;
}

/// An exploration of 2 x 400 seeds; with a budget of `most` runs, after which it is interrupted.
harness::Batch explore_in(ExploreStore* store, std::map<std::size_t, std::uint64_t>& runs,
                          std::uint64_t most) {
    harness::Batch batch;
    batch.tallies = {{"one", {}}, {"two", {}}};
    batch.repeats = {{"one", {}}, {"two", {}}};
    harness::ExplorePlan plan;
    plan.subjects = 2;
    plan.seeds = 400;
    plan.jobs = 2;
    plan.store = store;
    std::uint64_t heard = 0;
    batch.exploration = harness::explore(plan, run_store_fake,
                                         [&](std::size_t subject, const Outcome& outcome) {
                                             batch.tallies[subject].add(outcome);
                                             ++runs[subject];
                                             if (++heard == most) ::kill(::getpid(), SIGINT);
                                         },
                                         {});
    batch.exploration.elapsed = std::chrono::milliseconds(1'000);
    return batch;
}

/// Without the rates, which are told in the last lines.
std::string table_of(const harness::Batch& batch) {
    const std::string text = harness::batch_text(batch, {});
    return text.substr(0, text.find(" simulated in ")) + std::to_string(batch.tallies[0].digest()) +
           std::to_string(batch.tallies[1].digest());
}

}  // namespace

TEST_CASE("store: what was kept comes back, in order") {
    const Directory directory;
    keep_three(directory);
    auto again = open_store(directory);
    CHECK(again.resumes);
    CHECK(again.note.find("after 3 runs") != std::string::npos);
    CHECK(replayed(*again.store) == three);
    again.store->keep(1, held_outcome(9));
    again.store.reset();
    auto third = open_store(directory);
    CHECK(replayed(*third.store) == Kept{{0, 1}, {1, 1}, {0, 7}, {1, 9}});
    CHECK(std::filesystem::exists(directory.path() + "/.gitignore"));
}

TEST_CASE("store: a torn or damaged last record is ignored, and written over") {
    const Directory directory;
    keep_three(directory);
    const std::string whole = read_text(directory.results());
    std::string flipped = whole;
    flipped.back() = static_cast<char>(flipped.back() ^ 1);
    for (const std::string& damaged :
         {whole.substr(0, whole.size() - 1), whole.substr(0, whole.size() - 50), flipped}) {
        put(directory.results(), damaged);
        auto again = open_store(directory);
        CHECK(again.resumes);
        CHECK(replayed(*again.store) == Kept{{0, 1}, {1, 1}});
        again.store->keep(1, held_outcome(9));
        again.store.reset();
        auto third = open_store(directory);
        CHECK(replayed(*third.store) == Kept{{0, 1}, {1, 1}, {1, 9}});
    }
    put(directory.results(), whole + std::string(11, '\0'));
    CHECK(replayed(*open_store(directory).store) == three);
}

TEST_CASE("store: every cut of the file is a file, or none of ours") {
    const Directory directory;
    keep_three(directory);
    const std::string whole = read_text(directory.results());
    for (std::size_t n = 0; n < whole.size(); n += n < 400 ? 1 : 97) {
        put(directory.results(), whole.substr(0, n));
        auto again = open_store(directory);
        const Kept kept = replayed(*again.store);
        CHECK(kept.size() < 3);
        CHECK(std::equal(kept.begin(), kept.end(), three.begin()));
    }
}

TEST_CASE("store: another program, epoch, seed, scenario or content starts anew and says so") {
    const auto changed = [](auto change) {
        ExplorationIdentity other = identity();
        change(other);
        return other;
    };
    const std::vector<std::pair<ExplorationIdentity, std::string>> others{
        {changed([](auto& o) { o.build = "f"; }), "the program"},
        {changed([](auto& o) { o.plan_epoch = 2; }), "the plan epoch"},
        {changed([](auto& o) { o.first_seed = 2; }), "the seeds"},
        {changed([](auto& o) { o.seeds = 41; }), "the seeds"},
        {changed([](auto& o) { o.scenarios[1].second = 0x23; }), "what is in scenario two"},
        {changed([](auto& o) { o.scenarios[1].first = "three"; }), "the list of scenarios"},
        {changed([](auto& o) { o.scenarios.pop_back(); }), "the list of scenarios"},
    };
    for (const auto& [other, why] : others) {
        INFO(why);
        const Directory directory;
        keep_three(directory);
        const std::string before = read_text(directory.results());
        auto again = open_store(directory, other);
        CHECK_FALSE(again.resumes);
        CHECK(again.note.find("starts anew") != std::string::npos);
        CHECK(again.note.find(why) != std::string::npos);
        CHECK(replayed(*again.store).empty());
        CHECK(read_text(directory.results() + ".before") == before);
    }
    const Directory directory;
    put(directory.results(), "my notes\n");
    CHECK(open_store(directory).note.find("no list of results") != std::string::npos);
    CHECK(read_text(directory.results() + ".before") == "my notes\n");
}

TEST_CASE("store: a program that cannot tell which it is never goes on") {
    const Directory directory;
    ExplorationIdentity unknown = identity();
    unknown.build.clear();
    {
        auto opened = open_store(directory, unknown);
    }
    CHECK_FALSE(open_store(directory, unknown).resumes);
    CHECK(harness::build_id().size() == 16);
    CHECK(harness::build_id() == harness::build_id());
}

TEST_CASE("store: a finished exploration begins again, without a word") {
    const Directory directory;
    keep_three(directory, true);
    auto again = open_store(directory);
    CHECK_FALSE(again.resumes);
    CHECK(again.note.empty());
    CHECK(replayed(*again.store).empty());
}

TEST_CASE("store: two explorations do not share a directory") {
    const Directory directory;
    auto opened = open_store(directory);
    // The lock is the process's: only another one finds it taken.
    const pid_t child = ::fork();
    if (child == 0) {
        const auto second = ExploreStore::open(directory.path(), identity());
        const std::string wanted = std::to_string(::getppid());
        const bool refused =
            !second && second.error().message.find("another exploration") != std::string::npos &&
            second.error().message.find(wanted) != std::string::npos;
        std::_Exit(refused ? 0 : 1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    opened.store.reset();
    CHECK(open_store(directory).store != nullptr);
}

TEST_CASE("store: a directory that cannot be is refused") {
    const Directory directory;
    put(directory.path() + "/file", "x");
    const auto opened = ExploreStore::open(directory.path() + "/file/below", identity());
    REQUIRE_FALSE(opened.ok());
    CHECK(opened.error().message.find("--no-out") != std::string::npos);
    CHECK(opened.error().message.find("Not a directory") != std::string::npos);
}

TEST_CASE("store: an exploration that was interrupted comes to what an undisturbed one does") {
    std::map<std::size_t, std::uint64_t> undisturbed_runs;
    const std::string undisturbed = table_of(explore_in(nullptr, undisturbed_runs, 0));
    const Directory directory;
    std::uint64_t done = 0;
    for (const std::uint64_t most : {5U, 23U, 41U}) {
        auto opened = open_store(directory);
        std::map<std::size_t, std::uint64_t> runs;
        const auto batch = explore_in(opened.store.get(), runs, most);
        CHECK(batch.exploration.interrupted);
        CHECK(batch.exploration.resumed >= done);
        CHECK(batch.exploration.done == runs[0] + runs[1]);
        done = batch.exploration.done;
    }
    CHECK(done >= 41);
    auto opened = open_store(directory);
    std::map<std::size_t, std::uint64_t> runs;
    const auto batch = explore_in(opened.store.get(), runs, 0);
    CHECK(batch.exploration.resumed == done);
    CHECK(batch.exploration.done == 800);
    CHECK(table_of(batch) == undisturbed);
    opened.store.reset();
    CHECK_FALSE(open_store(directory).resumes);
}

}  // namespace lockstep::test
