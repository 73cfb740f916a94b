#include "sim/network.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/base/assert.hpp"
#include "sim/purpose.hpp"
#include "sim/world.hpp"

namespace lockstep::sim {
namespace {

constexpr std::int64_t million = 1'000'000;

/// Uniform in [0, span].
Duration up_to(Duration span, std::uint64_t luck) {
    const auto choices = static_cast<std::uint64_t>(span.ns) + 1;
    return {static_cast<std::int64_t>((static_cast<unsigned __int128>(luck) * choices) >> 64)};
}

bool chance(std::uint32_t ppm, std::uint64_t luck) {
    return ((static_cast<unsigned __int128>(luck) * static_cast<std::uint64_t>(million)) >> 64) <
           ppm;
}

/// -ln(luck / 2^64) times the mean: logarithm to base two by squaring, 16 bits of fraction.
Duration exponential(Duration mean, std::uint64_t luck) {
    if (luck == 0) luck = 1;
    const int zeros = std::countl_zero(luck);
    std::uint64_t mantissa = (luck << zeros) >> 32;  // in [2^31, 2^32): 1.0 is 2^31
    std::uint64_t fraction = 0;
    for (int bit = 0; bit < 16; ++bit) {
        mantissa = (mantissa * mantissa) >> 31;
        fraction <<= 1;
        if (mantissa >= (std::uint64_t{1} << 32)) {
            mantissa >>= 1;
            fraction |= 1;
        }
    }
    const auto minus_log2 = ((static_cast<std::uint64_t>(zeros) + 1) << 16) - fraction;
    constexpr std::uint64_t ln2 = 45'426;  // in 2^-16
    const auto product = static_cast<unsigned __int128>(minus_log2 * ln2) *
                         static_cast<std::uint64_t>(mean.ns);
    return {static_cast<std::int64_t>(product >> 32)};
}

std::uint32_t sum(std::uint32_t model, std::int64_t trouble) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(model + trouble, 0, million));
}

// Further draws for a message, by what they decide.
enum Draw : std::uint64_t { TailChance = 1, Tail, Loss, Duplicate, Reorder, ReorderBy, CopyDelay };

std::uint64_t draw(std::uint64_t luck, Draw what) { return spread(luck ^ (what << 32)); }

}  // namespace

// Links.

void Network::add_process() {
    LOCKSTEP_ASSERT(messages_.in_use() == 0, "{} messages are on their way", messages_.in_use());
    std::vector<Link> before = std::exchange(links_, {});
    const std::uint32_t had = count_++;
    links_.resize(std::size_t{count_} * count_);
    for (std::uint32_t from = 0; from < count_; ++from)
        for (std::uint32_t to = 0; to < count_; ++to) {
            Link& link = links_[std::size_t{from} * count_ + to];
            if (from < had && to < had) {
                link = before[std::size_t{from} * had + to];
            } else {
                link.from = ProcessId(from + 1);
                link.to = ProcessId(to + 1);
                link.model = default_;
                combine(link);
            }
            link.back = to * count_ + from;
        }
}

void Network::combine(Link& link) {
    link.loss_ppm = sum(link.model.loss_ppm, link.loss_trouble);
    link.duplicate_ppm = sum(link.model.duplicate_ppm, link.duplicate_trouble);
    link.reorder_ppm = sum(link.model.reorder_ppm, link.reorder_trouble);
}

void Network::set_model(ProcessId from, ProcessId to, const LinkModel& model) {
    LOCKSTEP_ASSERT(model.delay.min >= Duration{} && model.delay.max >= model.delay.min &&
                        model.connection_timeout > Duration{},
                    "min={} max={} timeout={}", model.delay.min.ns, model.delay.max.ns,
                    model.connection_timeout.ns);
    Link& changed = link(from, to);
    changed.model = model;
    changed.own_model = true;
    combine(changed);
}

void Network::set_default(const LinkModel& model) {
    default_ = model;
    for (Link& link : links_) {
        if (link.own_model) continue;
        link.model = model;
        combine(link);
    }
}

void Network::add_trouble(ProcessId from, ProcessId to, std::int64_t loss_ppm,
                          std::int64_t duplicate_ppm, std::int64_t reorder_ppm,
                          Duration extra_delay) {
    Link& troubled = link(from, to);
    troubled.loss_trouble += loss_ppm;
    troubled.duplicate_trouble += duplicate_ppm;
    troubled.reorder_trouble += reorder_ppm;
    troubled.extra_delay += extra_delay;
    combine(troubled);
    if (loss_ppm < 0) revive(troubled);
}

void Network::drop_next(std::uint16_t message_kind, ProcessId from, ProcessId to) {
    drops_.push_back({message_kind, from, to});
}

bool Network::drop_asked(const Envelope& message) {
    const auto drop = std::find_if(drops_.begin(), drops_.end(), [&message](const Drop& d) {
        return d.kind == message.payload.kind() && (!d.from || d.from == message.from) &&
               (!d.to || d.to == message.to);
    });
    if (drop == drops_.end()) return false;
    drops_.erase(drop);
    return true;
}

// Messages.

void Network::trace(const InFlight& message, const char* dropped) {
    if (!traced_) return;
    const bool comes = dropped == nullptr && !message.held;
    world_.listener_.on_message(world_.now_, message.envelope,
                                comes ? message.arrives : SimTime::never(), dropped);
}

