#include "harness/lease/model.hpp"

#include "core/base/hash.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace lockstep::lease {
namespace {

std::uint64_t stream(std::uint64_t seed, const char* name) {
    return hash_words(seed, hash_name(name));
}

constexpr sim::Limits no_limits{100'000, UINT64_MAX};

}  // namespace

Model::Model(const Setting& setting, const Conditions& conditions, std::uint64_t seed, Duration bin)
    : setting_(setting),
      conditions_(conditions),
      seed_(seed),
      world_(seed, stacks_, *this, no_limits),
      links_(world_, conditions, seed) {
    const std::pair<const Source*, const char*> sources[chains] = {
        {&conditions.pauses, "pauses"},         {&conditions.outages, "outages"},
        {&conditions.partitions, "partitions"}, {&conditions.failovers, "failovers"},
        {&conditions.crashes, "crashes"},       {&conditions.deploys, "deploys"}};
    for (const auto& [source, name] : sources)
        occurrences_.emplace_back(*source, stream(seed, name),
                                  source == &conditions.pauses ? too_short() : Duration{});
    tally_.bin = bin;
    tally_.bins.emplace_back();
    service_id_ = world_.add_process("service", sim::ProcessKind::Server, [this](sim::Process&) {
        ServiceListener& listener = *this;
        auto made = std::make_unique<Service>(setting_, links_, listener);
        service_ = made.get();
        return made;
    });
    holder_id_ =
        world_.add_process("holder", sim::ProcessKind::Client, [this](sim::Process& process) {
            HolderListener& listener = *this;
            auto made = std::make_unique<Holder>(setting_, service_id_, links_, listener, process);
            holder_ = made.get();
            return made;
        });
    world_.start(service_id_);
    world_.start(holder_id_);
    world_.set_drift(holder_id_, -conditions.drift.value);
    for (std::size_t chain = 0; chain < chains; ++chain) arm(static_cast<Chain>(chain));
    later(probe_every, [this] { probe(); });
}

Model::~Model() = default;

void Model::run_bin() {
    const auto bins = static_cast<std::int64_t>(tally_.bins.size());
    const sim::SimTime end{bins * tally_.bin.ns};
    const sim::RunEnd ended = world_.run_until(end);
    LOCKSTEP_ASSERT(ended == sim::RunEnd::ReachedEnd, "lease={} end={}", setting_.lease.ns,
                    static_cast<int>(ended));
    touch();
    const std::size_t bin = tally_.bins.size() - 1;
    now_counted().without_holder += occurrences_[Pauses].left_out(end - tally_.bin, end);
    if (bin < passed_over_.size()) now_counted().without_holder += passed_over_[bin];
    tally_.bins.emplace_back();
}

Tally Model::take() {
    tally_.bins.pop_back();
    if (conditions_.pauses.series.timed) {
        const std::int64_t observed = conditions_.pauses.series.observed.ns;
        tally_.phases =
            occurrences_[Pauses].phases(static_cast<std::size_t>(world_.now().ns / observed) + 1);
    }
    tally_.steps = world_.steps();
    tally_.digest = world_.digest();
    return std::move(tally_);
}

Tally simulate(const Setting& setting, const Conditions& conditions, std::uint64_t seed,
               Duration span, Duration bin) {
    Model model(setting, conditions, seed, bin);
    for (std::int64_t i = 0; i < span.ns / bin.ns; ++i) model.run_bin();
    return model.take();
}

// Things that happen.

void Model::later(Duration after, std::function<void()> call) {
    world_.at(world_.now() + after, ++order_, std::move(call));
}

void Model::arm(Chain chain) {
    Occurrence next = occurrences_[chain].next();
    const sim::SimTime soon = world_.now() + tally_.bin;
    while (chain == Pauses && next.at < soon && next.length < too_short()) {
        pass_over(next);
        next = occurrences_[chain].next();
    }
    if (next.at == sim::SimTime::never()) return;
    world_.at(std::max(next.at, world_.now()), ++order_, [this, chain, next] {
        happen(chain, next);
        arm(chain);
    });
}

void Model::happen(Chain chain, const Occurrence& what) {
    switch (chain) {
        case Pauses:
            pause(what);
            return;
        case Outages:
            outage(what, Harm::Kind::Outage);
            return;
        case Partitions:
            outage(what, Harm::Kind::Partition);
            return;
        case Failovers:
            outage(what, Harm::Kind::Failover);
            return;
        case Crashes:
            crash(what);
            return;
        case Deploys:
            deploy(what);
            return;
        case chains:
            return;
    }
}

void Model::pass_over(const Occurrence& what) {
    count(what, Harm::Kind::Pause);
    const auto bin = static_cast<std::size_t>(what.at.ns / tally_.bin.ns);
    if (passed_over_.size() <= bin) passed_over_.resize(bin + 1);
    passed_over_[bin] += what.length;
}

void Model::pause(const Occurrence& what) {
    if (what.length < too_short()) {
        pass_over(what);
        return;
    }
    touch();
    remember(what, Harm::Kind::Pause);
    ++pauses_;
    world_.pause(holder_id_, sim::ClockMode::Runs);
    later(what.length, [this] {
        touch();
        --pauses_;
        world_.resume(holder_id_);
    });
}

void Model::outage(const Occurrence& what, Harm::Kind kind) {
    remember(what, kind);
    if (kind == Harm::Kind::Partition) {
        service_->cut_off();
        later(what.length, [this] { service_->reconnect(); });
        return;
    }
    service_->go_down();
    later(what.length, [this] { service_returns(); });
}

void Model::service_returns() {
    service_->come_up();
    if (service_->down()) return;
    for (auto& [number, shadow] : shadows_)
        if (setting_.failover_extends)
            shadow.ends = world_.now() + setting_.lease + setting_.expires_late;
    std::vector<std::uint64_t> numbers;
    for (const auto& [number, shadow] : shadows_) numbers.push_back(number);
    for (const std::uint64_t number : numbers) resolve(number);
}

void Model::crash(const Occurrence& what) {
    if (!world_.up(holder_id_)) return;
    touch();
    ++now_counted().counts.crashes;
    if (holds_) crashed_ = world_.now();
    holds_ = in_time_ = losing_ = false;
    released_.reset();
    holder_ = nullptr;
    world_.crash(holder_id_, sim::CrashKind::Kill);
    later(what.length, [this] {
        world_.start(holder_id_);
        world_.set_drift(holder_id_, -conditions_.drift.value);
    });
}

void Model::deploy(const Occurrence& what) {
    const sim::SimTime asked = world_.now();
    world_.schedule_io(holder_id_, Duration{}, ++order_, [this, asked, what] {
        const bool had = holder_->release(what.length);
        if (!had) return;
        ++now_counted().counts.releases;
        released_ = asked;
    });
}

void Model::count(const Occurrence& what, Harm::Kind kind) {
    auto& happened = tally_.happened[static_cast<std::size_t>(kind)];
    if (happened.size() <= what.index) happened.resize(what.index + 1);
    ++happened[what.index];
}

/// Kept as long as a lease that it cost may still be in the making.
void Model::remember(const Occurrence& what, Harm::Kind kind) {
    count(what, kind);
    const sim::SimTime now = world_.now();
    const Duration kept = setting_.lease * 2 + setting_.expires_late;
    while (!stops_.empty() && stops_.front().until + kept < now) stops_.pop_front();
    stops_.push_back({now, now + what.length, kind, what.index});
}

// Crashes that did not happen.

void Model::probe() {
    const std::uint64_t luck = world_.luck(hash_name("probe"), shadow_count_, 0, 0);
    const auto spread_over = static_cast<std::uint64_t>(probe_every.ns);
    const Duration wait{static_cast<std::int64_t>(luck % spread_over)};
    later(wait + probe_every / 2, [this] { probe(); });
    if (!holds_ || !world_.up(holder_id_) || !service_->has_lock(held_by_)) return;
    const std::uint64_t number = ++shadow_count_;
    shadows_.emplace_back(number, Shadow{world_.now(), held_by_, service_->ends(held_by_)});
    resolve(number);
}

/// If its session would have ended by now, the next one gets the lock.
void Model::resolve(std::uint64_t number) {
    const auto it = std::ranges::find(shadows_, number, &std::pair<std::uint64_t, Shadow>::first);
    if (it == shadows_.end() || service_->down()) return;
    const Shadow shadow = it->second;
    if (shadow.ends > world_.now()) {
        later(shadow.ends - world_.now(), [this, number] { resolve(number); });
        return;
    }
    shadows_.erase(it);
    resolved(shadow);
}

void Model::resolved(const Shadow& shadow) {
    const sim::SimTime now = world_.now();
    const sim::SimTime granted = service_->next_look(now + setting_.lock_delay);
    const sim::SimTime told = granted + links_.sync() + links_.one_way();
    tally_.crashes.push_back({shadow.crash, told - shadow.crash});
    // Had the service changed its leader meanwhile:
    if (!conditions_.failovers.any()) return;
    const Lengths lengths(conditions_.failovers, seed_, "pretended-failover");
    const Duration down = lengths.at(now);
    const std::uint64_t luck = world_.luck(hash_name("failover"), shadow_count_, 0, 0);
    const auto room = static_cast<std::uint64_t>((now - shadow.crash).ns) + 1;
    const sim::SimTime up = shadow.crash + Duration{static_cast<std::int64_t>(luck % room)} + down;
    const sim::SimTime ends =
        setting_.failover_extends ? up + setting_.lease + setting_.expires_late : std::max(up, now);
    tally_.failovers.push_back({shadow.crash, std::max(ends - now, Duration{})});
}

// What is heard.

void Model::on_world_event(sim::SimTime, sim::ProcessId process, const sim::WorldEvent& event) {
    if (process != holder_id_ || !std::holds_alternative<sim::DeadlinePassed>(event)) return;
    touch();
    in_time_ = false;
    if (holds_ && !std::exchange(losing().stood_down, true)) ++now_counted().counts.stood_down;
}

void Model::on_expired(SessionId session, bool held) {
    if (!held || session != held_by_ || !world_.up(holder_id_)) return;
    if (!holds_ && !losing_) return;
    if (!std::exchange(losing().taken_over, true)) ++now_counted().counts.taken_over;
}

void Model::on_renewed(SessionId session, sim::SimTime sent) {
    for (auto& [number, shadow] : shadows_)
        if (shadow.session == session && sent <= shadow.crash)
            shadow.ends = service_->ends(session);
}

void Model::on_next_granted() {
    touch();
    next_has_ = true;
    next_since_ = world_.now();
    paused_then_ = pauses_ > 0;
    if (!holds_ && world_.up(holder_id_) && losing_) count_late_writes(gave_up_);
}

void Model::on_next_told() {
    touch();
    next_lives_ = true;
    const sim::SimTime now = world_.now();
    if (crashed_) tally_.crashes.push_back({*crashed_, now - *crashed_});
    if (released_) tally_.releases.push_back({*released_, now - *released_});
    crashed_.reset();
    released_.reset();
}

void Model::on_holds() {
    touch();
    holds_ = in_time_ = true;
    losing_ = false;
    next_has_ = next_lives_ = false;
    crashed_.reset();
    released_.reset();
    held_by_ = holder_->session();
}

void Model::on_lost(events::LossReason reason) {
    touch();
    Loss& loss = losing();
    if (reason == events::LossReason::DeadlinePassed && !std::exchange(loss.stood_down, true))
        ++now_counted().counts.stood_down;
    holds_ = in_time_ = false;
    gave_up_ = world_.now();
    if (next_has_) count_late_writes(gave_up_);
}

void Model::on_released() {
    touch();
    holds_ = in_time_ = false;
    losing_ = false;
}

void Model::on_renewal_sent() {
    ++now_counted().counts.renewals;
}

void Model::on_renewal_answered(LocalTime deadline) {
    const LocalTime sent = deadline - setting_.believes_for();
    renewed_ = world_.now() - (world_.process(holder_id_).now() - sent);
}

// The books.

bool Model::holder_lives() const {
    return holds_ && in_time_ && pauses_ == 0;
}

/// Of all that was so until now.
void Model::touch() {
    const sim::SimTime now = world_.now();
    const Duration passed = now - touched_;
    touched_ = now;
    if (!holder_lives() && !next_lives_) now_counted().without_holder += passed;
    if (!holds_ || !next_has_) return;
    now_counted().double_belief += passed;
    if (losing_) tally_.losses.back().double_belief += passed;
}

/// The loss that is on. A new one is put down to the longest thing that happened since the last
/// renewal that was answered.
Loss& Model::losing() {
    if (std::exchange(losing_, true)) return tally_.losses.back();
    Loss loss;
    loss.at = world_.now();
    Duration longest{};
    for (const Stop& stop : stops_) {
        const Duration overlap = std::min(stop.until, world_.now()) - std::max(stop.from, renewed_);
        if (overlap <= longest) continue;
        longest = overlap;
        loss.kind = stop.kind;
        loss.index = stop.index;
        loss.length = stop.until - stop.from;
    }
    // What took no tenth of the time cannot have been it.
    if (longest < setting_.stands_down_after() / 10) {
        loss.kind = Harm::Kind::RoundTrip;
        loss.index = 0;
        loss.length = links_.one_way() * 2;
    }
    ++now_counted().counts.losses;
    tally_.losses.push_back(loss);
    return tally_.losses.back();
}

/// Of a holder that was told at this time that it holds no more. One write was on its way whenever
/// it was stopped in its work, or told; an awake one that still believed went on and on.
void Model::count_late_writes(sim::SimTime told) {
    const std::int64_t work = conditions_.work.ns;
    std::uint64_t late = 0;
    if (told >= next_since_) {
        late = 1;
        if (!paused_then_) late += static_cast<std::uint64_t>((told - next_since_).ns / work);
    } else {
        const std::uint64_t luck = world_.luck(hash_name("write"), tally_.losses.size(), 0, 0);
        const auto begun = static_cast<std::int64_t>(luck % static_cast<std::uint64_t>(work));
        late = told + Duration{begun} > next_since_ ? 1 : 0;
    }
    now_counted().counts.refused_writes += late;
    tally_.losses.back().refused_writes += late;
}

}  // namespace lockstep::lease
