#include "harness/lease/page_tables.hpp"

#include "harness/lease/plot_spots.hpp"
#include "harness/lease/plot_text.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace lockstep::lease {
namespace {

struct Row {
    const SettingResult* result;
    std::string name;
    std::string style;
};

std::vector<Row> rows_of(const Sweep& sweep, const Told& told) {
    std::vector<Row> rows;
    const auto picked = pick(sweep, told);
    for (std::size_t i = 0; i < sweep.results.size(); ++i) {
        Row row{&sweep.results[i], sweep.results[i].setting.name, ""};
        if (picked && picked->position == i) {
            row.style = role_name(picked->role);
            row.name = row.name.empty() ? row.style : row.style + ", " + row.name;
        }
        rows.push_back(row);
    }
    for (const SettingResult* known : known_defaults(sweep))
        rows.push_back({known, known->setting.name, "known"});
    if (sweep.now) rows.push_back({&*sweep.now, "now", "now"});
    std::ranges::stable_sort(rows, {}, [](const Row& row) { return row.result->setting.lease; });
    return rows;
}

/// Whether any of the rows has one.
bool delays(const std::vector<Row>& rows) {
    return std::ranges::any_of(rows,
                               [](const Row& r) { return r.result->setting.lock_delay.ns > 0; });
}

std::string cell(const std::string& text, std::string_view style = "") {
    if (style.empty()) return fmt::format("<td>{}</td>", escaped(text));
    return fmt::format(R"(<td class="{}">{}</td>)", style, escaped(text));
}

/// With a dash, for columns of them.
std::string short_interval(const Interval& interval) {
    if (!std::isfinite(interval.high)) return interval_text(interval);
    const std::string low = number_text(interval.low);
    const std::string high = number_text(interval.high);
    return low == high ? low : fmt::format("{}\u2013{}", low, high);
}

std::string strong(const std::string& text) {
    return fmt::format("<td><strong>{}</strong></td>", escaped(text));
}

std::string head(std::string_view name, std::string_view unit, std::string_view style = "") {
    return fmt::format(R"(<th scope="col"{}>{}{}</th>)",
                       style.empty() ? "" : fmt::format(R"( class="{}")", style), escaped(name),
                       unit.empty() ? "" : fmt::format("<small>{}</small>", escaped(unit)));
}

/// A bar of that share of the column.
std::string meter(double share) {
    constexpr double width = 56;
    const double clamped = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0;
    return fmt::format(
        R"(<td><svg class="meter" viewBox="0 0 56 9" aria-hidden="true"><rect width="{:.1f}" height="9"/></svg></td>)",
        clamped > 0 ? std::max(1.0, clamped * width) : 0.0);
}

/// What is counted goes over decades: a bar half as long is the square root.
double share_of_losses(double losses, double most, double least) {
    if (!(losses > 0)) return 0;
    if (!(most > least)) return 1;
    return 0.1 + 0.9 * std::log(losses / least) / std::log(most / least);
}

std::string row_head(const Row& row, bool with_delay) {
    const Setting& setting = row.result->setting;
    std::string out = fmt::format(
        R"(<tr{}><th scope="row"><span class="key">{}</span><span class="role">{}</span></th>)",
        row.style.empty() ? "" : fmt::format(R"( class="{}")", row.style),
        length_text(setting.lease), escaped(row.name));
    out += cell(length_text(setting.stands_down_after())) + cell(length_text(setting.renew_every));
    if (with_delay) out += cell(length_text(setting.lock_delay));
    return out;
}

std::string setting_heads(bool with_delay) {
    std::string out = head("lease", "s", "left") + head("deadline", "s") + head("renew", "s");
    if (with_delay) out += head("lock delay", "s");
    return out;
}

std::string table(const std::string& heads, const std::string& body) {
    return "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr>" + heads +
           "</tr></thead>\n<tbody>\n" + body + "</tbody></table></div>\n";
}

std::string share_text(double share) {
    return fmt::format("{:.3g}%", share * 100);
}

}  // namespace

