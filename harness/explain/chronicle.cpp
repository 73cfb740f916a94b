#include "harness/explain/chronicle.hpp"

#include <algorithm>
#include <type_traits>
#include <variant>

namespace lockstep::harness {

Chronicle::Chronicle(const Outcome& outcome) : outcome_(outcome) {
    for (Place place = 0; place < outcome.log.size(); ++place) {
        const auto& what = outcome.log[place].what;
        if (const auto* event = std::get_if<events::Event>(&what)) {
            ordinals_.push_back(place);
            hear(place, *event);
        } else if (const auto* world = std::get_if<sim::WorldEvent>(&what)) {
            ordinals_.push_back(place);
            hear(place, *world);
        } else if (const auto* message = std::get_if<MessageLine>(&what)) {
            if (!message->is_note) sendings_.emplace_back(message->number, place);
        }
    }
    // A duplicate has the number of its original: the first sending is the one that counts.
    std::sort(sendings_.begin(), sendings_.end());
}

void Chronicle::hear(Place place, const events::Event& event) {
    std::visit([&](const auto& e) { on(place, e); }, event);
}
void Chronicle::hear(Place place, const sim::WorldEvent& event) {
    std::visit([&](const auto& e) { on(place, e); }, event);
}

sim::SimTime Chronicle::time(Place place) const {
    if (place < size()) return at(place).at;
    return size() == 0 ? sim::SimTime{} : outcome_.log.back().at;
}

Place Chronicle::of_ordinal(std::uint64_t ordinal) const {
    return ordinal == 0 || ordinal > ordinals_.size() ? nowhere : ordinals_[ordinal - 1];
}

Place Chronicle::last_by(sim::SimTime time) const {
    const auto after =
        std::upper_bound(outcome_.log.begin(), outcome_.log.end(), time,
                         [](sim::SimTime t, const LoggedEvent& logged) { return t < logged.at; });
    if (after == outcome_.log.begin()) return nowhere;
    return static_cast<Place>(after - outcome_.log.begin()) - 1;
}

const SessionTale* Chronicle::session(SessionId id) const {
    const auto found = sessions_.find(id);
    return found != sessions_.end() ? &found->second : nullptr;
}

const std::vector<std::size_t>& Chronicle::holds_of(SessionId id) const {
    static const std::vector<std::size_t> none;
    const auto found = holds_of_.find(id);
    return found != holds_of_.end() ? found->second : none;
}

Place Chronicle::sending_of(std::uint64_t message) const {
    const auto found =
        std::lower_bound(sendings_.begin(), sendings_.end(), message,
                         [](const auto& sending, std::uint64_t n) { return sending.first < n; });
    return found != sendings_.end() && found->first == message ? found->second : nowhere;
}

const HoldTale* Chronicle::hold(FencingToken token, Place before, LockId lock) const {
    const HoldTale* last = nullptr;
    for (const HoldTale& hold : holds_) {
        if (hold.token != token || (lock && hold.lock != lock)) continue;
        if (std::min(hold.granted, hold.told) <= before) last = &hold;
    }
    return last;
}

sim::ProcessId Chronicle::client_of(SessionId id) const {
    const SessionTale* tale = session(id);
    return tale != nullptr ? tale->client : sim::ProcessId();
}

const LeaderTale* Chronicle::leader_at(Place place) const {
    const LeaderTale* best = nullptr;
    for (const LeaderTale& leader : leaders_) {
        if (leader.from > place || leader.to <= place) continue;
        if (best == nullptr || best->term < leader.term) best = &leader;
    }
    return best;
}

Place Chronicle::still_since(sim::ProcessId process, Place place) const {
    for (const SpanTale& down : downs_)
        if (down.process == process && down.from <= place && place < down.to) return down.from;
    for (const PauseTale& pause : pauses_)
        if (pause.process == process && pause.strand == 0 && pause.from <= place &&
            place < pause.to)
            return pause.from;
    return nowhere;
}

HoldTale* Chronicle::find_hold(LockId lock, SessionId session, FencingToken token) {
    const auto& places = holds_of_[session];
    for (auto place = places.rbegin(); place != places.rend(); ++place) {
        HoldTale& hold = holds_[*place];
        if (hold.lock == lock && hold.token == token) return &hold;
    }
    return nullptr;
}

HoldTale& Chronicle::add_hold(LockId lock, SessionId session, FencingToken token) {
    holds_of_[session].push_back(holds_.size());
    HoldTale hold;
    hold.lock = lock;
    hold.session = session;
    hold.token = token;
    return holds_.emplace_back(hold);
}

RenewalTale& Chronicle::renewal(SessionTale& session, SendingNo sending) {
    for (auto r = session.renewals.rbegin(); r != session.renewals.rend(); ++r)
        if (r->sending == sending) return *r;
    RenewalTale renewal;
    renewal.sending = sending;
    return session.renewals.emplace_back(renewal);
}

void Chronicle::end_beliefs(Place place, SessionId session) {
    for (const std::size_t i : holds_of_[session]) {
        HoldTale& hold = holds_[i];
        if (hold.client == process(place) && hold.told != nowhere && hold.belief_end == nowhere)
            hold.belief_end = place;
    }
}

// Servers

void Chronicle::on(Place place, const events::BecameLeader& e) {
    leaders_.push_back({process(place), e.term, place, nowhere});
}
void Chronicle::on(Place place, const events::SteppedDown&) {
    for (LeaderTale& leader : leaders_)
        if (leader.server == process(place) && leader.to == nowhere) leader.to = place;
}
void Chronicle::on(Place place, const events::SessionOpened& e) {
    SessionTale& session = sessions_[e.session];
    session.id = e.session;
    session.client = e.client;
    session.ttl = e.ttl;
    session.opened = place;
    const auto sent = openings_.find({e.client, e.nonce});
    if (sent != openings_.end()) session.open_sent = sent->second;
}
void Chronicle::on(Place place, const events::RenewalReceived& e) {
    RenewalTale& tale = renewal(sessions_[e.session], e.sending);
    if (tale.answered != nowhere) return;
    tale.received = place;
    tale.server = process(place);
}
void Chronicle::on(Place place, const events::RenewalAnswered& e) {
    SessionTale& session = sessions_[e.session];
    RenewalTale& tale = renewal(session, e.sending);
    if (tale.answered != nowhere) return;
    if (tale.server != process(place)) tale.received = nowhere;
    tale.answered = place;
    tale.server = process(place);
    tale.term = e.term;
}
void Chronicle::on(Place place, const events::ExpiryProposed& e) {
    sessions_[e.session].proposals.push_back({place, process(place), e.term, e.index});
}
void Chronicle::on(Place place, const events::SessionEnded& e) {
    SessionTale& session = sessions_[e.session];
    session.ended = place;
    session.reason = e.reason;
    session.end_term = e.term;
    session.end_index = e.index;
    for (const std::size_t i : holds_of_[e.session])
        if (holds_[i].freed == nowhere) holds_[i].freed = place;
}
void Chronicle::on(Place place, const events::Granted& e) {
    HoldTale& hold = add_hold(e.lock, e.session, e.token);
    hold.client = client_of(e.session);
    hold.granted = place;
}
void Chronicle::on(Place place, const events::Released& e) {
    if (HoldTale* hold = find_hold(e.lock, e.session, e.token))
        if (hold->freed == nowhere) hold->freed = place;
}
void Chronicle::on(Place place, const events::Cancelled& e) {
    if (e.effect != events::CancelEffect::ReleasedGrant) return;
    for (const std::size_t i : holds_of_[e.session])
        if (holds_[i].lock == e.lock && holds_[i].freed == nowhere) holds_[i].freed = place;
}
void Chronicle::on(Place place, const events::HoldEnded& e) {
    if (HoldTale* hold = find_hold(e.lock, e.session, e.token))
        if (hold->freed == nowhere) hold->freed = place;
}

// Clients

void Chronicle::on(Place place, const events::OpenSent& e) {
    openings_.emplace(std::pair(process(place), e.nonce), place);
}
void Chronicle::on(Place place, const events::SessionTold& e) {
    SessionTale& session = sessions_[e.session];
    session.id = e.session;
    session.client = process(place);
    if (session.told == nowhere) session.told = place;
    const auto sent = openings_.find({process(place), e.nonce});
    if (sent != openings_.end() && session.open_sent == nowhere) session.open_sent = sent->second;
}
void Chronicle::on(Place place, const events::RenewalSent& e) {
    SessionTale& session = sessions_[e.session];
    if (!session.client) session.client = process(place);
    RenewalTale& tale = renewal(session, e.sending);
    if (tale.sent == nowhere) tale.sent = place;
}
void Chronicle::on(Place place, const events::GrantTold& e) {
    HoldTale* hold = find_hold(e.lock, e.session, e.token);
    if (hold == nullptr) hold = &add_hold(e.lock, e.session, e.token);
    hold->client = process(place);
    if (hold->told == nowhere) hold->told = place;
    SessionTale& session = sessions_[e.session];
    session.id = e.session;
    if (!session.client) session.client = process(place);
}
void Chronicle::on(Place place, const events::LossTold& e) {
    HoldTale* hold = find_hold(e.lock, e.session, e.token);
    if (hold != nullptr && hold->belief_end == nowhere) hold->belief_end = place;
}
void Chronicle::on(Place place, const events::ReleaseCalled& e) {
    HoldTale* hold = find_hold(e.lock, e.session, e.token);
    if (hold != nullptr && hold->belief_end == nowhere) hold->belief_end = place;
}
void Chronicle::on(Place place, const events::CloseCalled& e) {
    end_beliefs(place, e.session);
}

// The world

void Chronicle::on(Place place, const sim::Paused& e) {
    pauses_.push_back({process(place), place, nowhere, e.strand, e.clock});
}
void Chronicle::on(Place place, const sim::Resumed& e) {
    for (PauseTale& pause : pauses_)
        if (pause.process == process(place) && pause.strand == e.strand && pause.to == nowhere)
            pause.to = place;
}
void Chronicle::on(Place place, const sim::ProcessStarted&) {
    for (SpanTale& down : downs_)
        if (down.process == process(place) && down.to == nowhere) down.to = place;
}
void Chronicle::on(Place place, const sim::ProcessStopped&) {
    const sim::ProcessId who = process(place);
    SpanTale down;
    down.process = who;
    down.from = place;
    downs_.push_back(down);
    for (LeaderTale& leader : leaders_)
        if (leader.server == who && leader.to == nowhere) leader.to = place;
    for (PauseTale& pause : pauses_)
        if (pause.process == who && pause.to == nowhere) pause.to = place;
    for (HoldTale& hold : holds_)
        if (hold.client == who && hold.told != nowhere && hold.belief_end == nowhere)
            hold.belief_end = place;
}
void Chronicle::on(Place place, const sim::DeadlinePassed& e) {
    if (!events::is_grant_deadline(e.key)) {
        const auto session = sessions_.find(SessionId(e.key));
        if (session != sessions_.end() && session->second.client == process(place))
            session->second.passed = place;
        end_beliefs(place, SessionId(e.key));
        return;
    }
    for (HoldTale& hold : holds_)
        if (hold.client == process(place) && hold.belief_end == nowhere &&
            events::grant_deadline_key(hold.lock, hold.token) == e.key)
            hold.belief_end = place;
}
void Chronicle::on(Place place, const sim::FaultStarted& e) {
    SpanTale fault;
    fault.process = process(place);
    fault.from = place;
    fault.fault = e.fault;
    faults_.push_back(fault);
}
void Chronicle::on(Place place, const sim::FaultEnded& e) {
    for (SpanTale& fault : faults_)
        if (fault.fault == e.fault && fault.to == nowhere) fault.to = place;
}
void Chronicle::on(Place place, const sim::LinkTroubled& e) {
    if (e.on) {
        SpanTale trouble;
        trouble.process = process(place);
        trouble.peer = e.peer;
        trouble.from = place;
        troubles_.push_back(trouble);
        return;
    }
    for (SpanTale& trouble : troubles_)
        if (trouble.process == process(place) && trouble.peer == e.peer && trouble.to == nowhere)
            trouble.to = place;
}
void Chronicle::on(Place place, const sim::AssumptionBroken&) {
    broken_.push_back(place);
}
void Chronicle::on(Place place, const sim::Healed&) {
    healed_ = place;
}

}  // namespace lockstep::harness
