#include "sim/network.hpp"

#include "core/base/assert.hpp"
#include "sim/world.hpp"

#include <algorithm>
#include <utility>

namespace lockstep::sim {
namespace {

constexpr std::int64_t million = 1'000'000;

std::uint32_t sum(std::uint32_t model, std::int64_t trouble) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(model + trouble, 0, million));
}

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

void Network::add(Link& link, const Trouble& trouble, std::int64_t sign) {
    link.loss_trouble += sign * trouble.loss_ppm;
    link.duplicate_trouble += sign * trouble.duplicate_ppm;
    link.reorder_trouble += sign * trouble.reorder_ppm;
    link.extra_delay += trouble.delay * sign;
    combine(link);
}

void Network::add_trouble(ProcessId from, ProcessId to, const Trouble& trouble, std::int64_t sign) {
    Link& troubled = link(from, to);
    add(troubled, trouble, sign);
    if (sign * trouble.loss_ppm < 0) revive(troubled);
}

// Faults that aim at one kind of message.

void Network::add_trouble_of(std::uint16_t message_kind, ProcessId from, ProcessId to,
                             const Trouble& trouble, std::uint64_t order) {
    of_kind_.push_back({message_kind, from, to, trouble, order});
    note_kinds();
}

void Network::forget_trouble(std::uint64_t order) {
    std::vector<KindTrouble> over;
    std::erase_if(of_kind_, [&](const KindTrouble& t) {
        if (t.order == order) over.push_back(t);
        return t.order == order;
    });
    note_kinds();
    for (const KindTrouble& t : over)
        if (t.trouble.loss_ppm > 0) revive(link(t.from, t.to));
}

Network::Trouble Network::trouble_of(const Link& link, std::uint16_t kind) const {
    Trouble sum;
    for (const KindTrouble& t : of_kind_) {
        if (t.kind != kind || t.from != link.from || t.to != link.to) continue;
        sum.loss_ppm += t.trouble.loss_ppm;
        sum.duplicate_ppm += t.trouble.duplicate_ppm;
        sum.reorder_ppm += t.trouble.reorder_ppm;
        sum.delay += t.trouble.delay;
    }
    return sum;
}

void Network::drop_next(std::uint16_t message_kind, ProcessId from, ProcessId to,
                        std::uint64_t order, Dropped dropped) {
    drops_.push_back({message_kind, from, to, order, std::move(dropped)});
    note_kinds();
}

void Network::forget_drop(std::uint64_t order) {
    std::erase_if(drops_, [order](const Drop& d) { return d.order == order; });
    note_kinds();
}

bool Network::drop_asked(const Envelope& message) {
    const auto drop = std::find_if(drops_.begin(), drops_.end(), [&message](const Drop& d) {
        return d.kind == message.payload.kind() && (!d.from || d.from == message.from) &&
               (!d.to || d.to == message.to);
    });
    if (drop == drops_.end()) return false;
    const auto dropped = std::move(drop->dropped);
    forget_drop(drop->order);
    if (dropped) dropped(message.from, message.to);
    return true;
}

SimTime Network::latest_arrival() const {
    SimTime latest = world_.now();
    for (const Link& link : links_)
        if (link.first != Link::none) latest = std::max(latest, link.last_arrival);
    return latest;
}

// Cuts.

void Network::cut(ProcessId from, ProcessId to) {
    Link& over = link(from, to);
    if (over.cuts++ > 0) return;
    refresh(over);
    watch(over);
    watch(back(over));
}

void Network::heal(ProcessId from, ProcessId to) {
    Link& over = link(from, to);
    LOCKSTEP_ASSERT(over.cuts > 0, "healed, but not cut, from {} to {}", from.value, to.value);
    if (--over.cuts > 0) return;
    refresh(over);
    send_again(over);
    if (over.notice.pending && over.notice.waits) tell_after_delay(over);
}

// Black holes.

void Network::open_hole(ProcessId from, ProcessId to) {
    Link& over = link(from, to);
    if (over.holes++ == 0) refresh(over);
}

void Network::close_hole(ProcessId from, ProcessId to) {
    Link& over = link(from, to);
    LOCKSTEP_ASSERT(over.holes > 0, "no hole from {} to {}", from.value, to.value);
    if (--over.holes == 0) refresh(over);
}

Network::Health Network::health(ProcessId from, ProcessId to) const {
    const Link& of = link(from, to);
    if (of.cuts > 0 || of.holes > 0 || of.loss_trouble >= million) return Health::Cut;
    if (of.loss_trouble > 0 || of.reorder_trouble > 0 || of.extra_delay > Duration{})
        return Health::Troubled;
    const auto suffers = [&of](const KindTrouble& t) {
        const Trouble& has = t.trouble;
        return t.from == of.from && t.to == of.to &&
               (has.loss_ppm > 0 || has.reorder_ppm > 0 || has.delay > Duration{});
    };
    return std::any_of(of_kind_.begin(), of_kind_.end(), suffers) ? Health::Troubled : Health::Good;
}

}  // namespace lockstep::sim