std::string deciding_table(const Sweep& sweep, const Told& told) {
    const auto rows = rows_of(sweep, told);
    const bool with_delay = delays(rows);
    double most = 0;
    double least = 0;
    double longest = 0;
    for (const Row& row : rows) {
        const double losses = row.result->figures.losses.value;
        if (losses > 0) least = least > 0 ? std::min(least, losses) : losses;
        most = std::max(most, losses);
        longest = std::max(longest, row.result->figures.crash_p99.value);
    }
    std::string body;
    for (const Row& row : rows) {
        const Figures& f = row.result->figures;
        body += row_head(row, with_delay) + strong(number_text(f.losses.value)) +
                meter(share_of_losses(f.losses.value, most, least)) +
                cell(short_interval(f.losses.simulation)) + cell(data_text(sweep, f.losses)) +
                strong(number_text(f.crash_p99.value)) + meter(f.crash_p99.value / longest) +
                cell(short_interval(f.crash_p99.simulation)) +
                cell(short_interval(f.crash_p99.data)) + cell(number_text(f.release_p99.value)) +
                cell(length_text(f.outage_borne)) + "</tr>\n";
    }
    return table(setting_heads(with_delay) + head("losses", "a month") + head("", "log") +
                     head("simulation", "95%") + head("data", "95%") + head("crash p99", "s") +
                     head("", "linear") + head("simulation", "95%") + head("data", "95%") +
                     head("graceful p99", "s") + head("outage borne", "s"),
                 body);
}

std::string other_table(const Sweep& sweep, const Told& told) {
    const auto rows = rows_of(sweep, told);
    const bool with_delay = delays(rows);
    std::string body;
    for (const Row& row : rows) {
        const Figures& f = row.result->figures;
        body += row_head(row, with_delay);
        for (const Figure* figure :
             {&f.stood_down, &f.taken_over, &f.refused_writes, &f.double_belief, &f.crash_mean,
              &f.crash_p50, &f.crash_worst, &f.release_p50, &f.release_worst})
            body += cell(number_text(figure->value));
        body += cell(share_text(f.without_holder.value)) + cell(number_text(f.renewals.value)) +
                cell(number_text(f.failover_adds.value)) +
                cell(fmt::format("{:.3f}", f.skew_ratio)) + cell(length_text(f.skew)) +
                cell(harness::grouped(row.result->counts.losses)) +
                cell(harness::long_span_text(row.result->simulated)) + "</tr>\n";
    }
    return table(setting_heads(with_delay) + head("stood down", "a month") +
                     head("taken over", "a month") + head("refused writes", "a month") +
                     head("double belief", "s a year") + head("crash mean", "s") +
                     head("crash p50", "s") + head("crash worst", "s") + head("graceful p50", "s") +
                     head("graceful worst", "s") + head("no holder", "of time") +
                     head("renewals", "/s of 1,000") + head("failover adds", "s") +
                     head("skew borne", "ratio") + head("lease - deadline", "s") +
                     head("losses", "simulated") + head("span", "simulated"),
                 body);
}

std::string harm_table(const SettingResult& result) {
    if (result.harms.empty()) return "<p class=\"hint\">Nothing cost a lease.</p>\n";
    std::string body;
    for (const Harm& harm : result.harms) {
        const double share =
            harm.times > 0 ? static_cast<double>(harm.losses) / static_cast<double>(harm.times) : 0;
        body += fmt::format(R"(<tr><th scope="row">{}</th>)", to_string(harm.kind)) +
                strong((harm.where.empty() ? "from " : "") + harness::span_text(harm.length)) +
                cell(fmt::format("{} of {}", harness::grouped(harm.losses),
                                 harness::grouped(harm.times))) +
                meter(share) +
                cell(harm.where.empty() ? "in no log: assumed" : harm.where,
                     harm.where.empty() ? "left wrap soft" : "left wrap") +
                "</tr>\n";
    }
    return table(head("what", "", "left") + head("length", "") + head("cost the lease", "times") +
                     head("", "share") + head("where", "", "left"),
                 body);
}

std::string input_table(const Sweep& sweep) {
    if (sweep.inputs.empty()) return "";
    const bool places = std::ranges::any_of(
        sweep.inputs, [](const Input& input) { return !input.longest_where.empty(); });
    std::string body;
    for (const Input& input : sweep.inputs)
        body += fmt::format(R"(<tr><th scope="row">{}</th>)", escaped(input.name)) +
                cell(input.said, "left wrap") + cell(input.about, "left wrap") +
                (places ? cell(input.longest_where, "left wrap") : "") + "</tr>\n";
    return table(head("source", "", "left") + head("as it was said", "", "left") +
                     head("what is in it", "", "left") +
                     (places ? head("where the longest is", "", "left") : ""),
                 body);
}

}  // namespace lockstep::lease
