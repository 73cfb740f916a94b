#include "harness/timeline/page_data.hpp"

#include "harness/describe.hpp"
#include "harness/timeline/json_out.hpp"
#include "harness/timeline/page_records.hpp"
#include "harness/timeline/page_tracks.hpp"
#include "properties/property.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace lockstep::harness::timeline {
namespace {

std::string_view end_text(End end) {
    switch (end) {
        case End::Finished:
            return "";
        case End::Stuck:
            return "stuck";
        case End::Crashed:
            return "crashed";
        case End::OutOfTime:
            return "out of time";
        case End::Cut:
            return "cut short";
    }
    return "";
}

/// The violation that the page is about.
const properties::Violation* main_violation(const Outcome& outcome,
                                            const TimelineOptions& options) {
    const properties::Violation* found = nullptr;
    for (const properties::Report& report : outcome.reports) {
        if (!report.first) continue;
        if (options.explanation && options.explanation->property == report.id)
            return &*report.first;
        // What is excused comes last.
        if (found == nullptr || (found->excused_by && !report.first->excused_by) ||
            (found->excused_by.has_value() == report.first->excused_by.has_value() &&
             report.first->at < found->at))
            found = &*report.first;
    }
    return found;
}

/// What the page opens on.
Span focus(const Outcome& outcome, const TimelineOptions& options, SimTime end) {
    const auto* violation = main_violation(outcome, options);
    if (options.explanation && options.explanation->at >= options.explanation->begins)
        return {options.explanation->begins, options.explanation->at};
    if (violation == nullptr) return {SimTime{}, end};
    return {std::max(SimTime{}, violation->at - seconds(4)), violation->at};
}

SimTime clamped(SimTime at, SimTime end) {
    return std::clamp(at, SimTime{}, end);
}

/// A window of which at most `room` bytes are records: around the focus, or, if that is too long,
/// the last part of it.
class WindowSearch {
public:
    WindowSearch(const RunRecords& records, Span focus, SimTime end, std::size_t room)
        : records_(records), focus_(focus), end_(end), room_(room) {}

    Span best() const {
        if (fits({SimTime{}, end_})) return {SimTime{}, end_};
        Span found{focus_.to, focus_.to};
        std::int64_t least = 0;
        std::int64_t most = 3 * end_.ns;
        for (int round = 0; round < 40; ++round) {
            const std::int64_t middle = least + (most - least) / 2;
            const Span tried = of_length(middle);
            if (fits(tried)) {
                found = tried;
                least = middle;
            } else {
                most = middle;
            }
        }
        return found;
    }

private:
    /// Grows from the end of the focus to its beginning, then to both sides, twice as far back.
    Span of_length(std::int64_t length) const {
        const std::int64_t inner = focus_.to.ns - focus_.from.ns;
        if (length <= inner) return {SimTime{focus_.to.ns - length}, focus_.to};
        const std::int64_t rest = length - inner;
        return {clamped(SimTime{focus_.from.ns - rest * 2 / 3}, end_),
                clamped(SimTime{focus_.to.ns + rest / 3}, end_)};
    }

    bool fits(Span span) const {
        std::size_t bytes = 0;
        for (const Records* records : {&records_.events, &records_.messages})
            bytes += records->bytes(records->place_of(span.from),
                                    records->place_of(span.to + microseconds(1)));
        return bytes <= room_;
    }

    const RunRecords& records_;
    const Span focus_;
    const SimTime end_;
    const std::size_t room_;
};

class DataWriter {
public:
    DataWriter(const Outcome& outcome, const scenario::Resolved& settings,
               const TimelineOptions& options, const Model& model)
        : outcome_(outcome),
          options_(options),
          model_(model),
          settings_(settings),
          names_(outcome, settings.plan) {}

    std::string text(std::size_t room) {
        RunRecords records = records_of(outcome_, model_);
        const Span focused = focus(outcome_, options_, model_.end);
        out_.open('{');
        violations();
        explanation();
        faults(anchor(focused).to, room / 8);
        room -= std::min(room / 2, out_.size());
        const auto window_of = [&](std::size_t bytes) {
            return WindowSearch(records, anchor(focused), model_.end, bytes).best();
        };
        Span window = window_of(room / 2);
        const std::string lanes = tracks(records.words, window, room * 4 / 10);
        // What full tracks leave free is for more messages and events.
        if (coarse_.points.ns == 0) window = window_of(room - lanes.size() - room / 20);
        run(shown(focused), window);
        out_.raw(lanes);
        record_members(records, window, room / 20);
        out_.close('}');
        return out_.take();
    }

private:
    void times(std::string_view name, Span span) {
        out_.key(name).open('[').number(us(span.from)).number(us(span.to)).close(']');
    }
    void texts(std::string_view name, const std::vector<std::string>& all) {
        out_.key(name).open('[');
        for (const std::string& one : all) out_.text(one, 80);
        out_.close(']');
    }

