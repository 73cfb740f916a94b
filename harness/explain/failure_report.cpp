#include "harness/explain/failure_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace lockstep::harness {
namespace {

constexpr std::size_t when_width = 10;
constexpr std::size_t label_width = 9;
constexpr std::string_view mark = "  <- decisive";

std::string name_of(const std::vector<std::string>& names, sim::ProcessId process) {
    if (!process) return "world";
    if (process.value > names.size()) return fmt::format("#{}", process.value);
    return printable(names[process.value - 1]);
}

Tone tone_of(const ExplainedStep& step, bool last) {
    if (step.decisive || last) return Tone::Bad;
    if (step.text.starts_with("FAULT")) return Tone::Warn;
    return Tone::Plain;
}

std::string story_text(const Explanation& explanation, const std::vector<std::string>& names,
                       const Paint& paint, std::size_t width) {
    std::size_t who_width = 8;
    for (const ExplainedStep& step : explanation.story)
        who_width = std::max(who_width, name_of(names, step.process).size());
    std::string out;
    for (const ExplainedStep& step : explanation.story) {
        const bool last = &step == &explanation.story.back();
        std::string text = printable(step.text);
        if (step.decisive) text += mark;
        const std::string line = fmt::format("{:>{}}  {:<{}}  {}", seconds_text(step.at.ns),
                                             when_width, name_of(names, step.process), who_width,
                                             wrapped(text, when_width + who_width + 4, width));
        out += paint(tone_of(step, last), line) + "\n";
    }
    return out;
}

/// "fencing  saved the day: ..."; nothing if there is nothing to say.
std::string labelled(std::string_view label, const std::string& text, const Paint& paint,
                     std::size_t width, Tone tone = Tone::Plain) {
    if (text.empty()) return "";
    return fmt::format("{}{}\n", paint(Tone::Strong, fmt::format("{:<{}}", label, label_width)),
                       wrapped(printable(text), label_width, width, paint, tone));
}

/// A command is one line, however long, so that it can be pasted.
std::string command(std::string_view label, const std::string& text, const Paint& paint) {
    return labelled(label, text, paint, 0);
}

}  // namespace

std::string baseline_text(Baseline baseline, const std::string& name) {
    const std::string who = name.empty() ? "the baseline" : name;
    switch (baseline) {
        case Baseline::NotAsked:
            return "";
        case Baseline::Held:
            return who + " held: new in this change";
        case Baseline::FailsToo:
            return who + " fails, too: pre-existing";
        case Baseline::FailsOtherwise:
            return who + " fails in another way: changed by this change";
        case Baseline::CouldNotTell:
            return who + " could not tell";
    }
    return "";
}

std::string explanation_text(const Explanation& explanation, const std::vector<std::string>& names,
                             const Paint& paint, std::size_t width) {
    std::string out = wrapped(printable(explanation.harm), 0, width, paint, Tone::Strong) + "\n";
    out += story_text(explanation, names, paint, width);
    out += labelled("cause", explanation.cause, paint, width);
    out += labelled("fencing", explanation.fencing, paint, width);
    return out;
}

std::string failure_report(const FailureFacts& facts, const Paint& paint, std::size_t width) {
    const auto& property = properties::describe(facts.explanation.property);
    const std::string what = facts.ended.empty()
                                 ? fmt::format("{} {}", property.code, property.name)
                                 : printable(facts.ended);
    std::string headline = fmt::format("{} {} seed {}  {}", paint(Tone::Bad, "FAIL"),
                                       printable(facts.scenario), facts.seed, what);
    if (facts.runs > 0)
        headline += fmt::format("  {} of {} run{}", grouped(facts.failed), grouped(facts.runs),
                                facts.runs == 1 ? "" : "s");
    if (!facts.note.empty()) headline += fmt::format("  ({})", printable(facts.note));
    std::string out = headline + "\n";
    if (facts.ended.empty())
        out += explanation_text(facts.explanation, facts.process_names, paint, width);
    out += labelled("shrunk", facts.reduction, paint, width);
    out += labelled("baseline", baseline_text(facts.baseline, facts.baseline_name), paint, width,
                    facts.baseline == Baseline::Held ? Tone::Bad : Tone::Plain);
    out += command("again", facts.again, paint);
    out += command("look", facts.look, paint);
    out += command("keep", facts.keep, paint);
    return out;
}

}  // namespace lockstep::harness
