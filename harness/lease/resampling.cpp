#include "harness/lease/resampling.hpp"

#include "core/base/hash.hpp"
#include "core/base/prng.hpp"
#include "harness/lease/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::lease {
namespace {

constexpr std::size_t redrawings = 200;
constexpr Interval unknown{0, std::numeric_limits<double>::infinity()};

double in_seconds(Duration d) {
    return static_cast<double>(d.ns) / 1e9;
}

}  // namespace

Resampling::Resampling(const Tally& tally, const data::Series& pauses, std::uint64_t seed)
    : bin_(tally.bin) {
    if (pauses.observed.ns == 0 || (pauses.points.empty() && pauses.buckets.empty())) return;
    kind_ = pauses.timed ? Kind::Trace : Kind::Samples;
    const std::int64_t observed = pauses.observed.ns;
    if (kind_ == Kind::Trace)
        blocks_ = static_cast<std::size_t>(std::clamp<std::int64_t>(observed / bin_.ns, 1, 24));
    for (std::size_t i = 0; i < tally.bins.size(); ++i) {
        const std::int64_t middle = static_cast<std::int64_t>(i) * bin_.ns + bin_.ns / 2;
        const std::int64_t round = middle / observed;
        if (kind_ == Kind::Samples) {
            block_of_bin_.push_back(static_cast<std::size_t>(round));
            blocks_ = static_cast<std::size_t>(round) + 1;
            continue;
        }
        const auto phase = static_cast<std::size_t>(round) < tally.phases.size()
                               ? tally.phases[static_cast<std::size_t>(round)].ns
                               : 0;
        const std::int64_t place = (middle % observed + phase) % observed;
        block_of_bin_.push_back(static_cast<std::size_t>(
            static_cast<__int128>(place) * static_cast<__int128>(blocks_) / observed));
    }
    if (kind_ == Kind::Samples) return;
    Prng prng(hash_words(seed, hash_name("bootstrap")));
    for (std::size_t i = 0; i < redrawings; ++i) {
        std::vector<std::uint32_t> times(blocks_);
        for (std::size_t k = 0; k < blocks_; ++k) ++times[prng.below(blocks_)];
        drawn_.push_back(std::move(times));
    }
}

std::size_t Resampling::block_of(sim::SimTime at) const {
    const auto bin = static_cast<std::size_t>(at.ns / bin_.ns);
    return block_of_bin_[std::min(bin, block_of_bin_.size() - 1)];
}

Interval Resampling::of_mean(const std::vector<double>& by_bin) const {
    if (blocks_ < 2) return unknown;
    std::vector<double> sums(blocks_);
    std::vector<double> counts(blocks_);
    for (std::size_t i = 0; i < by_bin.size(); ++i) {
        sums[block_of_bin_[i]] += by_bin[i];
        counts[block_of_bin_[i]] += 1;
    }
    std::vector<double> results;
    if (kind_ == Kind::Samples) {  // one block is one observation; the last may be short
        for (std::size_t k = 0; k + 1 < blocks_; ++k) results.push_back(sums[k] / counts[k]);
        return results.size() < 2 ? unknown : middle(results);
    }
    for (const auto& times : drawn_) {
        double sum = 0;
        double count = 0;
        for (std::size_t k = 0; k < blocks_; ++k) {
            sum += times[k] * sums[k];
            count += times[k] * counts[k];
        }
        if (count > 0) results.push_back(sum / count);
    }
    return middle(results);
}

Interval Resampling::of_quantile(const std::vector<Takeover>& samples, double p) const {
    if (blocks_ < 2 || samples.empty()) return unknown;
    std::vector<double> results;
    if (kind_ == Kind::Samples) {
        std::vector<std::vector<double>> by_block(blocks_);
        for (const Takeover& sample : samples)
            by_block[block_of(sample.at)].push_back(in_seconds(sample.takes));
        by_block.pop_back();
        for (const auto& block : by_block)
            if (!block.empty()) results.push_back(quantile(block, p));
        return results.size() < 2 ? unknown : middle(results);
    }
    std::vector<std::size_t> block;
    for (const Takeover& sample : samples) block.push_back(block_of(sample.at));
    for (const auto& times : drawn_) {
        std::uint64_t all = 0;
        for (const std::size_t b : block) all += times[b];
        const double rank = std::max(1.0, std::ceil(p * static_cast<double>(all) - 1e-9));
        std::uint64_t below = 0;
        for (std::size_t i = 0; i < samples.size(); ++i) {
            below += times[block[i]];
            if (static_cast<double>(below) < rank) continue;
            results.push_back(in_seconds(samples[i].takes));
            break;
        }
    }
    return middle(results);
}

}  // namespace lockstep::lease
