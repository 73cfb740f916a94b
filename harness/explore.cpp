#include "harness/explore.hpp"

#include "core/base/assert.hpp"
#include "harness/explore_store.hpp"
#include "harness/stop_signals.hpp"
#include "harness/worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace lockstep::harness {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// A worker that is gone is noticed by its closed pipe, when something is written to it too.
class NoPipeSignal {
public:
    NoPipeSignal() {
        struct sigaction action{};
        action.sa_handler = SIG_IGN;
        sigemptyset(&action.sa_mask);
        ::sigaction(SIGPIPE, &action, &old_);
    }
    ~NoPipeSignal() { ::sigaction(SIGPIPE, &old_, nullptr); }
    NoPipeSignal(const NoPipeSignal&) = delete;
    NoPipeSignal& operator=(const NoPipeSignal&) = delete;

private:
    struct sigaction old_{};
};

/// Passes on each subject's outcomes in the order of their seeds.
class InOrder {
public:
    InOrder(const ExplorePlan& plan,
            const std::function<void(std::size_t, const Outcome&)>& on_outcome)
        : waiting_(plan.subjects), next_(plan.subjects, plan.first_seed), on_outcome_(on_outcome) {}

    void add(std::size_t subject, Outcome outcome) {
        auto& waiting = waiting_[subject];
        const std::uint64_t seed = outcome.seed;
        waiting.emplace(seed, std::move(outcome));
        pass_on(subject, false);
    }
    /// The seed will not come.
    void skip(std::size_t subject, std::uint64_t seed) {
        skipped_.emplace_back(subject, seed);
        pass_on(subject, false);
    }
    /// What is still held back follows, holes or not.
    void finish() {
        for (std::size_t subject = 0; subject < waiting_.size(); ++subject) pass_on(subject, true);
    }

private:
    void pass_on(std::size_t subject, bool over_holes) {
        auto& waiting = waiting_[subject];
        auto& next = next_[subject];
        while (true) {
            while (std::find(skipped_.begin(), skipped_.end(), std::pair(subject, next)) !=
                   skipped_.end())
                ++next;
            const auto first = waiting.begin();
            if (first == waiting.end() || (first->first != next && !over_holes)) return;
            on_outcome_(subject, first->second);
            next = first->first + 1;
            waiting.erase(first);
        }
    }

    std::vector<std::map<std::uint64_t, Outcome>> waiting_;
    std::vector<std::uint64_t> next_;
    std::vector<std::pair<std::size_t, std::uint64_t>> skipped_;
    const std::function<void(std::size_t, const Outcome&)>& on_outcome_;
};

/// Seeds as ranges without gaps between them.
class SeedSet {
public:
    /// False if it was there already.
    bool add(std::uint64_t seed) {
        auto after = ranges_.upper_bound(seed);
        if (after != ranges_.begin()) {
            const auto before = std::prev(after);
            if (seed <= before->second) return false;
            if (before->second + 1 == seed) {
                before->second = seed;
                join(before, after);
                return true;
            }
        }
        join(ranges_.emplace_hint(after, seed, seed), after);
        return true;
    }
    /// The first seed from here on that is not in it, as a distance.
    std::uint64_t run_from(std::uint64_t seed) const {
        const auto after = ranges_.upper_bound(seed);
        if (after == ranges_.begin()) return 0;
        const auto& [first, last] = *std::prev(after);
        return seed <= last ? last - seed + 1 : 0;
    }
    /// How many seeds from here on are not in it, at most `most`.
    std::uint64_t gap_from(std::uint64_t seed, std::uint64_t most) const {
        const auto after = ranges_.lower_bound(seed);
        return after == ranges_.end() ? most : std::min(most, after->first - seed);
    }

private:
    using Ranges = std::map<std::uint64_t, std::uint64_t>;
    void join(Ranges::iterator range, Ranges::iterator after) {
        if (after == ranges_.end() || range->second + 1 != after->first) return;
        range->second = after->second;
        ranges_.erase(after);
    }
    Ranges ranges_;  ///< first and last
};

