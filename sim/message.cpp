// The way of a message. What each one goes through is inlined by hand: this is where a run spends
// its time.
#include "core/base/assert.hpp"
#include "sim/network.hpp"
#include "sim/purpose.hpp"
#include "sim/world.hpp"

#include <algorithm>
#include <bit>
#include <utility>

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
[[gnu::noinline]] Duration exponential(Duration mean, std::uint64_t luck) {
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
    const auto product =
        static_cast<unsigned __int128>(minus_log2 * ln2) * static_cast<std::uint64_t>(mean.ns);
    return {static_cast<std::int64_t>(product >> 32)};
}

/// The first retransmission comes after this time, each further one after twice as long.
constexpr Duration first_retransmission = milliseconds(200);

// Further draws for a message, by what they decide.
enum Draw : std::uint64_t { TailChance = 1, Tail, Loss, Duplicate, Reorder, ReorderBy, CopyDelay };

std::uint64_t draw(std::uint64_t luck, Draw what) {
    return spread(luck ^ (what << 32));
}

}  // namespace

void Network::trace(const InFlight& message, const char* dropped) {
    if (!traced_) return;
    const bool comes = dropped == nullptr && !message.held;
    world_.listener_.on_message(world_.now_, message.envelope,
                                comes ? message.arrives : SimTime::never(), dropped);
}

[[gnu::noinline]] void Network::lose(std::uint32_t slot, const char* why) {
    trace(messages_[slot], why);
    release(slot);
}

[[gnu::noinline]] void Network::recode(Payload& payload) {
    payload = payload.recode(scratch_);
}

// Sending.

[[gnu::always_inline]] inline Duration Network::draw_delay(const Link& link,
                                                           std::uint64_t luck) const {
    const DelayModel& model = link.model.delay;
    Duration takes = model.min + up_to(model.max - model.min, luck) + link.extra_delay;
    if (model.tail_ppm > 0 && chance(model.tail_ppm, draw(luck, TailChance)))
        takes += exponential(model.tail, draw(luck, Tail));
    return takes > Duration{} ? takes : Duration{};
}

/// Messages of one ordered link that arrive at one instant share a tie, and go by their sequence.
[[gnu::always_inline]] inline void Network::enqueue(const Link& link, InFlight& message,
                                                    std::uint32_t slot, std::uint64_t ordinal) {
    message.sequence = world_.push(message.arrives, StepKind::Message, slot, link.word(), ordinal);
}

Duration Network::delay(const Link& link, std::uint64_t luck) const {
    return draw_delay(link, luck);
}

void Network::queue(Link& link, std::uint32_t slot, std::uint64_t ordinal) {
    enqueue(link, messages_[slot], slot, ordinal);
}

void Network::send_datagram(Link& link, std::uint32_t slot, std::uint64_t luck) {
    InFlight& message = messages_[slot];
    const char* lost = nullptr;
    if (link.cuts > 0)
        lost = "cut";
    else if (link.holes > 0)
        lost = "vanished";
    else if (link.loss_ppm > 0 && chance(link.loss_ppm, draw(luck, Loss)))
        lost = "lost";
    if (lost != nullptr) {
        lose(slot, lost);
        return;
    }
    Duration takes = draw_delay(link, luck);
    if (link.reorder_ppm > 0 && chance(link.reorder_ppm, draw(luck, Reorder)))
        takes += link.model.delay.max + up_to(link.model.delay.max * 3, draw(luck, ReorderBy));
    message.arrives = world_.now_ + takes;
    trace(message, nullptr);
    const std::uint64_t place = std::uint64_t{2} * link.ordinal;
    enqueue(link, message, slot, place);
    if (link.duplicate_ppm == 0 || !chance(link.duplicate_ppm, draw(luck, Duplicate))) return;
    const std::uint32_t copy_slot = messages_.take();
    InFlight& copy = messages_[copy_slot];
    copy.envelope = {message.envelope.from, message.envelope.to, message.envelope.sent,
                     message.envelope.payload.clone()};
    copy.link = message.link;
    copy.ordered = false;
    copy.held = false;
    copy.unacked = false;
    copy.arrives = world_.now_ + draw_delay(link, draw(luck, CopyDelay));
    enqueue(link, copy, copy_slot, place + 1);
}

/// A loss costs retransmissions. If they would take longer than the connection lasts, nothing
/// passes any more.
Duration Network::retransmissions(Link& link, std::uint64_t luck) {
    Duration takes;
    Duration again = first_retransmission;
    Prng retries(spread(luck));
    while (!link.starved && retries.chance(link.loss_ppm)) {
        takes += again;
        again += again;
        if (takes >= link.model.connection_timeout) link.starved = true;
    }
    if (link.starved) refresh(link);
    return takes;
}

