#pragma once

#include "harness/history/findings.hpp"
#include "harness/history/names.hpp"
#include "harness/history/open_call.hpp"
#include "properties/linearizable_history.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace lockstep::history {

struct Terms;

/// LIN-1: whether the calls and answers of each lock have a sequential explanation. Needs one
/// clock, since it is about the order of all of them.
class Linearity {
public:
    Linearity(const Terms& terms, Findings& findings, const Names& processes, const Names& locks);

    /// The first time of the history.
    void count_from(std::int64_t first) { first_ = first; }
    void called(OpenCall& call);
    void ended(const OpenCall& call, const End& end);
    void lost(const OpenCall& said);
    void finish(std::int64_t now);
    std::string idle_because() const;

private:
    using SessionId = lockstep::SessionId;

    struct Held {
        SessionId session;
        FencingToken token;
    };
    struct Lock {
        std::uint64_t grants = 0;
        bool with_tokens = false;
        std::uint64_t last = 0;
    };

    bool on() const { return reason_.empty() && !over_; }
    void stop(std::string reason) { reason_ = std::move(reason); }
    sim::SimTime at(std::int64_t time) const;
    /// The session that the call names.
    SessionId named(const std::string& session);
    /// Without a name, each acquire is a session of its own.
    SessionId next_lease(std::uint32_t process);
    std::string name_of(SessionId session) const;
    void renewed(const OpenCall& call, const End& end);
    std::uint64_t key_of(const OpenCall& call) const {
        return std::uint64_t{call.process} << 32 | call.lock;
    }
    void granted(const OpenCall& call, const End& end);
    void promise(SessionId session, std::int64_t from, std::int64_t ttl, std::int64_t now);
    void lapse(const OpenCall& said, std::uint64_t key, const Held& held);
    /// Looks whether there is an objection, which stops everything.
    void look(std::uint64_t line);

    const Terms& terms_;
    Findings& findings_;
    const Names& processes_;
    const Names& locks_;
    properties::lin::History history_;
    std::unordered_map<std::string, SessionId, TextHash, std::equal_to<>> named_;
    std::vector<std::string> session_names_;        ///< of those that have one, by number, from 1
    std::vector<bool> promised_;                    ///< likewise
    std::unordered_map<std::uint64_t, Held> held_;  ///< by process and lock: the last grant
    std::uint64_t leases_ = 0;
    std::int64_t first_ = 0;
    std::vector<Lock> per_lock_;
    std::uint64_t told_ = 0;
    bool over_ = false;
    std::string reason_;  ///< why it is not judged
};

}  // namespace lockstep::history
