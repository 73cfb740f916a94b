#include "harness/services.hpp"

#include "core/base/assert.hpp"
#include "scenarios/services/raft/raft_service.hpp"
#include "scenarios/world/payloads.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace lockstep::harness {
namespace {

using Way = world::MessageKind::Way;
using Names = std::vector<std::string>;

constexpr std::array<const char*, 3> resource_requests{"write", "read", "call"};
constexpr std::array<const char*, 3> resource_replies{"write-reply", "read-reply", "call-reply"};

ServiceEntry raft() {
    ServiceEntry entry;
    entry.name = "raft";
    entry.make = [](const scenario::Resolved& settings,
                    world::Recorder& recorder) -> std::unique_ptr<world::Service> {
        return std::make_unique<services::RaftService>(settings, recorder);
    };
    entry.face.about = "Lockstep's own: a replicated lock table on Raft, with sessions and leases";
    const auto add = [&](const auto& names, Way way) {
        for (const char* name : names)
            entry.face.messages.push_back({name, world::message_kind(name), way});
    };
    add(scenario::raft_messages, Way::BetweenServers);
    add(scenario::client_requests, Way::FromClients);
    add(scenario::client_replies, Way::ToClients);
    entry.face.roles.assign(scenario::role_names.begin(), scenario::role_names.end());
    entry.face.reports_leaders = true;
    entry.face.reports_grants = true;
    return entry;
}

/// What this program is: filled before it runs anything, read afterwards.
struct ThisProgram {
    std::string name = "lockstep";
    std::string service = "raft";
    std::vector<ServiceEntry> services{raft()};
};
ThisProgram& this_program() {
    static ThisProgram program;
    return program;
}
std::vector<ServiceEntry>& registry() {
    return this_program().services;
}

bool is_plain(std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    });
}

template <std::size_t n>
bool one_of(const std::array<const char*, n>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool of_resources(std::string_view name) {
    return one_of(resource_requests, name) || one_of(resource_replies, name);
}

// What a service of one's own can report, beside what resources do: a trigger that waits for
// anything else would wait in vain.
constexpr std::array<const char*, 11> client_events{
    "session-told",     "deadline-moved", "acquire-called", "acquire-returned",
    "grant-told",       "may-act",        "loss-told",      "release-called",
    "release-returned", "close-called",   "point"};
constexpr std::array<const char*, 12> resource_events{
    "write-accepted", "write-repeated", "write-recovered", "write-rejected",
    "read-accepted",  "read-rejected",  "write-sent",      "write-told",
    "call-accepted",  "call-recovered", "call-sent",       "call-told"};
constexpr std::array<const char*, 5> grant_events{"granted", "queued", "released", "cancelled",
                                                  "session-ended"};
constexpr std::array<const char*, 1> leader_events{"became-leader"};

std::vector<std::string> reported_events(const ServiceEntry& service) {
    std::vector<std::string> all(client_events.begin(), client_events.end());
    all.insert(all.end(), resource_events.begin(), resource_events.end());
    if (service.face.reports_grants)
        all.insert(all.end(), grant_events.begin(), grant_events.end());
    if (service.face.reports_leaders)
        all.insert(all.end(), leader_events.begin(), leader_events.end());
    return all;
}

[[noreturn]] void refuse(const std::string& service, const std::string& why) {
    throw std::invalid_argument(fmt::format("add_service(\"{}\"): {}", service, why));
}

void check_messages(const ServiceEntry& entry) {
    const auto& messages = entry.face.messages;
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const world::MessageKind& one = messages[i];
        if (!is_plain(one.name))
            refuse(entry.name, fmt::format("message kind \"{}\"; its name is made of a to z, 0 to "
                                           "9 and -",
                                           one.name));
        // A service that is made of ours speaks as ours does.
        if (one.kind == world::message_kind(one.name)) continue;
        if (one.kind < world::GuestFamily)
            refuse(entry.name,
                   fmt::format("message kind {} has the number {:#x}; those of a service of one's "
                               "own begin at GuestFamily, {:#x}",
                               one.name, one.kind, static_cast<unsigned>(world::GuestFamily)));
        if (of_resources(one.name))
            refuse(entry.name,
                   fmt::format("message kind {}: resources have one of that name", one.name));
        for (std::size_t k = 0; k < i; ++k)
            if (messages[k].name == one.name || messages[k].kind == one.kind)
                refuse(entry.name, fmt::format("message kinds {} and {} share a name or a number",
                                               messages[k].name, one.name));
    }
}

