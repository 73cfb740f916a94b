#include "harness/marks.hpp"

#include <algorithm>
#include <utility>

namespace lockstep::harness {
namespace {

struct Text {
    std::string_view name;
    std::string_view meaning;
};

constexpr std::array<Text, mark_count> texts{{
    {"write-accepted", "a resource took a write"},
    {"stale-write-refused",
     "a resource refused a write whose token was lower than one it had seen"},
    {"stale-read-refused", "a resource refused a read for the same reason"},
    {"stale-write-accepted",
     "a resource took a write whose token was lower than one it had taken before"},
    {"lost-update", "a write overwrote an update that its writer had not read"},
    {"unreported-write-recovered",
     "a crash came between a write's becoming durable and its answer, and it was there afterwards"},
    {"session-expired", "a session ended because its TTL ran out"},
    {"expired-while-believed", "a session expired while its client still believed in a lock of it"},
    {"granted-after-expiry",
     "a lock went on to its next holder because the last one's session expired"},
    {"waiter-queued", "an acquire was queued behind a holder"},
    {"waiter-granted", "a lock was granted to a session that had queued for it"},
    {"wait-timed-out", "a client gave up waiting for a lock"},
    {"renewal-retried", "a client sent a renewal again because no answer had come"},
    {"deadline-passed-while-holding",
     "a client's deadline passed while it believed to hold a lock"},
    {"deadline-passed-while-paused", "the same, while nothing of its process ran"},
    {"told-of-loss", "an application was told that it no longer holds its lock"},
    {"write-after-expiry", "a client sent a write under a grant whose session had already expired"},
    {"session-reopened", "a client opened another session after it had lost one"},
    {"leader-elected", "a server won an election"},
    {"leader-changed", "a server won an election in a later term than an earlier leader's"},
    {"two-leaders",
     "a leader was elected while an earlier one did not know yet that it was deposed"},
    {"leader-crashed", "a server that led was crashed"},
    {"quorum-lost", "a leader stepped down because no quorum answered"},
    {"disk-hung", "a leader stepped down because its own disk did not answer"},
    {"holder-crashed", "a client that believed to hold a lock was crashed"},
    {"server-restarted", "a server came back from a crash"},
    {"power-lost", "a process lost its power, and with it what was not synced"},
    {"grant-told-by-next-leader",
     "a client learned of a grant only after the leadership had changed"},
    {"log-truncated", "a replica cut entries that its leader did not have"},
    {"tail-lost", "a replica came back from a crash without the end of the log that it had had"},
    {"torn-tail-cut", "a replica found a torn write at the end of its log and cut it"},
    {"log-compacted", "a replica replaced part of its log by a snapshot"},
    {"snapshot-installed", "a replica that lagged too far was brought up by a snapshot"},
    {"hold-ended", "a grant was ended because it had been held for hold_max"},
    {"lock-delayed", "an expired holder's lock was kept from the next for a while"},
    {"granted-after-delay", "a waiter got the lock when its delay had ended"},
    {"lease-inherited", "a new leader went on counting a lease from a checkpoint"},
    {"expired-from-checkpoint", "a session whose lease was inherited from a checkpoint expired"},
    {"checkpoint-cleared",
     "a renewal was made to outlive its leader, because of a checkpoint before it"},
    {"limit-met", "a server refused a request that went beyond a limit"},
    {"turned-away-busy", "a leader said that it had enough to do (back-pressure)"},
    {"renewal-at-deposed-leader",
     "a leader received a renewal although another had been elected in a later term"},
    {"waiter-left", "a waiter left the queue before its turn"},
    {"waiter-died", "the session of a waiter that had others behind it ended"},
    {"cancel-crossed-grant", "a waiter gave up, and found that it had been granted"},
    {"cancel-overtook", "a cancel arrived before the acquire that it cancels"},
    {"long-queue", "at least 50 waited for one lock"},
    {"answer-repeated", "a request that had been answered came again, and got an answer again"},
    {"write-after-release", "a client sent a write under a grant that it had released"},
    {"row-conflict", "a row refused a write made on a version that was no longer its own"},
    {"call-repeated", "an endpoint knew a call by its key, and did nothing anew"},
    {"storage-failed", "a process ended itself because its disk failed"},
    {"disk-was-full", "a process ended itself because its disk was full"},
    {"connection-reset", "a process was told that a connection was gone"},
    {"all-servers-down", "no server was up"},
    {"clock-rate-broken", "a clock ran beyond the drift bound"},
    {"disk-dishonest", "a disk lost or changed what it had said was safe"},
    {"worker-stalled", "one fiber of a client stood still while the rest of its process ran"},
    {"lock-probed", "at the end, a fresh client acquired a lock"},
}};

}  // namespace

std::string_view to_string(Mark mark) {
    return texts[static_cast<std::size_t>(mark)].name;
}
std::string_view meaning(Mark mark) {
    return texts[static_cast<std::size_t>(mark)].meaning;
}

bool is_mark(std::string_view name) {
    return std::ranges::any_of(texts, [name](const Text& text) { return text.name == name; });
}

void Marks::on_event(const world::Stamp& stamp, const events::Event& event) {
    std::visit([&](const auto& e) { on(stamp, e); }, event);
}

void Marks::on_world_event(const world::Stamp& stamp, const sim::WorldEvent& event) {
    std::visit([&](const auto& e) { on(stamp, e); }, event);
}

void Marks::on(const world::Stamp& stamp, const events::WriteAccepted& e) {
    hit(Mark::WriteAccepted);
    Resource& resource = resources_[stamp.process];
    if (e.token < resource.highest) hit(Mark::StaleWriteAccepted);
    resource.version = e.version;
    resource.highest = std::max(resource.highest, e.token);
    if (e.read_version != e.prior_version) hit(Mark::LostUpdate);
}

void Marks::on(const world::Stamp& stamp, const events::WriteRecovered& e) {
    Resource& resource = resources_[stamp.process];
    if (e.version <= resource.version) return;
    resource.version = e.version;
    hit(Mark::UnreportedWriteRecovered);
}

void Marks::on(const world::Stamp&, const events::WriteRejected& e) {
    hit(e.token < e.held_token ? Mark::StaleWriteRefused : Mark::RowConflict);
}

void Marks::on(const world::Stamp&, const events::ReadRejected&) {
    hit(Mark::StaleReadRefused);
}

void Marks::on(const world::Stamp&, const events::Granted& e) {
    Holding& lock = locks_[e.lock];
    if (lock.expired) hit(Mark::GrantedAfterExpiry);
    if (lock.delay_ended && lock.delay_ended.value == e.token.value) hit(Mark::GrantedAfterDelay);
    if (std::erase(waiters_, Waiter{e.lock, e.session, e.seq}) > 0) hit(Mark::WaiterGranted);
    lock = {e.session, e.token, highest_term_, false, LogIndex()};
}

void Marks::on(const world::Stamp&, const events::Queued& e) {
    hit(Mark::WaiterQueued);
    if (e.position + 1 >= 50) hit(Mark::LongQueue);
    waiters_.push_back({e.lock, e.session, e.seq});
}

void Marks::on(const world::Stamp&, const events::Released& e) {
    Holding& lock = locks_[e.lock];
    if (lock.token == e.token) lock.session = SessionId();
}

void Marks::on(const world::Stamp&, const events::Cancelled& e) {
    std::erase(waiters_, Waiter{e.lock, e.session, e.seq});
    if (e.effect == events::CancelEffect::LeftQueue) hit(Mark::WaiterLeft);
    if (e.effect == events::CancelEffect::ReleasedGrant) hit(Mark::CancelCrossedGrant);
    if (e.effect == events::CancelEffect::Tombstone) hit(Mark::CancelOvertook);
    Holding& lock = locks_[e.lock];
    if (e.effect == events::CancelEffect::ReleasedGrant && lock.session == e.session)
        lock.session = SessionId();
}

void Marks::on(const world::Stamp&, const events::SessionEnded& e) {
    const bool expired = e.reason == events::EndReason::Expired;
    if (expired) {
        hit(Mark::SessionExpired);
        for (const auto& [process, client] : clients_)
            for (const auto& [lock, session] : client.believes)
                if (session == e.session) hit(Mark::ExpiredWhileBelieved);
    }
    waiters_leave(e.session);
    if (inherited_.erase(e.session) && expired) hit(Mark::ExpiredFromCheckpoint);
    if (!expired) return;
    for (auto& [id, lock] : locks_) {
        if (lock.session != e.session || lock.expired) continue;
        lock.expired = true;
        if (expired_.size() == expired_kept) expired_.erase(expired_.begin());
        expired_.push_back(lock.token);
    }
}

void Marks::on(const world::Stamp&, const events::AcquireReturned& e) {
    if (e.outcome == events::AcquireOutcome::TimedOut) hit(Mark::WaitTimedOut);
}

/// Whoever waits behind one that is gone moves up.
void Marks::waiters_leave(SessionId session) {
    for (std::size_t i = 0; i < waiters_.size(); ++i) {
        if (waiters_[i].session != session) continue;
        const LockId lock = waiters_[i].lock;
        const auto behind = waiters_.begin() + static_cast<std::ptrdiff_t>(i) + 1;
        if (std::any_of(behind, waiters_.end(), [&](const Waiter& w) { return w.lock == lock; }))
            hit(Mark::WaiterDied);
    }
    std::erase_if(waiters_, [&](const Waiter& w) { return w.session == session; });
}

void Marks::on(const world::Stamp&, const events::HoldEnded& e) {
    hit(Mark::HoldEnded);
    Holding& lock = locks_[e.lock];
    if (lock.token == e.token) lock.session = SessionId();
}

void Marks::on(const world::Stamp&, const events::DelayStarted&) {
    hit(Mark::LockDelayed);
}

void Marks::on(const world::Stamp&, const events::DelayEnded& e) {
    locks_[e.lock].delay_ended = e.index;
}

void Marks::on(const world::Stamp&, const events::LeaseInherited& e) {
    hit(Mark::LeaseInherited);
    inherited_[e.session] = true;
}

void Marks::on(const world::Stamp&, const events::CheckpointCleared& e) {
    hit(Mark::CheckpointCleared);
    inherited_.erase(e.session);
}

void Marks::on(const world::Stamp&, const events::LimitMet& e) {
    hit(e.limit == events::Limit::Pending ? Mark::TurnedAwayBusy : Mark::LimitMet);
}

void Marks::on(const world::Stamp&, const events::RenewalReceived& e) {
    if (e.term < highest_term_) hit(Mark::RenewalAtDeposedLeader);
}

void Marks::on(const world::Stamp&, const events::Answered& e) {
    // A waiter is answered twice by right: queued, and granted.
    if (e.status == events::AnswerStatus::Queued) return;
    const std::pair request(e.session, e.seq);
    if (e.seq && std::ranges::find(answered_, request) != answered_.end())
        hit(Mark::AnswerRepeated);
    else
        answered_[answers_++ % answered_kept] = request;
}

void Marks::on(const world::Stamp&, const events::StorageFailed& e) {
    hit(e.full ? Mark::DiskWasFull : Mark::StorageFailed);
}

void Marks::on(const world::Stamp&, const events::CallAccepted& e) {
    if (!e.first) hit(Mark::CallRepeated);
}

void Marks::on(const world::Stamp& stamp, const events::GrantTold& e) {
    clients_[stamp.process].believes[e.lock] = e.session;
    if (stamp.process == probe_) hit(Mark::LockProbed);
    const Holding* lock = locks_.find(e.lock);
    if (lock != nullptr && lock->token == e.token && lock->granted_in < highest_term_)
        hit(Mark::GrantToldByNextLeader);
}

void Marks::on(const world::Stamp& stamp, const events::LossTold& e) {
    hit(Mark::ToldOfLoss);
    clients_[stamp.process].believes.erase(e.lock);
}

void Marks::on(const world::Stamp& stamp, const events::ReleaseCalled& e) {
    Client& client = clients_[stamp.process];
    client.believes.erase(e.lock);
    if (client.released.size() == released_kept) client.released.erase(client.released.begin());
    client.released.push_back(e.token);
}

void Marks::session_gone(sim::ProcessId process, SessionId session) {
    Client& client = clients_[process];
    if (client.sessions.erase(session)) ++client.ended;
}

void Marks::on(const world::Stamp& stamp, const events::CloseCalled& e) {
    Client& client = clients_[stamp.process];
    client.believes.erase_if([&](const auto& belief) { return belief.second == e.session; });
    session_gone(stamp.process, e.session);
}

void Marks::on(const world::Stamp& stamp, const events::SessionOverTold& e) {
    session_gone(stamp.process, e.session);
}

void Marks::on(const world::Stamp& stamp, const events::SessionTold& e) {
    // A client of another service has one for each acquire, and its deadline comes with the grant.
    if (e.deadline == LocalTime::never()) return;
    Client& client = clients_[stamp.process];
    client.sessions[e.session] = false;
    if (client.ended == 0) return;
    --client.ended;
    hit(Mark::SessionReopened);
}

void Marks::on(const world::Stamp& stamp, const events::RenewalSent& e) {
    bool* open = clients_[stamp.process].sessions.find(e.session);
    if (open == nullptr) return;
    if (*open) hit(Mark::RenewalRetried);
    *open = true;
}

void Marks::on(const world::Stamp& stamp, const events::DeadlineMoved& e) {
    if (bool* open = clients_[stamp.process].sessions.find(e.session)) *open = false;
}

void Marks::on(const world::Stamp& stamp, const events::WriteSent& e) {
    const auto& released = clients_[stamp.process].released;
    if (std::ranges::find(released, e.token) != released.end()) hit(Mark::WriteAfterRelease);
    if (std::ranges::find(expired_, e.token) != expired_.end()) hit(Mark::WriteAfterExpiry);
}

void Marks::on(const world::Stamp& stamp, const events::BecameLeader& e) {
    hit(Mark::LeaderElected);
    if (highest_term_ && e.term > highest_term_) hit(Mark::LeaderChanged);
    if (!leaders_.empty()) hit(Mark::TwoLeaders);
    highest_term_ = std::max(highest_term_, e.term);
    leaders_[stamp.process] = e.term;
}

void Marks::on(const world::Stamp& stamp, const events::SteppedDown& e) {
    leaders_.erase(stamp.process);
    if (e.reason == events::StepDownReason::QuorumLost) hit(Mark::QuorumLost);
    if (e.reason == events::StepDownReason::DiskHangs) hit(Mark::DiskHung);
}

void Marks::on(const world::Stamp& stamp, const events::Appended& e) {
    log_ends_[stamp.process] = e.index;
}

void Marks::on(const world::Stamp& stamp, const events::Recovered& e) {
    LogIndex& end = log_ends_[stamp.process];
    if (e.last_index < end) hit(Mark::TailLost);
    end = e.last_index;
}

void Marks::on(const world::Stamp& stamp, const events::Truncated& e) {
    hit(Mark::LogTruncated);
    log_ends_[stamp.process] = e.from.prev();
}
void Marks::on(const world::Stamp&, const events::TornTailCut&) {
    hit(Mark::TornTailCut);
}
void Marks::on(const world::Stamp&, const events::Compacted&) {
    hit(Mark::LogCompacted);
}
void Marks::on(const world::Stamp& stamp, const events::SnapshotInstalled& e) {
    hit(Mark::SnapshotInstalled);
    log_ends_[stamp.process] = e.index;
}

void Marks::on(const world::Stamp& stamp, const sim::ProcessStarted& e) {
    if (stamp.process.value > servers_) return;
    ++servers_up_;
    if (e.life > 1) hit(Mark::ServerRestarted);
}

void Marks::on(const world::Stamp& stamp, const sim::ProcessStopped& e) {
    if (e.how == sim::CrashKind::Power) hit(Mark::PowerLost);
    if (stamp.process.value <= servers_ && --servers_up_ == 0) hit(Mark::AllServersDown);
    if (leaders_.erase(stamp.process)) hit(Mark::LeaderCrashed);
    if (Client* client = clients_.find(stamp.process)) {
        if (!client->believes.empty()) hit(Mark::HolderCrashed);
        client->believes.clear();
        client->ended += client->sessions.size();
        client->sessions.clear();
    }
}

void Marks::on(const world::Stamp& stamp, const sim::Paused& e) {
    if (e.strand == 0) clients_[stamp.process].paused = true;
    if (e.strand > 1 && stamp.process.value > servers_) hit(Mark::WorkerStalled);
}

void Marks::on(const world::Stamp& stamp, const sim::Resumed& e) {
    if (e.strand == 0) clients_[stamp.process].paused = false;
}

void Marks::on(const world::Stamp& stamp, const sim::DeadlinePassed& e) {
    const Client* client = clients_.find(stamp.process);
    if (client == nullptr) return;
    for (const auto& [lock, session] : client->believes) {
        if (session != SessionId(e.key)) continue;
        hit(Mark::DeadlinePassedWhileHolding);
        if (client->paused) hit(Mark::DeadlinePassedWhilePaused);
        break;
    }
    session_gone(stamp.process, SessionId(e.key));
}

void Marks::on(const world::Stamp&, const sim::LinkWasReset&) {
    hit(Mark::ConnectionReset);
}

void Marks::on(const world::Stamp&, const sim::AssumptionBroken& e) {
    if (e.assumption == sim::Assumption::ClockRate) hit(Mark::ClockRateBroken);
    if (e.assumption == sim::Assumption::DiskHonest) hit(Mark::DiskDishonest);
}

}  // namespace lockstep::harness