    /// Where the full detail must be: if nothing was violated, where the trouble begins.
    Span anchor(Span focused) const {
        if (main_violation(outcome_, options_) != nullptr) return focused;
        const auto first = std::find_if(model_.faults.begin(), model_.faults.end(),
                                        [](const FaultSpan& fault) { return !fault.missed; });
        const SimTime at = first == model_.faults.end() ? SimTime{} : first->from;
        return {at, at};
    }

    /// With some room on both sides.
    Span shown(Span focused) const {
        const Duration length = focused.to - focused.from;
        const Duration least = milliseconds(500);
        return {clamped(focused.from - std::max(length / 8, least), model_.end),
                clamped(focused.to + std::max(length / 8, least), model_.end)};
    }

    void run(Span shown, Span window) {
        out_.key("title").text(options_.title).key("command").text(options_.command);
        out_.key("seed").text(std::to_string(outcome_.seed));
        out_.key("end").number(us(model_.end));
        if (model_.healed != SimTime::never()) out_.key("healed").number(us(model_.healed));
        out_.key("ended").text(end_text(outcome_.end)).key("endDetail").text(outcome_.end_detail);
        times("window", shown);
        times("detail", window);
        out_.key("processes").open('[');
        for (std::size_t i = 0; i < outcome_.process_names.size(); ++i) {
            out_.open('[').text(outcome_.process_names[i], 80);
            if (i < outcome_.process_kinds.size())
                out_.text(properties::to_string(outcome_.process_kinds[i]));
            out_.close(']');
        }
        out_.close(']');
        texts("locks", outcome_.lock_names);
    }

