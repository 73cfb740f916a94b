#pragma once

#include "harness/lease/report.hpp"

#include <string>

/// The tables of the page, as HTML.
namespace lockstep::lease {

/// A row a setting and a marked default: what decides, with both intervals.
std::string deciding_table(const Sweep& sweep, const Told& told);
/// The same rows: all else.
std::string other_table(const Sweep& sweep, const Told& told);
/// What cost leases at a setting, and in which share of the times that it happened.
std::string harm_table(const SettingResult& result);
std::string input_table(const Sweep& sweep);

}  // namespace lockstep::lease
