#include "harness/lease/setting.hpp"

#include "harness/lease/figures.hpp"
#include "harness/lease/rate.hpp"
#include "tests/support/catch.hpp"

namespace lockstep::test {
namespace {

using lease::Choice;

Choice choice(std::string_view text) {
    return lease::parse_choice("--lease", text).value();
}

}  // namespace

TEST_CASE("lease-settings: lengths and choices are read as they are written") {
    const auto length = [](std::string_view text) {
        return lease::parse_length("--span", text).value();
    };
    CHECK(length("15s") == seconds(15));
    CHECK(length("1.5s") == milliseconds(1'500));
    CHECK(length("250ms") == milliseconds(250));
    CHECK(length("2m") == seconds(120));
    CHECK(length("90d") == seconds(90 * 86'400));
    CHECK(length("3650d") == seconds(3'650LL * 86'400));
    for (const char* bad : {"", "s", "15", "-1s", "1e3s", "15 s", "15x", "nan", "100000d", "1s2"})
        CHECK_FALSE(lease::parse_length("--span", bad).ok());

    CHECK(choice("").kind == Choice::Kind::Unset);
    CHECK(choice("15s").values({}, 20) == std::vector<Duration>{seconds(15)});
    CHECK(choice("lease/3").values(seconds(12), 20)[0] <= seconds(4));
    CHECK(choice("lease/3").values(seconds(12), 20)[0] > milliseconds(3'999));
    CHECK(choice("lease*0.8").values(seconds(10), 20)[0] == seconds(8));
    CHECK(choice("lease-30s").values(seconds(137), 20)[0] == seconds(107));
    CHECK(choice("lease+5s").values(seconds(10), 20)[0] == seconds(15));
    CHECK(choice("lease").values(seconds(10), 20)[0] == seconds(10));
    const auto range = choice("2s..120s").values({}, 20);
    REQUIRE(range.size() == 20);
    CHECK(range.front() == seconds(2));
    CHECK(range.back() == seconds(120));
    for (std::size_t i = 1; i < range.size(); ++i)
        CHECK(static_cast<double>(range[i].ns) / static_cast<double>(range[i - 1].ns) ==
              Approx(1.2405).epsilon(0.01));
    for (const char* bad :
         {"2s..", "..2s", "3s..2s", "0s..2s", "lease/0", "lease^2", "lease/", "x"})
        CHECK_FALSE(lease::parse_choice("--lease", bad).ok());
}

TEST_CASE("lease-settings: ranges make settings, of two parameters at most") {
    lease::Choices choices;
    choices.lease = choice("10s..40s");
    choices.renew = choice("lease/3");
    choices.points = 5;
    CHECK(lease::settings_of(choices).value().size() == 5);
    choices.deadline = choice("5s..40s");
    choices.points = 16;
    // Those with a deadline before the first renewal, or after the lease, are left out, and made up
    // for.
    const auto pairs = lease::settings_of(choices).value();
    CHECK(pairs.size() >= 14);
    CHECK(pairs.size() <= 24);
    for (const lease::Setting& setting : pairs) CHECK(lease::why_not(setting).empty());
    choices.lock_delay = choice("1s..2s");
    CHECK_FALSE(lease::settings_of(choices).ok());
    choices = {};
    choices.lease = choice("1s");
    choices.renew = choice("10s");
    CHECK(lease::settings_of(choices).error().message.starts_with("no setting is possible"));
}

TEST_CASE("lease-settings: another lease than the preset's keeps its proportions") {
    lease::Choices choices;
    choices.base = lease::preset("kubernetes")->setting;
    choices.lease = choice("45s");
    choices.renew = lease::scaled(choices.base.renew_every, choices.base);
    choices.deadline = lease::scaled(choices.base.deadline, choices.base);
    const auto settings = lease::settings_of(choices).value();
    REQUIRE(settings.size() == 1);
    CHECK(settings[0].deadline == seconds(30));
    CHECK(settings[0].renew_every == seconds(6));
    CHECK(settings[0].retry_every == seconds(6));
    CHECK(settings[0].poll_every == seconds(6));
}

TEST_CASE("lease-settings: presets can be run, and have their systems' numbers") {
    for (const lease::Preset& preset : lease::presets()) {
        CAPTURE(preset.name);
        CHECK(lease::why_not(preset.setting).empty());
        CHECK(preset.setting.name == preset.name);
    }
    const lease::Setting& kubernetes = lease::preset("kubernetes")->setting;
    CHECK(kubernetes.lease == seconds(15));
    CHECK(kubernetes.stands_down_after() == seconds(10));
    CHECK(kubernetes.renew_every == seconds(2));
    CHECK(lease::preset("etcd")->setting.lease == seconds(60));
    CHECK(lease::preset("consul")->setting.lock_delay == seconds(15));
    CHECK(lease::preset("nothing") == nullptr);
}

TEST_CASE("lease-settings: rates and lengths, as somebody says") {
    const auto rate = [](std::string_view text) {
        return lease::parse_rate("--outages", text, seconds(10)).value();
    };
    CHECK(rate("2/month x 5s..90s").per_day == Approx(2.0 / 30));
    CHECK(rate("2/monthx5s..90s").longest == seconds(90));
    CHECK(rate("2/month x 5s..90s").shortest == seconds(5));
    CHECK(rate("1/week").shortest == seconds(10));
    CHECK(rate("1.5/hour x 3s").per_day == Approx(36));
    CHECK(rate("1ms..5ms").per_day == 0);
    CHECK(rate("1ms..5ms").any());
    for (const char* bad : {"", "2", "2/", "2/moon", "-1/day", "2/day x", "2/day x 5", "/day",
                            "2/day x 9s..5s", "nan/day", "1/dayx5s..", "2/day y 5s"})
        CHECK_FALSE(lease::parse_rate("--outages", bad, seconds(10)).ok());
    CHECK(lease::looks_like_rate("2/month x 5s"));
    CHECK(lease::looks_like_rate("1ms..5ms"));
    CHECK(lease::looks_like_rate("2/day"));
    CHECK_FALSE(lease::looks_like_rate("gc.log"));
    CHECK_FALSE(lease::looks_like_rate("2/gc.log"));
    CHECK_FALSE(lease::looks_like_rate("2024-gc.log"));
}

TEST_CASE("lease-settings: the outage that is borne") {
    lease::Setting setting;
    setting.lease = seconds(137);
    setting.deadline = seconds(107);
    setting.renew_every = setting.retry_every = seconds(26);
    setting.jitter_percent = 0;
    CHECK(lease::outage_borne(setting) == seconds(78));
    setting.renew_every = setting.retry_every = seconds(2);
    setting.deadline = seconds(10);
    // The attempt at 10 s is no longer one, unless there is grace.
    CHECK(lease::outage_borne(setting) == seconds(6));
    setting.deadline_grace = milliseconds(250);
    CHECK(lease::outage_borne(setting) == seconds(8));
}

}  // namespace lockstep::test
