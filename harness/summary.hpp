#pragma once

#include "core/base/codec.hpp"
#include "core/base/result.hpp"
#include "harness/run.hpp"

namespace lockstep::harness {

/// An outcome as it travels from a worker process to the one that merges: everything but the log,
/// the names, and the marks that were not reached.
void encode_summary(const Outcome& outcome, Writer& out);
/// False if the bytes are not what `encode_summary` wrote.
bool decode_summary(std::span<const std::byte> bytes, Outcome& outcome);

}  // namespace lockstep::harness
