#include "harness/timeline/page_data.hpp"

#include "harness/describe.hpp"
#include "harness/timeline/json_out.hpp"
#include "harness/timeline/page_records.hpp"
#include "harness/timeline/page_tracks.hpp"
#include "properties/property.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

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
        std::int64_t most = 2 * end_.ns;
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
        const RunRecords records = records_of(outcome_, model_);
        const Span focused = focus(outcome_, options_, model_.end);
        const Span window = WindowSearch(records, focused, model_.end, room * 6 / 10).best();
        out_.open('{');
        run(focused, window);
        properties();
        explanation();
        faults();
        out_.raw(tracks(window, room * 3 / 10));
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

    void run(Span focused, Span window) {
        out_.key("title").text(options_.title).key("command").text(options_.command);
        out_.key("service").text(settings_.service);
        out_.key("seed").text(std::to_string(outcome_.seed));
        out_.key("digest").text(fmt::format("{:016x}", outcome_.digest));
        out_.key("ended").text(end_text(outcome_.end)).key("endDetail").text(outcome_.end_detail);
        out_.key("end").number(us(model_.end)).key("ttl").number(us(settings_.ttl));
        out_.key("steps").word(outcome_.steps).key("eventCount").word(outcome_.events);
        out_.key("messageCount").word(outcome_.messages);
        times("focus", focused);
        times("window", window);
        out_.key("processes").open('[');
        for (std::size_t i = 0; i < outcome_.process_names.size(); ++i) {
            const auto kind = i < outcome_.process_kinds.size()
                                  ? static_cast<std::int64_t>(outcome_.process_kinds[i])
                                  : 0;
            out_.open('[').text(outcome_.process_names[i], 80).number(kind).close(']');
        }
        out_.close(']');
        texts("locks", outcome_.lock_names);
        texts("drawn", outcome_.resolved_lines);
    }

    void properties() {
        out_.key("properties").open('[');
        for (const properties::Report& report : outcome_.reports) {
            const std::string code(properties::code_of(report.id));
            const auto& expected = settings_.expected_violations;
            out_.open('[').text(code).text(properties::describe(report.id).name);
            out_.text(properties::describe(report.id).promise);
            out_.text(properties::to_string(report.verdict)).word(report.violations);
            out_.word(report.checks);
            out_.number(std::find(expected.begin(), expected.end(), code) != expected.end());
            if (report.first)
                out_.number(us(report.first->at)).text(report.first->evidence, 1'000);
            out_.close(']');
        }
        out_.close(']');
        if (const auto* violation = main_violation(outcome_, options_))
            out_.key("violation")
                .open('[')
                .text(properties::code_of(violation->id))
                .number(us(violation->at))
                .close(']');
    }

    void explanation() {
        if (options_.explanation) {
            const Explanation& e = *options_.explanation;
            out_.key("explanation").open('{');
            out_.key("harm").text(e.harm).key("cause").text(e.cause);
            out_.key("looks").text(e.looks_like).key("fencing").text(e.fencing);
            out_.key("story").open('[');
            for (const ExplainedStep& step : e.story)
                out_.open('[')
                    .number(us(step.at))
                    .number(step.process.value)
                    .text(step.text, 500)
                    .number(step.decisive ? 1 : 0)
                    .close(']');
            out_.close(']').key("chain").open('[');
            chain(e);
            out_.close(']').key("processes").open('[');
            for (const ProcessId p : e.processes) out_.number(p.value);
            out_.close(']').key("locks").open('[');
            for (const LockId lock : e.locks) out_.number(lock.value);
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

    /// `[at, process, text]`, and of a message also to whom and when it was taken, or -1.
    void link(const LoggedEvent& logged) {
        out_.open('[').number(us(logged.at)).number(logged.process.value);
        if (const auto* event = std::get_if<events::Event>(&logged.what)) {
            out_.text(describe(names_, *event), 300);
        } else if (const auto* world = std::get_if<sim::WorldEvent>(&logged.what)) {
            out_.text(describe(names_, *world), 300);
        } else {
            const auto* line = std::get_if<MessageLine>(&logged.what);
            const auto* taken = std::get_if<MessageTaken>(&logged.what);
            const std::uint64_t number = line != nullptr ? line->number : taken->number;
            const std::size_t place = message_of(model_, number);
            if (line != nullptr) out_.text(line->text, 300);
            if (place == model_.messages.size()) {
                if (line == nullptr) out_.text("takes a message");
            } else {
                const Message& m = model_.messages[place];
                if (line == nullptr)
                    out_.text(fmt::format("takes {} from {}", m.kind, names_.process(m.from)));
                const bool arrived = m.fate == Message::Fate::Taken;
                out_.number(m.from.value).number(m.to.value).number(us(m.sent));
                out_.number(arrived ? us(m.taken) : -1);
            }
        }
        out_.close(']');
    }

    void faults() {
        constexpr std::size_t most = 400;
        out_.key("faults").open('[');
        for (std::size_t i = 0; i < std::min(model_.faults.size(), most); ++i) {
            const FaultSpan& fault = model_.faults[i];
            std::string_view kind = "fault";
            if (fault.fault < settings_.plan.size())
                kind = sim::to_string(settings_.plan[fault.fault].kind);
            out_.open('[').number(us(fault.from)).number(us(fault.to) - us(fault.from));
            out_.text(names_.fault(fault.fault), 200).text(kind);
            out_.text(fault.missed ? names_.why_missed(fault.fault) : "").number(fault.fault);
            for (const ProcessId p : fault.hits) out_.number(p.value);
            out_.close(']');
        }
        out_.close(']');
    }

    std::string tracks(Span window, std::size_t room) const {
        std::string text = page_tracks(model_, window, {});
        Duration resolution = std::max((model_.end - SimTime{}) / 4'000, microseconds(1));
        for (int round = 0; text.size() > room && round < 14; ++round) {
            text = page_tracks(model_, window, resolution);
            resolution = resolution * 2;
        }
        return text;
    }

    void record_members(const RunRecords& records, Span window, std::size_t room) {
        const SimTime after = window.to + microseconds(1);
        out_.key("kinds").raw(records.kinds);
        texts("words", records.words.all());
        const Records& all = records.events;
        out_.key("events").raw(all.range(all.place_of(window.from), all.place_of(after)));
        const Records& sent = records.messages;
        out_.key("messages").raw(sent.range(sent.place_of(window.from), sent.place_of(after)));
        // Of the rest, what matters and is closest to the window.
        const Records& rest = records.important;
        const std::size_t first = rest.place_of(window.from);
        const std::size_t last = rest.place_of(after);
        std::size_t begin = first;
        while (begin > 0 && rest.bytes(begin - 1, first) <= room) --begin;
        std::size_t end = last;
        while (end < rest.size() && rest.bytes(last, end + 1) <= room) ++end;
        out_.key("before").raw(rest.range(begin, first)).key("after").raw(rest.range(last, end));
        out_.key("left").open('[').word(begin).word(rest.size() - end).close(']');
    }

    const Outcome& outcome_;
    const TimelineOptions& options_;
    const Model& model_;
    const scenario::Resolved& settings_;
    const Names names_;
    JsonOut out_;
};

}  // namespace

std::string page_data(const Outcome& outcome, const scenario::Resolved& settings,
                      const TimelineOptions& options, const Model& model, std::size_t room) {
    return DataWriter(outcome, settings, options, model).text(room);
}

}  // namespace lockstep::harness::timeline
