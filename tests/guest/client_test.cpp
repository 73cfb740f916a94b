// What GuestClient does for a client of one's own: one process, and answers as a test wants them.
#include "scenarios/world/guest_client.hpp"
#include "scenarios/world/guest_payload.hpp"
#include "scenarios/world/guest_service.hpp"
#include "scenarios/world/guest_settings.hpp"
#include "sim/fiber.hpp"
#include "sim/world.hpp"
#include "tests/guest/post.hpp"
#include "tests/support/catch.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::test::guest {
namespace {

constexpr LockId job{1};

/// Its answers are what a test says; it never talks to anybody.
class ScriptedClient final : public world::GuestClient {
public:
    using GuestClient::extend;
    using GuestClient::GuestClient;
    using GuestClient::holds;
    using GuestClient::lose;
    using GuestClient::set_own_timer;

    bool on_message(sim::Envelope&) override { return false; }

    std::function<Answer(const Ask&)> answer = [](const Ask& ask) {
        return granted(FencingToken(ask.session.value), LocalTime::never());
    };
    bool given_up_known = true;
    int connected = 0;
    std::vector<LockId> abandoned;
    std::vector<sim::TimerId> timers_due;

    static Answer grant(std::uint64_t token, LocalTime deadline) {
        return granted(FencingToken(token), deadline);
    }
    static Answer refuse() { return held_by_another(); }

protected:
    void connect() override { ++connected; }
    Answer ask(const Ask& ask) override { return answer(ask); }
    bool give_up(LockId, SessionId, const Grant&, Duration) override { return given_up_known; }
    void abandon(LockId lock, SessionId, const Grant&) override { abandoned.push_back(lock); }
    void on_own_timer(sim::TimerId timer) override { timers_due.push_back(timer); }
};

/// One process that runs a test's code in a fiber, with clients in two slots.
class Desk {
public:
    using Body = std::function<void(Desk&)>;

    explicit Desk(Body body) : world_(1, stacks_, recorder_), body_(std::move(body)) {
        recorder_.attach(world_);
        recorder_.add(log_);
        process_ = world_.add_process(
            "worker-a", sim::ProcessKind::Client,
            [this](sim::Process& p) { return std::make_unique<Program>(*this, p); });
        world_.start(process_);
        world_.run_until(sim::SimTime{seconds(100).ns});
        CHECK(finished_);
    }

    ScriptedClient& client() { return *first_; }
    ScriptedClient& second() { return *second_; }
    sim::Process& process() { return world_.process(process_); }
    sim::World& world() { return world_; }
    /// Names of the events so far, but for `session-told`, which comes before each acquire.
    std::string events() const { return log_.text; }
    std::vector<std::pair<FencingToken, events::LossReason>> lost;

private:
    struct Log final : world::Observer {
        void on_event(const world::Stamp&, const events::Event& event) override {
            const std::string name(events::kind_name(event.index()));
            if (name != "session-told") text += (text.empty() ? "" : " ") + name;
        }
        void on_world_event(const world::Stamp&, const sim::WorldEvent&) override {}
        std::string text;
    };
    class Program final : public sim::Program {
    public:
        Program(Desk& desk, sim::Process& process) : desk_(desk) {
            desk.first_ =
                std::make_unique<ScriptedClient>(process, desk.reporter_, world::ClientSlot{0});
            desk.second_ =
                std::make_unique<ScriptedClient>(process, desk.reporter_, world::ClientSlot{1});
            desk.first_->on_lost([&desk](LockId, FencingToken token, events::LossReason why) {
                desk.lost.emplace_back(token, why);
            });
        }
        void start(sim::Process& process) override {
            process.spawn("body", [this] {
                desk_.body_(desk_);
                desk_.finished_ = true;
            });
        }
        void on_message(sim::Process&, sim::Envelope&) override {}
        void on_timer(sim::Process&, sim::TimerId timer) override {
            auto& client = timer < world::LockClient::timers ? *desk_.first_ : *desk_.second_;
            client.on_timer(timer);
        }

    private:
        Desk& desk_;
    };

    sim::StackPool stacks_;
    world::Recorder recorder_;
    sim::World world_;
    world::Reporter reporter_{recorder_};
    Log log_;
    Body body_;
    sim::ProcessId process_;
    std::unique_ptr<ScriptedClient> first_;
    std::unique_ptr<ScriptedClient> second_;
    bool finished_ = false;
};

/// Grants for so long from the asking on.
void grants_for(Desk& desk, Duration span) {
    desk.client().answer = [&desk, span](const auto& ask) {
        return ScriptedClient::grant(ask.session.value, desk.process().now() + span);
    };
}

}  // namespace

