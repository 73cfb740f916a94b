#pragma once

#include "harness/shrink/simpler.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// For the files of this folder: what a scenario loses when something is taken out of it.
namespace lockstep::harness {

using scenario::Scenario;

/// Gathers candidates, and keeps those that are scenarios.
class Candidates {
public:
    explicit Candidates(const Scenario& origin) : origin_(origin) {}
    const Scenario& origin() const { return origin_; }
    void offer(Scenario changed, std::string what, bool removal = false);
    std::vector<Candidate> take() { return std::move(all_); }

private:
    const Scenario& origin_;
    std::vector<Candidate> all_;
};

/// Who is in a scenario in a number. A lock goes with its resource.
enum class Member : std::uint8_t { Server, Client, Lock };
/// Without the member at that position: those behind it move up and take the names that are theirs
/// then, in faults as well. Faults aimed at it, or waiting for it, go with it.
Scenario without_member(const Scenario& scenario, Member member, std::uint32_t position);
/// Everything that begins at or after `end` is left out, what lasts longer is cut.
Scenario with_horizon(const Scenario& scenario, Duration end);

/// Smaller numbers, the smallest first: the least allowed, half of it, and it with ever more of its
/// digits, rounded down; at last one less in its second digit.
std::vector<std::int64_t> smaller(std::int64_t n, std::int64_t least);
/// Those that have fewer digits than it alone.
std::vector<std::int64_t> rounder(std::int64_t n, std::int64_t least);

/// The parts of `simpler`.
void without_faults(Candidates& to);
void without_members(Candidates& to);
void with_shorter_horizon(Candidates& to);
void with_simpler_faults(Candidates& to);
void with_plainer_settings(Candidates& to);
void with_simpler_numbers(Candidates& to);

}  // namespace lockstep::harness
