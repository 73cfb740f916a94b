#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep::sim {

/// The number of a purpose of luck: FNV-1a of its name, so that a new purpose shifts no other.
consteval std::uint64_t purpose(std::string_view name) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return hash;
}

}  // namespace lockstep::sim
