#pragma once

#include "tests/properties/story.hpp"

#include <functional>
#include <map>
#include <string>

namespace lockstep::properties::test {

/// Two runs for one property.
struct Pair {
    std::function<void(Story&)> breaks;
    std::function<void(Story&)> keeps;  ///< and gives the property something to check
    std::string evidence;               ///< what the sentence must say
};
using Pairs = std::map<PropertyId, Pair>;

/// Everybody is up, n1 leads term 1, and alice has a session (service_pairs.cpp).
void all_up(Story& story);
/// Those of how the service as a whole treats its clients.
Pairs service_pairs();

}  // namespace lockstep::properties::test
