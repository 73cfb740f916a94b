#include "harness/lease/emit.hpp"

#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::lease {
namespace {

constexpr Duration second = seconds(1);

Duration up(Duration d, Duration step) {
    return {(d.ns + step.ns - 1) / step.ns * step.ns};
}

/// To whole seconds if there are some, else to tenths.
Duration down(Duration d) {
    const Duration step = d >= seconds(3) ? second : milliseconds(100);
    return {d.ns / step.ns * step.ns};
}

/// "40s", "1.5s", as Go writes and reads it.
std::string go_text(Duration d) {
    if (d.ns % second.ns == 0) return fmt::format("{}s", d.ns / second.ns);
    return fmt::format("{}ms", d.ns / 1'000'000);
}

Emitted with_preset(std::string_view name, Duration lease) {
    Emitted made;
    made.setting = preset(name)->setting;
    made.setting.name.clear();
    made.setting.lease = lease;
    return made;
}

Result<Emitted> kubernetes(const Setting& setting) {
    Emitted made = with_preset("kubernetes", up(setting.lease, second));
    Setting& s = made.setting;
    s.deadline = down(setting.stands_down_after());
    if (s.deadline >= s.lease) s.deadline = s.lease - second;
    s.renew_every = down(setting.renew_every);
    if (s.renew_every * 12 >= s.deadline * 10) {
        s.renew_every = down(s.deadline / 2);
        made.notes.push_back(
            fmt::format("retryPeriod is half of renewDeadline: 1.2 times {} would not fit into it.",
                        harness::span_text(setting.renew_every)));
    }
    s.retry_every = s.poll_every = s.renew_every;
    if (s.deadline.ns <= 0 || s.renew_every.ns <= 0)
        return Error{fmt::format("--emit kubernetes: a lease of {} is too short for its rules: "
                                 "leaseDuration > renewDeadline > 1.2 x retryPeriod, the first in "
                                 "whole seconds",
                                 harness::span_text(setting.lease)),
                     "", 0, 0};
    if (setting.lock_delay.ns > 0) made.notes.emplace_back("Leader election has no lock delay.");
    made.text = fmt::format(
        "leaderElection:\n"
        "  leaderElect: true\n"
        "  leaseDuration: {0}\n"
        "  renewDeadline: {1}\n"
        "  retryPeriod: {2}\n"
        "\n"
        "--leader-elect-lease-duration={0} --leader-elect-renew-deadline={1} "
        "--leader-elect-retry-period={2}\n",
        go_text(s.lease), go_text(s.deadline), go_text(s.renew_every));
    made.notes.emplace_back(
        "In Go (client-go, controller-runtime): LeaseDuration, RenewDeadline and RetryPeriod.");
    made.notes.emplace_back(
        "A release that is graceful takes ReleaseOnCancel: true, which is not the default; without "
        "it each deploy is a crash to the next holder.");
    return made;
}

Result<Emitted> etcd(const Setting& setting) {
    Emitted made = with_preset("etcd", up(setting.lease, second));
    Setting& s = made.setting;
    if (s.lease < seconds(2)) {
        s.lease = seconds(2);
        made.notes.emplace_back(
            "etcd grants no less than one and a half of its election timeouts: 2 s by default.");
    }
    s.renew_every = s.lease / 3;
    s.deadline = {};
    if (setting.renew_every * 3 < setting.lease - milliseconds(10))
        made.notes.push_back(
            fmt::format("etcd's client renews every third of the TTL, not every {}.",
                        harness::span_text(setting.renew_every)));
    if (setting.deadline.ns > 0)
        made.notes.emplace_back(
            "etcd's client has no deadline that can be set: it gives up when the TTL is over.");
    if (setting.lock_delay.ns > 0) made.notes.emplace_back("etcd has no lock delay.");
    made.text = fmt::format(
        "session, err := concurrency.NewSession(client, concurrency.WithTTL({0}))\n"
        "\n"
        "etcdctl lock --ttl={0} NAME\n",
        s.lease.ns / second.ns);
    return made;
}

}  // namespace

const std::vector<std::string>& emit_names() {
    static const std::vector<std::string> names{"kubernetes", "etcd"};
    return names;
}

Result<Emitted> emit(std::string_view system, const Setting& setting) {
    auto made = system == "kubernetes" ? kubernetes(setting) : etcd(setting);
    if (!made) return made;
    if (const std::string why = why_not(made.value().setting); !why.empty())
        return Error{fmt::format("--emit {}: as rounded, {}", system, why), "", 0, 0};
    return made;
}

}  // namespace lockstep::lease
