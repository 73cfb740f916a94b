// What a process does, at once or when it may: stalls, the backlog, and how that is worked off.
#include "core/base/assert.hpp"
#include "sim/network.hpp"
#include "sim/process.hpp"
#include "sim/purpose.hpp"
#include "sim/strand.hpp"
#include "sim/world.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace lockstep::sim {

void Process::pause(ClockMode clock) {
    const bool freezes = clock == ClockMode::Frozen && !frozen_;
    const bool first = pauses_++ == 0;
    ++halts_;
    if (freezes) {
        frozen_ = true;
        clock_.freeze(world_.now_);
        world_.network_.on_freeze(id_);
    }
    if (first || freezes) world_.emit(id_, Paused{clock, 0});
}

void Process::resume() {
    LOCKSTEP_ASSERT(pauses_ > 0, "process {} is resumed, but not paused", name_);
    --halts_;
    if (--pauses_ > 0) return;
    if (frozen_) {
        frozen_ = false;
        clock_.thaw(world_.now_);
        clock_changed();
        world_.network_.on_thaw(id_);
    }
    world_.emit(id_, Resumed{0});
    go_on();
}

void Process::pause_strand(std::uint32_t strand) {
    if (stalls_.size() <= strand) stalls_.resize(strand + 1);
    ++halts_;
    if (stalls_[strand]++ == 0) world_.emit(id_, Paused{ClockMode::Runs, strand + 1});
}

void Process::resume_strand(std::uint32_t strand) {
    LOCKSTEP_ASSERT(strand < stalls_.size() && stalls_[strand] > 0,
                    "strand {} of process {} is resumed, but not paused", strand, name_);
    --halts_;
    if (--stalls_[strand] > 0) return;
    world_.emit(id_, Resumed{strand + 1});
    go_on();
}

/// Callbacks queue up behind a backlog that is being worked off, or a message could overtake an
/// earlier one of its link.
void Process::do_or_wait(const Item& item) {
    const std::uint32_t strand = strand_of(item);
    if (!stopped(strand) && (strand != 0 || !going_on_)) {
        perform(item);
        return;
    }
    put_off(item);
}

void Process::put_off(const Item& item) {
    backlog_.push_back(item);
}

void Process::perform(const Item& item) {
    LOCKSTEP_ASSERT(program_ != nullptr, "process {} is down", name_);
    if (item.what == Item::What::Fiber) {
        run(*strands_[item.slot - 1]);
        return;
    }
    if (item.what == Item::What::Message) {
        take(item.slot);
        return;
    }
    const World::Calling calling(world_, *this);
    switch (item.what) {
        case Item::What::Reset:
            program_->on_reset(*this, ProcessId(item.slot));
            break;
        case Item::What::Io: {
            const std::function<void()> done = std::move(world_.ios_[item.slot].done);
            drop(item);
            done();
            break;
        }
        case Item::What::Timer:
            alarms_[item.slot].waiting = LocalTime::never();
            program_->on_timer(*this, item.slot);
            break;
        case Item::What::Message:
        case Item::What::Fiber:
            break;
    }
}

/// False if something happened meanwhile that takes the reason away.
bool Process::valid(const Item& item) const {
    if (item.what == Item::What::Timer) return alarms_[item.slot].waiting == item.deadline;
    if (item.what == Item::What::Message) return world_.network_.still_valid(item.slot);
    return true;
}

void Process::drop(const Item& item) {
    if (item.what == Item::What::Message) world_.network_.release(item.slot);
    if (item.what == Item::What::Io) {
        world_.ios_[item.slot].done = nullptr;
        world_.ios_.give_back(item.slot);
    }
}

/// The position of the first thing in the backlog whose strand is not stopped.
std::size_t Process::next_waiting() const {
    std::size_t i = 0;
    while (i < backlog_.size() && stopped(strand_of(backlog_[i]))) ++i;
    return i;
}

/// Something was resumed.
void Process::go_on() {
    const bool start = start_waits_ && !stopped(0);
    if (!start && next_waiting() == backlog_.size()) return;
    interleave();
    if (going_on_) return;
    going_on_ = true;
    going_on_sequence_ = world_.push(world_.now_, StepKind::Backlog, id_.value, id_.value, 0);
}

void Process::backlog_due(const QueueEntry& entry) {
    if (going_on_sequence_ != entry.sequence) return;
    world_.begin_step(entry, id_, 0);
    going_on_ = false;
    going_on_sequence_ = 0;
    if (start_waits_ && !stopped(0)) {
        start_waits_ = false;
        go_on();
        const World::Calling calling(world_, *this);
        program_->start(*this);
        return;
    }
    for (std::size_t i = next_waiting(); i < backlog_.size(); i = next_waiting()) {
        const Item item = backlog_[i];
        backlog_.erase(backlog_.begin() + static_cast<std::ptrdiff_t>(i));
        if (!valid(item)) {
            drop(item);
            continue;
        }
        if (next_waiting() < backlog_.size()) {
            going_on_ = true;
            going_on_sequence_ =
                world_.push(world_.now_, StepKind::Backlog, id_.value, id_.value, 0);
        }
        perform(item);
        return;
    }
}

/// Puts what may go on now into an order drawn from the seed that keeps the order of deadlines, of
/// each link, of devices' operations, and of fibers that were about to run.
void Process::interleave() {
    struct Source {
        std::uint64_t key;
        std::vector<Item> items;
        std::size_t taken = 0;
    };
    constexpr std::uint64_t clock_source = 1;
    constexpr std::uint64_t io_source = 2;
    constexpr std::uint64_t fiber_source = 3;
    constexpr std::uint64_t first_link_source = 4;
    std::vector<Source> sources;
    std::deque<Item> stopped_still;
    std::uint64_t left = 0;
    for (const Item& item : backlog_) {
        if (stopped(strand_of(item))) {
            stopped_still.push_back(item);
            continue;
        }
        std::uint64_t key = fiber_source;
        if (item.deadline != LocalTime::never())
            key = clock_source;
        else if (item.what == Item::What::Io)
            key = io_source;
        else if (item.what != Item::What::Fiber)
            key = first_link_source + item.link;
        const auto same = [key](const Source& source) { return source.key == key; };
        auto source = std::find_if(sources.begin(), sources.end(), same);
        if (source == sources.end()) source = sources.insert(source, Source{key, {}});
        source->items.push_back(item);
        ++left;
    }
    std::sort(sources.begin(), sources.end(),
              [](const Source& a, const Source& b) { return a.key < b.key; });
    if (!sources.empty() && sources.front().key == clock_source)
        std::sort(sources.front().items.begin(), sources.front().items.end(),
                  [](const Item& a, const Item& b) {
                      return std::tuple(a.deadline, a.what, a.slot) <
                             std::tuple(b.deadline, b.what, b.slot);
                  });
    Prng draw(world_.luck(purpose("resume"), id_.value, static_cast<std::uint64_t>(world_.now_.ns),
                          life_));
    backlog_.clear();
    for (; left > 0; --left) {
        std::uint64_t pick = draw.below(left);
        auto source = sources.begin();
        while (pick >= source->items.size() - source->taken) {
            pick -= source->items.size() - source->taken;
            ++source;
        }
        backlog_.push_back(source->items[source->taken++]);
    }
    backlog_.insert(backlog_.end(), stopped_still.begin(), stopped_still.end());
}

}  // namespace lockstep::sim
