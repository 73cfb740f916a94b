#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>

/// What the fuzz targets share. Each is a program of its own (preset `fuzz`), and each checks more
/// than that nothing crashes: what was read must survive being written and read again.
namespace lockstep::fuzz {

inline std::span<const std::byte> bytes_of(const std::uint8_t* data, std::size_t size) {
    return std::as_bytes(std::span(data, size));
}

/// Ends the program, so that libFuzzer keeps the input.
inline void demand(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "fuzz: %s\n", what);
    std::abort();
}

}  // namespace lockstep::fuzz
