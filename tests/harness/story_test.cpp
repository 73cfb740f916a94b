#include "harness/story.hpp"

#include "tests/harness/fixtures.hpp"
#include "tests/support/catch.hpp"

namespace lockstep::test {
namespace {

constexpr sim::ProcessId n1{1};
constexpr sim::ProcessId worker_a{4};
constexpr sim::ProcessId worker_b{5};
constexpr sim::ProcessId store{6};
constexpr LockId job{1};

/// A log that is written down event by event, with times in milliseconds.
class Log {
public:
    Log() {
        outcome_ = held_outcome(1);
        outcome_.process_names = {"n1", "n2", "n3", "worker-a", "worker-b", "store"};
        outcome_.lock_names = {"job"};
        outcome_.point_names = {"before-write"};
    }
    template <class E>
    Log& at(std::int64_t ms, sim::ProcessId process, const E& event) {
        const sim::SimTime time{ms * 1'000'000};
        if constexpr (std::is_constructible_v<sim::WorldEvent, E>)
            outcome_.log.push_back({time, process, sim::WorldEvent(event)});
        else
            outcome_.log.push_back({time, process, events::Event(event)});
        return *this;
    }
    Log& message(std::int64_t ms, const std::string& text) {
        outcome_.log.push_back({sim::SimTime{ms * 1'000'000}, n1, harness::MessageLine{text}});
        return *this;
    }
    Outcome& outcome() { return outcome_; }

private:
    Outcome outcome_;
};

sim::FaultPlan pause_plan() {
    sim::Fault pause;
    pause.kind = sim::FaultKind::Pause;
    pause.aim = {sim::Aim::By::Role, "holder"};
    pause.duration = seconds(15);
    return {pause};
}

events::WriteAccepted write(std::uint64_t token, std::uint64_t read, std::uint64_t prior) {
    events::WriteAccepted e{};
    e.token = FencingToken(token);
    e.read_version = read;
    e.prior_version = prior;
    e.version = prior + 1;
    return e;
}

/// One turn of a worker in which nothing happens.
void turn(Log& log, std::int64_t ms, sim::ProcessId worker, SessionId session, std::uint64_t token,
          std::uint64_t version) {
    log.at(ms, n1, events::Granted{job, session, RequestSeq(token), FencingToken(token)});
    log.at(ms + 2, worker,
           events::GrantTold{job, session, RequestSeq(token), FencingToken(token), {}});
    log.at(ms + 3, n1, events::RenewalAnswered{session, SendingNo(1), worker, Term(1)});
    log.at(ms + 5, store, write(token, version, version));
    log.at(ms + 8, worker, events::ReleaseCalled{job, session, FencingToken(token)});
    log.at(ms + 9, n1,
           events::Released{job, session, RequestSeq(token), FencingToken(token),
                            LogIndex(token + 1)});
}

/// A holder is paused past its lease; then it writes.
Log pause_log() {
    const SessionId a{11};
    const SessionId b{12};
    Log log;
    log.at(1'200, n1, events::BecameLeader{Term(1), LogIndex(0), 0});
    log.at(1'300, n1, events::SessionOpened{a, Nonce(1), seconds(10), worker_a});
    log.at(1'301, n1, events::SessionOpened{b, Nonce(2), seconds(10), worker_b});
    turn(log, 1'400, worker_a, a, 20, 0);
    turn(log, 1'500, worker_b, b, 22, 1);
    turn(log, 1'600, worker_a, a, 24, 2);
    log.at(2'000, n1, events::Granted{job, a, RequestSeq(9), FencingToken(33)});
    log.at(2'002, worker_a, events::GrantTold{job, a, RequestSeq(9), FencingToken(33), {}});
    log.at(2'500, n1, events::Queued{job, b, RequestSeq(9), LogIndex(34), 0});
    log.at(5'898, worker_a, events::MayActAsked{job, a, FencingToken(33), {}, {}, true});
    log.at(5'900, worker_a, sim::FaultStarted{0});
    log.at(5'900, worker_a, sim::Paused{sim::ClockMode::Runs, 0});
    log.at(15'100, worker_a, sim::DeadlinePassed{11});
    log.at(15'306, n1, events::SessionEnded{a, LogIndex(41), Term(1), events::EndReason::Expired});
    log.at(15'306, n1, events::Granted{job, b, RequestSeq(9), FencingToken(41)});
    log.at(15'308, worker_b, events::GrantTold{job, b, RequestSeq(9), FencingToken(41), {}});
    log.at(15'320, store, write(41, 3, 3));
    log.at(20'900, worker_a, sim::Resumed{0});
    log.at(20'900, worker_a, sim::FaultEnded{0});
    return log;
}

}  // namespace

TEST_CASE("story: a holder is paused past its lease and its late write is refused") {
    Log log = pause_log();
    events::WriteRejected refused{};
    refused.token = FencingToken(33);
    refused.held_token = FencingToken(41);
    log.at(20'903, store, refused);
    log.at(
        20'905, worker_a,
        events::LossTold{job, SessionId(11), FencingToken(33), events::LossReason::DeadlinePassed});
    const std::string text = harness::tell_story(log.outcome(), pause_plan());
    CHECK(text == golden("story_refused.txt", text));
}

TEST_CASE(
    "story: without fencing the late write is accepted, and the violation stands at its place") {
    Log log = pause_log();
    log.at(20'903, store, write(33, 3, 4));
    log.at(30'000, n1, sim::Stopping{});
    violate(log.outcome(), PropertyId::Fence2, sim::SimTime{20'903'000'000},
            "worker-a's write overwrote worker-b's update");
    const std::string text = harness::tell_story(log.outcome(), pause_plan());
    CHECK(text == golden("story_accepted.txt", text));
}

TEST_CASE("story: verbose tells every event with its fields, and every message") {
    Log log;
    log.at(1, n1, events::VoteCast{Term(2), n1});
    log.message(2, "n1 -> n2  append-request");
    log.at(3, n1, events::BecameLeader{Term(2), LogIndex(5), 0xabc});
    log.at(4, worker_a, events::AcquireCalled{job, SessionId(11), RequestSeq(1), Duration::max()});
    log.at(5, worker_a, events::PointReached{0});
    log.at(6, worker_a, sim::ProcessStopped{sim::CrashKind::Power});
    harness::StoryOptions options;
    options.verbose = true;
    const std::string text = harness::tell_story(log.outcome(), {}, options);
    CHECK(text == golden("story_verbose.txt", text));
    CHECK(harness::tell_story(log.outcome(), {}).find("vote-cast") == std::string::npos);
}

TEST_CASE("story: what is left out is counted") {
    Log log;
    for (int i = 0; i < 20; ++i)
        turn(log, 1'000 + i * 100, worker_a, SessionId(11), 100 + static_cast<std::uint64_t>(i),
             static_cast<std::uint64_t>(i));
    log.at(9'000, n1, events::BecameLeader{Term(2), LogIndex(5), 0});
    const std::string text = harness::tell_story(log.outcome(), {});
    CHECK(text.find("20 grants, 19 releases, 19 writes") != std::string::npos);
    CHECK(text.find("is elected leader, term 2") != std::string::npos);
    CHECK(text.find("renewal") == std::string::npos);
}

TEST_CASE("story: a deadline of a session that holds nothing is not told") {
    Log log = pause_log();
    const auto count = [&] {
        const std::string text = harness::tell_story(log.outcome(), pause_plan());
        std::size_t n = 0;
        for (auto at = text.find("its own deadline for"); at != std::string::npos;
             at = text.find("its own deadline for", at + 1))
            ++n;
        return n;
    };
    CHECK(count() == 1);
    log.at(21'000, worker_b, sim::DeadlinePassed{7});  // an older session of the holder's
    CHECK(count() == 1);
    log.at(21'001, worker_b, sim::DeadlinePassed{12});
    CHECK(count() == 2);
}

TEST_CASE("story: an excused violation is told as such") {
    Log log;
    log.at(1, n1, events::BecameLeader{Term(1), LogIndex(0), 0});
    violate(log.outcome(), PropertyId::Belief1, sim::SimTime{2'000'000}, "both may act");
    auto& report = report_of(log.outcome(), PropertyId::Belief1);
    report.first->excused_by =
        properties::Need{sim::Assumption::ClockRate, sim::ProcessKind::Client};
    const std::string text = harness::tell_story(log.outcome(), {});
    CHECK(text.find("EXCUSED") != std::string::npos);
    CHECK(text.find("VIOLATED") == std::string::npos);
    CHECK(text.find("BELIEF-1 TruthfulDeadline: both may act") != std::string::npos);
}

}  // namespace lockstep::test
