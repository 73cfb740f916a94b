#include "harness/lease/full_books.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace lockstep::lease {

void FullBooks::keep() {
    const sim::SimTime ends = sim::SimTime{} + tally_.bin;
    for (const harness::LoggedEvent& logged : run_.log) {
        if (logged.at > ends) break;  // what is still under way then is not judged any more
        if (const auto* event = std::get_if<events::Event>(&logged.what))
            hear(logged, *event);
        else if (const auto* world = std::get_if<sim::WorldEvent>(&logged.what))
            hear(logged, *world);
    }
    touch(ends);
}

void FullBooks::touch(sim::SimTime at) {
    const Duration passed = at - std::exchange(touched_, at);
    if (!started_) return;
    counted_ += passed;
    const auto lives = [](const Client& c) { return c.holds && c.in_time && c.pauses == 0; };
    const auto holds = [](const Client& c) { return c.holds; };
    if (std::ranges::none_of(clients_, lives)) bin_.without_holder += passed;
    if (std::ranges::count_if(clients_, holds) > 1) bin_.double_belief += passed;
}

Loss& FullBooks::losing(Client& client, sim::SimTime at) {
    if (!std::exchange(client.losing, true)) {
        client.loss = tally_.losses.size();
        Loss loss;
        loss.at = begins_ + (at - sim::SimTime{});
        loss.kind = Harm::Kind::Pause;
        tally_.losses.push_back(loss);
        ++bin_.counts.losses;
    }
    return tally_.losses[client.loss];
}

void FullBooks::hear(const harness::LoggedEvent& logged, const events::Event& event) {
    if (const auto* told = std::get_if<events::GrantTold>(&event)) {
        touch(logged.at);
        started_ = true;
        Client& holder = client(logged.process);
        holder.holds = holder.in_time = true;
        holder.losing = false;
        holder.held_by = told->session;
        if (crashed_)
            tally_.crashes.push_back(
                {begins_ + (*crashed_ - sim::SimTime{}), logged.at - *crashed_});
        crashed_.reset();
    } else if (const auto* lost = std::get_if<events::LossTold>(&event)) {
        touch(logged.at);
        Client& loser = client(logged.process);
        Loss& loss = losing(loser, logged.at);
        const bool by_deadline = lost->reason == events::LossReason::DeadlinePassed;
        if (by_deadline && !std::exchange(loss.stood_down, true)) ++bin_.counts.stood_down;
        loser.holds = loser.in_time = false;
    } else if (const auto* over = std::get_if<events::SessionEnded>(&event)) {
        ended(*over, logged.at);
    } else if (std::holds_alternative<events::RenewalSent>(event)) {
        // Of the one that has the lock, as everywhere else.
        if (client(logged.process).holds) ++bin_.counts.renewals;
    } else if (std::holds_alternative<events::WriteRejected>(event)) {
        ++bin_.counts.refused_writes;
    }
}

/// Only of whoever lived.
void FullBooks::ended(const events::SessionEnded& ended, sim::SimTime at) {
    if (ended.reason != events::EndReason::Expired) return;
    touch(at);
    for (Client& client : clients_) {
        if (!client.up || client.held_by != ended.session || !(client.holds || client.losing))
            continue;
        if (!std::exchange(losing(client, at).taken_over, true)) ++bin_.counts.taken_over;
    }
}

void FullBooks::hear(const harness::LoggedEvent& logged, const sim::WorldEvent& event) {
    if (logged.process.value == 0 || logged.process.value > clients_.size()) return;
    Client& it = client(logged.process);
    if (std::holds_alternative<sim::Paused>(event)) {
        touch(logged.at);
        ++it.pauses;
    } else if (std::holds_alternative<sim::Resumed>(event)) {
        touch(logged.at);
        --it.pauses;
    } else if (std::holds_alternative<sim::DeadlinePassed>(event)) {
        touch(logged.at);
        it.in_time = false;
        if (!it.holds) return;
        if (!std::exchange(losing(it, logged.at).stood_down, true)) ++bin_.counts.stood_down;
    } else if (std::holds_alternative<sim::ProcessStopped>(event)) {
        touch(logged.at);
        if (it.holds) {
            crashed_ = logged.at;
            ++bin_.counts.crashes;
        }
        it.up = it.holds = it.in_time = it.losing = false;
    } else if (std::holds_alternative<sim::ProcessStarted>(event)) {
        it.up = true;
    }
}

}  // namespace lockstep::lease
