#pragma once

#include <lockstep/lockstep.hpp>
#include <memory>

/// A lock without a lock server: for each lock a lease file on shared storage. Whoever wants the
/// lock reads its file; if it is free, or has not changed for as long as a lease lasts, writes its
/// own name into it.
namespace lease_file {

std::unique_ptr<lockstep::world::Service> make(const lockstep::scenario::Resolved& settings,
                                               lockstep::world::Recorder& recorder);
lockstep::world::ServiceFace face();

}  // namespace lease_file
