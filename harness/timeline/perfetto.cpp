#include "harness/timeline/json_out.hpp"
#include "harness/timeline/model.hpp"
#include "harness/timeline/timeline.hpp"
#include "harness/timeline/trace_records.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <vector>

namespace lockstep::harness {
namespace {

using timeline::TraceRecord;
using Phase = TraceRecord::Phase;

/// Hands the text over whenever enough has come together.
class Pieces {
public:
    explicit Pieces(const std::function<void(std::string_view)>& on_text) : on_text_(on_text) {}

    template <class... Arguments>
    void event(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        text_ += first_ ? "\n" : ",\n";
        first_ = false;
        fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
        if (text_.size() > 60'000) flush();
    }
    std::string& text() { return text_; }
    void flush() {
        on_text_(text_);
        text_.clear();
    }

private:
    const std::function<void(std::string_view)>& on_text_;
    std::string text_;
    bool first_ = true;
};

/// The format counts in microseconds; fractions keep the order of what is closer together.
std::string micros(std::int64_t ns) {
    return fmt::format("{}.{:03}", ns / 1'000, ns % 1'000);
}

char letter(Phase phase) {
    switch (phase) {
        case Phase::Slice:
            return 'X';
        case Phase::Begin:
            return 'b';
        case Phase::End:
            return 'e';
        case Phase::FlowStart:
            return 's';
        case Phase::FlowEnd:
            return 'f';
        case Phase::Instant:
            return 'i';
        case Phase::Counter:
            return 'C';
    }
    return 'X';
}

/// What only some phases have.
std::string rest_of(const TraceRecord& record) {
    std::string rest;
    switch (record.phase) {
        case Phase::Slice:
            rest = fmt::format(R"(,"dur":{})", micros(record.lasts.ns));
            break;
        case Phase::Begin:
        case Phase::End:
        case Phase::FlowStart:
            rest = fmt::format(R"(,"id":{})", record.id);
            break;
        case Phase::FlowEnd:
            rest = fmt::format(R"(,"id":{},"bp":"e")", record.id);
            break;
        case Phase::Instant:
            rest = record.global ? R"(,"s":"g")" : R"(,"s":"t")";
            break;
        case Phase::Counter:
            break;
    }
    if (record.number_name != nullptr)
        rest += fmt::format(R"(,"args":{{"{}":{}}})", record.number_name, record.number);
    return rest;
}

}  // namespace

void perfetto_json(const Outcome& outcome, const scenario::Resolved& settings,
                   const std::function<void(std::string_view)>& on_text) {
    const timeline::Model model = timeline::model_of(outcome, settings);
    const timeline::TraceRecords trace = timeline::trace_records_of(outcome, settings, model);
    Pieces out(on_text);
    out.text() = R"({"displayTimeUnit":"ms","traceEvents":[)";
    for (std::size_t i = 0; i < trace.processes.size(); ++i) {
        const auto& [process, name] = trace.processes[i];
        out.event(
            R"({{"ph":"M","ts":0,"pid":{},"tid":0,"name":"process_name","args":{{"name":{}}}}})",
            process, timeline::quoted(name));
        out.event(
            R"({{"ph":"M","ts":0,"pid":{},"tid":0,"name":"process_sort_index","args":{{"sort_index":{}}}}})",
            process, i);
    }
    for (const auto& track : trace.tracks)
        out.event(
            R"({{"ph":"M","ts":0,"pid":{},"tid":{},"name":"thread_name","args":{{"name":{}}}}})",
            track.process, track.track, timeline::quoted(track.name));
    std::vector<std::string> names;
    names.reserve(trace.names.size());
    for (const std::string& name : trace.names) names.push_back(timeline::quoted(name, 300));
    for (const TraceRecord& record : trace.records)
        out.event(R"({{"ph":"{}","ts":{},"pid":{},"tid":{},"cat":"{}","name":{}{}}})",
                  letter(record.phase), micros(record.at.ns), record.process, record.track,
                  record.category, names[record.name], rest_of(record));
    out.text() += "\n]}\n";
    out.flush();
}

}  // namespace lockstep::harness
