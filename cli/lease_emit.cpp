#include "cli/lease_emit.hpp"

#include "harness/lease/emit.hpp"

#include <fmt/format.h>

#include <optional>

namespace lockstep::cli {
namespace {

/// Position of the setting that is recommended.
std::optional<std::size_t> recommended(const lease::Sweep& sweep, const lease::Told& told) {
    if (told.checked && !told.checked->consistent) return std::nullopt;
    if (!told.wants.empty()) return told.answer.chosen;
    const auto best = lease::front(sweep);
    return best.size() == 1 ? std::optional(best.front()) : lease::knee(sweep, best);
}

}  // namespace

Result<LeaseSettings> lease_emit(const std::string& system, const lease::Sweep& sweep,
                                 const lease::Told& told) {
    const auto chosen = recommended(sweep, told);
    if ((!chosen && !told.answer.keep_now) || !lease::says_something(sweep))
        return LeaseSettings{
            fmt::format("Nothing is recommended, so there are no settings for {}.\n", system)};
    const lease::Setting& setting =
        told.answer.keep_now ? sweep.now->setting : sweep.results[*chosen].setting;
    const auto emitted = lease::emit(system, setting);
    if (!emitted) return emitted.error();
    if (emitted.value().setting != setting)
        return Error{
            fmt::format("--emit {}: {} would have to be rounded to {}, and with the rest of "
                        "that system's behaviour, which was not simulated; sweep with "
                        "--emit {}",
                        system, lease::setting_text(setting),
                        lease::setting_text(emitted.value().setting), system),
            "", 0, 0};
    LeaseSettings out{fmt::format("For {}, as simulated:\n\n{}", system, emitted.value().text)};
    for (const std::string& note : emitted.value().notes) out.text += "# " + note + "\n";
    out.found = true;
    return out;
}

}  // namespace lockstep::cli
