#include "scenarios/world/resource_program.hpp"

#include "properties/suite.hpp"
#include "scenarios/world/resource_client.hpp"
#include "sim/disk.hpp"
#include "sim/fiber.hpp"
#include "sim/network.hpp"
#include "sim/world.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace lockstep::test::programs {
namespace {

using properties::PropertyId;
using properties::Verdict;
using resource::Kind;
using sim::CrashKind;

constexpr sim::ProcessId store(1), client(2);
constexpr int turns = 60;

/// Writes, or calls, one after the other, each until it is known to be done.
class Caller final : public sim::Program {
public:
    Caller(sim::Process& process, world::Recorder& recorder, Kind kind, int& done)
        : process_(process), resources_(process, recorder, operations_), kind_(kind), done_(done) {}
    void start(sim::Process& process) override {
        process.spawn("worker", [this] { run(); });
    }
    void on_message(sim::Process&, sim::Envelope& message) override {
        (void)resources_.on_message(message);
    }
    void on_timer(sim::Process&, sim::TimerId) override {}
    void on_reset(sim::Process&, sim::ProcessId peer) override { resources_.on_reset(peer); }

private:
    void run() {
        for (std::uint64_t n = 1; n <= turns; ++n) {
            const bool accepted = kind_ == Kind::Endpoint
                                      ? resources_
                                                .call(store, LockId(1), FencingToken(1),
                                                      resource::call_key(1, n), n, seconds(60))
                                                .outcome == events::WriteOutcome::Accepted
                                      : write(n);
            done_ += accepted ? 1 : 0;
        }
    }
    bool write(std::uint64_t n) {
        const auto written =
            resources_.write(store, LockId(1), FencingToken(1), n, version_, n, seconds(60));
        version_ = written.version;
        return written.outcome == events::WriteOutcome::Accepted;
    }

    sim::Process& process_;
    world::Operations operations_;
    world::ResourceClient resources_;
    const Kind kind_;
    int& done_;
    std::uint64_t version_ = 0;
};

properties::Setup setup_of(Kind kind) {
    properties::Setup setup;
    setup.roster = {{store, sim::ProcessKind::Resource, "store"},
                    {client, sim::ProcessKind::Client, "client"}};
    setup.locks = {"job"};
    setup.guards = {{store, LockId(1)}};
    setup.fencing = kind == Kind::Store ? properties::FencingMode::Fenced
                                        : properties::FencingMode::Conditional;
    return setup;
}

class Judge final : public world::Observer {
public:
    explicit Judge(Kind kind) : suite(setup_of(kind)) {}
    void on_event(const world::Stamp& s, const events::Event& event) override {
        suite.on({s.at, s.process, s.ordinal}, event);
        if (const auto* failed = std::get_if<events::StorageFailed>(&event))
            (failed->full ? full : failed_syncs) += 1;
    }
    void on_world_event(const world::Stamp& s, const sim::WorldEvent& event) override {
        suite.on({s.at, s.process, s.ordinal}, event);
    }
    properties::Suite suite;
    int full = 0;
    int failed_syncs = 0;
};

/// A resource that soon finds its file too long, its caller, and the properties over both.
struct Bench {
    explicit Bench(Kind kind, std::uint64_t seed = 1) : judge(kind), world(seed, stacks, recorder) {
        recorder.attach(world);
        recorder.add(judge);
        const world::ResourceProgram::Settings settings{kind, resource::Fencing::Fenced, 400};
        world.add_process("store", sim::ProcessKind::Resource, [this, settings](sim::Process& p) {
            return std::make_unique<world::ResourceProgram>(p, recorder, settings);
        });
        world.add_process("client", sim::ProcessKind::Client, [this, kind](sim::Process& p) {
            return std::make_unique<Caller>(p, recorder, kind, done);
        });
        sim::LinkModel link;
        link.delay.min = link.delay.max = microseconds(100);
        world.network().set_default(link);
        disk().set_model({milliseconds(1), milliseconds(1)});
        world.start(store);
        world.start(client);
    }
    sim::Disk& disk() { return world.process(store).disk(); }
    void run_for(Duration d) { world.run_until(world.now() + d); }
    void restart(CrashKind how) {
        world.crash(store, how);
        world.start(store);
    }
    void finish() {
        run_for(seconds(120));
        judge.suite.finish(world.now());
    }
    Verdict verdict(PropertyId id) const {
        return judge.suite.reports().at(static_cast<std::size_t>(id)).verdict;
    }