/// What is left to hand out: a few seeds of each subject in turn, so that an exploration that is
/// cut short has seen all of them.
class WorkList {
public:
    explicit WorkList(const ExplorePlan& plan)
        : plan_(plan), done_(plan.subjects), handed_(plan.subjects, 0) {
        const std::uint64_t share = plan.seeds * plan.subjects / (plan.jobs * 32ULL + 1);
        // With a budget one seed at a time, for the clock is looked at in between.
        size_ = plan.budget.count() > 0 ? 1 : std::clamp<std::uint64_t>(share, 1, 64);
    }

    /// The seed has run already; said before the first `take`. False if it was said before.
    bool skip(std::size_t subject, std::uint64_t seed) { return done_[subject].add(seed); }

    bool empty() {
        while (returned_.empty() && out_ < plan_.subjects * plan_.seeds) {
            const std::uint64_t run = std::min(done_[turn_].run_from(next()), left());
            out_ += run;
            handed_[turn_] += run;
            if (left() > 0) return false;
            turn_ = (turn_ + 1) % handed_.size();
        }
        return returned_.empty();
    }

    /// Must not be empty.
    Chunk take() {
        LOCKSTEP_ASSERT(!empty(), "out={}", out_);
        if (!returned_.empty()) {
            const Chunk chunk = returned_.front();
            returned_.pop_front();
            return chunk;
        }
        const std::uint64_t count = done_[turn_].gap_from(next(), std::min(size_, left()));
        const Chunk chunk{turn_, next(), count};
        handed_[turn_] += count;
        out_ += count;
        turn_ = (turn_ + 1) % handed_.size();
        return chunk;
    }
    void give_back(const Chunk& chunk) {
        if (chunk.count > 0) returned_.push_back(chunk);
    }

private:
    std::uint64_t next() const { return plan_.first_seed + handed_[turn_]; }
    std::uint64_t left() const { return plan_.seeds - handed_[turn_]; }

    const ExplorePlan& plan_;
    std::vector<SeedSet> done_;
    std::vector<std::uint64_t> handed_;  ///< of each subject: handed out or skipped
    std::uint64_t out_ = 0;
    std::uint64_t size_ = 1;
    std::size_t turn_ = 0;
    std::deque<Chunk> returned_;
};

class Explorer {
public:
    Explorer(const ExplorePlan& plan, const RunSeed& run_seed,
             const std::function<void(std::size_t, const Outcome&)>& on_outcome,
             const std::function<void(const ExploreProgress&)>& on_progress)
        : plan_(plan),
          run_seed_(run_seed),
          on_progress_(on_progress),
          order_(plan, on_outcome),
          work_(plan),
          start_(Clock::now()) {
        result_.total = plan.subjects * plan.seeds;
    }

    Exploration go() {
        const StopSignals signals;
        const NoPipeSignal no_pipe_signal;
        resume();
        const std::uint64_t jobs = std::clamp<std::uint64_t>(plan_.jobs, 1, 256);
        workers_.resize(static_cast<std::size_t>(std::min(jobs, result_.total)));
        while (!StopSignals::caught()) {
            if (!out_of_time() && !hand_out()) continue;
            if (all_idle()) break;
            wait();
            collect();
            report_progress(false);
        }
        result_.interrupted = StopSignals::caught();
        result_.out_of_time = !result_.interrupted && !work_.empty();
        if (result_.interrupted) collect();  // what they had already sent
        workers_.clear();
        order_.finish();
        result_.elapsed = elapsed();
        if (plan_.store != nullptr) plan_.store->finish(ending(), result_.elapsed);
        report_progress(true);
        return result_;
    }

private:
    /// What finished earlier.
    void resume() {
        if (plan_.store == nullptr) return;
        plan_.store->replay([this](std::size_t subject, Outcome outcome) {
            const bool ours =
                outcome.seed >= plan_.first_seed && outcome.seed - plan_.first_seed < plan_.seeds;
            if (!ours || !work_.skip(subject, outcome.seed)) return;
            ++result_.done;
            ++result_.resumed;
            result_.resumed_steps += outcome.steps;
            order_.add(subject, std::move(outcome));
        });
        start_ = Clock::now();
    }

