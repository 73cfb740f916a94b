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
/// clock, since it is about the order of all of them. What a refused acquire says of the lock, it
/// does not use: a history does not tell whether it was refused because somebody had the lock.
///
/// Where a grant does not say enough to be put in its place, it is taken for one of unknown
/// outcome, and the rest is judged on: what is violated all the same is violated, but nothing is
/// held.
class Linearity {
public:
    Linearity(const Terms& terms, Findings& findings, const Names& processes, const Names& locks);

    /// The first time of the history.
    void count_from(std::int64_t first) { first_ = first; }
    void called(OpenCall& call);
    void ended(const OpenCall& call, const End& end);
    void lost(const OpenCall& said);
    void finish(std::int64_t now, std::uint64_t line);
    std::string idle_because() const;

private:
    using SessionId = lockstep::SessionId;

    /// One that has a name.
    struct Session {
        std::string name;
        std::uint32_t process = 0;  ///< that named it first
        SessionId id;
        std::int64_t until = -1;  ///< to where its lease runs; negative: not known yet
    };
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
    sim::SimTime at(std::int64_t time) const;
    /// The session that the call names.
    Session& named(const std::string& session, std::uint32_t process);
    /// Null if it is the lease of one grant.
    Session* session_of(SessionId session);
    bool is_known(const std::string& session) const { return named_.contains(session); }
    Session& add_session(const std::string& name, std::uint32_t process, SessionId id);
    bool of_one_grant(SessionId session) { return session_of(session) == nullptr; }
    /// Without a name, each acquire is a session of its own.
    SessionId next_lease(std::uint32_t process);
    std::string name_of(SessionId session);
    void renewed(const OpenCall& call, const End& end);
    std::uint64_t key_of(const OpenCall& call) const {
        return std::uint64_t{call.process} << 32 | call.lock;
    }
    void granted(const OpenCall& call, const End& end);
    /// To where the lease of a grant runs, for all that is known. Tells the session's bound.
    std::int64_t begin_lease(const OpenCall& call, const End& end, Session* session);
    /// It cannot be said where the grant belongs, and why.
    void unplaced(const OpenCall& call, const End& end, std::string_view why,
                  std::string_view decided_by);
    std::int64_t promise(SessionId session, std::int64_t from, std::int64_t ttl, std::int64_t now);
    std::int64_t bound(std::int64_t from, std::int64_t ttl) const;
    void lapse(const OpenCall& said, std::uint64_t key, const Held& held);
    /// Looks whether there is an objection, which stops everything.
    void look(std::uint64_t line, std::int64_t now);

    const Terms& terms_;
    Findings& findings_;
    const Names& processes_;
    const Names& locks_;
    properties::lin::History history_;
    std::vector<Session> sessions_;
    std::unordered_map<std::string, std::size_t, TextHash, std::equal_to<>> named_;
    /// Those that began as the lease of a grant whose answer named them first, by their numbers.
    std::unordered_map<std::uint64_t, std::size_t> adopted_;
    std::unordered_map<std::uint64_t, Held> held_;  ///< by process and lock: the last grant
    std::uint64_t leases_ = 0;
    std::int64_t first_ = 0;
    std::vector<Lock> per_lock_;
    std::uint64_t told_ = 0;
    std::uint64_t gave_up_line_ = 0;
    bool over_ = false;
    std::string reason_;  ///< why it is not judged
};

}  // namespace lockstep::history
