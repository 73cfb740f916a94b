#pragma once

#include "core/client/client.hpp"

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace lockstep::test::clients {

/// One client against servers that say anything, in any order, any number of times, and a clock on
/// which the client wakes late. Keeps what the client may at most believe, and asserts after every
/// call that it does not go beyond.
class ClientWorld {
public:
    struct Move {
        enum Kind { Wait, WakeUp, Answer, Reset, Open, Acquire, Release, Close, MayAct } kind;
        std::uint32_t which;   ///< of what there is to choose from
        std::uint32_t how;     ///< the answer's kind, the lock, the wait
        std::uint32_t millis;  ///< how long
    };

    ClientWorld(client::Config config, std::uint64_t seed)
        : config_(std::move(config)), client_(config_, Prng(seed)) {}

    void make(const Move& move);
    /// Nothing is heard any more: whatever was asked must have returned when the session is over.
    void finish();

private:
    using Request = std::pair<SessionId, RequestSeq>;
    struct Wanted {
        LockId lock;
        LocalTime give_up;
        LocalTime called;  ///< or found to be waiting, later
        int returned = 0;
        bool cancelled = false;
    };

    void step(client::Input input);
    void answer(const client::SendRequest& sent, std::uint32_t how);
    void answer_busy(const client::SendRequest& sent, std::uint32_t how);
    void answer_open(const client::SendRequest& sent, std::uint32_t how);
    void answer_renewal(const client::SendRequest& sent, std::uint32_t how);
    void answer_request(const client::SendRequest& sent, std::uint32_t how);
    void receive(NodeId from, wire::Reply reply);
    void acquire(const Move& move);
    void release(const Move& move);
    void close();
    void may_act(const Move& move);

    void settle();
    void see(const client::SendRequest& send);
    void see_seq(SessionId session, RequestSeq seq, RequestSeq mark);
    void see(const events::Event& event);
    void see(const client::Notice& notice);
    void check_state() const;

    const client::Config config_;
    client::Client client_;
    client::Effects effects_;
    LocalTime now_;

    std::vector<client::SendRequest> sent_;
    std::map<SendingNo, LocalTime> sent_at_;
    std::map<Nonce, LocalTime> first_sent_;
    std::map<Nonce, SessionId> sessions_;  ///< one a nonce, as the service promises
    SessionId session_;                    ///< the one that the application has
    std::set<SessionId> over_;
    /// The most that what was answered for a session allows.
    std::map<SessionId, LocalTime> allowed_;
    std::map<LockId, FencingToken> believed_;
    std::map<FencingToken, LocalTime> held_until_;  ///< at most, with hold_max
    std::map<Request, Wanted> acquires_;
    /// Whose final answer the client does not know.
    std::set<Request> open_;
    std::uint64_t next_token_ = 1'000;
};

}  // namespace lockstep::test::clients
