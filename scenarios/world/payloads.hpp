#pragma once

#include "core/wire/codec.hpp"
#include "sim/envelope.hpp"

#include <string>
#include <string_view>
#include <variant>

/// How the messages of core/wire travel in the simulator. The kind of a message is that of its
/// alternative, so that a fault can aim at "the reply to Acquire".
namespace lockstep::world {

/// Message kinds: a base for each family, plus the alternative. A RequestReply counts by operation.
enum MessageFamily : std::uint16_t {
    RaftFamily = 0x100,
    RequestFamily = 0x200,
    ReplyFamily = 0x300,
    ResourceRequestFamily = 0x400,
    ResourceReplyFamily = 0x500,
    /// Services of other makers number their messages from here on.
    GuestFamily = 0x1000,
};

/// The number of a message kind by its name (`acquire-reply`), as scenarios spell it; zero if there
/// is none.
std::uint16_t message_kind(std::string_view name);

}  // namespace lockstep::world

namespace lockstep::sim {

template <class T, std::uint16_t family>
struct WireTraits {
    static constexpr std::uint16_t kind = family;
    static std::uint16_t kind_of(const T& message) {
        return static_cast<std::uint16_t>(family + message.index());
    }
    static void encode(const T& message, Writer& out) { wire::encode(message, out); }
    static bool decode(Reader& in, T& message) { return wire::decode(in, message); }
    static std::string print(const T& message) { return wire::to_string(message); }
};

template <>
struct PayloadTraits<wire::Request> : WireTraits<wire::Request, world::RequestFamily> {
    static constexpr const char* name = "request";
};
template <>
struct PayloadTraits<wire::ResourceRequest>
    : WireTraits<wire::ResourceRequest, world::ResourceRequestFamily> {
    static constexpr const char* name = "resource-request";
};
template <>
struct PayloadTraits<wire::ResourceReply>
    : WireTraits<wire::ResourceReply, world::ResourceReplyFamily> {
    static constexpr const char* name = "resource-reply";
};
template <>
struct PayloadTraits<wire::Reply> : WireTraits<wire::Reply, world::ReplyFamily> {
    static constexpr const char* name = "reply";
    static std::uint16_t kind_of(const wire::Reply& message) {
        if (const auto* reply = std::get_if<wire::RequestReply>(&message))
            return static_cast<std::uint16_t>(world::ReplyFamily + 0x10 +
                                              static_cast<std::uint16_t>(reply->operation));
        return static_cast<std::uint16_t>(world::ReplyFamily + message.index());
    }
};

}  // namespace lockstep::sim