void check_face(const ServiceEntry& entry) {
    check_messages(entry);
    const auto& settings = entry.face.settings;
    for (std::size_t i = 0; i < settings.size(); ++i)
        for (std::size_t k = 0; k < i; ++k)
            if (settings[k].name == settings[i].name)
                refuse(entry.name, fmt::format("setting {} is declared twice", settings[i].name));
    for (const std::string& role : entry.face.roles)
        if (!one_of(scenario::role_names, role))
            refuse(entry.name, fmt::format("role {}; allowed are {}", role,
                                           fmt::join(scenario::role_names, ", ")));
}

/// The names of all message kinds that faults can be aimed at.
Names all_messages(const ServiceEntry& service) {
    scenario::Vocabulary names = message_names(service);
    Names all = std::move(names.between_servers);
    all.insert(all.end(), names.from_clients.begin(), names.from_clients.end());
    all.insert(all.end(), names.to_clients.begin(), names.to_clients.end());
    return all;
}

/// What of a fault only the service knows.
class FaultCheck {
public:
    FaultCheck(const ServiceEntry& service, std::string key)
        : service_(service), key_(std::move(key)) {}

    std::optional<scenario::Objection> check(const sim::Fault& fault) {
        if (fault.aim.by == sim::Aim::By::Role) role(fault.aim.name, ".aim");
        for (const std::string& peer : fault.peers)
            role(peer.starts_with('!') ? peer.substr(1) : peer, ".peers");
        if (!fault.message.empty()) message(fault.message, ".message");
        if (fault.trigger) {
            if (fault.trigger->on == sim::Trigger::On::Message)
                message(fault.trigger->what, ".when.message");
            if (fault.trigger->on == sim::Trigger::On::Event) event(fault.trigger->what);
            const auto& where = fault.trigger->where;
            if (where && where->by == sim::Aim::By::Role) role(where->name, ".when.at");
        }
        return objection_;
    }

private:
    void role(const std::string& name, const char* where) {
        const Names& roles = service_.face.roles;
        if (!one_of(scenario::role_names, name) ||
            std::find(roles.begin(), roles.end(), name) != roles.end())
            return;
        object(where,
               fmt::format("found \"{}\"; the roles of service {} are {}", name, service_.name,
                           roles.empty() ? "none" : fmt::format("{}", fmt::join(roles, ", "))));
    }
    void message(const std::string& name, const char* where) {
        if (message_kind(service_, name) == 0)
            object(where, fmt::format("found \"{}\"; service {} has {}", name, service_.name,
                                      fmt::join(all_messages(service_), ", ")));
    }
    void event(const std::string& name) {
        const auto all = reported_events(service_);
        if (service_.name != "raft" && std::find(all.begin(), all.end(), name) == all.end())
            object(".when.event", fmt::format("found \"{}\"; service {} reports {}", name,
                                              service_.name, fmt::join(all, ", ")));
    }
    void object(const char* where, std::string message) {
        if (!objection_) objection_ = scenario::Objection{key_ + where, std::move(message)};
    }

    const ServiceEntry& service_;
    const std::string key_;
    std::optional<scenario::Objection> objection_;
};

}  // namespace

const std::vector<ServiceEntry>& services() {
    return registry();
}

const ServiceEntry* find_service(std::string_view name) {
    for (const ServiceEntry& entry : registry())
        if (entry.name == name) return &entry;
    return nullptr;
}

std::unique_ptr<world::Service> make_service(const scenario::Resolved& settings,
                                             world::Recorder& recorder) {
    const ServiceEntry* entry = find_service(settings.service);
    LOCKSTEP_ASSERT(entry != nullptr, "service={}", settings.service);
    auto service = entry->make(settings, recorder);
    LOCKSTEP_ASSERT(service != nullptr, "service={} was not made", settings.service);
    return service;
}

