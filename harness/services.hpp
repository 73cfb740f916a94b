#pragma once

#include "properties/property.hpp"
#include "scenarios/resolve.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/world/guest_face.hpp"
#include "scenarios/world/service.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

/// Makes a service for one run. Both arguments outlive it. What it makes must depend on nothing but
/// them: a run is decided by its scenario and seed.
using MakeService = std::unique_ptr<world::Service> (*)(const scenario::Resolved& settings,
                                                        world::Recorder& recorder);

/// Adds a lock service of one's own to the program, beside `raft`: scenarios say `service =
/// "NAME"`. To be called before cli_main, from one thread. A name is made of a to z, 0 to 9 and -.
/// A name that is bad or taken, message kinds that clash, a setting that is declared twice: all of
/// these are mistakes of the calling program, and throw std::invalid_argument which says so.
void add_service(std::string name, MakeService make, world::ServiceFace face = {});

}  // namespace lockstep

namespace lockstep::harness {

struct ServiceEntry {
    std::string name;
    MakeService make;
    world::ServiceFace face;
};

/// All that this program has, `raft` first, then in the order in which they were added.
const std::vector<ServiceEntry>& services();
/// Null if there is none of that name.
const ServiceEntry* find_service(std::string_view name);

/// The service that the settings name; there must be one (check_service).
std::unique_ptr<world::Service> make_service(const scenario::Resolved& settings,
                                             world::Recorder& recorder);

/// What of a scenario only the program knows that runs it: whether there is such a service, and
/// whether it has those settings, messages and roles. To be asked after scenario::check.
std::optional<scenario::Objection> check_service(const scenario::Scenario& scenario);

/// The number of a message kind by its name, for triggers and aims: those of the service, and those
/// of resources, which every service has. Zero if there is none.
std::uint16_t message_kind(const ServiceEntry& service, std::string_view name);

/// Words for drawn plans: the service's messages, then those of resources; and its roles.
scenario::Vocabulary message_names(const ServiceEntry& service);

/// Whether what the service reports is evidence for the property. Where it is not, the property has
/// nothing to check, and its verdict is `idle`: silence is neither a promise kept nor one broken.
bool has_evidence(const ServiceEntry& service, properties::PropertyId id);

/// scenario::resolve in the words of the scenario's service, which must be one of the program's.
scenario::Resolved resolve(const scenario::Scenario& scenario, std::uint64_t seed);

/// How this program calls itself where it says how to have a run again: `lockstep`, until cli_main
/// has looked at its own name.
const std::string& program_name();
/// The service of scenarios that name none: `raft`, or, in a program with a service of its own, the
/// first that was added before cli_main.
const std::string& default_service();
/// For cli_main, once, before anything else.
void begin_program(std::string name);

}  // namespace lockstep::harness
