#pragma once

#include "properties/suite.hpp"

#include <concepts>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::properties::test {

// The cast of every story.
inline constexpr sim::ProcessId n1{1}, n2{2}, n3{3}, alice{4}, bob{5}, store{6}, carol{7};
inline constexpr LockId lock{1};

inline Setup cast() {
    using enum sim::ProcessKind;
    Setup setup;
    setup.roster = {{n1, Server, "n1"},       {n2, Server, "n2"},   {n3, Server, "n3"},
                    {alice, Client, "alice"}, {bob, Client, "bob"}, {store, Resource, "store"},
                    {carol, Client, "carol"}};
    setup.probe = carol;
    setup.locks = {"jobs", "mail"};
    setup.guards = {{store, lock}};
    setup.ttl = seconds(10);
    return setup;
}

/// A run made by hand: who reports what, and when.
///
///     Story story;
///     story.by(n1, BecameLeader{...}).at(seconds(2)).by(n2, Appended{...});
///     story.end(PropertyId::Raft1).verdict
class Story {
public:
    explicit Story(Setup setup = cast()) : suite_(setup) {}

    /// True time since the start; never goes back.
    Story& at(Duration since_start) {
        now_ = sim::SimTime{since_start.ns};
        return *this;
    }
    template <class E>
    Story& by(sim::ProcessId process, const E& event) {
        const Stamp stamp{now_, process, ++ordinal_};
        if constexpr (std::constructible_from<events::Event, E>)
            suite_.on(stamp, events::Event(event));
        else
            suite_.on(stamp, sim::WorldEvent(event));
        return *this;
    }
    Story& breaks(Assumption assumption, sim::ProcessKind kind) {
        return by(sim::ProcessId(), sim::AssumptionBroken{assumption, kind});
    }
    Story& healed() { return by(sim::ProcessId(), sim::Healed{}); }

    /// The run ends now.
    std::vector<Report> end() {
        suite_.finish(now_);
        return suite_.reports();
    }
    Report end(PropertyId id) { return end().at(static_cast<std::size_t>(id)); }
    std::uint64_t violations() const { return suite_.violations(); }

private:
    Suite suite_;
    sim::SimTime now_;
    std::uint64_t ordinal_ = 0;
};

// Short forms of what is said often.
inline events::BecameLeader leads(std::uint64_t term, std::uint64_t last = 0,
                                  std::uint64_t hash = 0) {
    return {Term(term), LogIndex(last), hash};
}
inline events::Appended entry(std::uint64_t index, std::uint64_t term, std::uint64_t hash) {
    return {LogIndex(index), Term(term), hash};
}
inline events::CommitAdvanced commits(std::uint64_t index, std::uint64_t term, std::uint64_t hash) {
    return {LogIndex(index), Term(term), hash, true};
}
inline events::Applied applies(std::uint64_t index, std::uint64_t hash) {
    return {LogIndex(index), Term(1), hash};
}
inline events::SessionOpened opened(std::uint64_t session, sim::ProcessId client) {
    return {SessionId(session), Nonce(session + 1000), seconds(10), client};
}
inline events::OpenSent opens(std::uint64_t session, bool first = true) {
    return {Nonce(session + 1000), SendingNo(1), first};
}
inline events::Granted granted(std::uint64_t session, std::uint64_t seq, std::uint64_t token) {
    return {lock, SessionId(session), RequestSeq(seq), FencingToken(token)};
}
inline events::Queued queued(std::uint64_t session, std::uint64_t seq, std::uint64_t index) {
    return {lock, SessionId(session), RequestSeq(seq), LogIndex(index), 0};
}
inline events::Released released(std::uint64_t session, std::uint64_t seq, std::uint64_t token,
                                 std::uint64_t index) {
    return {lock, SessionId(session), RequestSeq(seq), FencingToken(token), LogIndex(index)};
}
inline events::Cancelled cancelled(std::uint64_t session, std::uint64_t seq, std::uint64_t index,
                                   events::CancelEffect effect) {
    return {lock, SessionId(session), RequestSeq(seq), LogIndex(index), effect};
}
inline events::SessionEnded expired(std::uint64_t session, std::uint64_t index,
                                    std::uint64_t term) {
    return {SessionId(session), LogIndex(index), Term(term), events::EndReason::Expired};
}
inline events::SessionEnded closed(std::uint64_t session, std::uint64_t index) {
    return {SessionId(session), LogIndex(index), Term(), events::EndReason::Closed};
}
inline events::ExpiryProposed proposes_expiry(std::uint64_t session, std::uint64_t index,
                                              std::uint64_t term) {
    return {SessionId(session), Term(term), LogIndex(index)};
}
inline events::GrantTold told(std::uint64_t session, std::uint64_t seq, std::uint64_t token) {
    return {lock, SessionId(session), RequestSeq(seq), FencingToken(token), LocalTime{}};
}
inline events::LossTold loss(std::uint64_t session, std::uint64_t token) {
    return {lock, SessionId(session), FencingToken(token), events::LossReason::DeadlinePassed};
}
inline events::AcquireCalled acquires(std::uint64_t session, std::uint64_t seq, Duration wait_max) {
    return {lock, SessionId(session), RequestSeq(seq), wait_max};
}
inline events::AcquireReturned returns(std::uint64_t session, std::uint64_t seq,
                                       events::AcquireOutcome outcome) {
    return {lock, SessionId(session), RequestSeq(seq), outcome};
}
inline events::Answered answers(std::uint64_t session, std::uint64_t seq, std::uint64_t applied,
                                events::AnswerStatus status, std::uint64_t token = 0,
                                events::Operation operation = events::Operation::Acquire) {
    return {
        SessionId(session), RequestSeq(seq), FencingToken(token), LogIndex(applied), lock, alice,
        operation,          status};
}
inline events::HoldEnded hold_ended(std::uint64_t session, std::uint64_t seq, std::uint64_t token,
                                    std::uint64_t index) {
    return {lock,   SessionId(session), RequestSeq(seq), FencingToken(token), LogIndex(index),
            Term(1)};
}
inline events::DelayStarted delay_starts(std::uint64_t session, std::uint64_t token,
                                         std::uint64_t index) {
    return {lock, SessionId(session), FencingToken(token), LogIndex(index)};
}
inline events::DelayEnded delay_ends(std::uint64_t index) {
    return {lock, LogIndex(index), Term(1)};
}
inline events::LogDurable durable(std::uint64_t index, std::uint64_t term) {
    return {LogIndex(index), Term(term)};
}
/// The client's k-th update.
inline std::uint64_t op(sim::ProcessId client, std::uint64_t k) {
    return std::uint64_t{client.value} << 32 | k;
}
inline events::WriteAccepted writes(std::uint64_t token, std::uint64_t n, std::uint64_t operation,
                                    std::uint64_t read, std::uint64_t prior) {
    return {FencingToken(token), n, operation, read, prior, prior + 1};
}
inline events::WriteRejected refuses(std::uint64_t token, std::uint64_t n,
                                     std::uint64_t operation) {
    return {FencingToken(token), n, operation, FencingToken(token + 1), 0};
}
inline events::ReadAccepted reads(std::uint64_t token) {
    return {FencingToken(token), FencingToken(), 0};
}
inline events::WriteTold acknowledged(std::uint64_t operation) {
    return {store, operation, 1, events::WriteOutcome::Accepted};
}

}  // namespace lockstep::properties::test
