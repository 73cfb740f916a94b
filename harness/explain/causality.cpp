#include "harness/explain/causality.hpp"

#include <algorithm>
#include <map>

namespace lockstep::harness {
namespace {

/// The world's own records concern everybody: they are linked where they are needed.
constexpr sim::ProcessId the_world{};

}  // namespace

Causality::Causality(const Chronicle& log) : log_(log), before_(log.size()) {
    std::map<sim::ProcessId, Place> last;
    std::map<LockId, Place> freed;
    const auto link = [&](Place from, Place to) {
        if (from != nowhere && from < to) before_[to].push_back(from);
    };
    for (Place place = 0; place < log.size(); ++place) {
        const sim::ProcessId process = log.process(place);
        const auto known = last.find(process);
        if (process != the_world && known != last.end()) link(known->second, place);
        last[process] = place;
        if (const auto* taken = std::get_if<MessageTaken>(&log.at(place).what))
            link(log.sending_of(taken->number), place);
        if (const auto* granted = log.event<events::Granted>(place))
            if (const auto end = freed.find(granted->lock); end != freed.end())
                link(end->second, place);
        if (const auto* released = log.event<events::Released>(place))
            freed[released->lock] = place;
        if (const auto* ended = log.event<events::HoldEnded>(place)) freed[ended->lock] = place;
        if (const auto* ended = log.event<events::SessionEnded>(place))
            for (const std::size_t i : log.holds_of(ended->session))
                if (log.holds()[i].freed == place) freed[log.holds()[i].lock] = place;
        if (const auto* broken = log.world_event<sim::AssumptionBroken>(place);
            broken != nullptr && place > 0)
            link(place - 1, place);
    }
    for (const auto& [id, session] : log.sessions())
        for (const ProposalTale& proposal : session.proposals)
            if (proposal.term == session.end_term && session.ended != nowhere)
                link(proposal.at, session.ended);
    // A fault that hits a link hits both ends.
    for (const SpanTale& trouble : log.troubles()) {
        for (Place place = trouble.from + 1; place < log.size(); ++place) {
            if (log.process(place) != trouble.peer) continue;
            link(trouble.from, place);
            break;
        }
    }
}

std::vector<bool> Causality::past_of(Place place) const {
    std::vector<bool> past(log_.size(), false);
    if (place >= past.size()) return past;
    past[place] = true;
    // Every edge goes forward, so that one pass backwards meets each place after all that follow.
    for (Place at = place + 1; at-- > 0;)
        if (past[at])
            for (const Place from : before_[at]) past[from] = true;
    return past;
}

Place Causality::message_behind(Place place) const {
    if (place >= log_.size()) return nowhere;
    const sim::SimTime at = log_.time(place);
    for (Place back = place; back-- > 0 && log_.time(back) == at;) {
        if (log_.process(back) != log_.process(place)) continue;
        if (const auto* taken = std::get_if<MessageTaken>(&log_.at(back).what))
            return log_.sending_of(taken->number);
    }
    return nowhere;
}

}  // namespace lockstep::harness
