#pragma once

#include "harness/history/judge_file.hpp"
#include "harness/text.hpp"

#include <string>

namespace lockstep::history {

/// What a history came to, for a person: verdicts with evidence and the lines that show it.
std::string report_text(const Judgement& judgement, const harness::Paint& paint);
/// The same, as one JSON object.
std::string report_json(const Judgement& judgement);

}  // namespace lockstep::history
