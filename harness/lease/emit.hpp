#pragma once

#include "core/base/result.hpp"
#include "harness/lease/setting.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::lease {

/// A setting as another system takes it.
struct Emitted {
    Setting setting;   ///< as rounded, with the rest of that system's preset: to be run again
    std::string text;  ///< to be pasted
    std::vector<std::string> notes;  ///< what could not be kept, a sentence each
};

/// The systems for which there are rules: "kubernetes", "etcd".
const std::vector<std::string>& emit_names();

/// Rounded the safe way (leases up, deadlines and renewals down) to what the system takes, and held
/// against its rules:
///
/// kubernetes: a lease in whole seconds, leaseDuration > renewDeadline > 1.2 x retryPeriod
/// (client-go's tools/leaderelection).
///
/// etcd: a TTL in whole seconds and at least 2 (one and a half election timeouts); the client
/// renews every third of it.
///
/// An error says which rule no rounding meets.
Result<Emitted> emit(std::string_view system, const Setting& setting);

}  // namespace lockstep::lease
