#include "harness/gate/minimums.hpp"

#include "harness/gate/odds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <utility>

namespace lockstep::harness {
namespace {

constexpr std::array<std::string_view, 4> feat_names{"mark", "fault", "violation", "judged"};

std::uint64_t hits_in(const Tally& tally, Feat feat, const std::string& name) {
    switch (feat) {
        case Feat::Mark: {
            const auto mark = tally.marks().find(name);
            return mark == tally.marks().end() ? 0 : mark->second.runs;
        }
        case Feat::Fault: {
            const auto fault = tally.faults().find(name);
            return fault == tally.faults().end() ? 0 : fault->second.runs;
        }
        case Feat::Violation:
        case Feat::Judged: {
            const auto id = properties::property_of(name);
            if (!id) return 0;
            const auto& property = tally.properties()[static_cast<std::size_t>(*id)];
            return feat == Feat::Violation ? property.violated : property.judged;
        }
    }
    return 0;
}

/// What the scenario itself demands, beside what was measured.
std::vector<std::pair<Feat, std::string>> demanded(const Tally& tally) {
    std::vector<std::pair<Feat, std::string>> all;
    for (const auto& mark : tally.demands().required_marks) all.emplace_back(Feat::Mark, mark);
    for (const auto id : tally.demands().violated)
        all.emplace_back(Feat::Violation, properties::code_of(id));
    for (const auto& [id, share] : tally.demands().minimum_share)
        all.emplace_back(Feat::Judged, properties::code_of(id));
    return all;
}

/// Of that many runs, what the scenario's own share comes to; no more is demanded than that.
std::uint64_t share_of(const Tally& tally, const Minimum& minimum) {
    for (const auto& [id, share] : tally.demands().minimum_share)
        if (properties::code_of(id) == minimum.name)
            return (minimum.runs * static_cast<std::uint64_t>(share.value) + 999'999) / 1'000'000;
    return minimum.runs;
}

/// The rates of one scenario, and what else it demands.
std::vector<Rate> rates_for(const Tally& tally, const std::vector<Rate>& rates) {
    std::vector<Rate> mine;
    for (const Rate& rate : rates)
        if (rate.scenario == tally.scenario()) mine.push_back(rate);
    for (const auto& [feat, name] : demanded(tally)) {
        const auto same = [&, feat = feat, &name = name](const Rate& rate) {
            return rate.feat == feat && rate.name == name;
        };
        if (std::none_of(mine.begin(), mine.end(), same))
            mine.push_back({tally.scenario(), feat, name, 0, 0});
    }
    return mine;
}

Minimum begun(const Tally& tally, const Rate& rate) {
    Minimum minimum;
    minimum.scenario = rate.scenario;
    minimum.feat = rate.feat;
    minimum.name = rate.name;
    minimum.runs = tally.runs();
    minimum.found = hits_in(tally, rate.feat, rate.name);
    if (rate.runs > 0) minimum.rate = rate_at_least(rate.hits, rate.runs, rate_doubt);
    return minimum;
}

std::vector<std::string> words_of(const std::string& line) {
    std::vector<std::string> words;
    std::istringstream in(line);
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

}  // namespace

std::string_view to_string(Feat feat) {
    return feat_names.at(static_cast<std::size_t>(feat));
}

std::vector<Rate> measured_rates(const Batch& batch) {
    std::vector<Rate> rates;
    for (const Tally& tally : batch.tallies) {
        const auto add = [&](Feat feat, const std::string& name) {
            rates.push_back(
                {tally.scenario(), feat, name, hits_in(tally, feat, name), tally.runs()});
        };
        for (const auto& [feat, name] : demanded(tally)) add(feat, name);
        for (const auto& [kind, fault] : tally.faults()) add(Feat::Fault, kind);
    }
    return rates;
}

std::string rates_text(const std::vector<Rate>& rates) {
    std::string out = "# scenario, what, name, in how many runs, of how many\n";
    for (const Rate& rate : rates)
        out += fmt::format("{} {} {} {} {}\n", rate.scenario, to_string(rate.feat), rate.name,
                           rate.hits, rate.runs);
    return out;
}

Result<std::vector<Rate>> parse_rates(std::string_view text, const std::string& file) {
    std::vector<Rate> rates;
    std::istringstream in{std::string(text)};
    int number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        const auto words = words_of(line);
        if (words.empty() || words.front().starts_with('#')) continue;
        const auto refuse = [&] {
            return Error{fmt::format("found '{}'; a rate is a scenario, one of mark, fault, "
                                     "violation and judged, a name, and two numbers: in how many "
                                     "runs, of how many; `gate --measure` writes them",
                                     line),
                         file, number};
        };
        if (words.size() != 5) return refuse();
        const auto feat = std::find(feat_names.begin(), feat_names.end(), words[1]);
        std::istringstream numbers(words[3] + " " + words[4]);
        Rate rate{words[0], static_cast<Feat>(feat - feat_names.begin()), words[2], 0, 0};
        if (feat == feat_names.end() || !(numbers >> rate.hits >> rate.runs) ||
            rate.hits > rate.runs)
            return refuse();
        rates.push_back(std::move(rate));
    }
    return rates;
}

std::vector<Minimum> minimums(const Batch& batch, const std::vector<Rate>& rates) {
    struct Wanted {
        Minimum minimum;
        const Tally* tally;
    };
    std::vector<Wanted> wanted;
    std::map<std::string, Minimum> kinds;
    std::map<std::string, double> means;
    for (const Tally& tally : batch.tallies) {
        if (tally.runs() == 0) continue;
        for (const Rate& rate : rates_for(tally, rates)) {
            const Minimum minimum = begun(tally, rate);
            wanted.push_back({minimum, &tally});
            if (rate.feat != Feat::Fault) continue;
            means[rate.name] += minimum.rate * static_cast<double>(minimum.runs);
            Minimum& all = kinds[rate.name];
            all.feat = Feat::Fault;
            all.name = rate.name;
            all.runs += minimum.runs;
            all.found += minimum.found;
        }
    }
    const double chance = gate_chance / static_cast<double>(wanted.size() + kinds.size() + 1);
    std::vector<Minimum> result;
    for (auto& [minimum, tally] : wanted) {
        if (minimum.rate > 0)
            minimum.least = least_of_binomial(minimum.runs, minimum.rate, chance);
        else if (minimum.runs >= enough_to_see)
            minimum.least = 1;
        if (minimum.feat == Feat::Judged)
            minimum.least = std::min(minimum.least, share_of(*tally, minimum));
        result.push_back(minimum);
    }
    for (auto& [kind, all] : kinds) {
        all.rate = means[kind] / static_cast<double>(std::max<std::uint64_t>(all.runs, 1));
        all.least = least_of_sum(means[kind], chance);
        result.push_back(all);
    }
    return result;
}

std::string missed_text(const Minimum& minimum) {
    std::string what;
    if (minimum.feat == Feat::Mark)
        what = fmt::format("required mark '{}' was reached", minimum.name);
    if (minimum.feat == Feat::Fault) what = fmt::format("fault {} fired", minimum.name);
    if (minimum.feat == Feat::Violation)
        what = fmt::format("{} is expected to be violated, and was", minimum.name);
    if (minimum.feat == Feat::Judged) what = fmt::format("{} was judged", minimum.name);
    std::string healthy = "its rate was not measured";
    if (minimum.rate > 0)
        healthy = fmt::format("in a healthy build it is so in {:.3g}% of runs or more",
                              minimum.rate * 100);
    return fmt::format("{}: {} in {} of {} runs; at least {} are demanded ({})",
                       minimum.scenario.empty() ? "all scenarios" : minimum.scenario, what,
                       minimum.found, minimum.runs, minimum.least, healthy);
}

}  // namespace lockstep::harness
