#pragma once

#include "harness/lease/sweep.hpp"
#include "harness/lease/tally.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace lockstep::lease {

/// How figures vary with what the logs happened to see: see figures.hpp.
class Resampling {
public:
    Resampling(const Tally& tally, const data::Series& pauses, std::uint64_t seed);

    /// Of a mean over the bins of the simulated time; one value a bin.
    Interval of_mean(const std::vector<double>& by_bin) const;
    /// Of the share p of the samples, in seconds; the samples are in the order of their lengths.
    Interval of_quantile(const std::vector<Takeover>& samples, double p) const;
    /// Whether there is anything that was measured.
    bool measured() const { return kind_ != Kind::Assumed; }

private:
    enum class Kind : std::uint8_t { Assumed, Trace, Samples };

    std::size_t block_of(sim::SimTime at) const;

    Kind kind_ = Kind::Assumed;
    std::size_t blocks_ = 0;
    std::vector<std::size_t> block_of_bin_;
    Duration bin_;
    /// By redrawing: how often each block was drawn.
    std::vector<std::vector<std::uint32_t>> drawn_;
};

}  // namespace lockstep::lease