[[gnu::always_inline]] inline void Network::send_ordered(Link& link, InFlight& message,
                                                         std::uint32_t slot, std::uint64_t luck) {
    // The sender does not know yet that the connection is gone.
    if (!link.plain && back(link).notice.pending) {
        lose(slot, "connection reset");
        return;
    }
    if (!link.plain && link.holes > 0) {
        lose(slot, "vanished");
        return;
    }
    message.epoch = link.epoch;
    message.next = Link::none;
    (link.last == Link::none ? link.first : messages_[link.last].next) = slot;
    link.last = slot;
    link.open = true;
    Duration takes = draw_delay(link, luck);
    if (link.loss_ppm > 0) takes += retransmissions(link, luck);
    if (!link.plain && (link.starved || link.cuts > 0)) {
        hold(message);
    } else {
        message.arrives = std::max(world_.now_ + takes, link.last_arrival);
        link.last_arrival = message.arrives;
        enqueue(link, message, slot, 0);
    }
    if (traced_) trace(message, nullptr);
    if (!link.plain) watch(link);
}

/// Some fault concerns one kind of message, perhaps this one: the link is worse for it alone.
[[gnu::noinline]] void Network::send_with_care(Link& link, std::uint32_t slot, std::uint64_t luck) {
    InFlight& message = messages_[slot];
    if (drop_asked(message.envelope)) {
        lose(slot, "lost by a fault");
        return;
    }
    const Trouble worse = trouble_of(link, message.envelope.payload.kind());
    add(link, worse, 1);
    if (message.ordered)
        send_ordered(link, message, slot, luck);
    else
        send_datagram(link, slot, luck);
    add(link, worse, -1);
}

void Network::send(ProcessId from, ProcessId to, Payload&& payload) {
    ++sent_;
    const std::size_t place = index(from, to);
    Link& on = links_[place];
    const SimTime now = world_.now_;
    on.ordinal = on.last_sent == now ? on.ordinal + 1 : 0;
    on.last_sent = now;
    const std::uint64_t luck =
        world_.luck(purpose("message"), on.word(), static_cast<std::uint64_t>(now.ns), on.ordinal);
    const std::uint32_t slot = messages_.take();
    InFlight& message = messages_[slot];
    message.envelope.from = from;
    message.envelope.to = to;
    message.envelope.sent = now;
    message.envelope.payload = std::move(payload);
    if (recode_) recode(message.envelope.payload);
    message.link = static_cast<std::uint32_t>(place);
    message.ordered = on.model.mode == LinkMode::Ordered;
    message.held = false;
    message.unacked = false;
    message.sequence = 0;
    if (kinds_matter_)
        send_with_care(on, slot, luck);
    else if (message.ordered)
        send_ordered(on, message, slot, luck);
    else
        send_datagram(on, slot, luck);
}

// Arrival.

/// A message arrives while something is unusual. False if there is nobody to take it.
bool Network::accept(Link& link, InFlight& message) {
    const Process& receiver = *world_.processes_[link.to.value - 1];
    Link& answers = back(link);
    if (message.held) --held_;
    message.held = false;
    if (!receiver.up()) {
        break_connection(link, answers);
        tell_after_delay(answers);
        return false;
    }
    // It comes over a new connection, so that the old one is known to be gone.
    if (link.notice.pending) give_notice(link);
    message.unacked = receiver.frozen_;
    if (answers.cuts > 0 || receiver.frozen_) {
        link.delivered_unacked = std::min(link.delivered_unacked, message.envelope.sent);
        watch(link);
    }
    return true;
}

[[gnu::noinline]] void Network::meet_cut(QueueEntry entry, std::uint32_t detail) {
    InFlight& message = messages_[entry.slot];
    Link& over = links_[message.link];
    entry.kind = StepKind::Held;
    world_.begin_step(entry, over.to, detail);
    if (message.ordered) {
        hold(message);
        watch(over);
    } else {
        release(entry.slot);
    }
}

void Network::arrive(const QueueEntry& entry) {
    InFlight& message = messages_[entry.slot];
    if (message.sequence != entry.sequence) return;
    message.sequence = 0;
    Link& over = links_[message.link];
    const std::uint32_t detail = (over.from.value << 16) | message.envelope.payload.kind();
    if (over.cuts > 0) {
        meet_cut(entry, detail);
        return;
    }
    world_.begin_step(entry, over.to, detail);
    Process& receiver = *world_.processes_[over.to.value - 1];
    bool taken = true;
    if (message.ordered) {
        LOCKSTEP_ASSERT(over.first == entry.slot, "from {} to {}: {} arrives before {}",
                        over.from.value, over.to.value, entry.slot, over.first);
        over.first = message.next;
        if (over.first == Link::none) over.last = Link::none;
        if (!over.plain || message.held) taken = accept(over, message);
    } else {
        taken = receiver.up();
    }
    if (taken)
        receiver.arrived(message, entry.slot);
    else
        release(entry.slot);
}

bool Network::still_valid(std::uint32_t slot) const {
    const InFlight& message = messages_[slot];
    return !message.unacked || message.epoch == links_[message.link].epoch;
}

}  // namespace lockstep::sim
