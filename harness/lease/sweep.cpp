#include "harness/lease/sweep.hpp"

#include "harness/lease/figures.hpp"
#include "harness/lease/full.hpp"
#include "harness/lease/identity.hpp"
#include "harness/lease/model.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

namespace lockstep::lease {
namespace {

using Clock = std::chrono::steady_clock;

/// A part of an hour, so that blocks of a short observation can be told apart.
Duration bin_of(const Conditions& conditions) {
    const data::Series& series = conditions.pauses.series;
    const Duration block = series.observed / 24;
    for (const Duration bin : {seconds(3'600), seconds(900), seconds(300)})
        if (!series.timed || block >= bin) return bin;
    return seconds(60);
}

Error bad(std::string message) {
    return {std::move(message), "", 0, 0};
}

std::string why_not(const Source& source, const char* name, bool has_rate) {
    const data::Series& series = source.series;
    if (!source.from_series()) {
        if (!(source.per_day >= 0) || source.per_day > 1e6)
            return fmt::format("{}: {} a day, but nothing happens so often", name, source.per_day);
        if (source.shortest.ns < 0 || source.longest < source.shortest)
            return fmt::format("{}: lengths from {} to {}", name,
                               harness::span_text(source.shortest),
                               harness::span_text(source.longest));
        return "";
    }
    if (has_rate && series.observed.ns <= 0)
        return fmt::format(
            "{}: nothing says for how long they were observed, so that nobody knows "
            "how often they come; if you know it: '{} in 90d'",
            name, source.said.empty() ? "FILE" : harness::printable(source.said));
    std::uint64_t count = series.points.size();
    for (const data::Point& point : series.points)
        if (point.length.ns < 0 || (series.timed && point.at.ns < 0))
            return fmt::format("{}: line {} goes back in time", name, point.line);
    for (const data::Bucket& bucket : series.buckets) {
        count += bucket.count;
        if (bucket.above.ns < 0 || bucket.up_to < bucket.above)
            return fmt::format("{}: a bucket from {} to {}", name, harness::span_text(bucket.above),
                               harness::span_text(bucket.up_to));
    }
    constexpr double most = 1'000;  // a second
    const double observed = static_cast<double>(series.observed.ns) / 1e9;
    if (has_rate && static_cast<double>(count) > most * observed)
        return fmt::format("{}: {} in {}: nothing happens so often", name, count,
                           harness::span_text(series.observed));
    if (count == 0) return fmt::format("{}: a histogram without any counts", name);
    if (series.timed && !series.points.empty()) {
        if (series.observed < series.points.back().at)
            return fmt::format("{}: the last comes after the end of the observation", name);
        if (!std::ranges::is_sorted(series.points, {}, &data::Point::at))
            return fmt::format("{}: they are not in the order of their times", name);
    }
    return "";
}

/// In the order of their positions.
std::vector<Setting> all_settings(const SweepPlan& plan) {
    std::vector<Setting> all = plan.settings;
    all.insert(all.end(), plan.marked.begin(), plan.marked.end());
    if (plan.now) all.push_back(*plan.now);
    return all;
}

std::string why_not(const SweepPlan& plan) {
    if (plan.settings.empty()) return "no setting to try";
    for (const Setting& setting : all_settings(plan)) {
        const std::string why = why_not(setting);
        if (!why.empty()) return why;
        if (plan.fidelity == Fidelity::Lease) continue;
        std::string why_full = why_not_full(setting, plan.world);
        if (!why_full.empty()) return why_full;
    }
    if (plan.span < seconds(3'600)) return "--span: less than an hour says nothing; write 90d";
    if (plan.jobs == 0) return "nobody to work";
    if (plan.shards == 0 || plan.shard >= plan.shards) return "no such shard";
    if (plan.world.work.ns <= 0) return "work without a length";
    if (plan.world.drift.value >= 1'000'000) return "a clock that stands still";
    const Conditions& world = plan.world;
    for (const auto& [source, name, has_rate] : {std::tuple{&world.pauses, "pauses", true},
                                                 {&world.round_trip, "round trips", false},
                                                 {&world.disk, "disk", false},
                                                 {&world.outages, "outages", true},
                                                 {&world.partitions, "partitions", true},
                                                 {&world.failovers, "failovers", true},
                                                 {&world.crashes, "crashes", true},
                                                 {&world.deploys, "deploys", true}}) {
        std::string why = why_not(*source, name, has_rate);
        if (!why.empty()) return why;
    }
    return "";
}

/// Of what costs leases.
Duration shortest_observed(const Conditions& world) {
    Duration shortest{};
    for (const Source* source :
         {&world.pauses, &world.outages, &world.partitions, &world.failovers}) {
        if (!source->from_series() || source->rate_assumed) continue;
        const Duration observed = source->series.observed;
        if (shortest.ns == 0 || observed < shortest) shortest = observed;
    }
    return shortest;
}

double a_month(const Source& source) {
    if (!source.from_series()) return source.per_day * 30;
    std::uint64_t count = source.series.points.size();
    for (const data::Bucket& bucket : source.series.buckets) count += bucket.count;
    const double days = static_cast<double>(source.series.observed.ns) / 86'400e9;
    return static_cast<double>(count) / days * 30;
}

/// Waited for, however their owner is left.
struct Threads {
    std::vector<std::thread> all;
    void join() {
        for (std::thread& thread : all) thread.join();
        all.clear();
    }
    Threads() = default;
    ~Threads() { join(); }
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;
};

/// What the workers share.
class Work {
public:
    Work(const SweepPlan& plan, Sweep& sweep)
        : plan_(plan),
          sweep_(sweep),
          bin_(plan.fidelity == Fidelity::Full ? seconds(3'600) : bin_of(plan.world)) {
        bins_ = static_cast<std::uint64_t>(plan.span.ns / bin_.ns);
        if (plan.budget.count() > 0) until_ = Clock::now() + plan.budget;
        const auto settings = all_settings(plan);
        for (std::uint64_t i = plan.shard; i < settings.size(); i += plan.shards) {
            results_.emplace_back().setting = settings[i];
            results_.back().position = i;
        }
        for (std::size_t i = 0; i < results_.size(); ++i) {
            same_as_.push_back(first_like(i));
            if (same_as_[i] == i) order_.push_back(i);
        }
        // Those that renew most often take longest: they go first, so that all workers end
        // together.
        std::ranges::stable_sort(order_, {},
                                 [&](std::size_t i) { return results_[i].setting.renew_every; });
    }

    void run() {
        Threads workers;
        running_ = plan_.jobs;
        for (unsigned i = 0; i < plan_.jobs; ++i) workers.all.emplace_back([this] { work(); });
        std::unique_lock lock(mutex_);
        while (running_ > 0) {
            changed_.wait_for(lock, std::chrono::milliseconds(100));
            if (!plan_.progress) continue;
            lock.unlock();
            plan_.progress(static_cast<double>(done_) /
                           static_cast<double>(std::max<std::uint64_t>(bins_ * order_.size(), 1)));
            lock.lock();
        }
        lock.unlock();
        workers.join();
        if (failed_) std::rethrow_exception(failed_);
        for (std::size_t i = 0; i < results_.size(); ++i) {
            if (same_as_[i] == i) continue;
            SettingResult copy = results_[same_as_[i]];
            copy.setting = results_[i].setting;
            copy.position = results_[i].position;
            results_[i] = std::move(copy);
        }
        for (SettingResult& result : results_) {
            if (result.position < plan_.settings.size())
                sweep_.results.push_back(std::move(result));
            else if (result.position < plan_.settings.size() + plan_.marked.size())
                sweep_.marked.push_back(std::move(result));
            else
                sweep_.now = std::move(result);
        }
    }

private:
    /// Today's setting is often a known system's, and what differs by name alone is run once.
    std::size_t first_like(std::size_t i) const {
        const auto nameless = [this](std::size_t k) {
            Setting setting = results_[k].setting;
            setting.name.clear();
            return setting;
        };
        std::size_t first = 0;
        while (nameless(first) != nameless(i)) ++first;
        return first;
    }

    void work() {
        try {
            while (true) {
                const std::size_t i = next_++;
                if (i >= order_.size()) break;
                simulate(results_[order_[i]]);
            }
        } catch (const std::exception&) {
            const std::lock_guard lock(mutex_);
            failed_ = std::current_exception();
            next_ = order_.size();
        }
        const std::lock_guard lock(mutex_);
        --running_;
        changed_.notify_all();
    }

    void simulate(SettingResult& result) {
        Tally tally;
        if (plan_.fidelity == Fidelity::Full) {
            tally = simulate_full(result.setting, plan_.world, plan_.seed, plan_.span,
                                  [this] { return go_on(); });
        } else {
            Model model(result.setting, plan_.world, plan_.seed, bin_);
            for (std::uint64_t bin = 0; bin < bins_; ++bin) {
                model.run_bin();
                if (!go_on()) break;
            }
            tally = model.take();
        }
        if (tally.bins.size() < bins_) {
            const std::lock_guard lock(mutex_);
            sweep_.whole = false;
        }
        fill_in(result, tally, plan_.world, plan_.seed);
    }

    /// After a bin.
    bool go_on() {
        ++done_;
        if (plan_.stop && plan_.stop()) return false;
        return !until_ || Clock::now() < *until_;
    }

    const SweepPlan& plan_;
    Sweep& sweep_;
    std::vector<SettingResult> results_;
    const Duration bin_;
    std::uint64_t bins_ = 0;
    std::optional<Clock::time_point> until_;
    std::vector<std::size_t> same_as_;  ///< of each, the first that is equal but for its name
    std::vector<std::size_t> order_;
    std::atomic<std::size_t> next_{0};
    std::atomic<std::uint64_t> done_{0};
    std::mutex mutex_;
    std::condition_variable changed_;
    unsigned running_ = 0;
    std::exception_ptr failed_;
};

}  // namespace

Duration default_span(const Conditions& world) {
    Duration span = seconds(90 * 86'400);
    for (const Source* source :
         {&world.pauses, &world.outages, &world.partitions, &world.failovers})
        if (source->from_series() && !source->rate_assumed)
            span = std::max(span, std::min(source->series.observed, seconds(333 * 86'400)) * 3);
    // To whole days.
    constexpr Duration day = seconds(86'400);
    return day * ((span.ns + day.ns - 1) / day.ns);
}

Result<Sweep> sweep(const SweepPlan& plan) {
    const std::string why = why_not(plan);
    if (!why.empty()) return bad(why);
    Sweep result;
    result.axes = plan.axes;
    result.inputs = inputs_of(plan.world);
    result.observed = shortest_observed(plan.world);
    result.crashes_a_month = a_month(plan.world.crashes);
    result.span = plan.span;
    result.seed = plan.seed;
    result.fidelity = plan.fidelity;
    result.shard = plan.shard;
    result.shards = plan.shards;
    result.total = all_settings(plan).size();
    result.identity = identity_of(plan);
    try {
        Work(plan, result).run();
    } catch (const std::runtime_error& e) {  // of runs of the whole cluster
        return bad(e.what());
    }
    return result;
}

}  // namespace lockstep::lease