void Network::send(ProcessId from, ProcessId to, Payload&& payload) {
    ++sent_;
    Link& on = link(from, to);
    const SimTime now = world_.now_;
    on.ordinal = on.last_sent == now ? on.ordinal + 1 : 0;
    on.last_sent = now;
    const std::uint64_t luck = world_.luck(purpose("message"), on.word(),
                                           static_cast<std::uint64_t>(now.ns), on.ordinal);
    const std::uint32_t slot = messages_.take();
    InFlight& message = messages_[slot];
    message.envelope.from = from;
    message.envelope.to = to;
    message.envelope.sent = now;
    if (recode_) message.envelope.payload = payload.recode(scratch_);
    else message.envelope.payload = std::move(payload);
    message.link = static_cast<std::uint32_t>(&on - links_.data());
    message.ordered = on.model.mode == LinkMode::Ordered;
    message.held = false;
    message.unacked = false;
    message.sequence = 0;
    if (!drops_.empty() && drop_asked(message.envelope)) {
        trace(message, "lost by a fault");
        release(slot);
    } else if (message.ordered) {
        send_ordered(on, slot, luck);
    } else {
        send_datagram(on, slot, luck);
    }
}

Duration Network::delay(const Link& link, std::uint64_t luck) const {
    const DelayModel& model = link.model.delay;
    Duration takes = model.min + up_to(model.max - model.min, luck) + link.extra_delay;
    if (model.tail_ppm > 0 && chance(model.tail_ppm, draw(luck, TailChance)))
        takes += exponential(model.tail, draw(luck, Tail));
    return takes > Duration{} ? takes : Duration{};
}

/// Messages of one ordered link that arrive at one instant share a tie, and go by their sequence.
void Network::queue(Link& link, std::uint32_t slot, std::uint64_t ordinal) {
    InFlight& message = messages_[slot];
    message.sequence =
        world_.push(message.arrives, StepKind::Message, slot, link.word(), ordinal);
}

void Network::send_datagram(Link& link, std::uint32_t slot, std::uint64_t luck) {
    InFlight& message = messages_[slot];
    const char* lost = nullptr;
    if (link.cuts > 0) lost = "cut";
    else if (link.loss_ppm > 0 && chance(link.loss_ppm, draw(luck, Loss))) lost = "lost";
    if (lost != nullptr) {
        trace(message, lost);
        release(slot);
        return;
    }
    Duration takes = delay(link, luck);
    if (link.reorder_ppm > 0 && chance(link.reorder_ppm, draw(luck, Reorder)))
        takes += link.model.delay.max + up_to(link.model.delay.max * 3, draw(luck, ReorderBy));
    message.arrives = world_.now_ + takes;
    trace(message, nullptr);
    const std::uint64_t place = std::uint64_t{2} * link.ordinal;
    queue(link, slot, place);
    if (link.duplicate_ppm == 0 || !chance(link.duplicate_ppm, draw(luck, Duplicate))) return;
    const std::uint32_t copy_slot = messages_.take();
    InFlight& copy = messages_[copy_slot];
    copy.envelope = {message.envelope.from, message.envelope.to, message.envelope.sent,
                     message.envelope.payload.clone()};
    copy.link = message.link;
    copy.ordered = false;
    copy.held = false;
    copy.unacked = false;
    copy.arrives = world_.now_ + delay(link, draw(luck, CopyDelay));
    queue(link, copy_slot, place + 1);
}

void Network::arrive(const QueueEntry& entry) {
    InFlight& message = messages_[entry.slot];
    if (message.sequence != entry.sequence) return;
    message.sequence = 0;
    const ProcessId from = message.envelope.from;
    const ProcessId to = message.envelope.to;
    Link& over = links_[message.link];
    const std::uint32_t detail = (from.value << 16) | message.envelope.payload.kind();
    if (over.cuts > 0) {
        QueueEntry stopped = entry;
        stopped.kind = StepKind::Held;
        world_.begin_step(stopped, to, detail);
        if (message.ordered) {
            hold(message);
            watch(over);
        } else {
            release(entry.slot);
        }
        return;
    }
    world_.begin_step(entry, to, detail);
    Process& receiver = *world_.processes_[to.value - 1];
    if (message.ordered ? !accept(over, entry.slot) : !receiver.up()) {
        release(entry.slot);
        return;
    }
    receiver.arrived(entry.slot, from);
}

void Network::release(std::uint32_t slot) {
    InFlight& message = messages_[slot];
    if (message.held) --held_;
    message.held = false;
    message.sequence = 0;
    message.envelope.payload.reset();
    messages_.give_back(slot);
}

bool Network::still_valid(std::uint32_t slot) const {
    const InFlight& message = messages_[slot];
    return !message.unacked ||
           message.epoch == links_[message.link].epoch;
}

// Cuts.

void Network::cut(ProcessId from, ProcessId to) {
    Link& over = link(from, to);
    if (over.cuts++ > 0) return;
    watch(over);
    watch(back(over));
}

void Network::heal(ProcessId from, ProcessId to) {
    Link& over = link(from, to);
    LOCKSTEP_ASSERT(over.cuts > 0, "healed, but not cut, from {} to {}", from.value, to.value);
    if (--over.cuts > 0) return;
    send_again(over);
    acknowledged(back(over));
    if (over.notice.pending && over.notice.waits) tell_after_delay(over);
}

}  // namespace lockstep::sim
