#include "properties/suite.hpp"

#include "core/base/assert.hpp"
#include "properties/availability.hpp"
#include "properties/beliefs.hpp"
#include "properties/endings.hpp"
#include "properties/expiry.hpp"
#include "properties/fencing.hpp"
#include "properties/grants.hpp"
#include "properties/linearizable.hpp"
#include "properties/liveness.hpp"
#include "properties/lock_table.hpp"
#include "properties/orphans.hpp"
#include "properties/probe.hpp"
#include "properties/quorum.hpp"
#include "properties/raft_elections.hpp"
#include "properties/raft_log.hpp"
#include "properties/retries.hpp"
#include "properties/state_machine.hpp"
#include "properties/updates.hpp"
#include "properties/wakes.hpp"

#include <tuple>
#include <variant>

namespace lockstep::properties {

/// The checkers, each fed with the kinds that it has an overload for. What comes first sees an
/// event first: RaftLog moves the floor of the log, by which others prune.
struct Suite::Checkers {
    explicit Checkers(const Setup& setup)
        : context(setup),
          all(context, context, context, context, context, context, context, context, context,
              context, context, context, context, context, context, context, context, context,
              context) {}

    template <class E>
    void feed(const Stamp& stamp, const E& event) {
        LOCKSTEP_ASSERT(!finished, "an event after the end, at {} ns", stamp.at.ns);
        last_ordinal = stamp.ordinal;
        if constexpr (requires { context.stalls.on(stamp, event); })
            context.stalls.on(stamp, event);
        if constexpr (requires { context.sessions.begin(event); }) context.sessions.begin(event);
        std::apply([&](auto&... checker) { (feed_one(checker, stamp, event), ...); }, all);
        if constexpr (requires { context.sessions.end(event); }) context.sessions.end(event);
    }
    template <class Checker, class E>
    static void feed_one(Checker& checker, const Stamp& stamp, const E& event) {
        if constexpr (requires { checker.on(stamp, event); }) checker.on(stamp, event);
    }
    template <class Checker>
    static void finish_one(Checker& checker, const Stamp& stamp) {
        if constexpr (requires { checker.finish(stamp); }) checker.finish(stamp);
    }

    Context context;
    std::tuple<RaftLog, RaftElections, StateMachine, LockTable, Retries, Wakes, Expiry, Orphans,
               Grants, Endings, Fencing, Updates, Beliefs, Quorum, Availability, LeaderReturns,
               WaitersServed, Probe, Linearizable>
        all;
    std::uint64_t last_ordinal = 0;
    bool finished = false;
};

Suite::Suite(const Setup& setup) : checkers_(std::make_unique<Checkers>(setup)) {}
Suite::~Suite() = default;
Suite::Suite(Suite&&) noexcept = default;
Suite& Suite::operator=(Suite&&) noexcept = default;

void Suite::on(const Stamp& stamp, const events::Event& event) {
    std::visit([&](const auto& e) { checkers_->feed(stamp, e); }, event);
}

void Suite::on(const Stamp& stamp, const sim::WorldEvent& event) {
    if (const auto* broken = std::get_if<sim::AssumptionBroken>(&event))
        checkers_->context.ledger.broken(stamp, {broken->assumption, broken->kind});
    std::visit([&](const auto& e) { checkers_->feed(stamp, e); }, event);
}

void Suite::finish(sim::SimTime end) {
    LOCKSTEP_ASSERT(!checkers_->finished, "finished twice, at {} ns", end.ns);
    const Stamp stamp{end, {}, checkers_->last_ordinal};
    std::apply([&](auto&... checker) { (Checkers::finish_one(checker, stamp), ...); },
               checkers_->all);
    checkers_->finished = true;
}

std::vector<Report> Suite::reports() const {
    return checkers_->context.ledger.reports();
}

std::uint64_t Suite::violations() const {
    return checkers_->context.ledger.violations();
}

}  // namespace lockstep::properties
