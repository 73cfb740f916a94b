#include "scenarios/workloads/workload.hpp"

#include "core/base/assert.hpp"

namespace lockstep::workloads {

void Worker::rest(const scenario::DurationRange& range) {
    process.sleep(prng.between(range.min, range.max));
}

LockId Worker::draw_lock() {
    return LockId(static_cast<std::uint32_t>(1 + prng.below(settings.locks.size())));
}

std::unique_ptr<Workload> make(scenario::WorkloadKind kind) {
    switch (kind) {
        case scenario::WorkloadKind::Counter:
            return make_counter();
        case scenario::WorkloadKind::Election:
            return make_election();
    }
    LOCKSTEP_ASSERT(false, "workload {}", static_cast<int>(kind));
}

}  // namespace lockstep::workloads
