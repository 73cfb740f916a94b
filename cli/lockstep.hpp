#pragma once

#include "harness/services.hpp"
#include "scenarios/world/guest_client.hpp"
#include "scenarios/world/guest_payload.hpp"
#include "scenarios/world/guest_service.hpp"
#include "scenarios/world/guest_settings.hpp"
#include "sim/disk.hpp"
#include "sim/process.hpp"

/// All that a lock service of one's own needs to be tested by Lockstep (docs/bring-your-own.md):
///
///     int main(int argc, char** argv) {
///         lockstep::add_service("mine", make_mine);
///         return lockstep::cli_main(argc, argv);
///     }
///
/// Installed as <lockstep/lockstep.hpp>.
namespace lockstep {

/// The program `lockstep`, with every service that was added before the call. Returns its exit
/// code: 0 all as expected, 1 a property was violated, 2 bad input, 3 gave up or could not tell, 4
/// the harness is not to be trusted.
int cli_main(int argc, char** argv);

}  // namespace lockstep
