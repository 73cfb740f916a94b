#include "scenarios/world/payloads.hpp"

#include <array>
#include <utility>

namespace lockstep::world {
namespace {

constexpr auto reply_of(events::Operation operation) {
    return static_cast<std::uint16_t>(ReplyFamily + 0x10 + static_cast<std::uint16_t>(operation));
}

constexpr auto kinds = std::to_array<std::pair<std::string_view, std::uint16_t>>({
    {"vote-request", RaftFamily + 0},
    {"vote-reply", RaftFamily + 1},
    {"append", RaftFamily + 2},
    {"append-reply", RaftFamily + 3},
    {"snapshot", RaftFamily + 4},
    {"snapshot-reply", RaftFamily + 5},
    {"open", RequestFamily + 0},
    {"keep-alive", RequestFamily + 1},
    {"close", RequestFamily + 2},
    {"acquire", RequestFamily + 3},
    {"cancel", RequestFamily + 4},
    {"release", RequestFamily + 5},
    {"not-leader", ReplyFamily + 0},
    {"open-reply", ReplyFamily + 1},
    {"keep-alive-reply", ReplyFamily + 2},
    {"close-reply", reply_of(events::Operation::Close)},
    {"acquire-reply", reply_of(events::Operation::Acquire)},
    {"cancel-reply", reply_of(events::Operation::Cancel)},
    {"release-reply", reply_of(events::Operation::Release)},
    {"busy", ReplyFamily + 4},
    {"write", ResourceRequestFamily + 0},
    {"read", ResourceRequestFamily + 1},
    {"call", ResourceRequestFamily + 2},
    {"write-reply", ResourceReplyFamily + 0},
    {"read-reply", ResourceReplyFamily + 1},
    {"call-reply", ResourceReplyFamily + 2},
});

}  // namespace

std::uint16_t message_kind(std::string_view name) {
    for (const auto& [text, kind] : kinds)
        if (text == name) return kind;
    return 0;
}

}  // namespace lockstep::world