    void violations() {
        out_.key("violations").open('[');
        for (const properties::Report& report : outcome_.reports) {
            if (!report.first) continue;
            const std::string code(properties::code_of(report.id));
            const auto& expected = settings_.expected_violations;
            std::string excuse;
            if (const auto& need = report.first->excused_by)
                excuse = fmt::format("{}({})", properties::to_string(need->assumption),
                                     properties::to_string(need->kind));
            out_.open('{').key("id").text(code);
            out_.key("name").text(properties::describe(report.id).name);
            out_.key("at").number(us(report.first->at)).key("excused").text(excuse);
            out_.key("text").text(report.first->evidence, 1'000);
            out_.key("times").word(report.violations).key("expected");
            out_.number(std::find(expected.begin(), expected.end(), code) != expected.end());
            out_.close('}');
        }
        out_.close(']');
    }

    void explanation() {
        if (options_.explanation) {
            const Explanation& e = *options_.explanation;
            out_.key("explanation").open('{').key("id").text(properties::code_of(e.property));
            out_.key("at").number(us(e.at)).key("harm").text(e.harm).key("cause").text(e.cause);
            out_.key("looksLike").text(e.looks_like).key("fencing").text(e.fencing);
            out_.key("steps").open('[');
            for (const ExplainedStep& step : e.story)
                out_.open('[')
                    .number(us(step.at))
                    .number(step.process.value)
                    .text(step.text, 500)
                    .number(step.decisive ? 1 : 0)
                    .close(']');
            out_.close(']').key("chain").open('[');
            chain(e);
            out_.close(']').close('}');
        }
        out_.key("chances").open('[');
        for (const FailureChance& chance : options_.chances)
            out_.open('[').number(us(chance.from)).word(chance.runs).word(chance.failed).close(']');
        out_.close(']');
    }

    /// The last of them, if there are very many.
    void chain(const Explanation& e) {
        constexpr std::size_t most = 300;
        const std::size_t skipped = e.chain.size() > most ? e.chain.size() - most : 0;
        for (std::size_t i = skipped; i < e.chain.size(); ++i)
            if (e.chain[i] < outcome_.log.size()) link(outcome_.log[e.chain[i]]);
    }

    /// `[at, process, text]`; of a message, or its taking, `[sent, from, kind, to, taken or -1]`.
    void link(const LoggedEvent& logged) {
        const auto* line = std::get_if<MessageLine>(&logged.what);
        const auto* taken = std::get_if<MessageTaken>(&logged.what);
        if ((line != nullptr && !line->is_note) || taken != nullptr) {
            const std::size_t place =
                message_of(model_, line != nullptr ? line->number : taken->number);
            if (place == model_.messages.size()) return;
            const Message& m = model_.messages[place];
            out_.open('[').number(us(m.sent)).number(m.from.value).text(m.kind, 80);
            out_.number(m.to.value).number(m.fate == Message::Fate::Taken ? us(m.taken) : -1);
            out_.close(']');
            return;
        }
        out_.open('[').number(us(logged.at)).number(logged.process.value);
        if (const auto* event = std::get_if<events::Event>(&logged.what))
            out_.text(describe(names_, *event), 300);
        else if (const auto* world = std::get_if<sim::WorldEvent>(&logged.what))
            out_.text(describe(names_, *world), 300);
        else
            out_.text("note " + line->text, 300);
        out_.close(']');
    }

    std::string fault_text(const FaultSpan& fault) const {
        std::string_view kind = "fault";
        if (fault.fault < settings_.plan.size())
            kind = sim::to_string(settings_.plan[fault.fault].kind);
        JsonOut out;
        out.open('[').number(us(fault.from)).number(us(fault.to)).number(fault.fault);
        out.text(names_.fault(fault.fault), 200).text(kind);
        out.text(fault.missed ? names_.why_missed(fault.fault) : "").open('[');
        for (const ProcessId p : fault.hits) out.number(p.value);
        out.close(']').close(']');
        return out.take();
    }

    /// Of too many the closest to where the detail is.
    void faults(SimTime anchor, std::size_t room) {
        const auto distance = [&](std::size_t i) {
            const FaultSpan& fault = model_.faults[i];
            if (fault.from > anchor) return fault.from - anchor;
            return fault.to < anchor ? anchor - fault.to : Duration{};
        };
        std::vector<std::size_t> closest(model_.faults.size());
        std::iota(closest.begin(), closest.end(), std::size_t{0});
        std::stable_sort(closest.begin(), closest.end(),
                         [&](std::size_t a, std::size_t b) { return distance(a) < distance(b); });
        std::vector<std::string> texts(closest.size());
        std::size_t bytes = 0;
        for (const std::size_t i : closest) {
            texts[i] = fault_text(model_.faults[i]);
            bytes += texts[i].size() + 1;
            if (bytes > room) {
                texts[i].clear();
                break;
            }
        }
        out_.key("faultCount").word(model_.faults.size()).key("faults").open('[');
        for (const std::string& text : texts) out_.raw(text);
        out_.close(']');
    }

    /// In full, or, where that is too much, ever coarser.
    std::string tracks(Words& words, Span window, std::size_t room) {
        const Duration finest = std::max((model_.end - SimTime{}) / 4'000, microseconds(1));
        std::string text = page_tracks(model_, words, window, coarse_);
        // Points first: a bar that stands for several says much less than they did.
        for (int round = 0; text.size() > room && round < 14; ++round) {
            coarse_.bars = round < 2 ? Duration{} : round == 2 ? finest : coarse_.bars * 2;
            coarse_.points = round == 0 ? finest : coarse_.points * 2;
            text = page_tracks(model_, words, window, coarse_);
        }
        return fmt::format("{},\"coarseness\":[{},{}]", text, us(coarse_.points), us(coarse_.bars));
    }

    void record_members(const RunRecords& records, Span window, std::size_t room) {
        const SimTime after = window.to + microseconds(1);
        out_.key("eventKinds").raw(records.kinds);
        texts("words", records.words.all());
        const Records& all = records.events;
        out_.key("events").raw(all.range(all.place_of(window.from), all.place_of(after)));
        const Records& sent = records.messages;
        out_.key("messages").raw(sent.range(sent.place_of(window.from), sent.place_of(after)));
        // Of the rest all that is not everyday's, or what is notable and closest to the window.
        const auto outside = [&](const Records& some) {
            return some.bytes(0, some.place_of(window.from)) +
                   some.bytes(some.place_of(after), some.size());
        };
        const Records& rest =
            outside(records.ordinary) <= room ? records.ordinary : records.notable;
        const std::size_t first = rest.place_of(window.from);
        const std::size_t last = rest.place_of(after);
        std::size_t begin = first;
        while (begin > 0 && rest.bytes(begin - 1, first) <= room / 2) --begin;
        std::size_t end = last;
        while (end < rest.size() && rest.bytes(last, end + 1) <= room / 2) ++end;
        if (&rest == &records.ordinary) begin = 0, end = rest.size();
        out_.key("before").raw(rest.range(begin, first)).key("after").raw(rest.range(last, end));
    }

    const Outcome& outcome_;
    const TimelineOptions& options_;
    const Model& model_;
    const scenario::Resolved& settings_;
    const Names names_;
    Coarseness coarse_;
    JsonOut out_;
};

}  // namespace

std::string page_data(const Outcome& outcome, const scenario::Resolved& settings,
                      const TimelineOptions& options, const Model& model, std::size_t room) {
    return DataWriter(outcome, settings, options, model).text(room);
}

}  // namespace lockstep::harness::timeline
