#include "harness/lease/occurrences.hpp"

#include "core/base/assert.hpp"
#include "core/base/hash.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

namespace lockstep::lease {
namespace {

/// -ln(luck / 2^64) times the mean, in whole numbers: the logarithm to base two by squaring.
Duration exponential(Duration mean, std::uint64_t luck) {
    luck |= 1;
    const int zeros = std::countl_zero(luck);
    std::uint64_t mantissa = (luck << zeros) >> 32;  // in [2^31, 2^32): 1.0 is 2^31
    std::uint64_t fraction = 0;
    for (int bit = 0; bit < 24; ++bit) {
        mantissa = (mantissa * mantissa) >> 31;
        fraction <<= 1;
        if (mantissa >= (std::uint64_t{1} << 32)) {
            mantissa >>= 1;
            fraction |= 1;
        }
    }
    const auto minus_log2 = ((static_cast<std::uint64_t>(zeros) + 1) << 24) - fraction;
    constexpr std::uint64_t ln2 = 11'629'080;  // in 2^-24
    const auto product =
        static_cast<unsigned __int128>(minus_log2) * ln2 * static_cast<std::uint64_t>(mean.ns);
    return {static_cast<std::int64_t>(product >> 48)};
}

/// Uniform in [low, high].
Duration within(Duration low, Duration high, std::uint64_t luck) {
    const auto choices = static_cast<std::uint64_t>((high - low).ns) + 1;
    const auto chosen = (static_cast<unsigned __int128>(luck) * choices) >> 64;
    return low + Duration{static_cast<std::int64_t>(chosen)};
}

std::size_t choose(std::size_t n, std::uint64_t luck) {
    return static_cast<std::size_t>((static_cast<unsigned __int128>(luck) * n) >> 64);
}

std::vector<std::uint64_t> counts_below(const data::Series& series) {
    std::vector<std::uint64_t> below;
    std::uint64_t sum = 0;
    for (const data::Bucket& bucket : series.buckets) {
        below.push_back(sum);
        sum += bucket.count;
    }
    below.push_back(sum);
    return below;
}

/// Of a series without times, or of lengths that somebody assumes.
Occurrence draw(const Source& source, const std::vector<std::uint64_t>& below, std::uint64_t which,
                std::uint64_t where) {
    const data::Series& series = source.series;
    if (!series.points.empty()) {
        const std::size_t i = choose(series.points.size(), which);
        return {{}, series.points[i].length, static_cast<std::uint32_t>(i)};
    }
    if (series.buckets.empty()) return {{}, within(source.shortest, source.longest, where), 0};
    const std::uint64_t nth = choose(below.back(), which);
    const auto after = std::upper_bound(below.begin(), below.end(), nth);
    const auto i = static_cast<std::size_t>(std::distance(below.begin(), after)) - 1;
    const data::Bucket& bucket = series.buckets[i];
    // Nothing is known of how far the last one goes.
    const Duration length =
        bucket.up_to == Duration::max() ? bucket.above : within(bucket.above, bucket.up_to, where);
    return {{}, length, static_cast<std::uint32_t>(i)};
}

bool replayed(const Source& source) {
    return source.series.timed && !source.series.points.empty();
}

}  // namespace

Occurrences::Occurrences(const Source& source, std::uint64_t seed, Duration least)
    : source_(source), prng_(seed), seed_(seed), below_(counts_below(source.series)) {
    const data::Series& series = source.series;
    if (replayed(source)) {
        Duration sum{};
        for (std::size_t i = 0; i < series.points.size(); ++i) {
            left_out_sum_.push_back(sum);
            if (series.points[i].length >= least)
                kept_.push_back(static_cast<std::uint32_t>(i));
            else
                sum += series.points[i].length;
        }
        left_out_sum_.push_back(sum);
        begin_round();
        return;
    }
    const std::uint64_t count = series.points.empty() ? below_.back() : series.points.size();
    if (count > 0)
        mean_gap_ = series.observed / static_cast<std::int64_t>(count);
    else if (source.per_day > 0)
        mean_gap_ = Duration{std::llround(86'400e9 / source.per_day)};
}

Duration Occurrences::phase_of(std::int64_t round) const {
    const std::uint64_t luck = hash_words(seed_, static_cast<std::uint64_t>(round));
    return within(Duration{}, source_.series.observed - Duration{1}, luck);
}

std::vector<Duration> Occurrences::phases(std::size_t rounds) const {
    std::vector<Duration> all;
    if (!replayed(source_)) return all;
    for (std::size_t i = 0; i < rounds; ++i) all.push_back(phase_of(static_cast<std::int64_t>(i)));
    return all;
}

void Occurrences::begin_round() {
    phase_ = phase_of(round_);
    const auto at = [this](std::uint32_t i) { return source_.series.points[i].at; };
    const auto from = std::ranges::lower_bound(kept_, phase_, std::less<>(), at);
    first_ = static_cast<std::size_t>(from - kept_.begin());
    given_ = 0;
}

Occurrence Occurrences::next() {
    if (!replayed(source_)) return drawn();
    if (kept_.empty()) return {sim::SimTime::never(), Duration{}, 0};
    if (given_ == kept_.size()) {
        ++round_;
        begin_round();
    }
    const std::size_t place = first_ + given_++;
    const bool over_the_end = place >= kept_.size();
    const std::uint32_t i = kept_[over_the_end ? place - kept_.size() : place];
    const data::Point& point = source_.series.points[i];
    const Duration observed = source_.series.observed;
    const Duration after = point.at - phase_ + (over_the_end ? observed : Duration{});
    return {sim::SimTime{} + observed * round_ + after, point.length, i};
}

Duration Occurrences::left_out_before(Duration place) const {
    const std::vector<data::Point>& points = source_.series.points;
    const auto at = std::ranges::lower_bound(points, place, std::less<>(), &data::Point::at);
    return left_out_sum_[static_cast<std::size_t>(at - points.begin())];
}

Duration Occurrences::left_out(sim::SimTime from, sim::SimTime to) const {
    Duration sum{};
    if (!replayed(source_) || left_out_sum_.back().ns == 0) return sum;
    const std::int64_t observed = source_.series.observed.ns;
    while (from < to) {
        const std::int64_t round = from.ns / observed;
        const Duration phase = phase_of(round);
        const std::int64_t place = (from.ns % observed + phase.ns) % observed;
        // Up to the end of the round, the end of the observation, or `to`.
        const std::int64_t piece =
            std::min({observed - from.ns % observed, observed - place, to.ns - from.ns});
        sum += left_out_before({place + piece}) - left_out_before({place});
        from = from + Duration{piece};
    }
    return sum;
}

Occurrence Occurrences::drawn() {
    if (mean_gap_.ns <= 0) return {sim::SimTime::never(), Duration{}, 0};
    const std::uint64_t when = prng_.next();
    const std::uint64_t which = prng_.next();
    const std::uint64_t where = prng_.next();
    at_ = at_ + exponential(mean_gap_, when);
    Occurrence made = draw(source_, below_, which, where);
    made.at = at_;
    return made;
}

Lengths::Lengths(const Source& source, std::uint64_t seed, const char* purpose)
    : source_(source),
      seed_(hash_words(seed, hash_name(purpose))),
      below_(counts_below(source.series)) {}

Duration Lengths::at(sim::SimTime t) const {
    const data::Series& series = source_.series;
    if (replayed(source_) && series.observed.ns > 0) {
        const std::int64_t round = t.ns / series.observed.ns;
        const auto luck = hash_words(seed_, static_cast<std::uint64_t>(round));
        const Duration phase = within(Duration{}, series.observed - Duration{1}, luck);
        const Duration place{(t.ns % series.observed.ns + phase.ns) % series.observed.ns};
        const auto after =
            std::ranges::upper_bound(series.points, place, std::less<>(), &data::Point::at);
        return after == series.points.begin() ? series.points.back().length
                                              : std::prev(after)->length;
    }
    const auto which = hash_words(seed_, static_cast<std::uint64_t>(t.ns / slot.ns));
    return draw(source_, below_, which, spread(which)).length;
}

}  // namespace lockstep::lease
