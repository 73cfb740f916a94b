#include "properties/beliefs.hpp"

namespace lockstep::properties {

void Beliefs::on(const Stamp& stamp, const events::GrantTold& e) {
    Belief belief{e.lock, stamp.process, e.session, e.token, e.deadline, stamp.at, false, {}, {}};
    // Told at or after the instant of its deadline: no belief, but the application must hear so.
    if (passed(stamp.process, e.session)) {
        belief.over = true;
        belief.over_since = stamp.at;
        belief.news_due = later(stamp.at, context_.setup.slack);
    } else {
        begin(stamp, belief);
    }
    beliefs_.push_back(belief);
}

void Beliefs::begin(const Stamp& stamp, const Belief& belief) {
    Lock& lock = locks_[belief.lock];
    if (lock.last_client &&
        (lock.last_client != belief.client || lock.last_session != belief.session))
        context_.ledger.checked(PropertyId::Belief1);
    lock.last_client = belief.client;
    lock.last_session = belief.session;
    for (const Belief& other : beliefs_)
        if (rivals(other, belief) && !other.over) overlap(stamp, other, belief);
}

void Beliefs::overlap(const Stamp& stamp, const Belief& older, const Belief& newer) {
    context_.ledger.object(PropertyId::Belief1, stamp, [&] {
        return fmt::format(
            "client {} was told at {} that it holds lock {} (token {}), while "
            "{} {} believed so since {} (token {})",
            context_.name(newer.client), say(newer.since), context_.name(newer.lock),
            newer.token.value, older.client == newer.client ? "another session of" : "client",
            context_.name(older.client), say(older.since), older.token.value);
    });
}

void Beliefs::acted_late(const Stamp& stamp, const events::MayActAsked& e) {
    context_.ledger.object(PropertyId::Act1, stamp, [&] {
        return fmt::format(
            "client {} was told that it may act on lock {} at {} of its clock, its "
            "deadline being {}{}",
            context_.name(stamp.process), context_.name(e.lock), say(Duration{e.now.ns}),
            say(Duration{e.deadline.ns}),
            e.now >= e.deadline ? "" : ", after an earlier deadline of the session had passed");
    });
}

/// The client believes again, beside whoever was granted the lock meanwhile.
void Beliefs::revived(const Stamp& stamp, const events::DeadlineMoved& e) {
    context_.ledger.object(PropertyId::Act1, stamp, [&] {
        return fmt::format("client {} moved the deadline of its session {} after it had passed",
                           context_.name(stamp.process), e.session.value);
    });
    for (Belief& belief : beliefs_) {
        if (belief.client != stamp.process || belief.session != e.session || !belief.over) continue;
        belief.over = false;
        for (const Belief& other : beliefs_)
            if (rivals(other, belief) && !other.over) overlap(stamp, other, belief);
    }
}

template <class Ends>
void Beliefs::end(const Stamp& stamp, Ends&& ends) {
    std::erase_if(beliefs_, [&](const Belief& belief) {
        if (belief.client != stamp.process || !ends(belief)) return false;
        if (belief.over) news_in_time(stamp, belief);
        return true;
    });
}

void Beliefs::on(const Stamp& stamp, const events::ReleaseCalled& e) {
    end(stamp, [&](const Belief& b) { return b.lock == e.lock && b.token == e.token; });
}

void Beliefs::on(const Stamp& stamp, const events::CloseCalled& e) {
    end(stamp, [&](const Belief& b) { return b.session == e.session; });
}

void Beliefs::on(const Stamp& stamp, const events::LossTold& e) {
    end(stamp, [&](const Belief& b) { return b.lock == e.lock && b.token == e.token; });
}

void Beliefs::on(const Stamp& stamp, const sim::ProcessStopped&) {
    end(stamp, [](const Belief&) { return true; });
    clients_[stamp.process].passed.clear();
}

void Beliefs::on(const Stamp& stamp, const sim::DeadlinePassed& e) {
    if (events::is_grant_deadline(e.key)) return grant_over(stamp, e.key);
    const SessionId session(e.key);
    std::vector<SessionId>& passed = clients_[stamp.process].passed;
    const auto place = std::lower_bound(passed.begin(), passed.end(), session);
    if (place == passed.end() || *place != session) passed.insert(place, session);
    if (passed.size() > passed_kept) passed.erase(passed.begin());
    for (Belief& belief : beliefs_)
        if (belief.client == stamp.process && belief.session == session) over(stamp, belief);
}

void Beliefs::over(const Stamp& stamp, Belief& belief) {
    if (belief.over) return;
    belief.over = true;
    belief.over_since = stamp.at;
    belief.news_due = context_.stalls.stalled(stamp.process)
                          ? sim::SimTime::never()
                          : later(stamp.at, context_.setup.slack);
}

void Beliefs::grant_over(const Stamp& stamp, std::uint64_t key) {
    for (Belief& belief : beliefs_)
        if (belief.client == stamp.process &&
            events::grant_deadline_key(belief.lock, belief.token) == key)
            over(stamp, belief);
}

void Beliefs::on(const Stamp& stamp, const sim::Paused&) {
    for (Belief& belief : beliefs_)
        if (belief.client == stamp.process && belief.over && stamp.at <= belief.news_due)
            belief.news_due = sim::SimTime::never();
}

void Beliefs::on(const Stamp& stamp, const sim::Resumed&) {
    if (context_.stalls.stalled(stamp.process)) return;
    for (Belief& belief : beliefs_)
        if (belief.client == stamp.process && belief.news_due == sim::SimTime::never())
            belief.news_due = later(stamp.at, context_.setup.slack);
}

void Beliefs::finish(const Stamp& stamp) {
    for (const Belief& belief : beliefs_)
        if (belief.over && stamp.at > belief.news_due) news_in_time(stamp, belief);
}

void Beliefs::news_in_time(const Stamp& stamp, const Belief& belief) {
    context_.ledger.checked(PropertyId::Act1);
    if (stamp.at <= belief.news_due) return;
    context_.ledger.object(PropertyId::Act1, stamp, [&] {
        return fmt::format(
            "the deadline of client {} for lock {} (token {}) passed at {}; its "
            "application was not told by {}",
            context_.name(belief.client), context_.name(belief.lock), belief.token.value,
            say(belief.over_since), say(belief.news_due));
    });
}

}  // namespace lockstep::properties
