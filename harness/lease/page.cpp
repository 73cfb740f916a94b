#include "harness/lease/page.hpp"

#include "harness/lease/page_style.hpp"
#include "harness/lease/page_tables.hpp"
#include "harness/lease/plot.hpp"
#include "harness/lease/plot_spots.hpp"
#include "harness/lease/plot_text.hpp"
#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace lockstep::lease {
namespace {

/// The first sentence, with its end; all of it if there is one only.
std::size_t first_sentence(const std::string& line) {
    const std::size_t end = line.find(". ");
    return end == std::string::npos ? line.size() : end + 1;
}

std::string_view sign_of(Met met) {
    switch (met) {
        case Met::Yes:
            return R"(<span class="sign yes" aria-hidden="true">&#10003;</span>)";
        case Met::No:
            return R"(<span class="sign no" aria-hidden="true">&#10007;</span>)";
        case Met::NotSeen:
        case Met::NotInTheData:
            break;
    }
    return R"(<span class="sign unknown" aria-hidden="true">?</span>)";
}

std::string words_of(const Want& want, const Judged& judged, Duration observed) {
    const std::string value = amount_text(want, judged.value);
    const std::string most =
        amount_text(want, judged.most) == "?" ? "anything" : amount_text(want, judged.most);
    switch (judged.met) {
        case Met::Yes:
            return fmt::format("yes, {}, at most {}", value, most);
        case Met::No:
            return fmt::format("no, {}", value);
        case Met::NotSeen:
            return fmt::format(
                "not shown; {} was simulated, but it may be {}; a longer --span "
                "narrows that",
                value, most);
        case Met::NotInTheData:
            break;
    }
    std::string text = fmt::format("not shown; {} was simulated, but {} of data allow {}", value,
                                   long_span(observed), most);
    if (judged.days > 0)
        text += fmt::format("; about {:.3g} days in all without a further such stop would show it",
                            judged.days);
    return text;
}

class Page {
public:
    Page(const Sweep& sweep, const Told& told) : sweep_(sweep), told_(told) {}

    std::string make() {
        put_head();
        put_answer();
        put_plots();
        put_harms();
        put_tables();
        put_inputs();
        put_again();
        out_ += "</main>\n</body>\n</html>\n";
        return std::move(out_);
    }

private:
    void section(std::string_view title) { out_ += fmt::format("<h2>{}</h2>\n", title); }
    void paragraph(std::string_view text, std::string_view style = "") {
        out_ += style.empty() ? fmt::format("<p>{}</p>\n", escaped(text))
                              : fmt::format("<p class=\"{}\">{}</p>\n", style, escaped(text));
    }

    void put_head() {
        out_ +=
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
            "<title>What each length of a lease costs</title>\n<style>\n";
        out_ += palette();
        out_ += plot_style();
        out_ += page_style();
        out_ += "</style>\n</head>\n<body>\n<header>\n<h1>What each length of a lease costs</h1>\n";
        const std::size_t count = sweep_.results.size();
        std::string facts = fmt::format(
            "{} {}, {} simulated of each, seed {}; {}. ", count,
            count == 1 ? "setting" : "settings", long_span(sweep_.span), sweep_.seed,
            sweep_.fidelity == Fidelity::Full ? "the whole cluster" : "the lease alone");
        facts += sweep_.observed.ns > 0
                     ? fmt::format("The data cover {}.", long_span(sweep_.observed))
                     : "All that costs leases is assumed: nothing was measured.";
        facts += " Settings are lease/deadline/renewal.";
        paragraph(facts);
        out_ += "</header>\n<main>\n";
    }

    std::string_view answer_style() const {
        if (told_.checked && !told_.checked->consistent) return "answer bad";
        if (told_.wants.empty()) return "answer";
        return told_.answer.chosen ? "answer" : "answer open";
    }

    void put_answer() {
        const auto lines = answer_lines(sweep_, told_);
        if (lines.empty()) return;
        out_ += fmt::format("<section class=\"{}\" aria-label=\"Answer\">\n", answer_style());
        bool listing = false;
        for (const AnswerLine& line : lines) {
            // What did the harm is in a section of its own; the wants come all at once, with signs.
            if (line.kind == AnswerLine::Kind::Harm) continue;
            if (line.kind == AnswerLine::Kind::Want && wants_are_judged()) {
                if (listing) out_ += "</ul>\n";
                listing = false;
                put_wants();
                continue;
            }
            const bool item = line.indented;
            if (item != listing) out_ += item ? "<ul>\n" : "</ul>\n";
            listing = item;
            if (item)
                out_ += fmt::format("<li>{}</li>\n", escaped(line.text));
            else if (line.kind == AnswerLine::Kind::Headline)
                put_headline(line.text);
            else
                paragraph(line.text);
        }
        if (listing) out_ += "</ul>\n";
        put_emitted();
        out_ += "</section>\n";
    }
    void put_emitted() {
        if (told_.emitted.empty()) return;
        out_ += "<pre>";
        std::string_view rest = told_.emitted;
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            out_ += escaped(rest.substr(0, end)) + "\n";
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        out_ += "</pre>\n";
    }
    void put_headline(const std::string& text) {
        const std::size_t end = first_sentence(text);
        paragraph(text.substr(0, end), "big");
        if (end < text.size()) paragraph(text.substr(end + 1));
    }

