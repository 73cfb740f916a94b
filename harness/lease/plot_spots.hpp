#pragma once

#include "harness/lease/report.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::lease {

/// What there is to say of a setting.
enum class Role {
    Chosen,   ///< meets all wants at the least cost
    Nearest,  ///< none does, and this one comes closest
    Knee,     ///< nothing was wanted, and here the front bends
    Now,      ///< today's
    Known     ///< the default of a known system
};
std::string_view role_name(Role role);

struct Spot {
    const SettingResult* result;
    Role role;
    std::string label;  ///< "chosen", "now", "etcd"
};
/// The defaults of known systems, without those that were swept anyway.
std::vector<const SettingResult*> known_defaults(const Sweep& sweep);
/// Of those, in the order of their weight.
std::vector<Spot> spots(const Sweep& sweep, const Told& told);

/// Position in Sweep::results of the setting that is recommended or nearest, and as what. Absent
/// if nothing can be said of the sweep: its model contradicts what was counted, or has no knee.
struct Pick {
    std::size_t position;
    Role role;
};
std::optional<Pick> pick(const Sweep& sweep, const Told& told);

/// A parameter of a setting by its name in Sweep::axes.
Duration parameter(const Setting& setting, std::string_view axis);
/// The one that plots have on x: the lease if it was swept, else the first that was.
std::string main_axis(const Sweep& sweep);
/// The other one of two; empty if there is none.
std::string other_axis(const Sweep& sweep);
/// "26.6/26.54/8.867 s (etcd): 3.00 losses a month (simulation ..., data ...), ...", for a pointer
/// over its mark.
std::string spot_title(const SettingResult& result);

}  // namespace lockstep::lease
