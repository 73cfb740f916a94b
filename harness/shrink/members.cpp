// Scenarios without somebody, or without some of what goes wrong.
#include "core/base/assert.hpp"
#include "harness/shrink/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace lockstep::harness {
namespace {

std::vector<std::string> names_of(const Scenario& scenario, Member member) {
    switch (member) {
        case Member::Server:
            return scenario::server_names(scenario);
        case Member::Client:
            return scenario::client_names(scenario);
        case Member::Lock:
            return scenario::resource_names(scenario);
    }
    LOCKSTEP_ASSERT(false, "member {}", static_cast<int>(member));
}

std::uint32_t& count_of(Scenario& scenario, Member member) {
    switch (member) {
        case Member::Server:
            return scenario.cluster.servers;
        case Member::Client:
            return scenario.cluster.clients;
        case Member::Lock:
            return scenario.cluster.locks;
    }
    LOCKSTEP_ASSERT(false, "member {}", static_cast<int>(member));
}

const char* word_of(Member member) {
    return member == Member::Server ? "server" : member == Member::Client ? "client" : "lock";
}

std::string counted(std::uint64_t n, std::string_view word) {
    return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
}

/// New names for old ones, when one of them has gone.
class Renaming {
public:
    Renaming(std::vector<std::string> before, std::vector<std::string> after, std::size_t gone)
        : before_(std::move(before)), after_(std::move(after)), gone_(gone) {}

    /// False if it was the one that has gone.
    bool rename(std::string& name) const {
        const auto found = std::find(before_.begin(), before_.end(), name);
        if (found == before_.end()) return true;
        const auto at = static_cast<std::size_t>(found - before_.begin());
        if (at == gone_) return false;
        name = after_[at < gone_ ? at : at - 1];
        return true;
    }
    bool rename(sim::Aim& aim) const { return aim.by != sim::Aim::By::Process || rename(aim.name); }
    /// False if nobody is left of those that were named.
    bool rename(std::vector<std::string>& peers) const {
        std::vector<std::string> left;
        bool named = false;
        bool any = false;
        for (const std::string& peer : peers) {
            const bool except = peer.starts_with('!');
            std::string name = except ? peer.substr(1) : peer;
            named = named || !except;
            if (!rename(name)) continue;
            any = any || !except;
            left.push_back((except ? "!" : "") + name);
        }
        peers = std::move(left);
        return any || !named;
    }
    /// False if the fault goes, too.
    bool rename(sim::Fault& fault) const {
        if (!rename(fault.aim) || !rename(fault.peers)) return false;
        return !fault.trigger || !fault.trigger->where || rename(*fault.trigger->where);
    }

private:
    std::vector<std::string> before_;
    std::vector<std::string> after_;
    std::size_t gone_;
};

bool names_lost_zone(const Scenario& scenario, const sim::Fault& fault) {
    const auto lost = [&](std::string_view name) {
        if (name.starts_with('!')) name.remove_prefix(1);
        if (!name.starts_with("zone-")) return false;
        for (std::uint32_t z = 1; z <= scenario.cluster.zones; ++z)
            if (name == fmt::format("zone-{}", z)) return false;
        return true;
    };
    return lost(fault.aim.name) || std::any_of(fault.peers.begin(), fault.peers.end(), lost);
}

void fewer(Candidates& to, Member member) {
    const Scenario& origin = to.origin();
    Scenario copy = origin;
    const std::uint32_t count = count_of(copy, member);
    const std::uint32_t least = member == Member::Client ? 0 : 1;
    const auto down_to = [&](std::uint32_t n) {
        if (n < least || n + 1 >= count) return;  // one less: below
        Scenario changed = origin;
        for (std::uint32_t left = count; left > n; --left)
            changed = without_member(changed, member, left - 1);
        to.offer(std::move(changed), counted(n, word_of(member)));
    };
    down_to(1);
    down_to(2);
    if (count / 2 > 2) down_to(count / 2);
    if (count <= least) return;
    // Those at the end first: the others keep their names.
    constexpr std::uint32_t most_asked = 12;
    for (std::uint32_t i = 0; i < std::min(count, most_asked); ++i) {
        const std::uint32_t position = count - 1 - i;
        to.offer(without_member(origin, member, position),
                 fmt::format("{}, without {}", counted(count - 1, word_of(member)),
                             names_of(origin, member)[position]),
                 true);
    }
}

void fewer_sessions(Candidates& to) {
    const std::uint32_t sessions = to.origin().cluster.sessions;
    const auto down_to = [&](std::uint32_t n, bool removal) {
        Scenario changed = to.origin();
        changed.cluster.sessions = n;
        for (sim::Fault& fault : changed.faults) fault.strand = std::min(fault.strand, n);
        to.offer(std::move(changed), counted(n, "session"), removal);
    };
    if (sessions <= 1) return;
    if (sessions > 2) down_to(1, false);
    if (sessions / 2 > 1 && sessions / 2 < sessions - 1) down_to(sessions / 2, false);
    down_to(sessions - 1, true);
}

}  // namespace

