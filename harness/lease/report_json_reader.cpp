#include "harness/lease/report.hpp"
#include "harness/services.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

/// Reads what report_json.cpp writes. Whatever is missing or of another type is an exception of
/// the JSON library, which read_sweep() turns into an error.
namespace lockstep::lease {
namespace {

using Json = nlohmann::json;

/// Something that can be read and makes no sense.
struct Nonsense {
    std::string what;
};

double number(const Json& json) {
    return json.is_null() ? std::numeric_limits<double>::infinity() : json.get<double>();
}

Duration duration(const Json& json) {
    const double seconds = json.get<double>();
    if (!(seconds >= 0 && seconds < 9e9)) throw Nonsense{fmt::format("a length of {} s", seconds)};
    return {std::llround(seconds * 1e9)};
}

std::uint64_t hex(const Json& json) {
    const auto text = json.get<std::string>();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (error != std::errc() || end != text.data() + text.size())
        throw Nonsense{fmt::format("'{}' is no hexadecimal number", text)};
    return value;
}

/// Of something that is counted or measured.
double amount(const Json& json) {
    const double value = json.get<double>();
    if (!(value >= 0 && value <= 1e15)) throw Nonsense{fmt::format("{} of something", value)};
    return value;
}

std::uint64_t count_of(const Json& json) {
    if (!json.is_number_unsigned()) throw Nonsense{fmt::format("a count of {}", json.dump())};
    return json.get<std::uint64_t>();
}

Interval interval(const Json& json) {
    const Interval made{number(json.at(0)), number(json.at(1))};
    if (!(made.low >= 0 && made.low <= made.high && made.low <= 1e15))
        throw Nonsense{fmt::format("an interval from {} to {}", made.low, made.high)};
    return made;
}

/// As it is shown: what a file says must do nothing to a terminal.
std::string shown(const Json& json) {
    return harness::printable(json.get<std::string>());
}

Setting setting(const Json& json) {
    Setting made;
    made.name = shown(json.at("name"));
    made.lease = duration(json.at("lease_s"));
    if (json.at("deadline_is_set").get<bool>()) made.deadline = duration(json.at("deadline_s"));
    made.renew_every = duration(json.at("renew_s"));
    made.retry_every = duration(json.at("retry_s"));
    made.lock_delay = duration(json.at("lock_delay_s"));
    made.drift_bound = {json.at("drift_bound_ppm").get<std::int64_t>()};
    made.margin = duration(json.at("margin_s"));
    made.jitter_percent = json.at("jitter_percent").get<std::int64_t>();
    made.deadline_grace = duration(json.at("deadline_grace_s"));
    made.poll_every = duration(json.at("poll_s"));
    made.poll_jitter_percent = json.at("poll_jitter_percent").get<std::int64_t>();
    made.waiters_count_lease = json.at("waiters_count_lease").get<bool>();
    made.expires_late = duration(json.at("expires_late_s"));
    made.renewals_write = json.at("renewals_write").get<bool>();
    made.failover_extends = json.at("failover_extends").get<bool>();
    if (const std::string why = why_not(made); !why.empty()) throw Nonsense{why};
    return made;
}

Harm::Kind kind_of(const Json& json) {
    const auto name = json.get<std::string>();
    for (int kind = 0; kind <= static_cast<int>(Harm::Kind::RoundTrip); ++kind)
        if (to_string(static_cast<Harm::Kind>(kind)) == name) return static_cast<Harm::Kind>(kind);
    throw Nonsense{fmt::format("'{}' is no kind of harm", name)};
}

Harm harm(const Json& json) {
    Harm made{};
    made.kind = kind_of(json.at("kind"));
    made.where = shown(json.at("where"));
    made.length = duration(json.at("length_s"));
    made.times = count_of(json.at("times"));
    made.losses = count_of(json.at("losses"));
    return made;
}

SettingResult result(const Json& json) {
    SettingResult made;
    made.position = count_of(json.at("position"));
    made.setting = setting(json.at("setting"));
    made.simulated = duration(json.at("simulated_s"));
    const Json& counts = json.at("counts");
    made.counts = {count_of(counts.at("losses")),     count_of(counts.at("stood_down")),
                   count_of(counts.at("taken_over")), count_of(counts.at("refused_writes")),
                   count_of(counts.at("crashes")),    count_of(counts.at("releases")),
                   count_of(counts.at("renewals"))};
    for (const Metric& metric : metrics()) {
        const Json& figure = json.at("figures").at(std::string(metric.name));
        made.figures.*(metric.figure) = {amount(figure.at("value")),
                                         interval(figure.at("simulation")),
                                         interval(figure.at("data")), amount(figure.at("assumed"))};
    }
    made.figures.skew_ratio = json.at("skew_ratio").get<double>();
    made.figures.skew = duration(json.at("skew_s"));
    made.figures.outage_borne = duration(json.at("outage_borne_s"));
    for (const Json& one : json.at("harms")) made.harms.push_back(harm(one));
    for (const Json& one : json.at("causes"))
        made.causes.push_back(
            {kind_of(one.at("kind")), duration(one.at("shortest_s")), count_of(one.at("losses"))});
    made.steps = count_of(json.at("steps"));
    made.digest = hex(json.at("digest"));
    return made;
}

Input input(const Json& json) {
    Input made;
    made.name = shown(json.at("name"));
    made.said = shown(json.at("said"));
    made.about = shown(json.at("about"));
    made.measured = json.at("measured").get<bool>();
    if (!made.measured) return made;
    made.count = count_of(json.at("count"));
    made.observed = duration(json.at("observed_s"));
    made.longest = duration(json.at("longest_s"));
    made.longest_where = shown(json.at("longest_where"));
    for (const Json& one : json.at("lengths"))
        made.lengths.push_back(
            {duration(one.at("above_s")),
             one.at("up_to_s").is_null() ? Duration::max() : duration(one.at("up_to_s")),
             count_of(one.at("count"))});
    return made;
}

Sweep parsed(const Json& json, std::string& command) {
    if (json.at("lockstep_lease").get<int>() != 1) throw Nonsense{"another version of the format"};
    command = json.at("command").get<std::string>();
    Sweep sweep;
    sweep.seed = json.at("seed").get<std::uint64_t>();
    sweep.span = duration(json.at("span_s"));
    sweep.fidelity =
        json.at("fidelity").get<std::string>() == "full" ? Fidelity::Full : Fidelity::Lease;
    sweep.identity = hex(json.at("identity"));
    sweep.shard = json.at("shard").get<std::uint64_t>();
    sweep.shards = json.at("shards").get<std::uint64_t>();
    sweep.total = json.at("total").get<std::uint64_t>();
    sweep.whole = json.at("whole").get<bool>();
    sweep.axes = json.at("axes").get<std::vector<std::string>>();
    sweep.observed = duration(json.at("observed_s"));
    sweep.crashes_a_month = amount(json.at("crashes_a_month"));
    for (const Json& one : json.at("inputs")) sweep.inputs.push_back(input(one));
    for (const Json& one : json.at("settings")) sweep.results.push_back(result(one));
    for (const Json& one : json.at("marked")) sweep.marked.push_back(result(one));
    if (json.contains("now")) sweep.now = result(json.at("now"));
    if (sweep.shards == 1 && sweep.results.empty()) throw Nonsense{"no setting"};
    if (sweep.shards == 0 || sweep.shard >= sweep.shards || sweep.shards > 100'000)
        throw Nonsense{"no such shard"};
    return sweep;
}

}  // namespace

Result<Sweep> read_sweep(const std::string& name, std::string_view json, std::string& command) {
    const auto refused = [&](const std::string& why) {
        return Error{fmt::format("is no result of `{} lease --json`: {}", harness::program_name(),
                                 harness::printable(why)),
                     name, 0, 0};
    };
    try {
        return parsed(Json::parse(json), command);
    } catch (const Json::exception& e) {
        return refused(e.what());
    } catch (const Nonsense& nonsense) {
        return refused(nonsense.what);
    }
}

Result<Sweep> merge(std::vector<Sweep> shards) {
    const auto refused = [](std::string why) { return Error{std::move(why), "", 0, 0}; };
    if (shards.empty()) return refused("nothing to merge");
    std::ranges::stable_sort(shards, {}, &Sweep::shard);
    Sweep whole = std::move(shards.front());
    const std::uint64_t count = whole.shards;
    std::vector<bool> there(count);
    there[whole.shard] = true;
    for (std::size_t i = 1; i < shards.size(); ++i) {
        Sweep& part = shards[i];
        if (part.identity != whole.identity || part.shards != count)
            return refused(
                "these are parts of different sweeps: other settings, data, span or seed");
        if (there[part.shard])
            return refused(fmt::format("part {}/{} is there twice", part.shard + 1, count));
        there[part.shard] = true;
        std::ranges::move(part.results, std::back_inserter(whole.results));
        std::ranges::move(part.marked, std::back_inserter(whole.marked));
        if (part.now) whole.now = std::move(part.now);
        whole.whole = whole.whole && part.whole;
    }
    for (std::uint64_t i = 0; i < count; ++i)
        if (!there[i]) return refused(fmt::format("part {}/{} is missing", i + 1, count));
    if (whole.results.size() + whole.marked.size() + (whole.now ? 1 : 0) != whole.total)
        return refused(fmt::format("{} settings are announced, and others are there", whole.total));
    std::ranges::sort(whole.results, {}, &SettingResult::position);
    std::ranges::sort(whole.marked, {}, &SettingResult::position);
    whole.shard = 0;
    whole.shards = 1;
    return whole;
}

}  // namespace lockstep::lease
