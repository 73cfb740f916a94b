#pragma once

#include "core/base/flat_map.hpp"
#include "core/base/prng.hpp"
#include "core/events/event.hpp"
#include "core/wire/messages.hpp"

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace lockstep::client {

struct Config {
    NodeId self;
    std::vector<NodeId> servers;
    Duration ttl = seconds(12);
    Duration renew_every = seconds(4);  ///< jittered downwards; at most a third of the TTL granted
    std::int64_t jitter_percent = 10;   ///< of `renew_every` and `retry_every`, at most
    Ppm drift_bound{10'000};            ///< of the relative rate of any two clocks
    Duration margin = milliseconds(50);
    Duration retry_every = milliseconds(500);  ///< without an answer, a request is sent again
    Duration hold_max{};  ///< for which the service lets one grant be held; zero: without end
    /// How many requests of a session may be open, those counted that were answered but came after
    /// the oldest open one: the service keeps their answers as long. Half of what it keeps, so that
    /// every lock can be released.
    std::uint64_t requests_max = 500;
    /// Nonces are counted from here. Lives of a client must not share any: one of an earlier life
    /// would be taken for a copy of that life's opening.
    std::uint64_t first_nonce = 1;
};

struct Tick {};
struct Receive {
    NodeId from;
    wire::Reply reply;
};
/// The connection to the server was reset: what was sent may be lost, and so may its answer.
struct LinkReset {
    NodeId peer;
};
using Input = std::variant<Tick, Receive, LinkReset>;

// What the application is told.
struct SessionReady {
    SessionId session;
};
/// Once for each acquire. The token is zero unless granted. SessionOver also if the client gave the
/// session up or closed it.
struct AcquireDone {
    LockId lock;
    RequestSeq seq;
    events::AcquireOutcome outcome;
    FencingToken token;
};
/// Once for each release. SessionOver also if no answer came while the client had the session: it
/// may then have been done or not, and the lock is free when the session ends.
struct ReleaseDone {
    LockId lock;
    RequestSeq seq;  ///< of the release
    FencingToken token;
    events::AnswerStatus status;
};
struct Lost {
    LockId lock;
    FencingToken token;
    events::LossReason reason;
};
/// After the Lost of its locks. The way on is to open another.
struct SessionLost {
    SessionId session;
    events::LossReason reason;
};
using Notice = std::variant<SessionReady, AcquireDone, ReleaseDone, Lost, SessionLost>;

struct SendRequest {
    NodeId to;
    wire::Request request;
};
/// Reused from step to step; the caller clears it.
struct Effects {
    std::vector<SendRequest> send;
    std::vector<Notice> notices;
    std::vector<events::Event> events;
    void clear() {
        send.clear();
        notices.clear();
        events.clear();
    }
};

/// One client of the lock service: session keeper, lease arithmetic, retries. A state machine; all
/// times are readings of this client's own monotonic clock.
///
/// The deadline of a session is the sending of the last answered renewal (of an opening, the FIRST
/// sending of its nonce) + TTL x (1 - drift bound) - margin. A passed deadline is final: the
/// application is told, later answers revive nothing, and the session is closed as far as that is
/// possible.
///
/// With hold_max each grant has a deadline of its own, too: the first sending of its acquire, or
/// the sending of a later renewal whose answer says that the acquire still waited (the grant was
/// made after either), + hold_max x (1 - drift bound) - margin. Of a grant that comes too late for
/// that nothing is told but the end of the wait, and it is given back. The session lives on.
///
/// Nobody has to call at an exact time. A late call sees first what has passed meanwhile: the
/// deadline, then waits that timed out, and only then what it brings.
///
/// Source: Gray and Cheriton, "Leases" (SOSP 1989), on which end counts from what.
class Client {
public:
    Client(Config config, Prng prng);

    void step(Input&& input, LocalTime now, Effects& effects);
    /// Whether the reply is to something that this client asked. Clients that share an address tell
    /// their replies apart by session and nonce; a NotLeader to an opening names neither, and is
    /// for anyone who is opening at that server.
    bool concerns(NodeId from, const wire::Reply& reply) const;
    /// When the next Tick is due at the latest. Earlier ones do no harm.
    LocalTime wake_at() const;

    /// Starts to open a session; SessionReady comes. Neither may there be one, nor one on the way.
    void open(LocalTime now, Effects& effects);
    bool opening() const { return opening_.has_value(); }
    /// Needs a session. Duration::max() waits without end, zero tries. `wait_max` is timed from now
    /// on. If the deadline has passed by now, the acquire ends with SessionOver at once; if too
    /// many requests are open, with LimitReached.
    RequestSeq acquire(LockId lock, Duration wait_max, LocalTime now, Effects& effects);
    /// The belief ends with the call, whatever the answer. The grant must be held.
    RequestSeq release(LockId lock, FencingToken token, LocalTime now, Effects& effects);
    /// Ends the session; all beliefs end with the call, and what is in flight returns SessionOver.
    void close(LocalTime now, Effects& effects);
    /// True while the application holds that grant and the deadline has not come. Reports
    /// MayActAsked.
    bool may_act(LockId lock, FencingToken token, LocalTime now, Effects& effects);

    /// Zero without one.
    SessionId session() const { return session_ ? session_->id : SessionId(); }
    /// Of the session; never() without one.
    LocalTime deadline() const { return session_ ? session_->deadline : LocalTime::never(); }
    /// Of a grant that is held, by hold_max alone; never() without one.
    LocalTime hold_deadline(LockId lock, FencingToken token) const;
    /// As the application was last told; may_act() is the question to ask before acting.
    bool holds(LockId lock, FencingToken token) const;

private:
    struct Opening {
        Nonce nonce;
        LocalTime first_sent;
        bool sent = false;
        LocalTime send_at;
    };
    struct Sending {
        SendingNo number;
        LocalTime at;
    };
    struct Grant {
        RequestSeq seq;
        FencingToken token;
        LocalTime until;  ///< by hold_max
    };
    /// An acquire, cancel or release that has no final answer yet.
    struct Pending {
        enum class Kind : std::uint8_t { Acquire, Cancel, Release } kind;
        RequestSeq seq;
        LockId lock;
        FencingToken token;  ///< Release
        bool try_only = false;
        bool queued = false;  ///< Acquire: the target said that it is in line, and will tell
        LocalTime give_up;    ///< Acquire: when the wait ends
        LocalTime send_at;
        bool sent = false;
        LocalTime waited_at{};  ///< Acquire: the grant was not made before
    };
    struct Session {
        SessionId id;
        Duration ttl;  ///< as granted, which may be less than was asked for
        LocalTime deadline;
        RequestSeq last_seq;
        LocalTime renew_at;             ///< the next sending of a renewal
        std::vector<Sending> renewals;  ///< unanswered, oldest first
        std::vector<Pending> pending;   ///< by seq
        FlatMap<LockId, Grant> grants;
    };
    /// A session that is over for this client and should be for the service, too.
    struct Closing {
        SessionId id;
        RequestSeq seq;
        LocalTime send_at;
        LocalTime give_up;
        bool sent = false;
    };

    // client.cpp: time and sending
    void pass_time(LocalTime now, Effects& effects);
    void pass_holds(LocalTime now, Effects& effects);
    void pass_deadline(LocalTime now, Effects& effects);
    void time_out(Pending& acquire, LocalTime now, Effects& effects);
    void flush(LocalTime now, Effects& effects);
    void send_opening(LocalTime now, Effects& effects);
    void send_renewal(LocalTime now, Effects& effects);
    void send_pending(Pending& pending, LocalTime now, Effects& effects);
    void begin_opening(LocalTime send_at);
    LocalTime deadline_from(LocalTime sent, Duration ttl) const;
    LocalTime hold_until(const Pending& acquire) const;
    RequestSeq mark() const;
    LocalTime retry_at(LocalTime now);
    LocalTime renewal_after(LocalTime sent, Duration ttl);
    void retarget(NodeId server, LocalTime send_at);
    void try_next_server(LocalTime send_at);
    void silent(LocalTime now);

    // replies.cpp: what servers say
    void on(NodeId from, const wire::NotLeader& reply, LocalTime now, Effects& effects);
    void on(NodeId from, const wire::Busy& reply, LocalTime now, Effects& effects);
    void on(NodeId from, const wire::OpenReply& reply, LocalTime now, Effects& effects);
    void on(NodeId from, const wire::KeepAliveReply& reply, LocalTime now, Effects& effects);
    void on(NodeId from, const wire::RequestReply& reply, LocalTime now, Effects& effects);
    void on_acquire(Pending& pending, const wire::RequestReply& reply, LocalTime now,
                    Effects& effects);
    void granted(Pending& pending, LockId lock, FencingToken token, LocalTime now,
                 Effects& effects);
    void finish_acquire(const Pending& pending, events::AcquireOutcome outcome, FencingToken token,
                        Effects& effects);
    LocalTime* send_at_of(const wire::Busy& reply);
    void session_over(Effects& effects);
    void lose_session(events::LossReason reason, Effects& effects);
    void end_pending(Effects& effects);
    void heard(NodeId from, LocalTime now);
    Pending* pending(RequestSeq seq);
    void forget(RequestSeq seq);

    const Config config_;
    Prng prng_;
    std::uint64_t nonces_;
    SendingNo sendings_;
    NodeId target_;                ///< whom requests go to: the leader, as far as is known
    LocalTime target_heard_;       ///< when it last answered, or was first asked
    std::uint32_t redirects_ = 0;  ///< followed in a row, without an answer of any other kind
    std::optional<Opening> opening_;
    std::optional<Session> session_;
    std::vector<Closing> closing_;
};

}  // namespace lockstep::client
