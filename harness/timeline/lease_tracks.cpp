#include "harness/timeline/lease_tracks.hpp"

#include <algorithm>

namespace lockstep::harness::timeline {
namespace {

constexpr auto open_end = SimTime::never();

template <class Item>
void close_open(std::vector<Item>& items, SimTime end) {
    for (Item& item : items)
        if (item.to == open_end) item.to = end;
}

}  // namespace

LeaseTracks::LeaseTracks(Model& model, const Outcome& outcome) : model_(model) {
    std::uint32_t lock = 0;
    for (std::uint32_t p = 1; p <= outcome.process_kinds.size(); ++p)
        if (outcome.process_kinds[p - 1] == sim::ProcessKind::Resource)
            guards_[ProcessId(p)] = LockId(++lock);
}

void LeaseTracks::note_owner(SessionId session, ProcessId client) {
    owners_.try_emplace(session, client);
}

ProcessId LeaseTracks::owner(SessionId session) const {
    const auto found = owners_.find(session);
    return found == owners_.end() ? ProcessId() : found->second;
}

template <class Which>
void LeaseTracks::end_beliefs(SimTime at, ProcessId client, const char* why, Which&& which) {
    std::erase_if(believed_, [&](std::size_t place) {
        Belief& belief = model_.beliefs[place];
        if (belief.client != client || !which(belief)) return false;
        if (belief.over == open_end) {
            belief.over = at;
            belief.why = why;
        }
        belief.told = at;
        return true;
    });
}

template <class Which>
void LeaseTracks::end_grants(SimTime at, Grant::End how, Which&& which) {
    std::erase_if(granted_, [&](std::size_t place) {
        Grant& grant = model_.grants[place];
        if (!which(grant)) return false;
        grant.to = at;
        grant.end = how;
        return true;
    });
}

template <class Which>
void LeaseTracks::end_waits(SimTime at, Which&& which) {
    std::erase_if(waiting_, [&](std::size_t place) {
        Wait& wait = model_.waits[place];
        if (!which(wait)) return false;
        wait.to = at;
        return true;
    });
}

// What clients believe.

void LeaseTracks::on(SimTime at, ProcessId client, const events::GrantTold& e) {
    note_owner(e.session, client);
    believed_.push_back(model_.beliefs.size());
    model_.beliefs.push_back({e.lock, client, e.session, e.token, at, open_end, open_end});
}

void LeaseTracks::on(SimTime at, ProcessId client, const events::LossTold& e) {
    end_beliefs(at, client, "told of the loss",
                [&](const Belief& b) { return b.lock == e.lock && b.token == e.token; });
}

void LeaseTracks::on(SimTime at, ProcessId client, const events::ReleaseCalled& e) {
    end_beliefs(at, client, "released",
                [&](const Belief& b) { return b.lock == e.lock && b.token == e.token; });
}

void LeaseTracks::on(SimTime at, ProcessId client, const events::CloseCalled& e) {
    end_beliefs(at, client, "closed", [&](const Belief& b) { return b.session == e.session; });
}

void LeaseTracks::on(SimTime at, ProcessId process, const sim::ProcessStopped&) {
    end_beliefs(at, process, "the process died", [](const Belief&) { return true; });
    first_offsets_.erase(process);
}

void LeaseTracks::on(SimTime at, ProcessId client, const sim::DeadlinePassed& e) {
    const bool of_grant = events::is_grant_deadline(e.key);
    for (const std::size_t place : believed_) {
        Belief& b = model_.beliefs[place];
        const bool meant = of_grant ? events::grant_deadline_key(b.lock, b.token) == e.key
                                    : b.session == SessionId(e.key);
        if (b.client != client || !meant || b.over != open_end) continue;
        b.over = at;
        b.why = "its deadline passed";
    }
    const auto deadline = deadlines_.find({client, SessionId(e.key)});
    if (!of_grant && deadline != deadlines_.end()) read_clock(at, client, deadline->second);
}

// What the service did.

void LeaseTracks::on(SimTime, ProcessId, const events::SessionOpened& e) {
    if (e.client) note_owner(e.session, e.client);
}

void LeaseTracks::on(SimTime, ProcessId client, const events::SessionTold& e) {
    note_owner(e.session, client);
    deadlines_[{client, e.session}] = e.deadline;
}

void LeaseTracks::on(SimTime, ProcessId client, const events::AcquireCalled& e) {
    note_owner(e.session, client);
}

void LeaseTracks::on(SimTime at, ProcessId, const events::Granted& e) {
    end_waits(at, [&](const Wait& w) {
        return w.lock == e.lock && w.session == e.session && w.seq == e.seq;
    });
    granted_.push_back(model_.grants.size());
    model_.grants.push_back({e.lock, {}, e.session, e.token, at, open_end, Grant::End::Open});
    newest_[e.lock] = std::max(newest_[e.lock], e.token);
}

void LeaseTracks::on(SimTime at, ProcessId, const events::Queued& e) {
    waiting_.push_back(model_.waits.size());
    model_.waits.push_back({e.lock, {}, e.session, e.seq, at, open_end});
}

void LeaseTracks::on(SimTime at, ProcessId, const events::Released& e) {
    end_grants(at, Grant::End::Released,
               [&](const Grant& g) { return g.lock == e.lock && g.token == e.token; });
}

void LeaseTracks::on(SimTime at, ProcessId, const events::Cancelled& e) {
    end_waits(at, [&](const Wait& w) {
        return w.lock == e.lock && w.session == e.session && w.seq == e.seq;
    });
    if (e.effect == events::CancelEffect::ReleasedGrant)
        end_grants(at, Grant::End::Cancelled,
                   [&](const Grant& g) { return g.lock == e.lock && g.session == e.session; });
}

void LeaseTracks::on(SimTime at, ProcessId, const events::HoldEnded& e) {
    end_grants(at, Grant::End::HoldEnded,
               [&](const Grant& g) { return g.lock == e.lock && g.token == e.token; });
}

void LeaseTracks::on(SimTime at, ProcessId, const events::SessionEnded& e) {
    const auto how =
        e.reason == events::EndReason::Expired ? Grant::End::Expired : Grant::End::Closed;
    end_waits(at, [&](const Wait& w) { return w.session == e.session; });
    end_grants(at, how, [&](const Grant& g) { return g.session == e.session; });
}

void LeaseTracks::on(SimTime at, ProcessId, const events::DelayStarted& e) {
    delayed_.push_back(model_.delays.size());
    model_.delays.push_back({e.lock, at, open_end});
}

void LeaseTracks::on(SimTime at, ProcessId, const events::DelayEnded& e) {
    std::erase_if(delayed_, [&](std::size_t place) {
        if (model_.delays[place].lock != e.lock) return false;
        model_.delays[place].to = at;
        return true;
    });
}

// What clients did, and what they read off their clocks.

void LeaseTracks::on(SimTime at, ProcessId client, const events::RenewalSent& e) {
    note_owner(e.session, client);
    pending_[e.session].push_back({model_.renewals.size(), e.sending});
    model_.renewals.push_back({client, at, open_end});
}

void LeaseTracks::on(SimTime, ProcessId, const events::RenewalAnswered& e) {
    for (Pending& pending : pending_[e.session])
        if (pending.sending == e.sending) pending.answered = true;
}

void LeaseTracks::on(SimTime at, ProcessId client, const events::DeadlineMoved& e) {
    deadlines_[{client, e.session}] = e.deadline;
    // A service that does not say which it answered has answered all.
    std::vector<Pending>& pending = pending_[e.session];
    const bool said =
        std::any_of(pending.begin(), pending.end(), [](const Pending& p) { return p.answered; });
    for (const Pending& p : pending)
        if (p.answered || !said) model_.renewals[p.place].heard = at;
    pending.clear();
}

void LeaseTracks::on(SimTime at, ProcessId client, const events::MayActAsked& e) {
    read_clock(at, client, e.now);
}

void LeaseTracks::read_clock(SimTime at, ProcessId process, LocalTime now) {
    if (now == LocalTime::never()) return;
    const Duration offset{now.ns - at.ns};
    const auto first = first_offsets_.try_emplace(process, offset).first;
    model_.clocks.push_back({process, at, offset - first->second});
}

void LeaseTracks::on(SimTime, ProcessId client, const events::WriteSent& e) {
    senders_[{e.resource, e.op}] = client;
}

void LeaseTracks::on(SimTime, ProcessId client, const events::CallSent& e) {
    senders_[{e.resource, e.op}] = client;
}

void LeaseTracks::wrote(SimTime at, ProcessId resource, FencingToken token, std::uint64_t n,
                        std::uint64_t op, Write::Fate fate) {
    const auto sender = senders_.find({resource, op});
    const ProcessId client = sender == senders_.end() ? ProcessId() : sender->second;
    if (fate == Write::Fate::Accepted) {
        const auto guard = guards_.find(resource);
        const bool lock_went_on = guard != guards_.end() && token < newest_[guard->second];
        FencingToken& highest = highest_[resource];
        if (lock_went_on || token < highest) fate = Write::Fate::Stale;
        highest = std::max(highest, token);
    }
    model_.writes.push_back({resource, client, fate, token, n, at});
}

void LeaseTracks::on(SimTime at, ProcessId p, const events::WriteAccepted& e) {
    wrote(at, p, e.token, e.n, e.op, Write::Fate::Accepted);
}
void LeaseTracks::on(SimTime at, ProcessId p, const events::WriteRepeated& e) {
    wrote(at, p, e.token, e.n, e.op, Write::Fate::Repeated);
}
void LeaseTracks::on(SimTime at, ProcessId p, const events::WriteRejected& e) {
    wrote(at, p, e.token, e.n, e.op, Write::Fate::Rejected);
}
void LeaseTracks::on(SimTime at, ProcessId p, const events::ReadAccepted& e) {
    model_.writes.push_back({p, {}, Write::Fate::ReadAccepted, e.token, 0, at});
}
void LeaseTracks::on(SimTime at, ProcessId p, const events::ReadRejected& e) {
    model_.writes.push_back({p, {}, Write::Fate::ReadRejected, e.token, 0, at});
}
void LeaseTracks::on(SimTime at, ProcessId p, const events::CallAccepted& e) {
    wrote(at, p, e.token, e.key, e.op, e.first ? Write::Fate::Accepted : Write::Fate::Repeated);
}

void LeaseTracks::finish() {
    close_open(model_.grants, model_.end);
    close_open(model_.waits, model_.end);
    close_open(model_.delays, model_.end);
    for (Grant& grant : model_.grants) grant.client = owner(grant.session);
    for (Wait& wait : model_.waits) wait.client = owner(wait.session);
    for (Belief& belief : model_.beliefs) {
        if (belief.over == open_end) belief.over = model_.end;
        if (belief.told == open_end) belief.told = model_.end;
    }
    find_gaps();
    find_overlaps();
    std::stable_sort(model_.dangers.begin(), model_.dangers.end(),
                     [](const Danger& a, const Danger& b) { return a.from < b.from; });
}

/// A service that tells of no grants of a lock has nothing to compare beliefs with.
void LeaseTracks::find_gaps() {
    std::map<std::pair<LockId, std::pair<SessionId, FencingToken>>, Span> granted;
    std::map<LockId, bool> told_of;
    for (const Grant& g : model_.grants) {
        granted[{g.lock, {g.session, g.token}}] = {g.from, g.to};
        told_of[g.lock] = true;
    }
    for (const Belief& b : model_.beliefs) {
        if (!told_of.contains(b.lock)) continue;
        const auto own = granted.find({b.lock, {b.session, b.token}});
        const bool never = own == granted.end();
        if (never || own->second.to < b.from)
            model_.dangers.push_back({b.lock, b.client, {}, b.from, b.over});
        else if (own->second.to < b.over)
            model_.dangers.push_back({b.lock, b.client, {}, own->second.to, b.over});
    }
}

void LeaseTracks::find_overlaps() {
    std::map<LockId, std::vector<const Belief*>> recent;
    for (const Belief& b : model_.beliefs) {
        std::vector<const Belief*>& others = recent[b.lock];
        std::erase_if(others, [&](const Belief* o) { return o->over <= b.from; });
        for (const Belief* o : others) {
            if (o->client == b.client && o->session == b.session) continue;
            const SimTime to = std::min(o->over, b.over);
            if (b.from < to) model_.dangers.push_back({b.lock, o->client, b.client, b.from, to});
        }
        others.push_back(&b);
    }
}

}  // namespace lockstep::harness::timeline
