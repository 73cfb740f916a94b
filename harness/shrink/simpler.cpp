#include "harness/shrink/simpler.hpp"

#include "harness/services.hpp"
#include "harness/shrink/candidates.hpp"

#include <algorithm>

namespace lockstep::harness {
namespace {

/// One less would no longer be seen: nobody reads more digits of a number than these.
constexpr int read_digits = 6;

std::int64_t first_digit(std::int64_t n) {
    std::int64_t power = 1;
    while (n / power >= 10) power *= 10;
    return power;
}

void add_once(std::vector<std::int64_t>& all, std::int64_t n) {
    if (std::find(all.begin(), all.end(), n) == all.end()) all.push_back(n);
}

}  // namespace

// Chains end because each candidate makes something less and nothing more, in this order: faults
// and members of the cluster; the rank of a fault's kind, of a budget, a link, a workload, and
// whether a setting is another than by default; how wide a range is; how large a number is.
std::vector<Candidate> simpler(const Scenario& scenario) {
    Candidates candidates(scenario);
    without_faults(candidates);
    without_members(candidates);
    with_shorter_horizon(candidates);
    with_simpler_faults(candidates);
    with_plainer_settings(candidates);
    with_simpler_numbers(candidates);
    return candidates.take();
}

void Candidates::offer(Scenario changed, std::string what, bool removal) {
    if (changed == origin_ || scenario::check(changed) || check_service(changed)) return;
    all_.push_back({std::move(changed), std::move(what), removal});
}

std::vector<std::int64_t> rounder(std::int64_t n, std::int64_t least) {
    std::vector<std::int64_t> all;
    if (n <= least) return all;
    std::int64_t unit = first_digit(n);
    for (int digit = 0; digit < read_digits && unit > 0; ++digit, unit /= 10)
        if (const std::int64_t round = n - n % unit; round >= least && round < n)
            add_once(all, round);
    return all;
}

std::vector<std::int64_t> smaller(std::int64_t n, std::int64_t least) {
    std::vector<std::int64_t> all;
    if (n <= least) return all;
    all.push_back(least);
    const std::int64_t half = n / 2 - n / 2 % first_digit(n / 2);
    if (half > least) add_once(all, half);
    for (const std::int64_t round : rounder(n, least)) add_once(all, round);
    const std::int64_t step = std::max<std::int64_t>(first_digit(n) / 10, 1);
    if (n % step == 0 && n - step >= least) add_once(all, n - step);
    return all;
}

}  // namespace lockstep::harness
