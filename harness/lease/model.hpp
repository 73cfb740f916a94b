#pragma once

#include "harness/lease/holder.hpp"
#include "harness/lease/occurrences.hpp"
#include "harness/lease/service.hpp"
#include "harness/lease/tally.hpp"
#include "sim/fiber.hpp"
#include "sim/world.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

namespace lockstep::lease {

/// One setting in the world of the logs, at the fidelity `lease`: a holder (the client of the lock
/// service as it is, in a process that pauses, crashes and is deployed anew), and the service as a
/// Service. Keeps the books.
///
/// Stops shorter than a thousandth of the lease are not simulated, but what they add to the time
/// without a holder counts: of most logs nearly all are.
///
/// Whoever has the lock is hit by the pauses, so that all settings see the same of them; the
/// stand-in, which has it between a loss and the holder's return, is not.
class Model final : private sim::Listener, private ServiceListener, private HolderListener {
public:
    Model(const Setting& setting, const Conditions& conditions, std::uint64_t seed, Duration bin);
    ~Model() override;
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;

    /// Of simulated time.
    void run_bin();
    /// What came of it so far, takeovers that are still on their way left out.
    Tally take();
    const Tally& tally() const { return tally_; }

    /// Pretended crashes, by which the time to the next holder is measured: so often.
    static constexpr Duration probe_every = seconds(600);

private:
    /// A crash of the holder that did not happen: what the service would have done.
    struct Shadow {
        sim::SimTime crash;
        SessionId session;
        sim::SimTime ends;  ///< as things stand
    };
    struct Stop {
        sim::SimTime from;
        sim::SimTime until;
        Harm::Kind kind;
        std::uint32_t index;
    };
    enum Chain : std::size_t { Pauses, Outages, Partitions, Failovers, Crashes, Deploys, chains };

    // Things that happen.
    void arm(Chain chain);
    void happen(Chain chain, const Occurrence& what);
    void pause(const Occurrence& what);
    Duration too_short() const { return setting_.lease / 1'000; }
    void pass_over(const Occurrence& what);
    void outage(const Occurrence& what, Harm::Kind kind);
    void crash(const Occurrence& what);
    void deploy(const Occurrence& what);
    void service_returns();
    void count(const Occurrence& what, Harm::Kind kind);
    void remember(const Occurrence& what, Harm::Kind kind);
    void probe();
    void resolve(std::uint64_t shadow);
    void resolved(const Shadow& shadow);
    void later(Duration after, std::function<void()> call);

    // What is heard.
    void on_world_event(sim::SimTime, sim::ProcessId, const sim::WorldEvent& event) override;
    void on_point(sim::SimTime, sim::ProcessId, std::uint32_t) override {}
    void on_expired(SessionId session, bool held) override;
    void on_renewed(SessionId session, sim::SimTime sent) override;
    void on_next_granted() override;
    void on_next_told() override;
    void on_holds() override;
    void on_lost(events::LossReason reason) override;
    void on_released() override;
    void on_renewal_sent() override;
    void on_renewal_answered(LocalTime deadline) override;

    // The books.
    void touch();
    bool holder_lives() const;
    Loss& losing();
    void count_late_writes(sim::SimTime told);
    Bin& now_counted() { return tally_.bins.back(); }

    const Setting setting_;
    const Conditions& conditions_;
    const std::uint64_t seed_;
    sim::StackPool stacks_;
    sim::World world_;
    Links links_;
    std::vector<Occurrences> occurrences_;  ///< by chain
    Service* service_ = nullptr;
    Holder* holder_ = nullptr;  ///< its life that is on, if any
    sim::ProcessId service_id_{};
    sim::ProcessId holder_id_{};
    std::uint64_t order_ = 0;
    Tally tally_;
    std::vector<Duration> passed_over_;  ///< time of stops that were not simulated, by bin
    std::deque<Stop> stops_;             ///< of late, by their starts
    std::vector<std::pair<std::uint64_t, Shadow>> shadows_;
    std::uint64_t shadow_count_ = 0;

    sim::SimTime touched_{};
    std::uint32_t pauses_ = 0;   ///< of the holder, that are on
    bool holds_ = false;         ///< it was told, and not told of a loss
    bool in_time_ = false;       ///< its deadline has not come
    bool next_has_ = false;      ///< the service gave the lock to the stand-in
    bool next_lives_ = false;    ///< the stand-in knows, and did not give it back
    SessionId held_by_;          ///< the holder's session while it holds
    sim::SimTime renewed_{};     ///< when the sending went out from which its deadline counts
    sim::SimTime next_since_{};  ///< when the stand-in was given the lock
    bool paused_then_ = false;   ///< the holder was paused when the stand-in was given the lock
    sim::SimTime gave_up_{};     ///< when the holder was last told of a loss
    bool losing_ = false;        ///< the last loss in the books may still get worse
    std::optional<sim::SimTime> crashed_;   ///< nobody had the lock since
    std::optional<sim::SimTime> released_;  ///< likewise
};

/// One setting, for as many whole bins as the span has.
Tally simulate(const Setting& setting, const Conditions& conditions, std::uint64_t seed,
               Duration span, Duration bin);

}  // namespace lockstep::lease
