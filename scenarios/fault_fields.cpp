// The keys of a fault.
#include "scenarios/scenario_spelling.hpp"

#include <algorithm>

namespace lockstep::scenario {
namespace {

using spelling::Setter;

template <class F>
void visit_fault(sim::Fault& fault, F&& f) {
    f("kind", fault.kind);
    f("peers", fault.peers);
    f("direction", fault.direction);
    f("at", fault.start);
    f("for", fault.duration);
    f("clock", fault.clock);
    f("strand", fault.strand);
    f("message", fault.message);
    f("period", fault.period);
    f("count", fault.count);
}

/// How a kind spells its amount.
const char* amount_key(sim::FaultKind kind) {
    using sim::FaultKind;
    if (kind == FaultKind::ClockStep || kind == FaultKind::ClockStrobe) return "step";
    return kind == FaultKind::CrashLoop ? "down" : "extra";
}
const char* ppm_key(sim::FaultKind kind) {
    return kind == sim::FaultKind::ClockDrift ? "rate" : "chance";
}
const char* trigger_key(sim::Trigger::On on) {
    using On = sim::Trigger::On;
    switch (on) {
        case On::Event:
            return "when.event";
        case On::Point:
            return "when.point";
        case On::Message:
            return "when.message";
        case On::Disk:
            return "when.disk";
    }
    return "";
}

}  // namespace

/// Keys that need more than a member are set one by one.
std::optional<std::string> spelling::set_in_fault(sim::Fault& fault, Setter& set) {
    visit_fault(fault, set);
    if (set.key == "peers" && !set.error && fault.peers.empty())
        set.error = fmt::format("found {}; allowed is at least one, or no \"peers\": all others",
                                spelling::quoted(set.text, set.shape));
    const auto special = [&](const char* name, auto& to) {
        set(name, to);
        return set.key == name && !set.error;
    };
    std::string text;
    Ppm ppm{fault.ppm};
    if (special("aim", text)) fault.aim = aim_of(text);
    if (special("chance", ppm) || special("rate", ppm)) fault.ppm = ppm.value;
    for (const char* key : {"extra", "step", "down"})
        if (special(key, fault.amount)) return set.error;
    sim::Trigger trigger = fault.trigger.value_or(sim::Trigger{});
    using On = sim::Trigger::On;
    const auto waits = [&](const char* name, On on) {
        if (!special(name, trigger.what)) return;
        trigger.on = on;
        fault.trigger = trigger;
    };
    waits("when.event", On::Event);
    waits("when.point", On::Point);
    waits("when.message", On::Message);
    waits("when.disk", On::Disk);
    if (special("when.at", text)) {
        trigger.where = aim_of(text);
        fault.trigger = trigger;
    }
    if (special("when.nth", trigger.nth)) fault.trigger = trigger;
    return set.error;
}

std::vector<Field> fault_fields(const sim::Fault& fault) {
    const sim::FaultFields has = sim::fields_of(fault.kind);
    std::vector<Field> all;
    const auto add = [&all](const char* key, Shape shape, std::string value) {
        all.push_back({key, shape, std::move(value)});
    };
    add("kind", Shape::Text, std::string(sim::to_string(fault.kind)));
    add("aim", Shape::Text, sim::to_string(fault.aim));
    add("at", Shape::Text, text_of(fault.start));
    if (has.lasts) add("for", Shape::Text, text_of(fault.duration));
    if (has.peers && !fault.peers.empty()) add("peers", Shape::List, join(fault.peers));
    if (has.peers) add("direction", Shape::Text, text_of(fault.direction));
    if (has.clock) add("clock", Shape::Text, text_of(fault.clock));
    if (has.ppm) add(ppm_key(fault.kind), Shape::Text, text_of(Ppm{fault.ppm}));
    if (has.amount) add(amount_key(fault.kind), Shape::Text, sim::to_string(fault.amount));
    if (has.period) add("period", Shape::Text, text_of(fault.period));
    if (has.count) add("count", Shape::Number, spelling::text_of(fault.count));
    if (has.strand) add("strand", Shape::Number, spelling::text_of(fault.strand));
    if (has.message || (has.message_optional && !fault.message.empty()))
        add("message", Shape::Text, fault.message);
    if (!fault.trigger) return all;
    add(trigger_key(fault.trigger->on), Shape::Text, fault.trigger->what);
    if (fault.trigger->where) add("when.at", Shape::Text, sim::to_string(*fault.trigger->where));
    add("when.nth", Shape::Number, spelling::text_of(fault.trigger->nth));
    return all;
}

std::vector<NeededKey> needed_fault_keys(sim::FaultKind kind) {
    const sim::FaultFields has = sim::fields_of(kind);
    std::vector<NeededKey> needed;
    if (has.lasts) needed.push_back({"for", "a duration"});
    if (has.ppm) needed.push_back({ppm_key(kind), "a share"});
    if (has.amount) needed.push_back({amount_key(kind), "a duration"});
    if (has.period) needed.push_back({"period", "a duration"});
    if (has.message) needed.push_back({"message", "a kind of message"});
    return needed;
}

std::optional<std::string> stray_fault_key(const sim::Fault& fault, std::string_view key) {
    const sim::FaultFields has = sim::fields_of(fault.kind);
    std::vector<std::string> allowed{"kind", "aim", "at", "when"};
    if (has.lasts) allowed.emplace_back("for");
    if (has.peers) allowed.insert(allowed.end(), {"peers", "direction"});
    if (has.clock) allowed.emplace_back("clock");
    if (has.ppm) allowed.emplace_back(ppm_key(fault.kind));
    if (has.amount) allowed.emplace_back(amount_key(fault.kind));
    if (has.period) allowed.emplace_back("period");
    if (has.count) allowed.emplace_back("count");
    if (has.strand) allowed.emplace_back("strand");
    if (has.message || has.message_optional) allowed.emplace_back("message");
    const std::string_view base = key.substr(0, key.find('.'));
    if (std::find(allowed.begin(), allowed.end(), base) != allowed.end()) return std::nullopt;
    return fmt::format("found \"{}\", which a {} does not have; allowed are {}", base,
                       sim::to_string(fault.kind), fmt::join(allowed, ", "));
}

}  // namespace lockstep::scenario
