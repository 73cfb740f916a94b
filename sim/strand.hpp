#pragma once

#include "sim/fiber.hpp"
#include "sim/process.hpp"

#include <cstdint>
#include <functional>
#include <utility>

namespace lockstep::sim {

/// A fiber of a process and what it waits for.
struct Strand {
    Strand(Process& owner, std::uint32_t strand, const char* what, StackPool& stacks,
           std::function<void()> body)
        : process(owner), number(strand), name(what), fiber(stacks, std::move(body)) {}

    Process& process;
    const std::uint32_t number;
    const char* const name;
    ClockTimer timer;                 ///< until when it sleeps or waits
    std::uint64_t wake_sequence = 0;  ///< of the entry that makes it go on; zero if there is none
    bool timed_out = false;           ///< the last wait ended by the clock
    Condition* waits_on = nullptr;
    Strand* next = nullptr;  ///< in the condition's list
    Strand* previous = nullptr;
    Fiber fiber;  ///< last: its stack may refer to the rest while it unwinds
};

}  // namespace lockstep::sim
