#include "harness/lease/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lockstep::lease {
namespace {

using harness::Paint;
using harness::Tone;

std::string span(double seconds) {
    if (std::isinf(seconds)) return "?";
    return harness::span_text(milliseconds(std::llround(seconds * 1e3)));
}

std::string observed_text(Duration observed) {
    const double hours = static_cast<double>(observed.ns) / 3'600e9;
    if (hours < 48) return fmt::format("{:.1f} h", hours);
    return fmt::format("{:.0f} days", hours / 24);
}

class Teller {
public:
    Teller(const Sweep& sweep, const Told& told, const Paint& paint, std::size_t width)
        : sweep_(sweep), told_(told), paint_(paint), width_(width) {}

    std::string tell() {
        if (told_.checked) tell_observed();
        if (told_.checked && !told_.checked->consistent) return std::move(out_);
        if (told_.wants.empty())
            tell_front();
        else if (told_.answer.chosen)
            tell_chosen();
        else
            tell_none();
        tell_harms();
        return std::move(out_);
    }

private:
    void line(const std::string& text, Tone tone = Tone::Plain) {
        out_ += harness::wrapped(text, 0, width_, paint_, tone) + "\n";
    }
    const SettingResult& result(std::size_t i) const { return sweep_.results[i]; }
    std::string amount(const Want& want, double value) const {
        const std::string_view unit = want.metric->unit;
        if (unit == "s") return span(value);
        if (unit == "share") return fmt::format("{:.3g}%", value * 100);
        return fmt::format("{} {}", number_text(value), unit);
    }

    void tell_observed() {
        const Checked& checked = *told_.checked;
        const double days = static_cast<double>(told_.observed->in.ns) / 86'400e9;
        const std::string model = fmt::format(
            "Now {}: the model says {} losses in {:.3g} d ({} to {}), you saw {}",
            setting_text(told_.now->setting), number_text(checked.expected), days,
            number_text(checked.least), number_text(checked.most), told_.observed->losses);
        if (checked.consistent) {
            line(model + ": consistent.", Tone::Good);
            return;
        }
        const bool more = static_cast<double>(told_.observed->losses) > checked.most;
        line(model + ": they disagree, so there is no recommendation.", Tone::Bad);
        line(more ? "Something that costs leases is missing from the data: outages of the lock "
                    "service "
                    "(--outages), of the way to it (--partitions), its failovers (--failovers), or "
                    "stops that this log does not show, such as those of the whole machine "
                    "(`lockstep probe`)."
                  : "The data hold more trouble than the lock met: a log of another machine, of a "
                    "worse "
                    "time, or of stops of which the holder has no part.");
    }

    void tell_chosen() {
        const SettingResult& to = result(*told_.answer.chosen);
        const Figures& f = to.figures;
        line(fmt::format("{} {}: {} losses a month (at most {}, from {} of data).",
                         told_.now ? "Change to" : "Take", setting_text(to.setting),
                         number_text(f.losses.value),
                         number_text(std::max(f.losses.data.high, f.losses.simulation.high)),
                         observed_text(sweep_.observed)),
             Tone::Good);
        if (told_.now) {
            const Figures& now = told_.now->figures;
            line(fmt::format("Crash takeover p99 {} -> {}; graceful {} -> {}.",
                             span(now.crash_p99.value), span(f.crash_p99.value),
                             span(now.release_p99.value), span(f.release_p99.value)));
        } else {
            line(fmt::format("Crash takeover p99 {}; graceful {}.", span(f.crash_p99.value),
                             span(f.release_p99.value)));
        }
        if (told_.answer.binds)
            line(fmt::format("What binds: {}; whatever is cheaper misses it.",
                             told_.wants[*told_.answer.binds].text));
    }

    void tell_none() {
        const std::size_t i = told_.answer.nearest;
        line("No setting meets all wants.", Tone::Bad);
        line(fmt::format("The nearest is {}:", setting_text(result(i).setting)));
        for (std::size_t w = 0; w < told_.wants.size(); ++w)
            line("  " + verdict(told_.wants[w], told_.answer.judged[i][w]));
    }

    std::string verdict(const Want& want, const Judged& judged) const {
        switch (judged.met) {
            case Met::Yes:
                return fmt::format("{}: yes, {}", want.text, amount(want, judged.value));
            case Met::No:
                return fmt::format("{}: no, {}", want.text, amount(want, judged.value));
            case Met::NotSeen:
                return fmt::format(
                    "{}: {} was simulated, but it may be {}; simulate a longer --span", want.text,
                    amount(want, judged.value), amount(want, judged.most));
            case Met::NotInTheData:
                break;
        }
        std::string text =
            fmt::format("{}: cannot be shown from {}", want.text, observed_text(sweep_.observed));
        if (judged.days > 0)
            text +=
                fmt::format("; about {:.0f} days without such a stop would show it", judged.days);
        return text;
    }

