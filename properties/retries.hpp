#pragma once

#include "core/events/lock_events.hpp"
#include "properties/context.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace lockstep::properties {

/// LOCK-6 RetriesAreIdempotent: a (session, seq) takes effect at most once, and its answers are
/// equal, but for the way that they may go: queued, then granted, then cancelled, then stale, then
/// over.
///
/// Answers are compared by how far the server that gave them had applied the log, not by when they
/// were given: a leader that was deposed may still say what was true at its index. Of a session's
/// requests the last `kept` are known; an answer to an older one is not compared.
class Retries {
public:
    explicit Retries(Context& context) : context_(context) {}

    void on(const Stamp&, const events::Granted&);
    void on(const Stamp&, const events::Queued&);
    void on(const Stamp&, const events::Refused&);
    void on(const Stamp&, const events::Released&);
    void on(const Stamp&, const events::Cancelled&);
    void on(const Stamp&, const events::HoldEnded&);
    void on(const Stamp&, const events::SessionEnded&);
    void on(const Stamp&, const events::Answered&);

private:
    /// The stages of a request's answers, in their order.
    enum Stage : std::uint8_t { Waiting, Final, Undone, Stale, stages };
    struct Span {
        LogIndex first;  ///< zero: never answered so
        LogIndex last;
    };
    struct Request {
        RequestSeq seq;
        std::uint8_t effects = 0;  ///< a bit each, see retries.cpp
        events::AnswerStatus status{};
        FencingToken token;  ///< of the final answer
        LockId lock;
        std::array<Span, stages> answered;
    };
    static constexpr std::size_t kept = 16;
    using Requests = std::array<Request, kept>;  ///< by seq modulo `kept`
    struct Ended {
        SessionId session;
        LogIndex index;
    };
    static constexpr std::size_t ended_kept = 64;

    /// The request's record; null if it is too old.
    Request* find(SessionId session, RequestSeq seq);
    /// The entry had an effect on the request, which excludes those in `excluded`.
    void effect(const Stamp&, LockId lock, SessionId session, RequestSeq seq, std::uint8_t bit,
                std::uint8_t excluded);
    void answered_after_end(const Stamp&, const events::Answered&);
    void over_too_early(const Stamp&, const events::Answered&);
    void compare(const Stamp&, const events::Answered&, Request&);
    void differs(const Stamp&, const events::Answered&, const Request&, Stage stage);

    Context& context_;
    FlatMap<SessionId, std::size_t> places_;  ///< of the open sessions, in `pool_`
    std::vector<Requests> pool_;
    std::vector<std::size_t> unused_;
    std::array<Ended, ended_kept> ended_;  ///< the last, by `ended_count_` modulo their number
    std::size_t ended_count_ = 0;
};

}  // namespace lockstep::properties
