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

void Network::drop_next(std::uint16_t message_kind, ProcessId from, ProcessId to,
                        std::uint64_t order, std::function<void()> dropped) {
    drops_.push_back({message_kind, from, to, order, std::move(dropped)});
}

void Network::forget_drop(std::uint64_t order) {
    std::erase_if(drops_, [order](const Drop& d) { return d.order == order; });
}

bool Network::drop_asked(const Envelope& message) {
    const auto drop = std::find_if(drops_.begin(), drops_.end(), [&message](const Drop& d) {
        return d.kind == message.payload.kind() && (!d.from || d.from == message.from) &&
               (!d.to || d.to == message.to);
    });
    if (drop == drops_.end()) return false;
    const auto dropped = std::move(drop->dropped);
    forget_drop(drop->order);
    if (dropped) dropped();
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

}  // namespace lockstep::sim
