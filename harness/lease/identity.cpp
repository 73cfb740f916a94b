#include "harness/lease/identity.hpp"

#include "core/base/hash.hpp"

#include <bit>

namespace lockstep::lease {
namespace {

constexpr std::uint64_t model_epoch = 2;

class Hash {
public:
    void add(std::uint64_t word) { hash_ = fold(hash_, word); }
    void add(Duration d) { add(static_cast<std::uint64_t>(d.ns)); }
    void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
    void add(const std::string& text) {
        add(static_cast<std::uint64_t>(text.size()));
        add(hash_bytes(std::as_bytes(std::span(text))));
    }
    std::uint64_t value() const { return spread(hash_); }

private:
    std::uint64_t hash_ = spread(model_epoch);
};

void add(Hash& hash, const Setting& setting) {
    hash.add(setting.name);
    for (const Duration d : {setting.lease, setting.renew_every, setting.deadline,
                             setting.retry_every, setting.lock_delay, setting.margin,
                             setting.poll_every, setting.deadline_grace, setting.expires_late})
        hash.add(d);
    for (const std::int64_t n :
         {std::int64_t{setting.drift_bound.value}, setting.jitter_percent,
          setting.poll_jitter_percent, std::int64_t{setting.waiters_count_lease},
          std::int64_t{setting.renewals_write}, std::int64_t{setting.failover_extends}})
        hash.add(static_cast<std::uint64_t>(n));
}

void add(Hash& hash, const Source& source) {
    hash.add(source.per_day);
    hash.add(source.shortest);
    hash.add(source.longest);
    hash.add(std::uint64_t{source.rate_assumed});
    const data::Series& series = source.series;
    hash.add(static_cast<std::uint64_t>(series.buckets.size()));
    hash.add(series.observed);
    hash.add(std::uint64_t{series.timed});
    hash.add(static_cast<std::uint64_t>(series.points.size()));
    for (const data::Point& point : series.points) {
        hash.add(point.at);
        hash.add(point.length);
    }
    for (const data::Bucket& bucket : series.buckets) {
        hash.add(bucket.above);
        hash.add(bucket.up_to);
        hash.add(bucket.count);
    }
}

}  // namespace

std::uint64_t identity_of(const SweepPlan& plan) {
    Hash hash;
    hash.add(static_cast<std::uint64_t>(plan.settings.size()));
    for (const Setting& setting : plan.settings) add(hash, setting);
    hash.add(static_cast<std::uint64_t>(plan.marked.size()));
    for (const Setting& setting : plan.marked) add(hash, setting);
    hash.add(std::uint64_t{plan.now.has_value()});
    if (plan.now) add(hash, *plan.now);
    hash.add(static_cast<std::uint64_t>(plan.axes.size()));
    for (const std::string& axis : plan.axes) hash.add(axis);
    const Conditions& world = plan.world;
    for (const Source* source :
         {&world.pauses, &world.round_trip, &world.disk, &world.outages, &world.partitions,
          &world.failovers, &world.crashes, &world.deploys})
        add(hash, *source);
    hash.add(static_cast<std::uint64_t>(world.drift.value));
    hash.add(world.work);
    hash.add(plan.span);
    hash.add(plan.seed);
    hash.add(static_cast<std::uint64_t>(plan.fidelity));
    return hash.value();
}

}  // namespace lockstep::lease