    void tell_front() {
        const auto best = front(sweep_);
        if (best.empty()) return;
        const SettingResult& few = result(best.front());
        const SettingResult& quick = result(best.back());
        line(fmt::format(
            "From {} ({} losses a month, crash takeover p99 {}) to {} ({}, {}) no setting is "
            "better in both.",
            setting_text(few.setting), number_text(few.figures.losses.value),
            span(few.figures.crash_p99.value), setting_text(quick.setting),
            number_text(quick.figures.losses.value), span(quick.figures.crash_p99.value)));
        if (const auto bend = knee(sweep_, best)) {
            const SettingResult& at = result(*bend);
            line(fmt::format(
                "The knee is {}: {} losses a month (at most {}), crash takeover p99 {}; less "
                "of the one costs much of the other.",
                setting_text(at.setting), number_text(at.figures.losses.value),
                number_text(at.figures.losses.data.high), span(at.figures.crash_p99.value)));
        } else if (best.size() == 1) {
            line("It is the best of all in both.");
        }
    }

    /// Of the setting that is talked of, what cost it leases.
    void tell_harms() {
        const auto best = front(sweep_);
        const std::size_t i =
            told_.wants.empty() ? (best.empty() ? 0 : best.back()) : told_.answer.nearest;
        if (sweep_.results.empty() || result(i).harms.empty()) return;
        line(fmt::format("What cost leases at {}, the worst first:",
                         setting_text(result(i).setting)));
        for (const Harm& harm : result(i).harms) line("  " + harm_text(harm));
    }

    std::string harm_text(const Harm& harm) const {
        static constexpr std::string_view kinds[] = {"stop", "outage", "partition", "failover",
                                                     "slow answer"};
        std::string text = fmt::format("{} of {}: {} of {} cost the lease",
                                       kinds[static_cast<std::size_t>(harm.kind)],
                                       harness::span_text(harm.length), harm.losses, harm.times);
        if (harm.measured && harm.kind == Harm::Kind::Pause && harm.file < told_.files.size())
            text += fmt::format("  {}:{}", harness::printable(told_.files[harm.file]), harm.line);
        return text;
    }

    const Sweep& sweep_;
    const Told& told_;
    const Paint& paint_;
    const std::size_t width_;
    std::string out_;
};

std::string csv_number(double value) {
    return std::isinf(value) ? "inf" : fmt::format("{:.6g}", value);
}

}  // namespace

std::string number_text(double value) {
    if (std::isinf(value)) return "?";
    if (value == 0) return "0";
    if (value >= 100) return fmt::format("{:.0f}", value);
    if (value >= 10) return fmt::format("{:.1f}", value);
    if (value >= 1) return fmt::format("{:.2f}", value);
    return fmt::format("{:.2g}", value);
}

std::string setting_text(const Setting& setting) {
    const auto s = [](Duration d) {
        return fmt::format("{:.4g}", static_cast<double>(d.ns) / 1e9);
    };
    const std::string text = fmt::format("{}/{}/{} s", s(setting.lease),
                                         s(setting.stands_down_after()), s(setting.renew_every));
    return setting.name.empty() ? text : fmt::format("{} ({})", text, setting.name);
}

std::string answer_text(const Sweep& sweep, const Told& told, const Paint& paint,
                        std::size_t width) {
    return Teller(sweep, told, paint, width).tell();
}

std::string sweep_csv(const Sweep& sweep) {
    std::string out = "lease_s,deadline_s,renew_s,lock_delay_s";
    for (const Metric& metric : metrics()) {
        std::string name(metric.name);
        std::ranges::replace(name, ' ', '_');
        for (const char* suffix :
             {"", "_simulation_low", "_simulation_high", "_data_low", "_data_high"})
            out += fmt::format(",{}{}", name, suffix);
    }
    out += "\n";
    for (const SettingResult& one : sweep.results) {
        const auto s = [](Duration d) { return static_cast<double>(d.ns) / 1e9; };
        out += fmt::format("{:.6g},{:.6g},{:.6g},{:.6g}", s(one.setting.lease),
                           s(one.setting.stands_down_after()), s(one.setting.renew_every),
                           s(one.setting.lock_delay));
        for (const Metric& metric : metrics()) {
            const Figure& figure = one.figures.*(metric.figure);
            for (const double value : {figure.value, figure.simulation.low, figure.simulation.high,
                                       figure.data.low, figure.data.high})
                out += "," + csv_number(value);
        }
        out += "\n";
    }
    return out;
}

}  // namespace lockstep::lease