TEST_CASE("guest: a lock that is released was held until then") {
    Desk([](Desk& desk) {
        auto& client = desk.client();
        CHECK_FALSE(client.has_session());
        client.open();
        client.open();
        CHECK(client.connected == 1);
        CHECK(client.has_session());
        CHECK_FALSE(client.may_act(job));
        const auto acquired = client.acquire(job, Duration::max());
        REQUIRE(acquired.granted());
        CHECK(acquired.token == FencingToken(1));
        CHECK(client.may_act(job));
        client.release(job, seconds(1));
        CHECK_FALSE(client.may_act(job));
        client.release(job, seconds(1));  // of what it does not hold: nothing
        CHECK(desk.events() ==
              "acquire-called grant-told acquire-returned may-act release-called release-returned");
        CHECK(desk.lost.empty());
    });
}

TEST_CASE("guest: a release that was not answered has no return, and ends the session") {
    Desk([](Desk& desk) {
        desk.client().given_up_known = false;
        desk.client().acquire(job, Duration::max());
        desk.client().release(job, seconds(1));
        CHECK(desk.events() ==
              "acquire-called grant-told acquire-returned release-called "
              "close-called");
    });
}

TEST_CASE("guest: the loss is told once, at the deadline, and is final") {
    Desk([](Desk& desk) {
        auto& client = desk.client();
        grants_for(desk, seconds(2));
        client.acquire(job, Duration::max());
        desk.process().sleep(milliseconds(1'999));
        CHECK(client.may_act(job));
        CHECK(desk.lost.empty());
        desk.process().sleep(milliseconds(2));
        REQUIRE(desk.lost.size() == 1);
        CHECK(desk.lost[0] == std::pair{FencingToken(1), events::LossReason::DeadlinePassed});
        CHECK_FALSE(client.may_act(job));
        client.extend(job, desk.process().now() + seconds(5));
        CHECK_FALSE(client.may_act(job));
        client.lose(job);
        client.release(job, seconds(1));
        CHECK(desk.lost.size() == 1);
        CHECK(desk.events() ==
              "acquire-called deadline-moved grant-told acquire-returned may-act "
              "loss-told");
    });
}

TEST_CASE("guest: a renewal moves the deadline, and never back") {
    Desk([](Desk& desk) {
        auto& client = desk.client();
        grants_for(desk, seconds(2));
        const LocalTime begin = desk.process().now();
        client.acquire(job, Duration::max());
        desk.process().sleep(seconds(1));
        client.extend(job, begin + seconds(4));
        client.extend(job, begin + seconds(3));  // an earlier renewal's answer, late
        REQUIRE(client.holds(job) != nullptr);
        CHECK(client.holds(job)->deadline == begin + seconds(4));
        desk.process().sleep(milliseconds(2'900));
        CHECK(client.may_act(job));
        CHECK(desk.lost.empty());
        desk.process().sleep(milliseconds(101));
        CHECK(desk.lost.size() == 1);
        CHECK(desk.events() ==
              "acquire-called deadline-moved grant-told acquire-returned "
              "deadline-moved may-act loss-told");
    });
}

TEST_CASE("guest: a grant whose deadline has passed is not told") {
    Desk([](Desk& desk) {
        auto& client = desk.client();
        grants_for(desk, Duration{});
        const auto acquired = client.acquire(job, Duration::max());
        CHECK(acquired.outcome == events::AcquireOutcome::SessionOver);
        CHECK(acquired.token == FencingToken());
        CHECK(client.holds(job) == nullptr);
        CHECK(client.abandoned == std::vector<LockId>{job});
        desk.process().sleep(seconds(1));
        CHECK(desk.lost.empty());
        CHECK(desk.events() == "acquire-called acquire-returned");
    });
}

TEST_CASE("guest: who holds a lock and asks again is told so, and nobody is asked") {
    Desk([](Desk& desk) {
        auto& client = desk.client();
        const auto first = client.acquire(job, Duration::max());
        int asked = 0;
        client.answer = [&](const auto&) {
            ++asked;
            return ScriptedClient::refuse();
        };
        const auto again = client.acquire(job, Duration::max());
        CHECK(again.outcome == events::AcquireOutcome::AlreadyHeld);
        CHECK(again.token == first.token);
        CHECK(asked == 0);
        const auto other = client.acquire(LockId(2), Duration::max());
        CHECK(other.outcome == events::AcquireOutcome::Held);
        CHECK(other.token == FencingToken());
        CHECK(asked == 1);
    });
}

TEST_CASE("guest: what the service takes away is told, and its deadline passes no more") {
    Desk([](Desk& desk) {
        auto& client = desk.client();
        grants_for(desk, seconds(2));
        client.acquire(job, Duration::max());
        client.lose(job, events::LossReason::HoldEnded);
        REQUIRE(desk.lost.size() == 1);
        CHECK(desk.lost[0].second == events::LossReason::HoldEnded);
        desk.process().sleep(seconds(3));
        CHECK(desk.lost.size() == 1);
        CHECK(desk.events() ==
              "acquire-called deadline-moved grant-told acquire-returned loss-told");
    });
}

TEST_CASE("guest: closing gives up all that is held, tells no loss and waits for nobody") {
    Desk([](Desk& desk) {
        auto& client = desk.client();
        grants_for(desk, seconds(2));
        client.open();
        client.acquire(job, Duration::max());
        client.acquire(LockId(2), Duration::max());
        client.close();
        CHECK_FALSE(client.has_session());
        CHECK_FALSE(client.may_act(job));
        CHECK(client.abandoned == std::vector<LockId>{job, LockId(2)});
        desk.process().sleep(seconds(3));
        CHECK(desk.lost.empty());
        CHECK(desk.events() ==
              "acquire-called deadline-moved grant-told acquire-returned "
              "acquire-called deadline-moved grant-told acquire-returned "
              "close-called close-called");
    });
}

TEST_CASE("guest: two clients of one process have timers of their own") {
    Desk([](Desk& desk) {
        grants_for(desk, seconds(2));
        desk.client().acquire(job, Duration::max());
        desk.second().answer = [&](const auto& ask) {
            return ScriptedClient::grant(ask.session.value, desk.process().now() + seconds(1));
        };
        desk.second().acquire(LockId(2), Duration::max());
        desk.client().set_own_timer(0, desk.process().now() + milliseconds(10));
        desk.second().set_own_timer(2, desk.process().now() + milliseconds(10));
        desk.process().sleep(milliseconds(1'500));
        CHECK(desk.client().timers_due == std::vector<sim::TimerId>{0});
        CHECK(desk.second().timers_due == std::vector<sim::TimerId>{2});
        CHECK_FALSE(desk.second().may_act(LockId(2)));
        CHECK(desk.client().may_act(job));
        // Sessions are told apart over both.
        CHECK(desk.client().holds(job)->token == FencingToken(1));
    });
}

TEST_CASE("guest: a message travels as it was, and is printed by its fields") {
    const post::Given given{LockId(3), SessionId(4), FencingToken(5), -6};
    const sim::Payload sent = sim::Payload::make(post::Given(given));
    CHECK(sent.kind() == world::GuestFamily + 0x12);
    CHECK(sent.print() == "given lock=3 session=4 token=5 sent=-6");
    Writer scratch;
    const sim::Payload arrived = sent.recode(scratch);
    REQUIRE(arrived.holds<post::Given>());
    CHECK(arrived.print() == sent.print());
    post::Given cut;
    Writer whole;
    sim::PayloadTraits<post::Given>::encode(given, whole);
    Reader part(std::span(whole.bytes()).first(3));
    CHECK_FALSE(sim::PayloadTraits<post::Given>::decode(part, cut));
}

TEST_CASE("guest: settings are read as the scenario has them, or by default") {
    constexpr world::Setting<bool> on{"on", true, "a switch"};
    constexpr world::Setting<std::uint64_t> many{"many", 7, "a number"};
    constexpr world::Setting<Duration> wait{"wait", milliseconds(1'500), "a span"};
    scenario::Resolved settings;
    CHECK(on.in(settings));
    CHECK(many.in(settings) == 7);
    CHECK(wait.in(settings) == milliseconds(1'500));
    settings.service_settings = {{"many", "12"}, {"on", "false"}, {"wait", "2s"}};
    CHECK_FALSE(on.in(settings));
    CHECK(many.in(settings) == 12);
    CHECK(wait.in(settings) == seconds(2));

    const std::vector<world::SettingFace> known{on, many, wait};
    CHECK(known[0].by_default == "true");
    CHECK(known[1].by_default == "7");
    CHECK(known[2].by_default == "1500ms");
    CHECK_FALSE(world::check_settings(settings.service_settings, known));
    const auto objection = [&](const char* name, const char* value) {
        const auto wrong = world::check_settings({{name, value}}, known);
        return wrong ? wrong->key + ": " + wrong->message : "";
    };
    CHECK(objection("off", "true") == "off: no such setting; this service has on, many, wait");
    CHECK(objection("on", "yes").starts_with("on: found \"yes\"; allowed is"));
    CHECK(objection("many", "-1").starts_with("many: found \"-1\"; allowed is"));
    CHECK(objection("wait", "2").starts_with("wait: found \"2\"; allowed is"));
}

}  // namespace lockstep::test::guest
