#pragma once

#include "harness/explain/chronicle.hpp"
#include "harness/explain/phrases.hpp"
#include "properties/property.hpp"
#include "scenarios/resolve.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace lockstep::harness {

/// How much a step is needed to understand: a story has room for ten.
enum class Rank : std::uint8_t {
    Aside,  ///< where there is room
    Helpful,
    Linked,  ///< part of the chain
    Needed,  ///< without it the rest makes no sense
};

struct Step {
    Rank rank = Rank::Aside;
    std::string text;
};

/// Whom an explanation is about; what concerns nobody of them is no part of it.
struct Focus {
    std::vector<sim::ProcessId> processes;  ///< in order of importance
    std::set<SessionId> sessions;
    std::set<LockId> locks;
    std::set<FencingToken> tokens;
};

/// An explanation in the making: filled by the family of the violated property.
class Telling {
public:
    Telling(const Chronicle& log, const scenario::Resolved& settings, const Phrases& words,
            const properties::Violation& violation);

    const Chronicle& log;
    const scenario::Resolved& settings;
    const Phrases& words;
    const properties::Violation& violation;
    Place at;  ///< the violating event, or the last before a violation that is no event's making
    bool by_event = false;

    std::string harm;
    std::string broke;       ///< first sentence of the cause: between whom the promise broke
    std::string pivot;       ///< the sentence on what should not have been
    std::string looks_like;  ///< without the assumption that excuses it
    std::string fencing;
    std::map<Place, Step> steps;
    Place decisive = nowhere;
    Focus focus;

    /// A step of the story; `text` empty: as the event is told. The greater need counts, and the
    /// first text.
    void step(Place place, Rank rank, std::string text = "");
    void decide(Place place, std::string text = "");
    void about(sim::ProcessId process);
    void about(const HoldTale& hold);
    /// Faults, pauses, crashes between the two places that hit one of these.
    void troubles(const std::vector<sim::ProcessId>& whom, Place from, Place to, Rank rank);
    /// Who was elected between the places.
    void elections(Place from, Place to, Rank rank);
    std::string name(sim::ProcessId process) const { return words.who(process); }
};

// The families; each fills in what it can.

/// Whether one session's lease ended as it should, and why it was not renewed.
struct LeaseAccount {
    bool flawed = false;     ///< the service, or the client, did what it must not
    std::string pivot;       ///< a sentence
    std::string ran_out;     ///< the part of it that says that the lease ran out, without a flaw
    std::string looks_like;  ///< the class of bug, if flawed
    Place decisive = nowhere;
};
LeaseAccount account_for(Telling& telling, const SessionTale& session);

void tell_belief(Telling& telling);       ///< BELIEF-1
void tell_stale_write(Telling& telling);  ///< FENCE-1, FENCE-2
void tell_early_end(Telling& telling);    ///< LOCK-3
void tell_grants(Telling& telling);       ///< LOCK-1, LOCK-2, GRANT-1
void tell_elections(Telling& telling);    ///< RAFT-1, RAFT-6
void tell_logs(Telling& telling);         ///< RAFT-2 to RAFT-5
void tell_quorum(Telling& telling);       ///< QUORUM-1
void tell_late_act(Telling& telling);     ///< ACT-1
void tell_liveness(Telling& telling);     ///< LIVE-x, AVAIL-1, LOCK-5
/// From the evidence alone: everything else, and what a family could not tell.
void tell_evidence(Telling& telling);

/// What the resources of the locks in focus did with late writes: the holds are of those who may
/// have acted when they should not.
std::string fencing_of(const Telling& telling, const std::vector<const HoldTale*>& stale);

}  // namespace lockstep::harness