    sim::StackPool stacks;
    world::Recorder recorder;
    Judge judge;
    int done = 0;
    sim::World world;
};

}  // namespace

TEST_CASE("resource: a file that grows too long is written anew, again and again") {
    for (const Kind kind : {Kind::Store, Kind::Row, Kind::Endpoint}) {
        Bench bench(kind);
        std::uint64_t longest = 0;
        bool rewriting = false;
        while (bench.done < turns) {
            bench.run_for(microseconds(500));
            longest = std::max(longest, bench.disk().size("record"));
            rewriting = rewriting || bench.disk().exists("record.new");
        }
        CHECK(rewriting);
        CHECK(longest < 1'600);  // all of it would be 2,400 at least
        CHECK(longest > 300);
        bench.finish();
        CHECK(bench.verdict(PropertyId::Fence2) == Verdict::Held);
        CHECK(bench.disk().files() == std::vector<std::string>{"record"});
    }
}

// Every moment of a run is one at which it may end: between any two of append, sync, rename and
// sync of the directory, and once more while it recovers.
TEST_CASE("resource: what was answered survives a crash at any moment, whichever file it leaves") {
    const Kind kind = GENERATE(Kind::Store, Kind::Row, Kind::Endpoint);
    for (const Duration again : {Duration{}, microseconds(300), microseconds(1'300)})
        for (std::uint64_t k = 1; k <= 100; ++k) {
            Bench bench(kind, k);
            bench.run_for(microseconds(static_cast<std::int64_t>(730 * k)));
            const bool kill = k % 3 == 0;
            bench.restart(kill ? CrashKind::Kill : CrashKind::Power);
            if (again > Duration{}) {
                bench.run_for(again);
                bench.restart(CrashKind::Power);
            }
            bench.finish();
            INFO("kind " << static_cast<int>(kind) << " crash " << k << " again " << again.ns);
            CHECK(bench.done == turns);
            CHECK(bench.verdict(PropertyId::Fence2) == Verdict::Held);
            CHECK(bench.verdict(PropertyId::Fence1) != Verdict::Violated);
        }
}

TEST_CASE(
    "resource: a disk that is full, or whose sync fails, ends the process until it is mended") {
    const Kind kind = GENERATE(Kind::Store, Kind::Endpoint);
    SECTION("full") {
        Bench bench(kind);
        bench.run_for(milliseconds(20));
        bench.disk().fill(true);
        bench.run_for(seconds(3));
        CHECK(bench.judge.full >= 1);
        CHECK(bench.done < turns);
        bench.disk().fill(false);
        bench.finish();
        CHECK(bench.judge.failed_syncs == 0);
        CHECK(bench.done == turns);
        CHECK(bench.verdict(PropertyId::Fence2) == Verdict::Held);
    }
    SECTION("failing") {
        for (std::uint64_t k = 1; k <= 40; ++k) {
            Bench bench(kind, k);
            bench.run_for(microseconds(static_cast<std::int64_t>(1'030 * k)));
            bench.disk().fail(true);
            bench.run_for(milliseconds(5));
            bench.disk().fail(false);
            bench.finish();
            CHECK(bench.judge.failed_syncs >= 1);
            CHECK(bench.done == turns);
            CHECK(bench.verdict(PropertyId::Fence2) == Verdict::Held);
        }
    }
}

}  // namespace lockstep::test::programs
