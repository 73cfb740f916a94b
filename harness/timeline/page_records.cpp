#include "harness/timeline/page_records.hpp"

#include "harness/describe.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>

namespace lockstep::harness::timeline {
namespace {

/// What comes all the time and tells little by itself.
constexpr std::array<std::string_view, 24> everyday{
    "acquire-called",   "acquire-returned",
    "answered",         "appended",
    "applied",          "call-sent",
    "call-told",        "checkpoint-cleared",
    "commit-advanced",  "compacted",
    "deadline-moved",   "leases-checkpointed",
    "link-reset",       "link-troubled",
    "log-durable",      "may-act",
    "open-sent",        "point",
    "release-returned", "renewal-answered",
    "renewal-received", "renewal-sent",
    "write-sent",       "write-told",
};
static_assert(std::is_sorted(everyday.begin(), everyday.end()));

/// What a story is made of.
constexpr std::array<std::string_view, 25> notable{
    "assumption-broken",
    "became-leader",
    "deadline-passed",
    "expiry-proposed",
    "fault-ended",
    "fault-missed",
    "fault-started",
    "healed",
    "hold-ended",
    "lease-inherited",
    "loss-told",
    "note",
    "paused",
    "process-started",
    "process-stopped",
    "read-rejected",
    "resumed",
    "session-ended",
    "session-over-told",
    "snapshot-installed",
    "stepped-down",
    "storage-failed",
    "storage-refused",
    "torn-tail-cut",
    "write-rejected",
};
static_assert(std::is_sorted(notable.begin(), notable.end()));

int weight_of(std::string_view kind) {
    if (std::binary_search(everyday.begin(), everyday.end(), kind)) return 0;
    return std::binary_search(notable.begin(), notable.end(), kind) ? 2 : 1;
}

template <class T>
char type_of(std::string_view field) {
    if constexpr (std::is_same_v<T, bool>) return 'b';
    if constexpr (std::is_same_v<T, LockId>) return 'k';
    if constexpr (std::is_same_v<T, NodeId>) return 'p';
    if constexpr (std::is_same_v<T, Duration>) return 'd';
    if constexpr (std::is_same_v<T, LocalTime>) return 'l';
    if constexpr (std::is_enum_v<T>) return 'w';
    if (field == "point") return 'w';
    return field == "fault" ? 'f' : 'n';
}

/// Hashes tell a reader nothing.
bool is_shown(std::string_view field) {
    return !field.ends_with("hash");
}

class RecordWriter {
public:
    RecordWriter(const Outcome& outcome, const Model& model, RunRecords& out)
        : outcome_(outcome), names_(outcome, no_plan_), model_(model), out_(out) {}

    void all() {
        for (const LoggedEvent& logged : outcome_.log) {
            if (const auto* event = std::get_if<events::Event>(&logged.what))
                add(logged, *event, event->index());
            else if (const auto* world = std::get_if<sim::WorldEvent>(&logged.what))
                add(logged, *world, events::event_kinds + world->index());
            else if (const auto* line = std::get_if<MessageLine>(&logged.what);
                     line != nullptr && line->is_note)
                add_note(logged, line->text);
        }
        for (const Message& message : model_.messages) add(message);
        out_.kinds = "[" + kinds_.take() + "]";
    }

private:
    static constexpr std::size_t note_kind =
        events::event_kinds + std::variant_size_v<sim::WorldEvent>;

    template <class Variant>
    void add(const LoggedEvent& logged, const Variant& variant, std::size_t kind) {
        std::visit(
            [&](const auto& event) {
                const std::size_t number = kind_number(kind, event);
                write(out_.events, logged, number, event);
                const int weight = weight_of(event.name);
                if (weight > 0) write(out_.ordinary, logged, number, event);
                if (weight > 1) write(out_.notable, logged, number, event);
            },
            variant);
    }

    template <class E>
    void write(Records& to, const LoggedEvent& logged, std::size_t number, const E& event) {
        to.begin(logged.at);
        to.body().number(logged.process.value).number(static_cast<std::int64_t>(number));
        event.visit([&](std::string_view field, const auto& value) {
            if (is_shown(field)) put(to.body(), field, value);
        });
    }

