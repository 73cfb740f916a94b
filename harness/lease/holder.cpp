#include "harness/lease/holder.hpp"

#include "scenarios/world/payloads.hpp"

#include <utility>
#include <variant>

namespace lockstep::lease {
namespace {
constexpr LockId the_lock{1};
}

/// The client counts its deadline back from the end of the lease; what it is to be earlier, or
/// later, is its margin.
client::Config client_config(const Setting& setting, NodeId self, std::vector<NodeId> servers,
                             std::uint64_t life) {
    client::Config config;
    config.self = self;
    config.servers = std::move(servers);
    config.ttl = setting.lease;
    config.renew_every = setting.renew_every;
    config.jitter_percent = setting.jitter_percent;
    config.drift_bound = setting.drift_bound;
    config.margin = shrink(setting.lease, setting.drift_bound) - setting.believes_for();
    config.retry_every = setting.retry_every;
    config.first_nonce = (life << 32) + 1;
    return config;
}

Holder::Holder(const Setting& setting, sim::ProcessId service, Links& links,
               HolderListener& listener, sim::Process& process)
    : process_(process),
      service_(service),
      links_(links),
      listener_(listener),
      client_(client_config(setting, process.id(), {service}, process.life()),
              Prng(process.prng().next())) {}

void Holder::start(sim::Process& process) {
    client_.open(process.now(), effects_);
    pump();
}

void Holder::on_message(sim::Process&, sim::Envelope& message) {
    step(client::Receive{message.from, std::move(message.payload.get<wire::Reply>())});
}

void Holder::on_timer(sim::Process&, sim::TimerId timer) {
    if (timer == AskAgain) ask();
    step(client::Tick{});
}

void Holder::on_reset(sim::Process&, sim::ProcessId peer) {
    step(client::LinkReset{peer});
}

bool Holder::release(Duration ask_again_after) {
    step(client::Tick{});  // its deadline may have passed
    if (!holds_) return false;
    holds_ = false;
    client_.release(the_lock, token_, process_.now(), effects_);
    listener_.on_released();
    process_.set_timer(AskAgain, process_.now() + ask_again_after);
    pump();
    return true;
}

void Holder::ask() {
    if (holds_ || !client_.session()) return;
    client_.acquire(the_lock, Duration::max(), process_.now(), effects_);
}

void Holder::step(client::Input&& input) {
    client_.step(std::move(input), process_.now(), effects_);
    pump();
}

void Holder::pump() {
    while (true) {
        for (const events::Event& event : effects_.events) watch(event);
        for (client::SendRequest& sent : effects_.send)
            links_.send(process_, service_, sim::Payload::make(std::move(sent.request)), false);
        for (const client::Notice& notice : effects_.notices) hear(notice);
        effects_.clear();
        if (std::exchange(reopen_, false))
            client_.open(process_.now(), effects_);
        else if (std::exchange(ask_, false))
            ask();
        else
            break;
    }
    process_.set_timer(Wake, client_.wake_at());
}

void Holder::watch(const events::Event& event) {
    if (std::holds_alternative<events::RenewalSent>(event)) {
        listener_.on_renewal_sent();
    } else if (const auto* moved = std::get_if<events::DeadlineMoved>(&event)) {
        process_.watch_deadline(deadline_key, moved->deadline);
        listener_.on_renewal_answered(moved->deadline);
    } else if (const auto* told = std::get_if<events::SessionTold>(&event)) {
        process_.watch_deadline(deadline_key, told->deadline);
        listener_.on_renewal_answered(told->deadline);
    }
}

void Holder::hear(const client::Notice& notice) {
    if (std::holds_alternative<client::SessionReady>(notice)) {
        ask_ = true;
    } else if (const auto* done = std::get_if<client::AcquireDone>(&notice)) {
        if (done->outcome != events::AcquireOutcome::Granted) return;
        holds_ = true;
        token_ = done->token;
        listener_.on_holds();
    } else if (const auto* lost = std::get_if<client::Lost>(&notice)) {
        holds_ = false;
        listener_.on_lost(lost->reason);
    } else if (std::holds_alternative<client::SessionLost>(notice)) {
        process_.watch_deadline(deadline_key, LocalTime::never());
        process_.cancel_timer(AskAgain);
        reopen_ = true;
    }
}

}  // namespace lockstep::lease
