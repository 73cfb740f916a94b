#pragma once

#include "core/lock/table.hpp"
#include "core/raft/replica.hpp"
#include "core/server/coverage.hpp"
#include "core/server/timers.hpp"
#include "core/wire/messages.hpp"

#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace lockstep::server {

struct Config {
    raft::Config raft;
    Duration ttl_min = milliseconds(100);  ///< openings ask for a TTL; it is kept inside these
    Duration ttl_max = seconds(3600);
    std::uint64_t snapshot_every = 2'000;  ///< entries that are applied between two snapshots
    /// For how long one grant may be held; zero: without end.
    Duration hold_max{};
    /// For how long a lock is kept from the next waiter after its holder expired; zero: not at all.
    Duration lock_delay{};
    /// How often a leader writes what remains of the leases into the log; never, if absent.
    std::optional<Duration> checkpoint_every;
    lock::Limits limits;            ///< equal on all servers
    std::uint64_t pending = 4'096;  ///< requests not answered yet, beyond which a leader is busy
    Duration busy_for = milliseconds(100);  ///< how long it then asks to wait
};

struct Tick {};
struct PeerMessage {
    NodeId from;
    raft::Message message;
};
struct ClientRequest {
    NodeId from;
    wire::Request request;
};
struct Persisted {
    PersistId id;
};
/// A connection was reset, to another server or to a client.
struct LinkReset {
    NodeId peer;
};
using Input = std::variant<Tick, PeerMessage, ClientRequest, Persisted, LinkReset>;

struct Reply {
    NodeId to;
    wire::Reply reply;
};

/// What a server asks of the world. Reused from step to step; the caller clears it.
struct Effects {
    std::vector<raft::Send> to_peers;
    std::vector<Reply> replies;
    std::vector<raft::Persist> persist;
    std::vector<events::Event> events;
    void clear() {
        to_peers.clear();
        replies.clear();
        persist.clear();
        events.clear();
    }
};

/// A lock server: Raft, the lock table and the lease timers, composed; a state machine itself.
///
/// It answers as a leader only, and not before it has applied an entry of its own term: requests
/// that come earlier wait for that. What changes the table goes through the log and is answered
/// when it is applied. What does not (a renewal, and any request of a session that is over) is
/// answered when a round of acknowledgements, numbered after the request came, has confirmed that
/// this server leads. Whoever asks a server that does not lead, or that ceases to lead meanwhile,
/// is told whom it believes to lead.
///
/// Leases are timed by the leader, from the receipt of the last confirmed renewal; holds from the
/// application of the grant, delays from that of the expiry. The timers, and all else that belongs
/// to a leadership, are gone with it: the next leader starts all of them anew, but for leases that
/// it inherits from a checkpoint (docs/adr/0007-lease-checkpoints.md). A renewal of a session that
/// a checkpoint covers does go through the log.
///
/// A leader with more requests than it may have open answers Busy to the next, and does nothing.
class Server {
public:
    /// `stored` is what the disk holds. A snapshot in it that is not a lock table's is a mistake of
    /// this program: the log file's checksums have been checked by then.
    Server(Config config, raft::Stored stored, Prng prng, LocalTime now, Effects& effects);

    void step(Input&& input, LocalTime now, Effects& effects);

    /// When the next Tick is due at the latest. Earlier ones do no harm.
    LocalTime wake_at() const;

    const raft::Replica& replica() const { return replica_; }
    const lock::Table& table() const { return table_; }
    /// It leads, and has applied an entry of its own term.
    bool serves() const { return leading_ && leading_->ready; }

private:
    /// A proposal of this leader's, to be answered when it is applied.
    struct Proposal {
        LogIndex index;
        NodeId from;
        LocalTime received;
        wire::Request request;
    };
    /// A request that needs no entry, to be answered when leadership is confirmed.
    struct Unconfirmed {
        std::uint64_t context;
        NodeId from;
        LocalTime received;
        wire::Request request;
    };
    struct Held {
        NodeId from;
        LocalTime received;
        wire::Request request;
    };
    /// Exists from the election to the loss of leadership.
    struct Leadership {
        explicit Leadership(Term t) : term(t) {}
        Term term;
        bool ready = false;  ///< an entry of the term was applied
        LeaseTimers leases;
        Coverage coverage;          ///< of the sessions, by checkpoints
        Timers<lock::Hold> holds;   ///< none without hold_max
        Timers<lock::Hold> delays;  ///< by the grant before
        LocalTime checkpoint_due = LocalTime::never();
        std::deque<Proposal> proposals;       ///< by index
        std::deque<Unconfirmed> unconfirmed;  ///< by context
        std::vector<Held> held;               ///< until `ready`
        /// Whom to tell of a grant: who last asked this leader for it.
        std::map<std::pair<SessionId, RequestSeq>, NodeId> routes;

        std::size_t open() const { return proposals.size() + unconfirmed.size() + held.size(); }
        /// Nothing that it times is due before.
        LocalTime next_due() const;
    };

    // server.cpp
    void settle(LocalTime now, Effects& effects);
    void follow_leadership(Effects& effects);
    void take_raft_effects(LocalTime now, Effects& effects);
    void restore(const raft::Snapshot& snapshot);
    void apply(const raft::Entry& entry, LocalTime now, Effects& effects);
    void compact_if_due(LocalTime now);

    // deadlines.cpp
    void become_ready(LocalTime now, Effects& effects);
    void follow_outcome(LocalTime now);
    void end_due(LocalTime now, Effects& effects);
    void expire_due(LocalTime now, Effects& effects);
    void write_checkpoint(LocalTime now);

    // requests.cpp
    void on_request(NodeId from, const wire::Request& request, LocalTime now, Effects& effects);
    void take(NodeId from, const wire::Request& request, LocalTime received, LocalTime now,
              Effects& effects);
    void take_held(LocalTime now, Effects& effects);
    std::optional<LogIndex> propose(NodeId from, const wire::Request& request, LocalTime received,
                                    const lock::Command& command, LocalTime now, Effects& effects);
    void renew(NodeId from, const wire::Request& request, LocalTime received, LocalTime now,
               Effects& effects);
    void confirm(NodeId from, const wire::Request& request, LocalTime received, LocalTime now);
    void on_confirmation(const raft::Confirmation& confirmation, LocalTime now, Effects& effects);
    void answer_renewal(NodeId to, LocalTime received, const wire::KeepAlive& renewal,
                        Effects& effects);
    void answer_applied(const raft::Entry& entry, Effects& effects);
    void answer_opening(NodeId to, const wire::Open& open, Effects& effects);
    void tell_waiters(Effects& effects);
    void answer(NodeId to, const wire::RequestReply& reply, Effects& effects);
    void busy(NodeId to, const wire::Request& request, events::Limit limit, Effects& effects);
    void not_leader(NodeId to, const wire::Request& request, Effects& effects);
    void forget_routes(SessionId session);

    Config config_;
    lock::Table table_;
    raft::Effects raft_;                  ///< what the replica asked for and was not yet given
    std::vector<raft::Entry> committed_;  ///< being applied; empty between steps
    std::vector<raft::Confirmation> confirmed_;  ///< being answered; empty between steps
    raft::Replica replica_;
    std::optional<Leadership> leading_;
    lock::Outcome outcome_;
    lock::Command command_;
    std::uint64_t last_context_ = 0;
};

}  // namespace lockstep::server
