#include "properties/setup.hpp"

#include <fmt/format.h>

namespace lockstep::properties {

std::string Setup::name_of(sim::ProcessId id) const {
    for (const Process& process : roster)
        if (process.id == id) return process.name;
    return fmt::format("#{}", id.value);
}

std::string Setup::name_of(LockId lock) const {
    if (lock && lock.value <= locks.size()) return locks[lock.value - 1];
    return fmt::format("lock {}", lock.value);
}

}  // namespace lockstep::properties
