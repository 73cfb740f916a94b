#include "harness/timeline/model.hpp"

#include "harness/timeline/lease_tracks.hpp"
#include "harness/timeline/process_tracks.hpp"

#include <algorithm>

namespace lockstep::harness::timeline {
namespace {

/// Pairs what was sent with what was taken. Of a message that came twice the first time counts.
class MessagePairs {
public:
    explicit MessagePairs(Model& model) : model_(model) {}

    void on(SimTime at, ProcessId from, const MessageLine& line) {
        if (line.is_note || line.number == 0) return;
        Message message{line.number,  from, line.to, line.kind,
                        line.dropped, at,   at,      Message::Fate::Lost};
        if (!line.dropped.empty())
            message.fate = Message::Fate::Dropped;
        else if (line.arrives != SimTime::never())
            message.taken = line.arrives;
        model_.messages.push_back(message);
    }

    void on(SimTime at, ProcessId, const MessageTaken& taken) {
        const std::size_t place = message_of(model_, taken.number);
        if (place == model_.messages.size()) return;
        Message& message = model_.messages[place];
        if (message.fate == Message::Fate::Taken) return;
        message.fate = Message::Fate::Taken;
        message.taken = at;
    }

    void finish() {
        for (Message& m : model_.messages)
            if (m.fate == Message::Fate::Lost && m.taken > model_.end) {
                m.fate = Message::Fate::UnderWay;
                m.taken = model_.end;
            }
    }

private:
    Model& model_;
};

}  // namespace

std::size_t message_of(const Model& model, std::uint64_t number) {
    const auto found =
        std::lower_bound(model.messages.begin(), model.messages.end(), number,
                         [](const Message& m, std::uint64_t n) { return m.number < n; });
    if (found == model.messages.end() || found->number != number) return model.messages.size();
    return static_cast<std::size_t>(found - model.messages.begin());
}

Model model_of(const Outcome& outcome, const scenario::Resolved& settings) {
    Model model;
    model.end = SimTime{} + outcome.simulated;
    if (!outcome.log.empty()) model.end = std::max(model.end, outcome.log.back().at);
    LeaseTracks leases(model, outcome);
    ProcessTracks processes(model, settings);
    MessagePairs messages(model);
    const auto both = [&](const LoggedEvent& logged, const auto& variant) {
        std::visit(
            [&](const auto& event) {
                leases.on(logged.at, logged.process, event);
                processes.on(logged.at, logged.process, event);
            },
            variant);
    };
    for (const LoggedEvent& logged : outcome.log) {
        if (const auto* event = std::get_if<events::Event>(&logged.what))
            both(logged, *event);
        else if (const auto* happened = std::get_if<sim::WorldEvent>(&logged.what))
            both(logged, *happened);
        else if (const auto* line = std::get_if<MessageLine>(&logged.what))
            messages.on(logged.at, logged.process, *line);
        else if (const auto* taken = std::get_if<MessageTaken>(&logged.what))
            messages.on(logged.at, logged.process, *taken);
    }
    leases.finish();
    processes.finish();
    messages.finish();
    return model;
}

}  // namespace lockstep::harness::timeline