    bool wants_are_judged() const {
        const auto picked = pick(sweep_, told_);
        return picked && !told_.wants.empty() && picked->position < told_.answer.judged.size();
    }
    void put_wants() {
        if (wants_put_) return;
        wants_put_ = true;
        const auto& judged = told_.answer.judged[pick(sweep_, told_)->position];
        out_ += "<ul class=\"wants\">\n";
        for (std::size_t w = 0; w < told_.wants.size() && w < judged.size(); ++w)
            out_ += fmt::format("<li>{}<span><strong>{}</strong>: {}</span></li>\n",
                                sign_of(judged[w].met), escaped(told_.wants[w].text),
                                escaped(words_of(told_.wants[w], judged[w], sweep_.observed)));
        out_ += "</ul>\n";
    }

    void put_plots() {
        const auto all = drawings(sweep_, told_);
        if (all.empty()) return;
        out_ += "<div class=\"plots\">\n";
        for (const Drawing& drawing : all) {
            const bool broad = drawing.width > 640;
            out_ += fmt::format("<figure id=\"{}\"{}>\n<h2>{}</h2>\n", drawing.name,
                                broad ? " class=\"broad\"" : "", escaped(drawing.title));
            if (broad)
                out_ += fmt::format("<div class=\"scroll\"><div style=\"min-width:{:.0f}px\">\n",
                                    drawing.width * 0.8);
            out_ += svg_of(drawing.canvas, drawing.width, drawing.height, drawing.title, false);
            if (broad) out_ += "</div></div>\n";
            out_ +=
                fmt::format("<figcaption>{}</figcaption>\n</figure>\n", escaped(drawing.caption));
        }
        out_ += "</div>\n";
    }

    void put_harm(const SettingResult& result, std::string_view name) {
        out_ += fmt::format("<h3>At {}{}</h3>\n", escaped(setting_text(result.setting)),
                            name.empty() ? "" : fmt::format(", {}", name));
        out_ += harm_table(result);
    }

    void put_harms() {
        if (sweep_.results.empty()) return;
        section("What did the harm");
        paragraph(fmt::format("What cost leases in {} of simulation, the worst first. A log is "
                              "played again and again, so each of its stops comes many times.",
                              long_span(sweep_.span)),
                  "hint");
        const auto picked = pick(sweep_, told_);
        if (picked) put_harm(sweep_.results[picked->position], role_name(picked->role));
        if (picked && told_.answer.binds)
            put_harm(sweep_.results[*told_.answer.cheaper],
                     "the next cheaper: these would have to go for it to do");
        // Without a want, what comes of the quickest of those that none beats.
        const auto best = front(sweep_);
        if (told_.wants.empty() && !best.empty() && (!picked || picked->position != best.back()))
            put_harm(sweep_.results[best.back()],
                     sweep_.results.size() > 1 ? "the quickest on the front" : "");
        if (sweep_.now) put_harm(*sweep_.now, "now");
    }

    void put_tables() {
        section("What decides");
        out_ += deciding_table(sweep_, told_);
        section("Everything else");
        out_ += other_table(sweep_, told_);
    }

    void put_inputs() {
        section("What went in");
        out_ += input_table(sweep_);
        const bool full = sweep_.fidelity == Fidelity::Full;
        paragraph(fmt::format("Simulated: {} of each setting, {}.", long_span(sweep_.span),
                              full ? "the whole cluster (fidelity full)"
                                   : "with the service reduced to its leases (fidelity lease)"));
        paragraph(sweep_.observed.ns > 0
                      ? fmt::format("Observed: {}, which is the shortest of the logs of what costs "
                                    "leases.",
                                    long_span(sweep_.observed))
                      : "Observed: nothing of what costs leases; it is all as somebody says.");
        if (!sweep_.whole)
            paragraph(
                "The budget of time ended some settings before the whole span was simulated: "
                "their simulation intervals are wider, and \"span simulated\" above says by "
                "how much.");
        paragraph(
            "The simulation interval says, with 95% confidence, how far luck may have moved a "
            "figure, were the logs the whole truth: a longer span narrows it. The data "
            "interval says how far the truth may be from what the logs saw: only a longer "
            "log narrows it, and what is merely assumed has none.");
        paragraph(
            "Left out: holders that pause right after they took over, stops that the logs do "
            "not show, and queues of waiters. docs/lease-model.md says what is simulated, "
            "what each figure means, and what it was held against.");
    }

    void put_again() {
        section("Again");
        paragraph(fmt::format("The same command in the same build gives the same figures. Seed {}.",
                              sweep_.seed),
                  "hint");
        out_ += fmt::format("<pre>{}{}</pre>\n", escaped(told_.command), escaped(told_.asked));
    }

    const Sweep& sweep_;
    const Told& told_;
    bool wants_put_ = false;
    std::string out_;
};

}  // namespace

std::string sweep_page(const Sweep& sweep, const Told& told) {
    return Page(sweep, told).make();
}

}  // namespace lockstep::lease
