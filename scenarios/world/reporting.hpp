#pragma once

#include "core/base/strong.hpp"
#include "scenarios/world/recorder.hpp"

#include <fmt/format.h>

#include <utility>

namespace lockstep::world {

/// What a service of one's own reports of its run, in words of its own trade; it becomes the events
/// that properties, marks and stories go by (core/events). One for each run, shared by all clients
/// and servers: sessions and changes are counted over the whole run.
///
/// What is called a session here is the life of one acquire: the client draws it when it asks, and
/// it ends when the grant does. Clients report through GuestClient, all by itself. Servers may
/// report, too, and say in the service's face which of it they do: grants, queues and their ends
/// are evidence for LOCK-1, LOCK-2, LOCK-4, LOCK-5, GRANT-1 and LIVE-3 (`reports_grants`); who
/// leads, for RAFT-1, LIVE-1 and AVAIL-1 (`reports_leaders`). They report each change once, at the
/// moment when it is decided, whichever of them decides it.
class Reporter {
public:
    explicit Reporter(Recorder& recorder) : recorder_(recorder) {}
    Reporter(const Reporter&) = delete;
    Reporter& operator=(const Reporter&) = delete;

    /// A line of the story, in the service's own words: "the lease file of job has stood still for
    /// 10 s". Formatted only when somebody will read it; whether it is, nothing may depend on.
    template <class... Args>
    void note(sim::ProcessId process, fmt::format_string<Args...> format, Args&&... args) {
        if (recorder_.keeps_notes())
            recorder_.note(process, fmt::format(format, std::forward<Args>(args)...));
    }

    // Clients.
    SessionId new_session() { return SessionId(++sessions_); }
    void emit(sim::ProcessId process, const events::Event& event) {
        recorder_.emit(process, event);
    }

    // Servers, if they like. `session` is what the client's request brought (GuestClient::Ask).
    void leads(sim::ProcessId server, Term term);
    void granted(sim::ProcessId server, LockId lock, SessionId session, FencingToken token);
    void queued(sim::ProcessId server, LockId lock, SessionId session, std::uint64_t position);
    void released(sim::ProcessId server, LockId lock, SessionId session, FencingToken token);
    /// The lease ran out: what the session held is free.
    void expired(sim::ProcessId server, SessionId session);
    /// A waiter gave up, or was forgotten.
    void left_queue(sim::ProcessId server, LockId lock, SessionId session);

    /// A session makes one request.
    static constexpr RequestSeq seq{1};

private:
    LogIndex next_index() { return LogIndex(++changes_); }

    Recorder& recorder_;
    std::uint64_t sessions_ = 0;
    std::uint64_t changes_ = 0;
};

}  // namespace lockstep::world