Scenario without_member(const Scenario& scenario, Member member, std::uint32_t position) {
    Scenario changed = scenario;
    --count_of(changed, member);
    changed.cluster.zones = std::min(changed.cluster.zones, changed.cluster.servers);
    const Renaming renaming(names_of(scenario, member), names_of(changed, member), position);
    std::erase_if(changed.faults, [&](sim::Fault& fault) {
        return !renaming.rename(fault) || names_lost_zone(changed, fault);
    });
    return changed;
}

Scenario with_horizon(const Scenario& scenario, Duration end) {
    Scenario changed = scenario;
    changed.run.faults_for = std::min(end, scenario.run.faults_for);
    const Duration last = changed.run.faults_for;
    std::erase_if(changed.faults, [&](const sim::Fault& fault) { return fault.start >= last; });
    for (sim::Fault& fault : changed.faults)
        if (sim::fields_of(fault.kind).lasts)
            fault.duration = std::min(fault.duration, last - fault.start);
    return changed;
}

void without_faults(Candidates& to) {
    const sim::FaultPlan& faults = to.origin().faults;
    const std::size_t count = faults.size();
    const auto without = [&](std::size_t from, std::size_t n) {
        Scenario changed = to.origin();
        const auto begin = changed.faults.begin() + static_cast<std::ptrdiff_t>(from);
        changed.faults.erase(begin, begin + static_cast<std::ptrdiff_t>(n));
        return changed;
    };
    for (std::size_t size = count; size > 1; size = size / 2)
        for (std::size_t from = 0; from < count; from += size) {
            const std::size_t n = std::min(size, count - from);
            to.offer(without(from, n), fmt::format("without faults {} to {}", from + 1, from + n));
        }
    for (std::size_t i = count; i-- > 0;)
        to.offer(without(i, 1), fmt::format("without fault {} ({})", i + 1, faults[i].label()),
                 true);
}

void without_members(Candidates& to) {
    fewer(to, Member::Client);
    fewer(to, Member::Server);
    fewer(to, Member::Lock);
    fewer_sessions(to);
}

void with_shorter_horizon(Candidates& to) {
    const Scenario& origin = to.origin();
    if (origin.run.budget == scenario::Budget::Recoverable) {
        Scenario changed = origin;
        changed.run.budget = scenario::Budget::Unlimited;
        changed.run.quiet.reset();
        to.offer(std::move(changed), "no quiet period");
    }
    if (origin.run.quiet) {
        Scenario changed = origin;
        changed.run.quiet.reset();
        to.offer(std::move(changed), "the shortest quiet period");
    }
    for (const std::int64_t ns : smaller(origin.run.faults_for.ns, milliseconds(1).ns))
        to.offer(with_horizon(origin, {ns}),
                 fmt::format("faults for {}", sim::to_string(Duration{ns})));
    if (origin.faults.size() < 2) return;
    const auto earlier = [](const sim::Fault& a, const sim::Fault& b) { return a.start < b.start; };
    const Duration first =
        std::min_element(origin.faults.begin(), origin.faults.end(), earlier)->start;
    for (const std::int64_t ns : smaller(first.ns, 0)) {
        Scenario changed = origin;
        const Duration by = first - Duration{ns};
        for (sim::Fault& fault : changed.faults) fault.start = fault.start - by;
        to.offer(std::move(changed), fmt::format("all faults {} sooner", sim::to_string(by)));
    }
}

}  // namespace lockstep::harness