    template <class T>
    void put(JsonOut& body, std::string_view field, const T& value) {
        if constexpr (std::is_same_v<T, bool>) {
            body.number(value ? 1 : 0);
        } else if constexpr (requires { value.ns; }) {
            body.number(value.ns == INT64_MAX ? -1 : value.ns / 1'000);
        } else if constexpr (std::is_enum_v<T>) {
            body.number(word(field_text(names_, field, value)));
        } else if constexpr (requires { value.value; }) {
            body.word(value.value);
        } else {
            if (field == "point")
                body.number(word(field_text(names_, field, value)));
            else
                body.word(value);
        }
    }

    void add_note(const LoggedEvent& logged, const std::string& text) {
        if (!numbers_[note_kind]) {
            numbers_[note_kind] = next_kind_++;
            kinds_.raw(R"(["note",2,["text","s"]])");
        }
        for (Records* to : {&out_.events, &out_.ordinary, &out_.notable}) {
            to->begin(logged.at);
            to->body().number(logged.process.value);
            to->body().number(static_cast<std::int64_t>(*numbers_[note_kind])).text(text, 300);
        }
    }

    void add(const Message& message) {
        out_.messages.begin(message.sent);
        std::int64_t fate = static_cast<std::int64_t>(first_drop_reason);
        if (message.fate == Message::Fate::Taken) fate = 0;
        if (message.fate == Message::Fate::Lost) fate = 1;
        if (message.fate == Message::Fate::UnderWay) fate = 2;
        if (message.fate == Message::Fate::Dropped) fate += word(message.dropped);
        out_.messages.body()
            .number(message.from.value)
            .number(message.to.value)
            .number(word(message.kind))
            .number(us(message.taken) - us(message.sent))
            .number(fate);
    }

    std::int64_t word(std::string_view text) {
        return static_cast<std::int64_t>(out_.words.of(text));
    }

    template <class E>
    std::size_t kind_number(std::size_t kind, const E& event) {
        if (numbers_[kind]) return *numbers_[kind];
        numbers_[kind] = next_kind_++;
        kinds_.open('[').text(event.name).number(weight_of(event.name)).open('[');
        event.visit([&](std::string_view field, const auto& value) {
            if (!is_shown(field)) return;
            const char type = type_of<std::decay_t<decltype(value)>>(field);
            kinds_.text(field).text(std::string_view(&type, 1));
        });
        kinds_.close(']').close(']');
        return *numbers_[kind];
    }

    const Outcome& outcome_;
    const sim::FaultPlan no_plan_;
    const Names names_;
    const Model& model_;
    RunRecords& out_;
    JsonOut kinds_;
    std::array<std::optional<std::size_t>, note_kind + 1> numbers_;
    std::size_t next_kind_ = 0;
};

}  // namespace

std::size_t Words::of(std::string_view text) {
    const auto found = places_.find(text);
    if (found != places_.end()) return found->second;
    places_.emplace(text, all_.size());
    all_.emplace_back(text);
    return all_.size() - 1;
}

void Records::begin(SimTime at) {
    const std::int64_t before = at_.empty() ? 0 : at_.back();
    starts_.push_back(text_.size());
    at_.push_back(us(at));
    text_.number(us(at) - before);
}

std::size_t Records::place_of(SimTime at) const {
    return static_cast<std::size_t>(std::lower_bound(at_.begin(), at_.end(), us(at)) - at_.begin());
}

std::string Records::range(std::size_t first, std::size_t last) const {
    if (first >= last) return "[0,[]]";
    std::string_view part = text_.str();
    part = part.substr(start(first), start(last) - start(first));
    // All but the first begin with a comma.
    if (part.starts_with(',')) part.remove_prefix(1);
    return fmt::format("[{},[{}]]", first == 0 ? 0 : at_[first - 1], part);
}

RunRecords records_of(const Outcome& outcome, const Model& model) {
    RunRecords out;
    RecordWriter(outcome, model, out).all();
    return out;
}

}  // namespace lockstep::harness::timeline
