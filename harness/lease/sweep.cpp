#include "harness/lease/sweep.hpp"

#include "harness/lease/figures.hpp"
#include "harness/lease/full.hpp"
#include "harness/lease/model.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <numeric>
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
            return fmt::format("{}: {} a day", name, source.per_day);
        if (source.shortest.ns < 0 || source.longest < source.shortest)
            return fmt::format("{}: lengths from {} to {}", name,
                               harness::span_text(source.shortest),
                               harness::span_text(source.longest));
        return "";
    }
    if (has_rate && series.observed.ns <= 0)
        return fmt::format(
            "{}: nothing says for how long they were observed, so that nobody knows "
            "how often they come",
            name);
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
        if (series.observed <= series.points.back().at)
            return fmt::format("{}: the last comes after the end of the observation", name);
        if (!std::ranges::is_sorted(series.points, {}, &data::Point::at))
            return fmt::format("{}: they are not in the order of their times", name);
    }
    return "";
}

std::string why_not(const SweepPlan& plan) {
    if (plan.settings.empty()) return "no setting to try";
    for (const Setting& setting : plan.settings) {
        const std::string why = why_not(setting);
        if (!why.empty()) return why;
        if (plan.fidelity == Fidelity::Lease) continue;
        std::string why_full = why_not_full(setting, plan.world);
        if (!why_full.empty()) return why_full;
    }
    if (plan.span < seconds(3'600)) return "a span of less than an hour";
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
        for (std::size_t i = plan.shard; i < plan.settings.size(); i += plan.shards)
            sweep.results.emplace_back().setting = plan.settings[i];
        order_.resize(sweep.results.size());
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        // Those that renew most often take longest: they go first, so that all workers end
        // together.
        std::ranges::stable_sort(
            order_, {}, [&](std::size_t i) { return sweep.results[i].setting.renew_every; });
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
    }

private:
    void work() {
        try {
            while (true) {
                const std::size_t i = next_++;
                if (i >= order_.size()) break;
                simulate(sweep_.results[order_[i]]);
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
        return !until_ || Clock::now() < *until_;
    }

    const SweepPlan& plan_;
    Sweep& sweep_;
    const Duration bin_;
    std::uint64_t bins_ = 0;
    std::optional<Clock::time_point> until_;
    std::vector<std::size_t> order_;
    std::atomic<std::size_t> next_{0};
    std::atomic<std::uint64_t> done_{0};
    std::mutex mutex_;
    std::condition_variable changed_;
    unsigned running_ = 0;
    std::exception_ptr failed_;
};

}  // namespace

Result<Sweep> sweep(const SweepPlan& plan) {
    const std::string why = why_not(plan);
    if (!why.empty()) return bad(why);
    Sweep result;
    result.observed = plan.world.pauses.series.observed;
    try {
        Work(plan, result).run();
    } catch (const std::runtime_error& e) {  // of runs of the whole cluster
        return bad(e.what());
    }
    return result;
}

}  // namespace lockstep::lease
