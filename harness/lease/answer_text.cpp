#include "harness/lease/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lockstep::lease {
namespace {

using harness::Paint;
using harness::Tone;

std::string days_text(double days) {
    if (days < 2) return fmt::format("{:.1f} h", days * 24);
    return days < 10 ? fmt::format("{:.1f} days", days) : fmt::format("{:.0f} days", days);
}

class Teller {
public:
    Teller(const Sweep& sweep, const Told& told) : sweep_(sweep), told_(told) {}

    /// Of one setting alone.
    void tell_one(std::size_t i) {
        const Figures& f = result(i).figures;
        line(fmt::format("{}: {}; crash takeover p99 {}, graceful {}.",
                         setting_text(result(i).setting), losses_text(f), seconds_text(f.crash_p99),
                         seconds_text(f.release_p99)),
             Kind::Headline);
        for (std::size_t w = 0; w < told_.wants.size(); ++w)
            line(verdict(told_.wants[w], told_.answer.judged[i][w]), Kind::Want);
    }
    std::vector<AnswerLine> take() { return std::move(out_); }

    std::vector<AnswerLine> tell() {
        if (told_.checked && !tell_observed()) return std::move(out_);
        if (std::ranges::none_of(sweep_.results,
                                 [](const SettingResult& one) { return works(one.figures); })) {
            line(
                "Under none of these settings the holder ever renewed its lease: answers are "
                "slower "
                "than the lease is long.",
                Kind::Headline, Tone::Bad);
            return std::move(out_);
        }
        if (!says_something(sweep_)) {
            line(
                "Nothing that costs leases is known, so that any lease would do: bring --pauses, "
                "--outages, --partitions or --failovers.",
                Kind::Headline, Tone::Bad);
            return std::move(out_);
        }
        if (told_.wants.empty())
            tell_front();
        else if (told_.answer.chosen || told_.answer.keep_now)
            tell_chosen();
        else
            tell_none();
        return std::move(out_);
    }

private:
    using Kind = AnswerLine::Kind;
    void line(std::string text, Kind kind = Kind::Plain, Tone tone = Tone::Plain) {
        out_.push_back({kind, std::move(text), tone, kind == Kind::Want || kind == Kind::Item});
    }
    void harm_line(std::string text, bool indented) {
        out_.push_back({Kind::Harm, std::move(text), Tone::Plain, indented});
    }
    const SettingResult& result(std::size_t i) const { return sweep_.results[i]; }
    double observed_days() const { return static_cast<double>(sweep_.observed.ns) / 86'400e9; }
    /// " from 25.8 h of data"; of assumptions alone nothing.
    std::string from_data() const {
        return sweep_.observed.ns > 0 ? fmt::format(", from {} of data", days_text(observed_days()))
                                      : "";
    }
    static std::string a_month(const Figures& f) {
        const std::string count = number_text(f.losses.value);
        return count + (count == "1" ? " loss a month" : " losses a month");
    }
    /// "0 losses a month (at most 0.75, from 120 days of data)"
    std::string losses_text(const Figures& f) const {
        const double most = std::max(f.losses.data.high, f.losses.simulation.high);
        return fmt::format(
            "{} losses a month ({}{})", number_text(f.losses.value),
            std::isinf(most) ? "nothing bounds them" : "at most " + number_text(most), from_data());
    }
    static std::string borne_text(const Figures& f) {
        return seconds_text(static_cast<double>(f.outage_borne.ns) / 1e9);
    }
    /// "; the longest in the data took 24.1 s"
    std::string longest_outage() const {
        for (const Input& input : sweep_.inputs)
            if (input.name == "outages" && input.measured)
                return fmt::format("; the longest in the data took {}",
                                   seconds_text(static_cast<double>(input.longest.ns) / 1e9));
        return "";
    }

    /// Whether the model says what was counted.
    bool tell_observed() {
        const Checked& checked = *told_.checked;
        const double days = static_cast<double>(told_.observed->in.ns) / 86'400e9;
        const std::string model = fmt::format(
            "Now {}: the model says {} losses in {:.3g} d ({:.0f} to {:.0f}), you saw {}",
            setting_text(sweep_.now->setting), number_text(checked.expected), days, checked.least,
            checked.most, told_.observed->losses);
        if (checked.consistent) {
            line(model + ": consistent.", Kind::Checked, Tone::Good);
            return true;
        }
        line(model + ": they disagree, so there is no recommendation.", Kind::Headline, Tone::Bad);
        if (static_cast<double>(told_.observed->losses) > checked.most)
            tell_missing();
        else
            line(
                "The data hold more trouble than the lock met: logs of another machine, of a worse "
                "time, or of stops of which the holder has no part.");
        tell_harms(*sweep_.now, "By the data, these cost leases now, the worst first:");
        return false;
    }

    /// What is probably missing from the data, if more was seen than they explain.
    void tell_missing() {
        const auto given = [this](const char* name) {
            return std::ranges::any_of(sweep_.inputs,
                                       [name](const Input& input) { return input.name == name; });
        };
        line("Something that costs leases is missing from the data, probably one of these:");
        if (!given("outages"))
            line("outages of the lock service or its API server, upgrades included (--outages)",
                 Kind::Item);
        if (!given("partitions"))
            line("outages of the way from the holder to it (--partitions)", Kind::Item);
        if (!given("failovers")) line("its changes of leader (--failovers 1/week)", Kind::Item);
        if (!given("round trips")) line("slow answers, under load (--rtt)", Kind::Item);
        line(fmt::format("stops that {} not show, of the whole machine or of a throttled container "
                         "(`lockstep probe`)",
                         given("pauses") ? "this log does" : "nothing here does"),
             Kind::Item);
        if (sweep_.now->setting.deadline.ns > 0)
            line("a holder that gives up for other reasons, and is counted all the same",
                 Kind::Item);
    }

    void tell_chosen() {
        if (told_.answer.keep_now) return tell_keep();
        const SettingResult& to = result(*told_.answer.chosen);
        const Figures& f = to.figures;
        line(fmt::format("{} {}: {}.", sweep_.now ? "Change to" : "Take", setting_text(to.setting),
                         losses_text(f)),
             Kind::Headline, Tone::Good);
        if (sweep_.now) {
            const Figures& now = sweep_.now->figures;
            line(fmt::format(
                "Crash takeover p99 {} -> {}; graceful {} -> {}. Bears outages of {}{}.",
                seconds_text(now.crash_p99), seconds_text(f.crash_p99),
                seconds_text(now.release_p99), seconds_text(f.release_p99), borne_text(f),
                longest_outage()));
        } else {
            line(fmt::format("Crash takeover p99 {}; graceful {}. Bears outages of {}{}.",
                             seconds_text(f.crash_p99), seconds_text(f.release_p99), borne_text(f),
                             longest_outage()));
        }
        for (std::size_t w = 0; w < told_.wants.size(); ++w)
            line(verdict(told_.wants[w], told_.answer.judged[*told_.answer.chosen][w]), Kind::Want);
        tell_what_binds();
    }

    void tell_keep() {
        const Figures& f = sweep_.now->figures;
        line(fmt::format("Keep {}: {}. Of what was swept, nothing that meets all wants is cheaper.",
                         setting_text(sweep_.now->setting), losses_text(f)),
             Kind::Headline, Tone::Good);
        line(fmt::format("Crash takeover p99 {}; graceful {}. Bears outages of {}{}.",
                         seconds_text(f.crash_p99), seconds_text(f.release_p99), borne_text(f),
                         longest_outage()));
        for (const Want& want : told_.wants)
            line(verdict(want, judge(want, f, sweep_.observed)), Kind::Item);
    }

    void tell_what_binds() {
        if (!told_.answer.binds) {
            line("None of the settings that were swept is cheaper.");
            return;
        }
        const std::size_t w = *told_.answer.binds;
        const std::size_t i = *told_.answer.cheaper;
        const SettingResult& cheaper = result(i);
        const std::string why = causes_text(cheaper);
        line(fmt::format("What binds: {}. The next cheaper, {}, misses it{}.", told_.wants[w].text,
                         setting_text(cheaper.setting),
                         why.empty() || !told_.wants[w].metric->rare ? "" : ": " + why));
        line(verdict(told_.wants[w], told_.answer.judged[i][w]), Kind::Item);
        if (told_.wants[w].metric->rare)
            tell_harms(cheaper, "What costs leases there, the worst first:");
    }

    /// "outages over 8 s, not stops"
    std::string causes_text(const SettingResult& of) const {
        std::uint64_t all = 0;
        for (const Cause& cause : of.causes) all += cause.losses;
        std::string text;
        for (const Cause& cause : of.causes)
            if (cause.losses * 10 >= all)
                text += fmt::format("{}{}s over {}", text.empty() ? "" : " and ",
                                    to_string(cause.kind), seconds_text(floor_of(cause.shortest)));
        for (const auto& [kind, name] :
             {std::pair{Harm::Kind::Pause, "pauses"}, {Harm::Kind::Outage, "outages"}}) {
            const bool given = std::ranges::any_of(
                sweep_.inputs, [name](const Input& input) { return input.name == name; });
            const auto it = std::ranges::find(of.causes, kind, &Cause::kind);
            if (given && !text.empty() && it == of.causes.end())
                text += fmt::format(", not {}s", to_string(kind));
        }
        return text;
    }
    /// To whole seconds, or tenths of few.
    static double floor_of(Duration d) {
        const double s = static_cast<double>(d.ns) / 1e9;
        return s >= 3 ? std::floor(s) : std::floor(s * 10) / 10;
    }

    void tell_none() {
        const std::size_t i = told_.answer.nearest;
        line("No setting meets all wants.", Kind::Headline, Tone::Bad);
        line(fmt::format("The nearest is {}:", setting_text(result(i).setting)));
        for (std::size_t w = 0; w < told_.wants.size(); ++w)
            line(verdict(told_.wants[w], told_.answer.judged[i][w]), Kind::Want);
        tell_apart();
        tell_harms(result(i), "What costs leases there, the worst first:");
    }

    /// Each want by itself, so that one sees which of them exclude each other.
    void tell_apart() {
        if (told_.wants.size() < 2) return;
        for (std::size_t w = 0; w < told_.wants.size(); ++w) {
            const auto rank = [&](std::size_t i) {
                const Judged& judged = told_.answer.judged[i][w];
                // What meets it, the cheapest; else what was nearest to being shown to.
                return judged.met == Met::Yes ? std::pair{0, told_.answer.costs[i]}
                                              : std::pair{1, judged.most};
            };
            std::size_t best = 0;
            for (std::size_t i = 1; i < sweep_.results.size(); ++i)
                if (rank(i) < rank(best)) best = i;
            const Judged& judged = told_.answer.judged[best][w];
            const std::string setting = setting_text(result(best).setting);
            line(judged.met == Met::Yes
                     ? fmt::format("{} alone: {}", told_.wants[w].text, setting)
                     : fmt::format("{} alone: by none, not even by {}: {}", told_.wants[w].text,
                                   setting, outcome(told_.wants[w], judged)),
                 Kind::Item);
        }
    }

    std::string verdict(const Want& want, const Judged& judged) const {
        return want.text + ": " + outcome(want, judged);
    }

    std::string outcome(const Want& want, const Judged& judged) const {
        const std::string value = amount_text(want, judged.value);
        switch (judged.met) {
            case Met::Yes:
                return fmt::format("yes, {} (at most {})", value, amount_text(want, judged.most));
            case Met::No:
                return fmt::format("no, {}", value);
            case Met::NotSeen:
                return fmt::format("{} was simulated, but it may be {}; simulate a longer --span",
                                   value, amount_text(want, judged.most));
            case Met::NotInTheData:
                break;
        }
        std::string text =
            fmt::format("{}, but cannot be shown{}: it may be {}", value,
                        sweep_.observed.ns > 0 ? " from " + days_text(observed_days()) : "",
                        amount_text(want, judged.most));
        if (judged.days > 0)
            text += fmt::format("; about {} in all without a further loss would show it",
                                days_text(judged.days));
        return text;
    }

    void tell_front() {
        const auto best = front(sweep_);
        if (best.empty()) return;
        const SettingResult& few = result(best.front());
        const SettingResult& quick = result(best.back());
        const auto figures = [](const SettingResult& of) {
            return fmt::format("{}, crash takeover p99 {}", a_month(of.figures),
                               seconds_text(of.figures.crash_p99));
        };
        if (best.size() == 1 && sweep_.results.size() == 1) {
            tell_one(0);
        } else if (best.size() == 1) {
            line(fmt::format("{} is the best of all in both: {}, crash takeover p99 {}.",
                             setting_text(few.setting), losses_text(few.figures),
                             seconds_text(few.figures.crash_p99)),
                 Kind::Headline, Tone::Good);
        } else if (const auto bend = knee(sweep_, best)) {
            const SettingResult& at = result(*bend);
            line(fmt::format("Start from {}: {}, crash takeover p99 {}.", setting_text(at.setting),
                             losses_text(at.figures), seconds_text(at.figures.crash_p99)),
                 Kind::Headline, Tone::Good);
            if (*bend == best.front())
                line(
                    fmt::format("Shorter ones lose more, up to {} ({}); longer ones make wait, and "
                                "lose no less.",
                                setting_text(quick.setting), figures(quick)));
            else if (*bend == best.back())
                line(fmt::format("Longer ones make wait more than they save, up to {} ({}).",
                                 setting_text(few.setting), figures(few)));
            else
                line(
                    fmt::format("It is the knee between {} ({}) and {} ({}): less of the one costs "
                                "much of the other.",
                                setting_text(quick.setting), figures(quick),
                                setting_text(few.setting), figures(few)));
        } else {
            line(fmt::format("From {} ({}) to {} ({}) no setting is better in both.",
                             setting_text(quick.setting), figures(quick), setting_text(few.setting),
                             figures(few)),
                 Kind::Headline);
        }
        tell_harms(result(knee(sweep_, best).value_or(best.back())),
                   "What costs leases there, the worst first:");
    }

    void tell_harms(const SettingResult& of, std::string_view title) {
        if (of.harms.empty()) return;
        harm_line(std::string(title), false);
        for (const Harm& harm : of.harms) {
            // What is assumed has no length of its own.
            harm_line(harm.where.empty()
                          ? fmt::format("{}s: {}{} cost the lease, from {} on",
                                        to_string(harm.kind), harm.losses,
                                        harm.times > 0 ? fmt::format(" of {}", harm.times) : "",
                                        seconds_text(static_cast<double>(harm.length.ns) / 1e9))
                          : fmt::format("{} of {}: {} of {} cost the lease  {}",
                                        to_string(harm.kind), harness::span_text(harm.length),
                                        harm.losses, harm.times, harm.where),
                      true);
        }
    }

    const Sweep& sweep_;
    const Told& told_;
    std::vector<AnswerLine> out_;
};

std::string text_of(const std::vector<AnswerLine>& lines, const Paint& paint, std::size_t width) {
    std::string text;
    for (const AnswerLine& line : lines) {
        const std::size_t indent = line.indented ? 2 : 0;
        text += std::string(indent, ' ') +
                harness::wrapped(line.text, indent, width, paint, line.tone) + "\n";
    }
    return text;
}

}  // namespace

std::vector<AnswerLine> answer_lines(const Sweep& sweep, const Told& told) {
    return sweep.results.empty() ? std::vector<AnswerLine>{} : Teller(sweep, told).tell();
}

std::string answer_text(const Sweep& sweep, const Told& told, const Paint& paint,
                        std::size_t width) {
    return text_of(answer_lines(sweep, told), paint, width);
}

std::string setting_answer_text(const Sweep& sweep, const Told& told, std::size_t setting,
                                const Paint& paint, std::size_t width) {
    Teller teller(sweep, told);
    teller.tell_one(setting);
    return text_of(teller.take(), paint, width);
}

}  // namespace lockstep::lease
