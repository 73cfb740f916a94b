#include "sim/process.hpp"

#include "core/base/assert.hpp"
#include "sim/disk.hpp"
#include "sim/purpose.hpp"
#include "sim/strand.hpp"
#include "sim/world.hpp"

#include <algorithm>
#include <utility>

namespace lockstep::sim {
namespace {

/// 2023-11-14, as good a day as any.
constexpr std::int64_t wall_at_zero = 1'700'000'000'000'000'000;

WallTime first_wall(const World& world, ProcessId id) {
    Prng draw(world.luck(purpose("wall"), id.value, 0, 0));
    const Duration error = draw.between(milliseconds(-100), milliseconds(100));
    return WallTime{wall_at_zero} + error;
}

}  // namespace

Process::Process(World& world, ProcessId id, std::string name, ProcessKind kind)
    : world_(world),
      id_(id),
      kind_(kind),
      name_(std::move(name)),
      clock_(world.now(), LocalTime{}),
      wall_(SimTime{}, first_wall(world, id)),
      prng_(0),
      disk_(std::make_unique<Disk>(world, id)) {}

Process::~Process() {
    end();
}

// Lives.

void Process::boot(SimTime at) {
    ++life_;
    alive_ = true;
    prng_ = Prng(world_.luck(purpose("life"), id_.value, life_, 0));
    Prng draw(world_.luck(purpose("boot"), id_.value, life_, 0));
    clock_.boot(at, LocalTime{} + draw.between(seconds(3'600), seconds(1'000'000)));
}

void Process::begin(std::unique_ptr<Program> program) {
    LOCKSTEP_ASSERT(program != nullptr, "process {} has no program", name_);
    program_ = std::move(program);
    if (stopped(0)) {
        start_waits_ = true;
        return;
    }
    const World::Calling calling(world_, *this);
    program_->start(*this);
}

/// Returns what a fiber let out while it was being unwound.
std::exception_ptr Process::end() {
    dying_ = true;
    std::exception_ptr thrown;
    for (auto& strand : strands_) {
        const World::Running running(world_, *strand);
        std::exception_ptr by_this = strand->fiber.kill();
        if (!thrown) thrown = std::move(by_this);
    }
    program_.reset();
    strands_.clear();
    alarms_.clear();
    watched_.clear();
    for (const Item& item : backlog_) drop(item);
    backlog_.clear();
    going_on_ = false;
    going_on_sequence_ = 0;
    start_waits_ = false;
    if (failing_) --halts_;
    failing_ = false;
    alive_ = false;
    dying_ = false;
    return thrown;
}

// What programs ask for.

LocalTime Process::now() const {
    return clock_.read(world_.now_);
}
WallTime Process::wall() const {
    return wall_.read(world_.now_);
}
SimTime Process::true_now() const {
    return world_.now_;
}

void Process::send(ProcessId to, Payload&& payload) {
    if (dying_) return;
    LOCKSTEP_ASSERT(alive_, "process {} sends, but is down", name_);
    world_.network_.send(id_, to, std::move(payload));
}

void Process::set_timer(TimerId timer, LocalTime at) {
    if (dying_) return;
    if (alarms_.size() <= timer) add_alarms(timer);
    alarms_[timer].waiting = LocalTime::never();
    arm(alarms_[timer].timer, at, StepKind::Timer, timer);
}

[[gnu::noinline]] void Process::add_alarms(TimerId timer) {
    LOCKSTEP_ASSERT(timer <= max_number, "timer={}", timer);
    alarms_.resize(timer + 1);
}

void Process::cancel_timer(TimerId timer) {
    if (timer >= alarms_.size()) return;
    alarms_[timer].waiting = LocalTime::never();
    alarms_[timer].timer.at = LocalTime::never();
}

void Process::watch_deadline(std::uint64_t key, LocalTime at) {
    if (dying_) return;
    std::size_t free = watched_.size();
    std::size_t found = watched_.size();
    for (std::size_t i = watched_.size(); i > 0; --i) {
        if (!watched_[i - 1].used)
            free = i - 1;
        else if (watched_[i - 1].key == key)
            found = i - 1;
    }
    if (at == LocalTime::never()) {
        if (found == watched_.size()) return;
        watched_[found].used = false;
        watched_[found].timer.at = LocalTime::never();
        return;
    }
    const std::size_t place = found < watched_.size() ? found : free;
    if (place == watched_.size()) {
        LOCKSTEP_ASSERT(place <= max_number, "{} deadlines are watched", place);
        watched_.emplace_back();
    }
    watched_[place].key = key;
    watched_[place].used = true;
    arm(watched_[place].timer, at, StepKind::Deadline, static_cast<std::uint32_t>(place));
}

void Process::spawn(const char* name, std::function<void()> body) {
    if (dying_) return;
    LOCKSTEP_ASSERT(alive_, "process {} spawns {}, but is down", name_, name);
    LOCKSTEP_ASSERT(strands_.size() < max_number, "process {} has {} fibers", name_,
                    strands_.size());
    const auto number = static_cast<std::uint32_t>(strands_.size() + 1);
    strands_.push_back(
        std::make_unique<Strand>(*this, number, name, world_.stacks_, std::move(body)));
    wake(*strands_.back());
}

void Process::fail() {
    if (dying_ || failing_) return;
    LOCKSTEP_ASSERT(alive_, "process {} fails, but is down", name_);
    failing_ = true;
    ++halts_;
    world_.failed(*this);
}

void Process::point(std::uint32_t point) {
    if (dying_) return;
    world_.listener_.on_point(world_.now_, id_, point);
    Strand* const strand = world_.running_;
    if (strand == nullptr || &strand->process != this) return;
    while (stopped(strand->number) && !strand->fiber.unwinding()) {
        backlog_.push_back({Item::What::Fiber, strand->number});
        block(*strand);
    }
}

// Time.

/// Puts the timer into the queue for the instant at which it will be due as things are.
void Process::queue(ClockTimer& timer, StepKind kind, std::uint32_t number) {
    const SimTime due = std::max(clock_.when(timer.at), world_.now_);
    if (due == SimTime::never()) return;
    timer.queued_for = timer.at;
    if (timer.queued <= due) return;
    timer.queued = due;
    const std::uint32_t slot = slot_of(number);
    timer.sequence = world_.push(due, kind, slot, slot, 0);
}

/// The clock's rate changed. An entry that is too early now is dealt with when it comes up.
void Process::requeue(ClockTimer& timer, StepKind kind, std::uint32_t number) {
    timer.queued_for = LocalTime::never();
    if (timer.at != LocalTime::never()) queue(timer, kind, number);
}

/// The deadline, if it has been reached. The time of the entry may not be the world's yet.
std::optional<LocalTime> Process::take_due(ClockTimer& timer, const QueueEntry& entry) {
    if (timer.sequence != entry.sequence) return std::nullopt;  // an earlier one was queued since
    timer.queued = SimTime::never();
    timer.queued_for = LocalTime::never();
    timer.sequence = 0;
    if (timer.at == LocalTime::never()) return std::nullopt;
    const SimTime due = clock_.when(timer.at);
    if (due <= entry.time) return std::exchange(timer.at, LocalTime::never());
    queue(timer, entry.kind, entry.slot & max_number);
    return std::nullopt;
}

void Process::clock_changed() {
    for (std::size_t i = 0; i < alarms_.size(); ++i)
        requeue(alarms_[i].timer, StepKind::Timer, static_cast<std::uint32_t>(i));
    for (const auto& strand : strands_)
        requeue(strand->timer, StepKind::FiberTimer, strand->number);
    for (std::size_t i = 0; i < watched_.size(); ++i)
        requeue(watched_[i].timer, StepKind::Deadline, static_cast<std::uint32_t>(i));
}

// Steps.

void Process::alarm_due(const QueueEntry& entry) {
    const std::uint32_t number = entry.slot & max_number;
    if (number >= alarms_.size()) return;
    const auto deadline = take_due(alarms_[number].timer, entry);
    if (!deadline) return;
    world_.begin_step(entry, id_, number);
    alarms_[number].waiting = *deadline;
    do_or_wait({Item::What::Timer, number, 0, *deadline});
}

void Process::deadline_due(const QueueEntry& entry) {
    const std::uint32_t number = entry.slot & max_number;
    if (number >= watched_.size()) return;
    if (!take_due(watched_[number].timer, entry)) return;
    world_.begin_step(entry, id_, number);
    watched_[number].used = false;
    world_.emit(id_, DeadlinePassed{watched_[number].key});
}

void Process::io_due(const QueueEntry& entry) {
    const World::Io& io = world_.ios_[entry.slot];
    if (!up() || io.life != life_) {
        drop({Item::What::Io, entry.slot});
        return;
    }
    world_.begin_step(entry, id_, 0);
    do_or_wait({Item::What::Io, entry.slot});
}

[[gnu::always_inline]] inline void Process::take_now(InFlight& message, std::uint32_t slot) {
    if (world_.network_.traced_) [[unlikely]]
        world_.listener_.on_message_taken(world_.now_, message.envelope);
    const World::Calling calling(world_, *this);
    program_->on_message(*this, message.envelope);
    calling.world.network_.discard(message, slot);
}

void Process::take(std::uint32_t slot) {
    take_now(world_.network_.message(slot), slot);
}

void Process::arrived(InFlight& message, std::uint32_t slot) {
    if (stopped(0) || going_on_)
        put_off({Item::What::Message, slot, message.envelope.from.value});
    else
        take_now(message, slot);
}

void Process::was_reset(ProcessId peer) {
    do_or_wait({Item::What::Reset, peer.value, peer.value});
}

}  // namespace lockstep::sim
