#pragma once

#include "scenarios/scenario.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Every value of a scenario by the key and in the spelling that files, `--set` and expectations
/// share. One table serves reading, writing and overriding.
namespace lockstep::scenario {

/// How a value is written, without quotes.
std::string text_of(Duration d);              ///< `15s`, `250ms`; `forever` for Duration::max()
std::string text_of(const DurationRange& r);  ///< `2s..5s`, or one duration
std::string text_of(Ppm p);                   ///< `1%`, `0.02%`
std::string text_of(Fencing f);

/// What a key holds, in a file: a number, a string, or an array of strings.
enum class Shape : std::uint8_t { Number, Boolean, Text, List };

struct Field {
    std::string key;  ///< `lease.ttl`, `fault[1].for`, `swarm.budget`
    Shape shape;
    std::string value;  ///< of a list: its elements with commas between them
};

/// All values that the scenario has, defaults included, in the order in which they are written.
std::vector<Field> fields(const Scenario& scenario);
std::vector<Field> fault_fields(const sim::Fault& fault);  ///< keys without `fault[1].`

/// What a fault of this kind cannot do without, beside `kind` and `aim`.
struct NeededKey {
    const char* name;
    const char* what;  ///< "a duration"
};
std::vector<NeededKey> needed_fault_keys(sim::FaultKind kind);

/// Why a fault of this kind has no such key, if it has none: it would be without effect. `key` is
/// without `fault[1].`.
std::optional<std::string> stray_fault_key(const sim::Fault& fault, std::string_view key);

/// The value of one key, or nothing if there is no such key.
std::optional<std::string> value_of(const Scenario& scenario, std::string_view key);

/// Sets one key from its text. The error says what was found and what is allowed; for a key that
/// does not exist it names those that do, the nearest first. `shape`, if given, is what the text
/// came as. Values are not checked against each other: see `check`.
std::optional<std::string> set_value(Scenario& scenario, std::string_view key,
                                     std::string_view text,
                                     std::optional<Shape> shape = std::nullopt);

/// `KEY=VALUE`, as given to --set. Checks the whole scenario afterwards; on an error the scenario
/// is as it was.
std::optional<Error> apply_set(Scenario& scenario, std::string_view setting);
/// An objection to a scenario into which these were set.
Error about_sets(const std::vector<std::string>& settings, const Objection& objection);
/// Several, in their order; the scenario is checked when all are set.
std::optional<Error> apply_sets(Scenario& scenario, const std::vector<std::string>& settings);

/// Those of its expectations whose condition the scenario meets.
std::vector<std::string> expected_violations(const Scenario& scenario);

/// Letters, a dash and a number: `FENCE-2`.
bool is_property_id(std::string_view id);

/// The candidate with the fewest changed letters; empty if there is none.
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace lockstep::scenario
