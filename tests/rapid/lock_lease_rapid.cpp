#include "tests/core/server/cluster.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rapid.hpp"

#include <map>
#include <ostream>

/// Leases, holds and delays of three servers that are cut off, healed and restarted at will. All
/// clocks are one, so that what must have passed can be said exactly.
namespace lockstep::test::leases {
namespace {

struct Move {
    enum Kind { Run, Cut, Heal, Restart, Open, Renew, Acquire, Release } kind;
    std::uint32_t which;   ///< server, or session
    std::uint32_t millis;  ///< how long
};

std::ostream& operator<<(std::ostream& out, const Move& m) {
    static const char* const kinds[] = {"run",  "cut",   "heal",    "restart",
                                        "open", "renew", "acquire", "release"};
    return out << kinds[m.kind] << "{which " << m.which << " millis " << m.millis << "}";
}

rc::Gen<Move> move_gen() {
    return rc::gen::build<Move>(
        rc::gen::set(&Move::kind, rc::gen::weightedElement<Move::Kind>({{12, Move::Run},
                                                                        {3, Move::Cut},
                                                                        {4, Move::Heal},
                                                                        {1, Move::Restart},
                                                                        {2, Move::Open},
                                                                        {8, Move::Renew},
                                                                        {4, Move::Acquire},
                                                                        {2, Move::Release}})),
        rc::gen::set(&Move::which, rc::gen::inRange<std::uint32_t>(0, 12)),
        rc::gen::set(&Move::millis, rc::gen::weightedOneOf<std::uint32_t>(
                                        {{3, rc::gen::inRange<std::uint32_t>(1, 300)},
                                         {2, rc::gen::inRange<std::uint32_t>(300, 2'500)}})));
}

constexpr Duration ttl = seconds(4);
constexpr Duration longest_hold = seconds(5);
constexpr Duration lock_delay = seconds(1);

class LeaseRun {
public:
    explicit LeaseRun(const server::Config& config) : cluster_(3, config) {
        cluster_.run(seconds(3));
    }

    void make(const Move& move) {
        const NodeId server(1 + move.which % 3);
        switch (move.kind) {
            case Move::Run:
                cluster_.run(milliseconds(move.millis));
                break;
            case Move::Cut:
                cluster_.heal();
                cluster_.cut(server);
                break;
            case Move::Heal:
                cluster_.heal();
                break;
            case Move::Restart:
                cluster_.restart(server);
                break;
            case Move::Open:
                ++nonces_;
                cluster_.ask(leader(server), 9, wire::Open{Nonce(nonces_), sending(), ttl});
                break;
            case Move::Renew:
            case Move::Acquire:
            case Move::Release:
                ask_of_session(move, server);
                break;
        }
        see();
    }

    std::uint64_t expired = 0;
    std::uint64_t inherited = 0;

private:
    /// Mostly one that serves, or nothing would be done.
    NodeId leader(NodeId otherwise) {
        for (std::uint32_t id = 1; id <= 3; ++id)
            if (cluster_.at(NodeId(id)).serves()) return NodeId(id);
        return otherwise;
    }
    SendingNo sending() {
        sent_[++sendings_] = cluster_.now;
        return SendingNo(sendings_);
    }
    void ask_of_session(const Move& move, NodeId server) {
        if (sessions_.empty()) return;
        const SessionId session = sessions_[sessions_.size() - 1 - move.which % sessions_.size()];
        const NodeId to = move.which % 4 == 0 ? server : leader(server);
        const LockId lock(1 + move.millis % 2);
        if (move.kind == Move::Renew) {
            cluster_.ask(to, 9, wire::KeepAlive{session, sending()});
        } else if (move.kind == Move::Acquire) {
            cluster_.ask(to, 9,
                         wire::Acquire{session, RequestSeq(++seqs_), RequestSeq(1), lock, false});
        } else {
            cluster_.ask(to, 9,
                         wire::Release{session, RequestSeq(++seqs_), RequestSeq(1), lock,
                                       grants_[lock].token});
        }
    }

    void see() {
        for (; seen_ < cluster_.events.size(); ++seen_) {
            const auto& reported = cluster_.events[seen_];
            const auto& event = reported.event;
            if (const auto* applied = std::get_if<events::Applied>(&event)) {
                first_ = applied->index > applied_;
                applied_ = std::max(applied_, applied->index);
            } else if (const auto* answered = std::get_if<events::RenewalAnswered>(&event)) {
                // An opening counts from its first sending, which is its only one here.
                LocalTime& at = last_[answered->session];
                at = std::max(at, sent_.at(answered->sending.value));
            } else if (const auto* proposed = std::get_if<events::ExpiryProposed>(&event)) {
                proposed_[{proposed->index, proposed->term}] = reported.at;
            } else if (std::holds_alternative<events::LeaseInherited>(event)) {
                ++inherited;
            } else if (first_) {
                see_applied(event, reported.at);
            }
        }
    }

    void see_applied(const events::Event& event, LocalTime at) {
        if (const auto* opened = std::get_if<events::SessionOpened>(&event)) {
            sessions_.push_back(opened->session);
        } else if (const auto* ended = std::get_if<events::SessionEnded>(&event)) {
            // Whoever proposed it answered no more, nor did anybody else meanwhile.
            RC_ASSERT((proposed_.at({ended->index, ended->term}) - last_[ended->session] >= ttl));
            ++expired;
        } else if (const auto* granted = std::get_if<events::Granted>(&event)) {
            if (delays_.contains(granted->lock)) RC_FAIL("granted while delayed");
            grants_[granted->lock] = {granted->token, at};
        } else if (const auto* hold = std::get_if<events::HoldEnded>(&event)) {
            RC_ASSERT(grants_.at(hold->lock).token == hold->token);
            RC_ASSERT((at - grants_.at(hold->lock).at >= longest_hold));
        } else if (const auto* started = std::get_if<events::DelayStarted>(&event)) {
            RC_ASSERT(delays_.emplace(started->lock, at).second);
        } else if (const auto* over = std::get_if<events::DelayEnded>(&event)) {
            RC_ASSERT((at - delays_.at(over->lock) >= lock_delay));
            delays_.erase(over->lock);
        }
    }

    struct Granted {
        FencingToken token;
        LocalTime at;
    };
    Cluster cluster_;
    std::size_t seen_ = 0;
    bool first_ = false;  ///< the events that follow are of an entry's first application
    LogIndex applied_;
    std::uint64_t nonces_ = 0;
    std::uint64_t sendings_ = 0;
    std::uint64_t seqs_ = 0;
    std::map<std::uint64_t, LocalTime> sent_;
    std::vector<SessionId> sessions_;
    std::map<SessionId, LocalTime> last_;  ///< sending of the last renewal that was answered
    std::map<std::pair<LogIndex, Term>, LocalTime> proposed_;
    std::map<LockId, Granted> grants_;
    std::map<LockId, LocalTime> delays_;
};

}  // namespace

TEST_CASE("lock: whatever becomes of its leaders, no lease, hold or delay is cut short") {
    std::uint64_t expired = 0;
    std::uint64_t inherited = 0;
    check_property("leases, holds and delays over leaders", [&] {
        server::Config config;
        config.raft.election_min = milliseconds(300);
        config.raft.election_max = milliseconds(600);
        config.raft.heartbeat = milliseconds(50);
        config.hold_max = longest_hold;
        config.lock_delay = lock_delay;
        config.snapshot_every = *rc::gen::element<std::uint64_t>(5, 2'000);
        const Duration every = *rc::gen::element(Duration(), milliseconds(150), seconds(1));
        if (every.ns > 0) config.checkpoint_every = every;
        const auto moves = *rc::gen::scale(3.0, rc::gen::container<std::vector<Move>>(move_gen()));
        LeaseRun run(config);
        for (const Move& move : moves) run.make(move);
        expired += run.expired;
        inherited += run.inherited;
    });
    CHECK(expired > 0);
    CHECK(inherited > 0);
}

}  // namespace lockstep::test::leases
