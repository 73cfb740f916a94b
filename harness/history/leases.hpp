#pragma once

#include "harness/history/findings.hpp"
#include "harness/history/floor.hpp"
#include "harness/history/names.hpp"
#include "harness/history/open_call.hpp"
#include "harness/history/overlaps.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace lockstep::history {

struct Terms;

/// Who has which lock, until when: LOCK-1, LOCK-2, LOCK-3, GRANT-1, ACT-1 and BELIEF-1 over calls
/// and their ends.
class Leases {
public:
    Leases(const Terms& terms, Findings& findings, const Names& processes, const Names& locks);

    /// A call; what an end must know of this moment is put into it.
    void called(OpenCall& call, std::int64_t now);
    void ended(const OpenCall& call, const End& end);
    /// Of a lock; of all of a session's, or of a process's, if no lock is named.
    void lost(const OpenCall& said, std::int64_t now);
    /// A token was presented to a resource that this lock guards, and taken.
    void used(const OpenCall& call, const End& end);
    void finish(std::int64_t now);

    bool any_deadline() const { return any_deadline_; }
    bool any_token() const { return any_token_; }

private:
    struct Session {
        std::string name;
        std::int64_t deadline = INT64_MAX;  ///< before which the service may not end it
        std::int64_t final = INT64_MAX;     ///< after which the process may not rely on it
        std::int64_t renewed = -1;          ///< sending of the last answered renewal
        std::uint64_t renewed_line = 0;
        std::uint32_t grants = 0;
        std::vector<std::uint32_t> locks;  ///< with grants in it; may name one twice
    };
    struct Grant {
        std::uint64_t id = 0;
        std::uint64_t belief = 0;  ///< its number in the search for beliefs that overlap
        std::uint64_t hold = 0;    ///< and in that for grants
        std::uint32_t process = 0;
        std::uint32_t session = no_number;
        Maybe<std::uint64_t> token;
        std::int64_t deadline = INT64_MAX;  ///< its own, beside the session's
        std::int64_t final = INT64_MAX;
        std::uint64_t call_line = 0;
        std::uint64_t line = 0;  ///< of the answer
        std::int64_t time = 0;
        std::int64_t renewed = -1;  ///< sending of what was last answered for this lock
        std::uint64_t renewed_line = 0;
        bool over = false;  ///< its deadline has passed, and nothing has revived it
        /// Another was granted the lock meanwhile.
        std::int64_t overtaken = -1;
        std::uint64_t overtaken_line = 0;
        std::uint32_t overtaken_by = 0;
        std::int64_t overtaken_deadline = 0;
        std::uint64_t overtaken_renewal = 0;  ///< line of the sending from which that counted
    };
    /// A grant that its process gave up as lost: when may the lock go on?
    struct Departed {
        std::uint32_t process = 0;
        std::int64_t deadline = 0;
        std::uint64_t line = 0;
        std::uint64_t renewed_line = 0;
        std::uint64_t lost_line = 0;
    };
    struct Lock {
        explicit Lock(std::int64_t error) : tokens(error), beliefs(error), holds(error) {}
        Floor tokens;
        Overlaps beliefs;
        Overlaps holds;
        std::vector<Grant> grants;
        std::vector<Departed> departed;
        std::array<Mark, 16> latest{};  ///< the last grants, for equal tokens
        std::uint64_t granted = 0;
        std::uint32_t last_holder = no_number;
    };
    /// The last tokens that a process got of a lock.
    struct Past {
        std::array<std::uint64_t, 8> tokens{};
        std::uint64_t count = 0;
        bool unclear = false;  ///< it may have got one that no line tells of
    };

    Lock& at(std::uint32_t lock);
    Past& past(std::uint32_t process, std::uint32_t lock) {
        return pasts_[std::uint64_t{process} << 32 | lock];
    }
    std::uint32_t session_of(const std::string& name);
    void leave(Grant& grant);
    void count_holder(Lock& lock, const Grant& grant);
    void forget_grants(Lock& lock);
    void forget_sessions(std::int64_t now);
    std::int64_t deadline_of(const Grant& grant) const;
    std::int64_t renewed_of(const Grant& grant) const;
    std::uint64_t renewed_line_of(const Grant& grant) const;
    std::int64_t ttl_of(const OpenCall& call) const;
    std::int64_t shrunk(std::int64_t ttl) const;

    void acquired(const OpenCall& call, const End& end);
    void token_rises(const OpenCall& call, const End& end, Lock& lock);
    void overtake(const OpenCall& call, const End& end, Lock& lock);
    void begin_belief(std::uint32_t lock, Grant& grant, std::int64_t from, std::uint64_t line,
                      std::int64_t now);
    void begin_hold(std::uint32_t lock, Grant& grant, std::int64_t from, std::uint64_t line,
                    std::int64_t now);
    Span span_of(const Grant& grant, std::uint64_t number, std::int64_t from,
                 std::uint64_t line) const;
    void pass_deadlines(std::uint32_t lock, std::int64_t now);
    void pass_deadline(std::uint32_t lock, Grant& grant, std::int64_t now);
    void release_called(OpenCall& call, std::int64_t now);
    void release_ended(const OpenCall& call, const End& end);
    void renewed(const OpenCall& call, const End& end);
    void renew_grant(std::uint32_t lock, Grant& grant, const OpenCall& call, const End& end);
    void refused_renewal(const OpenCall& call, const End& end);
    void in_time(std::int64_t final, const std::string& what, std::uint64_t renewal,
                 const OpenCall& call, const End& end);
    void lose(std::uint32_t lock, std::size_t position, std::int64_t time, std::uint64_t line,
              std::int64_t now);
    void early_end(std::uint32_t lock, std::uint32_t from, std::uint32_t to, std::int64_t early,
                   std::int64_t time, const std::vector<std::uint64_t>& lines);
    Grant* find(std::uint32_t lock, std::uint32_t process, const Maybe<std::uint64_t>& token);
    void no_such_grant(const OpenCall& call, const End& end);

    /// Doubts come in thousands; the first is shown.
    bool told(PropertyId id) const { return findings_.of(id).undecided > 0; }
    Overlaps::Found both_believe(std::uint32_t lock);
    Overlaps::Found both_hold(std::uint32_t lock);
    std::string holder(const Span& span) const;
    const std::string& process_name(std::uint32_t number) const;
    std::string lock_name(std::uint32_t number) const;

    const Terms& terms_;
    Findings& findings_;
    const Names& process_names_;
    const Names& lock_names_;
    const std::int64_t error_;  ///< of the distance of two stamps
    std::vector<Lock> locks_;
    std::vector<Session> sessions_;
    std::vector<std::uint32_t> free_sessions_;
    std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> session_numbers_;
    std::size_t sweep_at_ = 1'024;  ///< so many sessions are looked through for those that are over
    std::unordered_map<std::uint64_t, Past> pasts_;
    std::uint64_t next_grant_ = 1;
    bool any_deadline_ = false;
    bool any_token_ = false;
};

}  // namespace lockstep::history
