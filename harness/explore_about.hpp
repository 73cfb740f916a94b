#pragma once

#include "harness/batch.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace lockstep::harness {

/// What is needed, beside the outcomes, to tell of an exploration where its scenarios are not: how
/// its runs are had again, and what is demanded of them.
struct ExplorationAbout {
    std::vector<Repeat> repeats;
    std::vector<Demands> demands;
    bool whole_catalogue = false;
};

std::vector<std::byte> encode(const ExplorationAbout& about);
/// Nothing if the bytes are not what `encode` wrote.
std::optional<ExplorationAbout> decode_about(std::span<const std::byte> bytes);

}  // namespace lockstep::harness
