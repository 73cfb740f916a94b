#include "harness/lease/setting.hpp"

#include "harness/lease/decimal.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace lockstep::lease {
namespace {

constexpr Duration longest_length = seconds(400'000'000);

Error refused(std::string_view option, std::string_view text, std::string_view allowed) {
    return {fmt::format("{}: '{}' is no {}", option, harness::printable(text), allowed), "", 0, 0};
}

Duration rounded(double ns) {
    const double place = std::pow(10, std::floor(std::log10(ns)) - 2);
    return {std::llround(std::round(ns / place) * place)};
}

Setting made(std::string_view name, Duration lease, Duration renew, Duration deadline) {
    Setting setting;
    setting.name = name;
    setting.lease = lease;
    setting.renew_every = renew;
    setting.deadline = deadline;
    return setting;
}

/// client-go's tools/leaderelection: the leader acts every retryPeriod, without jitter, the last
/// time renewDeadline after it began to (the attempts of a period begin with it); renewals are
/// writes; waiters look every 1 to 2.2 retryPeriods (JitterFactor 1.2) whether the record has stood
/// still for leaseDuration by their own clock.
Setting kubernetes(std::string_view name, Duration lease, Duration deadline, Duration retry) {
    Setting setting = made(name, lease, retry, deadline);
    setting.retry_every = retry;
    setting.poll_every = retry;
    setting.poll_jitter_percent = 120;
    setting.waiters_count_lease = true;
    setting.deadline_grace = milliseconds(250);
    setting.jitter_percent = 0;
    setting.renewals_write = true;
    setting.failover_extends = false;
    return setting;
}

std::vector<Preset> make_presets() {
    std::vector<Preset> all;
    all.push_back({"etcd", "sessions of etcd's concurrency package: TTL 60 s",
                   made("etcd", seconds(60), seconds(20), {})});
    all.push_back({"kubernetes", "leader election of client-go: 15 s, 10 s, 2 s",
                   kubernetes("kubernetes", seconds(15), seconds(10), seconds(2))});
    all.push_back({"openshift", "OpenShift's choice for its operators: 137 s, 107 s, 26 s",
                   kubernetes("openshift", seconds(137), seconds(107), seconds(26)), false});
    Setting consul = made("consul", seconds(15), milliseconds(5'000), {});
    consul.lock_delay = seconds(15);
    consul.expires_late = seconds(15);  // its servers wait for twice the TTL
    all.push_back({"consul", "sessions of Consul's lock: TTL 15 s, lock-delay 15 s", consul});
    Setting redisson = made("redisson", seconds(30), seconds(10), {});
    redisson.failover_extends = false;
    redisson.renewals_write = true;
    redisson.jitter_percent = 0;
    all.push_back({"redisson", "Redisson's watchdog: 30 s, renewed every 10 s", redisson});
    all.push_back({"zookeeper-least", "ZooKeeper's shortest session at tickTime 2 s: 4 s",
                   made("zookeeper-least", seconds(4), milliseconds(1'333), {})});
    all.push_back({"zookeeper", "ZooKeeper's longest session at tickTime 2 s: 40 s",
                   made("zookeeper", seconds(40), milliseconds(13'333), {})});
    Setting dynamodb = made("dynamodb", seconds(20), seconds(5), {});
    dynamodb.failover_extends = false;
    dynamodb.renewals_write = true;
    dynamodb.jitter_percent = 0;
    all.push_back({"dynamodb", "the DynamoDB lock client: lease 20 s, heartbeat 5 s", dynamodb});
    return all;
}

}  // namespace

const std::vector<Preset>& presets() {
    static const std::vector<Preset> all = make_presets();
    return all;
}

const Preset* preset(std::string_view name) {
    const auto it = std::ranges::find(presets(), name, &Preset::name);
    return it == presets().end() ? nullptr : &*it;
}

std::string why_not(const Setting& setting) {
    const auto text = [](Duration d) { return harness::span_text(d); };
    if (setting.lease < milliseconds(1)) return fmt::format("a lease of {}", text(setting.lease));
    if (setting.renew_every.ns <= 0 || setting.renew_every * 3 > setting.lease)
        return fmt::format("renewals every {} for a lease of {}: at most a third of it",
                           text(setting.renew_every), text(setting.lease));
    if (setting.stands_down_after() <= setting.renew_every)
        return fmt::format("the holder stands down after {}, before its next renewal at {}",
                           text(setting.stands_down_after()), text(setting.renew_every));
    if (setting.believes_for() > setting.lease + setting.expires_late)
        return fmt::format("the holder stands down after {}, when its lease of {} is over",
                           text(setting.believes_for()), text(setting.lease));
    if (setting.retry_every.ns <= 0) return "retries without a pause";
    if (setting.lock_delay.ns < 0 || setting.poll_every.ns < 0 || setting.expires_late.ns < 0 ||
        setting.deadline_grace.ns < 0)
        return "a negative length";
    if (setting.poll_jitter_percent < 0 || setting.poll_jitter_percent > 1'000)
        return "a jitter over 1000%";
    if (setting.jitter_percent < 0 || setting.jitter_percent >= 100) return "a jitter over 99%";
    return "";
}

Result<Duration> parse_length(std::string_view option, std::string_view text) {
    const Error no = refused(option, text, "length; write 250ms, 15s, 1.5s, 2m, 1h, 7d or 1y");
    std::string_view unit = text;
    const auto number = take_decimal(unit);
    if (!number) return no;
    const double scale = unit == "ns"   ? 1
                         : unit == "us" ? 1e3
                         : unit == "ms" ? 1e6
                         : unit == "s"  ? 1e9
                         : unit == "m"  ? 60e9
                         : unit == "h"  ? 3'600e9
                         : unit == "d"  ? 86'400e9
                         : unit == "w"  ? 7 * 86'400e9
                         : unit == "y"  ? 365 * 86'400e9
                                        : 0;
    const double ns = *number * scale;
    if (scale == 0 || !(ns <= static_cast<double>(longest_length.ns))) return no;
    return Duration{std::llround(ns)};
}

Choice scaled(Duration length, const Setting& base) {
    return {Choice::Kind::Scaled, length, base.lease, {}};
}

Result<Choice> parse_choice(std::string_view option, std::string_view text) {
    Choice choice;
    if (text.empty()) return choice;
    const Error no = refused(
        option, text, "choice; write 15s, 2s..120s, lease/3, lease*0.8, lease-30s or lease+5s");
    if (!text.starts_with("lease")) {
        const std::size_t dots = text.find("..");
        const auto low = parse_length(option, text.substr(0, dots));
        if (!low) return no;
        choice.kind = Choice::Kind::Fixed;
        choice.low = choice.high = low.value();
        if (dots == std::string_view::npos) return choice;
        const auto high = parse_length(option, text.substr(dots + 2));
        if (high && (high.value() <= choice.low || choice.low.ns == 0))
            return refused(option, text, "range that rises from above 0, as 2s..120s");
        if (!high) return no;
        choice.kind = Choice::Kind::Range;
        choice.high = high.value();
        return choice;
    }
    text.remove_prefix(5);
    const char operation = text.empty() ? '*' : text.front();
    const std::string_view operand = text.empty() ? "1" : text.substr(1);
    if (operation == '-' || operation == '+') {
        const auto by = parse_length(option, operand);
        if (!by) return no;
        choice.kind = operation == '-' ? Choice::Kind::Less : Choice::Kind::More;
        choice.low = by.value();
        return choice;
    }
    std::string_view rest = operand;
    const auto number = take_decimal(rest);
    const bool known = operation == '*' || operation == '/';
    if (!known || !number || !rest.empty() || !(*number > 1e-3) || *number > 1e3) return no;
    choice.kind = Choice::Kind::Share;
    choice.share = {std::llround((operation == '*' ? *number : 1 / *number) * 1e6)};
    return choice;
}

std::vector<Duration> Choice::values(Duration lease, std::size_t points) const {
    switch (kind) {
        case Kind::Unset:
            return {};
        case Kind::Fixed:
            return {low};
        case Kind::Share:
            // Down to a millisecond, so that a third of it is no more than a third.
            return {Duration{static_cast<std::int64_t>(static_cast<__int128>(lease.ns) *
                                                       share.value / 1'000'000)}};
        case Kind::Scaled:
            return {Duration{
                static_cast<std::int64_t>(static_cast<__int128>(lease.ns) * low.ns / high.ns)}};
        case Kind::Less:
            return {lease - low};
        case Kind::More:
            return {lease + low};
        case Kind::Range:
            break;
    }
    std::vector<Duration> values;
    const double ratio = static_cast<double>(high.ns) / static_cast<double>(low.ns);
    const std::size_t steps = std::max<std::size_t>(points, 2) - 1;
    for (std::size_t i = 0; i <= steps; ++i) {
        const double power = static_cast<double>(i) / static_cast<double>(steps);
        const Duration value = rounded(static_cast<double>(low.ns) * std::pow(ratio, power));
        if (values.empty() || value > values.back()) values.push_back(value);
    }
    return values;
}

namespace {

/// With so many points of each range. `why`: of the first that cannot be.
std::vector<Setting> grid(const Choices& choices, std::size_t points, std::string& why) {
    const auto of = [points](const Choice& choice, Duration lease, Duration otherwise) {
        const auto values = choice.values(lease, points);
        return values.empty() ? std::vector<Duration>{otherwise} : values;
    };
    const Setting& base = choices.base;
    std::vector<Setting> settings;
    for (const Duration lease : of(choices.lease, base.lease, base.lease))
        for (const Duration renew : of(choices.renew, lease, base.renew_every))
            for (const Duration deadline : of(choices.deadline, lease, base.deadline))
                for (const Duration delay : of(choices.lock_delay, lease, base.lock_delay)) {
                    Setting setting = base;
                    setting.lease = lease;
                    setting.renew_every = renew;
                    setting.deadline = deadline;
                    setting.lock_delay = delay;
                    // Kubernetes' retryPeriod is all of them.
                    if (setting.retry_every == base.renew_every) setting.retry_every = renew;
                    if (setting.poll_every == base.renew_every) setting.poll_every = renew;
                    const std::string reason = why_not(setting);
                    if (reason.empty())
                        settings.push_back(setting);
                    else if (why.empty())
                        why = reason;
                }
    return settings;
}

}  // namespace

Result<std::vector<Setting>> settings_of(const Choices& choices) {
    const int ranges = choices.lease.is_range() + choices.renew.is_range() +
                       choices.deadline.is_range() + choices.lock_delay.is_range();
    if (ranges > 2) return Error{"ranges of more than two parameters at a time", "", 0, 0};
    std::string why;
    std::vector<Setting> settings;
    if (ranges < 2) {
        settings = grid(choices, choices.points, why);
    } else {
        // Pairs that cannot be are made up for by a finer grid.
        const auto least = static_cast<std::size_t>(
            std::ceil(std::sqrt(static_cast<double>(choices.points)) - 1e-9));
        for (std::size_t points = least; points <= 2 * least; ++points) {
            settings = grid(choices, points, why);
            if (settings.size() + least / 2 >= choices.points) break;
        }
    }
    if (settings.empty()) return Error{fmt::format("no setting is possible: {}", why), "", 0, 0};
    return settings;
}

}  // namespace lockstep::lease
