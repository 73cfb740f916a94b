#pragma once

#include "core/base/assert.hpp"
#include "core/client/client.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::test::clients {

using events::AcquireOutcome;
using events::AnswerStatus;
using events::LossReason;
using events::Operation;

/// The kinds of some events, in order.
using Story = std::vector<std::string_view>;

inline const LockId lock_a(1);
inline const LockId lock_b(2);
/// What ClientDriver::config() leaves of its TTL: 10 s, shrunk by 1%, less the margin of 50 ms.
inline constexpr Duration lease = milliseconds(9'850);

/// A client whose servers and clock are the test. Keeps what one call asked for, told and reported.
class ClientDriver {
public:
    static client::Config config() {
        client::Config c;
        c.self = NodeId(10);
        c.servers = {NodeId(1), NodeId(2), NodeId(3)};
        c.ttl = seconds(10);
        c.renew_every = seconds(3);
        c.drift_bound = Ppm{10'000};
        c.margin = milliseconds(50);
        c.retry_every = milliseconds(500);
        return c;
    }

    explicit ClientDriver(client::Config c = config(), std::uint64_t seed = 1)
        : client(std::move(c), Prng(seed)) {}

    void at(Duration since_start) { now = LocalTime{} + since_start; }
    void tick() { step(client::Tick{}); }
    void tick_at(Duration since_start) {
        at(since_start);
        tick();
    }
    /// Sleeps to the next instant at which the client is due, and wakes it.
    void sleep() {
        now = std::max(now, client.wake_at());
        tick();
    }
    void reset(NodeId peer) { step(client::LinkReset{peer}); }
    template <class Reply>
    void receive(NodeId from, Reply reply) {
        step(client::Receive{from, wire::Reply(std::move(reply))});
    }

    void open() {
        effects.clear();
        client.open(now, effects);
        note_target();
    }
    RequestSeq acquire(LockId lock, Duration wait_max) {
        effects.clear();
        const RequestSeq seq = client.acquire(lock, wait_max, now, effects);
        note_target();
        return seq;
    }
    RequestSeq release(LockId lock, FencingToken token) {
        effects.clear();
        const RequestSeq seq = client.release(lock, token, now, effects);
        note_target();
        return seq;
    }
    void close() {
        effects.clear();
        client.close(now, effects);
        note_target();
    }
    bool may_act(LockId lock, FencingToken token) {
        effects.clear();
        return client.may_act(lock, token, now, effects);
    }

    /// Opens at `now`, and has session 100 at once.
    void with_session() {
        open();
        opened(sent<wire::Open>().at(0));
    }
    void opened(const wire::Open& open, SessionId session = SessionId(100)) {
        receive(target(),
                wire::OpenReply{open.nonce, open.sending, AnswerStatus::Ok, session, open.ttl});
    }
    /// With a session: acquires, and is granted at once.
    RequestSeq with_grant(LockId lock, FencingToken token) {
        const RequestSeq seq = acquire(lock, Duration::max());
        answer(Operation::Acquire, AnswerStatus::Granted, seq, lock, token);
        return seq;
    }
    void answer(Operation operation, AnswerStatus status, RequestSeq seq, LockId lock = {},
                FencingToken token = {}) {
        receive(target(), wire::RequestReply{operation, status, client.session(), seq, lock, token,
                                             RequestSeq()});
    }
    void renewed(SendingNo sending, std::vector<wire::HeldGrant> grants = {}) {
        receive(target(), wire::KeepAliveReply{client.session(), sending, AnswerStatus::Ok,
                                               std::move(grants)});
    }

    /// The server that was last asked.
    NodeId target() const { return asked_; }
    template <class Request>
    std::vector<Request> sent() const {
        std::vector<Request> found;
        for (const auto& send : effects.send)
            if (const auto* r = std::get_if<Request>(&send.request)) found.push_back(*r);
        return found;
    }
    template <class Notice>
    std::vector<Notice> told() const {
        std::vector<Notice> found;
        for (const auto& notice : effects.notices)
            if (const auto* n = std::get_if<Notice>(&notice)) found.push_back(*n);
        return found;
    }
    template <class Event>
    std::vector<Event> reported() const {
        std::vector<Event> found;
        for (const auto& event : effects.events)
            if (const auto* e = std::get_if<Event>(&event)) found.push_back(*e);
        return found;
    }
    /// All that the last call reported.
    Story story() const {
        Story names;
        for (const auto& event : effects.events) names.push_back(events::kind_name(event.index()));
        return names;
    }

    client::Client client;
    client::Effects effects;
    LocalTime now;

private:
    void step(client::Input input) {
        effects.clear();
        client.step(std::move(input), now, effects);
        note_target();
    }
    void note_target() {
        if (!effects.send.empty()) asked_ = effects.send.back().to;
    }
    NodeId asked_;
};

}  // namespace lockstep::test::clients
