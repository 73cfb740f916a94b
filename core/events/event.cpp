#include "core/events/event.hpp"

#include <array>
#include <utility>

namespace lockstep::events {
namespace {

template <std::size_t... I>
constexpr auto names_of(std::index_sequence<I...>) {
    return std::array<std::string_view, sizeof...(I)>{
        std::variant_alternative_t<I, Event>::name...};
}
constexpr auto names = names_of(std::make_index_sequence<event_kinds>());

template <class E, std::size_t N>
std::string_view pick(E value, const std::array<std::string_view, N>& texts) {
    const auto i = static_cast<std::size_t>(value);
    return i < N ? texts[i] : "?";
}

}  // namespace

std::string_view kind_name(std::size_t kind) {
    return kind < names.size() ? names[kind] : "?";
}

std::size_t kind_of(std::string_view name) {
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == name) return i;
    return event_kinds;
}

std::string_view to_string(StepDownReason v) {
    return pick(v, std::array<std::string_view, 3>{"higher-term", "quorum-lost", "disk-hangs"});
}
std::string_view to_string(EndReason v) {
    return pick(v, std::array<std::string_view, 2>{"expired", "closed"});
}
std::string_view to_string(CancelEffect v) {
    return pick(v, std::array<std::string_view, 4>{"left-queue", "released-grant", "tombstone",
                                                   "had-final-answer"});
}
std::string_view to_string(RefusalReason v) {
    return pick(v, std::array<std::string_view, 6>{"held", "already-held", "already-waiting",
                                                   "session-over", "stale", "limit-reached"});
}
std::string_view to_string(Limit v) {
    return pick(v, std::array<std::string_view, 5>{"sessions", "locks-per-session",
                                                   "requests-per-session", "waiters", "pending"});
}
std::string_view to_string(Operation v) {
    return pick(v, std::array<std::string_view, 6>{"open", "keep-alive", "close", "acquire",
                                                   "cancel", "release"});
}
std::string_view to_string(AnswerStatus v) {
    return pick(v, std::array<std::string_view, 11>{
                       "ok", "granted", "queued", "held", "already-held", "already-waiting",
                       "cancelled", "not-held", "stale", "session-over", "limit-reached"});
}
std::string_view to_string(AcquireOutcome v) {
    return pick(
        v, std::array<std::string_view, 7>{"granted", "timed-out", "held", "already-held",
                                           "already-waiting", "session-over", "limit-reached"});
}
std::string_view to_string(LossReason v) {
    return pick(v,
                std::array<std::string_view, 3>{"deadline-passed", "session-over", "hold-ended"});
}
std::string_view to_string(WriteOutcome v) {
    return pick(v, std::array<std::string_view, 3>{"accepted", "rejected", "unknown"});
}

}  // namespace lockstep::events