std::optional<scenario::Objection> check_service(const scenario::Scenario& scenario) {
    const ServiceEntry* entry = find_service(scenario.service);
    if (entry == nullptr) {
        Names names;
        for (const ServiceEntry& known : registry()) names.push_back(known.name);
        return scenario::Objection{
            "service", fmt::format("found \"{}\"; this program has {}", scenario.service,
                                   fmt::join(names, ", "))};
    }
    if (auto wrong = world::check_settings(scenario.service_settings, entry->face.settings))
        return scenario::Objection{"service_settings." + wrong->key, std::move(wrong->message)};
    for (std::size_t i = 0; i < scenario.faults.size(); ++i)
        if (auto wrong =
                FaultCheck(*entry, fmt::format("fault[{}]", i + 1)).check(scenario.faults[i]))
            return wrong;
    return std::nullopt;
}

std::uint16_t message_kind(const ServiceEntry& service, std::string_view name) {
    for (const world::MessageKind& message : service.face.messages)
        if (message.name == name) return message.kind;
    return of_resources(name) ? world::message_kind(name) : std::uint16_t{0};
}

scenario::Vocabulary message_names(const ServiceEntry& service) {
    scenario::Vocabulary names;
    names.roles = service.face.roles;
    for (const world::MessageKind& message : service.face.messages) {
        Names& to = message.way == Way::BetweenServers ? names.between_servers
                    : message.way == Way::FromClients  ? names.from_clients
                                                       : names.to_clients;
        to.push_back(message.name);
    }
    // Raft's lists have the resources' kinds already, in the order that drawn plans depend on.
    const auto add = [](Names& to, const auto& more) {
        for (const char* name : more)
            if (std::find(to.begin(), to.end(), name) == to.end()) to.push_back(name);
    };
    add(names.from_clients, resource_requests);
    add(names.to_clients, resource_replies);
    return names;
}

bool has_evidence(const ServiceEntry& service, properties::PropertyId id) {
    using properties::PropertyId;
    if (service.name == "raft") return true;
    switch (id) {
        case PropertyId::Act1:
        case PropertyId::Fence1:
        case PropertyId::Fence2:
        case PropertyId::Belief1:
        case PropertyId::Live2:
        case PropertyId::Live4:
        case PropertyId::Lin1:
            return true;  // clients and resources report enough
        case PropertyId::Raft1:
        case PropertyId::Avail1:
        case PropertyId::Live1:
            return service.face.reports_leaders;
        case PropertyId::Lock1:
        case PropertyId::Lock2:
        case PropertyId::Lock4:
        case PropertyId::Lock5:
        case PropertyId::Grant1:
        case PropertyId::Live3:
            return service.face.reports_grants;
        case PropertyId::Raft2:
        case PropertyId::Raft3:
        case PropertyId::Raft4:
        case PropertyId::Raft5:
        case PropertyId::Raft6:
        case PropertyId::Lock3:
        case PropertyId::Lock6:
        case PropertyId::Keep1:
        case PropertyId::Wake1:
        case PropertyId::Quorum1:
            return false;  // of logs, renewals and answers, which no Reporter has words for
    }
    LOCKSTEP_ASSERT(false, "property {}", static_cast<int>(id));
}

scenario::Resolved resolve(const scenario::Scenario& scenario, std::uint64_t seed) {
    const ServiceEntry* entry = find_service(scenario.service);
    LOCKSTEP_ASSERT(entry != nullptr, "service={}", scenario.service);
    return scenario::resolve(scenario, seed, message_names(*entry));
}

const std::string& program_name() {
    return this_program().name;
}

const std::string& default_service() {
    return this_program().service;
}

void begin_program(std::string name) {
    ThisProgram& program = this_program();
    if (!name.empty()) program.name = std::move(name);
    if (program.services.size() > 1) program.service = program.services[1].name;
}

}  // namespace lockstep::harness

namespace lockstep {

void add_service(std::string name, MakeService make, world::ServiceFace face) {
    using namespace harness;
    ServiceEntry entry{std::move(name), make, std::move(face)};
    if (!is_plain(entry.name)) refuse(entry.name, "a name is made of a to z, 0 to 9 and -");
    if (find_service(entry.name) != nullptr)
        refuse(entry.name, "there is one of that name already");
    if (entry.make == nullptr) refuse(entry.name, "nothing to make it with");
    check_face(entry);
    registry().push_back(std::move(entry));
}

}  // namespace lockstep
