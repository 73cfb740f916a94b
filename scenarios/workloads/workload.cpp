#include "scenarios/workloads/workload.hpp"

#include "core/base/assert.hpp"

namespace lockstep::workloads {

using events::WriteOutcome;

namespace {

/// How long a worker waits when it was turned away for a limit.
constexpr Duration turned_away = milliseconds(100);

}  // namespace

void Worker::rest(const scenario::DurationRange& range) {
    process.sleep(prng.between(range.min, range.max));
}

LockId Worker::draw_lock() {
    return LockId(static_cast<std::uint32_t>(1 + prng.below(settings.locks.size())));
}

void Worker::have_session() {
    if (!locks.has_session()) locks.open();
}

bool Worker::next_turn() {
    rest(settings.workload.think);
    if (stopping) return false;
    have_session();
    return true;
}

// The wall clock may run slower than the one that sleep goes by: then it takes another nap.
std::uint64_t Worker::next_tick() {
    const std::int64_t period = settings.workload.period.ns;
    const std::int64_t before = process.wall().ns / period;
    do process.sleep(Duration{(before + 1) * period - process.wall().ns});
    while (!stopping && process.wall().ns / period == before);
    return static_cast<std::uint64_t>(process.wall().ns / period);
}

world::Acquired Worker::acquire(LockId lock, Duration wait_max) {
    const world::Acquired acquired = ask(lock, wait_max);
    if (!acquired.granted() || !stopping) return acquired;
    // Told to stop while it waited: it begins nothing any more.
    release(lock);
    return {events::AcquireOutcome::TimedOut, FencingToken()};
}

world::Acquired Worker::ask(LockId lock, Duration wait_max) {
    at(Point::BeforeAcquire);
    const world::Acquired acquired = locks.acquire(lock, wait_max);
    if (acquired.granted()) at(Point::AfterGrant);
    // Refused by its own client, which asks nobody: it must not ask again at the same instant.
    if (acquired.outcome == events::AcquireOutcome::LimitReached) process.sleep(turned_away);
    return acquired;
}

void Worker::release(LockId lock) {
    at(Point::BeforeRelease);
    locks.release(lock, settings.ttl);
}

world::ReadResult Worker::read(LockId lock, FencingToken token) {
    at(Point::BeforeRead);
    return resources.read(resource(lock), lock, token, settings.ttl);
}

bool Worker::write(LockId lock, FencingToken token, std::uint64_t n, world::ReadResult& read) {
    at(Point::BeforeWrite);
    const auto written =
        resources.write(resource(lock), lock, token, n, read.version, read.value + 1, settings.ttl);
    at(Point::AfterWrite);
    if (written.outcome != WriteOutcome::Accepted) return false;
    read.version = written.version;
    ++read.value;
    return true;
}

std::unique_ptr<Workload> make(scenario::WorkloadKind kind) {
    switch (kind) {
        case scenario::WorkloadKind::Counter:
            return make_counter();
        case scenario::WorkloadKind::Election:
            return make_election();
        case scenario::WorkloadKind::Append:
            return make_append();
        case scenario::WorkloadKind::Cron:
            return make_cron();
        case scenario::WorkloadKind::Payments:
            return make_payments();
        case scenario::WorkloadKind::ManyLocks:
            return make_many_locks();
        case scenario::WorkloadKind::Herd:
            return make_herd();
        case scenario::WorkloadKind::Drain:
            return make_drain();
    }
    LOCKSTEP_ASSERT(false, "workload {}", static_cast<int>(kind));
}

}  // namespace lockstep::workloads
