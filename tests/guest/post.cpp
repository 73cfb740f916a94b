#include "tests/guest/post.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>

namespace lockstep::test::post {
namespace {

constexpr world::Setting<bool> twice{"twice", false, "grant a lock that somebody has"};
constexpr world::Setting<bool> unfair{"unfair", false, "grant to whoever came last"};
constexpr world::Setting<bool> forgetful{"forgetful", false, "never let a lease run out"};
constexpr world::Setting<std::uint64_t> extra{"extra", 0, "percent that clients add to a lease"};
constexpr world::Setting<bool> backwards{"backwards", false, "tokens that fall"};

class Server final : public sim::Program {
public:
    Server(world::Reporter& reporter, const scenario::Resolved& settings)
        : reporter_(reporter), settings_(settings) {}

    void start(sim::Process& process) override {
        reporter_.leads(process.id(), Term(process.life()));
        for (std::size_t i = 1; i <= settings_.locks.size(); ++i)
            queues_[LockId(static_cast<std::uint32_t>(i))] = {};
    }
    void on_message(sim::Process& process, sim::Envelope& message) override {
        if (message.payload.holds<Want>())
            wanted(process, message.from, message.payload.get<Want>());
        else if (message.payload.holds<Leave>())
            left(process, message.from, message.payload.get<Leave>());
    }
    void on_timer(sim::Process& process, sim::TimerId) override {
        const LocalTime now = process.now();
        for (auto& [lock, queue] : queues_) {
            std::erase_if(queue, [&](const Place& place) {
                if (place.heard + settings_.ttl > now) return false;
                reporter_.expired(process.id(), place.session);
                process.send(place.client, sim::Payload::make(Left{lock, place.session}));
                return true;
            });
            serve(process, lock);
        }
        arm(process);
    }

private:
    struct Place {
        SessionId session;
        sim::ProcessId client;
        LocalTime heard;
        std::int64_t sent;
        FencingToken token;  ///< zero: waits
    };
    using Queue = std::deque<Place>;

    void wanted(sim::Process& process, sim::ProcessId client, const Want& want) {
        Queue& queue = queues_[want.lock];
        auto place = std::find_if(queue.begin(), queue.end(),
                                  [&](const Place& p) { return p.session == want.session; });
        if (place == queue.end()) {
            if (gone_[want.session]) return;
            if (!queue.empty())
                reporter_.queued(process.id(), want.lock, want.session, queue.size() - 1);
            queue.push_back({want.session, client, process.now(), want.sent, {}});
            place = queue.end() - 1;
        }
        place->heard = process.now();
        place->sent = want.sent;
        if (place->token)
            tell(process, want.lock, *place);
        else
            serve(process, want.lock);
        arm(process);
    }
    void left(sim::Process& process, sim::ProcessId client, const Leave& leave) {
        gone_[leave.session] = true;
        std::erase_if(queues_[leave.lock], [&](const Place& place) {
            if (place.session != leave.session) return false;
            if (place.token)
                reporter_.released(process.id(), leave.lock, place.session, place.token);
            else
                reporter_.left_queue(process.id(), leave.lock, place.session);
            return true;
        });
        process.send(client, sim::Payload::make(Left{leave.lock, leave.session}));
        serve(process, leave.lock);
    }
    void serve(sim::Process& process, LockId lock) {
        Queue& queue = queues_[lock];
        const bool held = std::any_of(queue.begin(), queue.end(),
                                      [](const Place& place) { return bool(place.token); });
        if (queue.empty() || (held && !twice.in(settings_))) return;
        if (unfair.in(settings_)) std::rotate(queue.begin(), queue.end() - 1, queue.end());
        for (Place& place : queue) {
            if (place.token) continue;
            last_ += 1;
            place.token = FencingToken(backwards.in(settings_) ? 1'000'000 - last_ : last_);
            reporter_.granted(process.id(), lock, place.session, place.token);
            tell(process, lock, place);
            break;
        }
    }
    static void tell(sim::Process& process, LockId lock, const Place& place) {
        process.send(place.client,
                     sim::Payload::make(Given{lock, place.session, place.token, place.sent}));
    }
    void arm(sim::Process& process) {
        if (forgetful.in(settings_)) return;
        LocalTime next = LocalTime::never();
        for (const auto& [lock, queue] : queues_)
            for (const Place& place : queue) next = std::min(next, place.heard + settings_.ttl);
        process.set_timer(0, next);
    }