    void finished(std::size_t subject, Outcome outcome) {
        if (plan_.store != nullptr) plan_.store->keep(subject, outcome);
        ++result_.done;
        order_.add(subject, std::move(outcome));
    }

    ExploreStore::Ending ending() const {
        using Ending = ExploreStore::Ending;
        if (result_.done == result_.total && result_.given_up.empty()) return Ending::Complete;
        return result_.out_of_time ? Ending::OutOfTime : Ending::Stopped;
    }

    milliseconds elapsed() const {
        return std::chrono::duration_cast<milliseconds>(Clock::now() - start_);
    }
    bool out_of_time() const { return plan_.budget.count() > 0 && elapsed() >= plan_.budget; }
    bool all_idle() const {
        return std::all_of(workers_.begin(), workers_.end(),
                           [](const auto& w) { return w == nullptr || w->idle(); });
    }

    /// Gives every idle worker something to do; false if one turned out to be gone.
    bool hand_out() {
        for (auto& worker : workers_) {
            if (work_.empty()) return true;
            if (worker != nullptr && !worker->idle()) continue;
            if (worker == nullptr) worker = std::make_unique<Worker>(run_seed_, open_fds());
            const Chunk chunk = work_.take();
            if (worker->give(chunk)) continue;
            work_.give_back(chunk);
            worker.reset();
            return false;
        }
        return true;
    }

    std::vector<int> open_fds() const {
        std::vector<int> fds;
        for (const auto& worker : workers_) {
            if (worker == nullptr) continue;
            for (const int fd : worker->fds()) fds.push_back(fd);
        }
        return fds;
    }

    void wait() const {
        std::vector<pollfd> fds;
        for (const auto& worker : workers_)
            if (worker != nullptr) fds.push_back({worker->result_fd(), POLLIN, 0});
        ::poll(fds.data(), fds.size(), 100);
    }

    void collect() {
        for (auto& worker : workers_) {
            if (worker == nullptr) continue;
            const std::size_t subject = worker->rest().subject;
            std::vector<Outcome> outcomes;
            const bool alive = worker->receive(outcomes);
            for (Outcome& outcome : outcomes) finished(subject, std::move(outcome));
            if (!alive) {
                bury(worker, false);
            } else if (!worker->idle() && Clock::now() - worker->last_heard() > plan_.watchdog) {
                bury(worker, true);
            }
        }
    }

    /// The worker is gone, or is given up: so is the seed it was at. The others go back.
    void bury(std::unique_ptr<Worker>& worker, bool given_up) {
        Chunk rest = worker->rest();
        const std::string how = worker->end();
        worker.reset();
        if (rest.count == 0) return;
        if (given_up) {
            result_.given_up.push_back({rest.subject, rest.first});
            order_.skip(rest.subject, rest.first);
            ++result_.done;
        } else {
            Outcome crashed;
            crashed.seed = rest.first;
            crashed.end = End::Crashed;
            crashed.end_detail = "the process that ran it ended with " + how;
            finished(rest.subject, std::move(crashed));
        }
        ++rest.first;
        --rest.count;
        work_.give_back(rest);
    }

    void report_progress(bool last) {
        if (!on_progress_) return;
        const auto now = Clock::now();
        if (!last && now - last_report_ < milliseconds(200)) return;
        last_report_ = now;
        on_progress_({result_.done, result_.total, result_.resumed, elapsed(), plan_.budget});
    }

    const ExplorePlan& plan_;
    const RunSeed& run_seed_;
    const std::function<void(const ExploreProgress&)>& on_progress_;
    InOrder order_;
    WorkList work_;
    Clock::time_point start_;
    Clock::time_point last_report_{};
    std::vector<std::unique_ptr<Worker>> workers_;
    Exploration result_;
};

}  // namespace

Exploration explore(const ExplorePlan& plan, const RunSeed& run_seed,
                    const std::function<void(std::size_t, const Outcome&)>& on_outcome,
                    const std::function<void(const ExploreProgress&)>& on_progress) {
    return Explorer(plan, run_seed, on_outcome, on_progress).go();
}

}  // namespace lockstep::harness
