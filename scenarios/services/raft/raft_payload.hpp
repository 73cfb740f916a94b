#pragma once

#include "core/raft/codec.hpp"
#include "scenarios/world/payloads.hpp"

#include <string>

namespace lockstep::sim {

template <>
struct PayloadTraits<raft::Message> {
    static constexpr std::uint16_t kind = world::RaftFamily;
    static constexpr const char* name = "raft";
    static std::uint16_t kind_of(const raft::Message& message) {
        return static_cast<std::uint16_t>(world::RaftFamily + message.index());
    }
    static void encode(const raft::Message& message, Writer& out) { raft::encode(message, out); }
    static bool decode(Reader& in, raft::Message& message) { return raft::decode(in, message); }
    static std::string print(const raft::Message& message) { return raft::to_string(message); }
};

}  // namespace lockstep::sim