    world::Reporter& reporter_;
    const scenario::Resolved& settings_;
    std::map<LockId, Queue> queues_;
    std::map<SessionId, bool> gone_;
    std::uint64_t last_ = 0;
};

class Client final : public world::GuestClient {
public:
    Client(sim::Process& process, world::Reporter& reporter, world::ClientSlot slot,
           const scenario::Resolved& settings, sim::ProcessId server)
        : GuestClient(process, reporter, slot),
          server_(server),
          renew_every_(settings.renew_every),
          usable_((shrink(settings.ttl, settings.drift_bound) - settings.margin) *
                  static_cast<std::int64_t>(100 + extra.in(settings)) / 100) {}

    bool on_message(sim::Envelope& message) override {
        if (message.payload.holds<Given>()) {
            const auto& given = message.payload.get<Given>();
            const auto session = sessions_.find(given.lock);
            if (session == sessions_.end() || session->second != given.session) return true;
            const LocalTime deadline = LocalTime{given.sent} + usable_;
            if (holds(given.lock) != nullptr)
                extend(given.lock, deadline);
            else
                answer_ = granted(given.token, deadline);
        } else if (message.payload.holds<Left>()) {
            const auto& left = message.payload.get<Left>();
            const auto session = sessions_.find(left.lock);
            if (session == sessions_.end() || session->second != left.session) return true;
            sessions_.erase(session);
            lose(left.lock);
        } else {
            return false;
        }
        news_.notify_all();
        return true;
    }

protected:
    Answer ask(const Ask& ask) override {
        answer_.reset();
        sessions_[ask.lock] = ask.session;
        set_own_timer(0, process().now() + renew_every_);
        const LocalTime until = after(ask.wait_max);
        while (!answer_ && process().now() < until && sessions_.contains(ask.lock)) {
            want(ask.lock, ask.session);
            process().wait_until(news_, std::min(until, process().now() + milliseconds(500)));
        }
        if (answer_) return *answer_;
        abandon(ask.lock, ask.session, {});
        return timed_out();
    }
    bool give_up(LockId lock, SessionId session, const Grant&, Duration patience) override {
        const LocalTime until = after(patience);
        while (sessions_.contains(lock) && process().now() < until) {
            process().send(server_, sim::Payload::make(Leave{lock, session}));
            process().wait_until(news_, std::min(until, process().now() + milliseconds(500)));
        }
        return !sessions_.contains(lock);
    }
    void abandon(LockId lock, SessionId session, const Grant&) override {
        sessions_.erase(lock);
        process().send(server_, sim::Payload::make(Leave{lock, session}));
    }
    void on_own_timer(sim::TimerId) override {
        for (const auto& [lock, session] : sessions_)
            if (holds(lock) != nullptr) want(lock, session);
        set_own_timer(0, process().now() + renew_every_);
    }

private:
    void want(LockId lock, SessionId session) {
        process().send(server_, sim::Payload::make(Want{lock, session, process().now().ns}));
    }

    const sim::ProcessId server_;
    const Duration renew_every_;
    const Duration usable_;
    std::map<LockId, SessionId> sessions_;  ///< that ask or hold
    std::optional<Answer> answer_;
    sim::Condition news_;
};

class Post final : public world::GuestService {
public:
    using GuestService::GuestService;
    std::unique_ptr<sim::Program> make_server(sim::Process&, std::size_t) override {
        return std::make_unique<Server>(reporter(), settings());
    }
    std::unique_ptr<world::LockClient> make_client(sim::Process& process,
                                                   world::ClientSlot slot) override {
        return std::make_unique<Client>(process, reporter(), slot, settings(), servers().front());
    }
};

}  // namespace

std::unique_ptr<world::Service> make(const scenario::Resolved& settings,
                                     world::Recorder& recorder) {
    return std::make_unique<Post>(settings, recorder);
}

world::ServiceFace face() {
    world::ServiceFace face;
    face.about = "a queue in the memory of one server";
    face.messages = {world::request<Want>(), world::request<Leave>(), world::answer<Given>(),
                     world::answer<Left>()};
    face.settings = {twice, unfair, forgetful, extra, backwards};
    face.roles = {"leader", "holder", "next-waiter"};
    face.reports_leaders = true;
    face.reports_grants = true;
    return face;
}

void add() {
    if (harness::find_service("post") == nullptr) add_service("post", make, face());
}

}  // namespace lockstep::test::post
