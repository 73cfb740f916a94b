#pragma once

#include "core/events/lock_events.hpp"
#include "core/events/raft_events.hpp"
#include "properties/context.hpp"

#include <string_view>
#include <vector>

namespace lockstep::properties {

/// QUORUM-1 MinorityIsSilent. What a leader answers is backed by a quorum: an entry of its own
/// term, at or above the index that it had applied, is durable there, or covered by a snapshot. And
/// a renewal is answered by no leader that had been replaced when it received it.
///
/// What counts of a server is that the entry was durable there once. It need not be so still: a
/// server that acknowledged an entry of a term gives it up only for a leader that has it.
class Quorum {
public:
    explicit Quorum(Context& context);

    void on(const Stamp&, const events::BecameLeader&);
    void on(const Stamp& stamp, const events::SteppedDown&) { leads_no_more(stamp); }
    void on(const Stamp& stamp, const sim::ProcessStopped&) { leads_no_more(stamp); }
    void on(const Stamp&, const events::Recovered&);
    void on(const Stamp& stamp, const events::LogDurable& e) {
        durable(stamp.process, e.index, e.term);
    }
    void on(const Stamp& stamp, const events::Compacted& e) { covered(stamp.process, e.index); }
    void on(const Stamp& stamp, const events::SnapshotInstalled& e) {
        covered(stamp.process, e.index);
    }
    void on(const Stamp&, const events::Answered&);
    void on(const Stamp&, const events::RenewalReceived&);
    void on(const Stamp&, const events::RenewalAnswered&);
    void on(const Stamp&, const events::SessionEnded&);

private:
    static constexpr std::size_t terms_kept = 256;
    static constexpr std::size_t receipts_kept = 4096;

    /// The last entry of a term that was durable on each server, by the server's place.
    struct TermRecord {
        Term term;
        std::vector<LogIndex> durable;
    };
    struct Receipt {
        SessionId session;
        SendingNo sending;
        Term replaced_by;  ///< the higher term that had a leader by then; zero: none
        sim::SimTime elected;
    };
    struct Server {
        std::size_t place = 0;          ///< from 1; zero: not of the roster
        LogIndex covered;               ///< by its snapshot
        Term leads;                     ///< zero: it does not lead
        std::vector<Receipt> receipts;  ///< renewals that wait for their answer, oldest first
    };

    /// Its service reports what is durable, and somebody who leads.
    bool judged(const Server& server) const {
        return told_durable_ && highest_ && server.place != 0;
    }
    TermRecord* find(Term term);
    TermRecord& record(Term term);
    void durable(sim::ProcessId server, LogIndex index, Term term);
    void covered(sim::ProcessId server, LogIndex index);
    void leads_no_more(const Stamp&);
    void answers_without_leading(const Stamp&, std::string_view what);

    Context& context_;
    NodeMap<sim::ProcessId, Server> servers_;
    std::vector<sim::ProcessId> members_;  ///< by place - 1
    std::vector<TermRecord> terms_;        ///< ascending; the latest are asked for most
    bool told_durable_ = false;            ///< this service reports what is durable
    Term highest_;                         ///< that had a leader
    sim::SimTime highest_since_;
};

}  // namespace lockstep::properties
