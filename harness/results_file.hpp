#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

/// The bytes of the file `results` that an exploration keeps (explore_store.hpp tells the format).
namespace lockstep::harness::results_file {

inline constexpr std::string_view magic = "lockstep results 2\n";
inline constexpr std::size_t record_header = 12;

/// The first byte of each record but the first.
enum class Kind : std::uint8_t { Outcome, Complete, About, OutOfTime };

/// False with `errno` set.
bool write_at(int fd, std::span<const std::byte> bytes, std::uint64_t at);
bool read_at(int fd, std::span<std::byte> bytes, std::uint64_t at);
/// Whether the file begins as such files do.
bool has_magic(int fd);
/// The body of the record at `at`, which moves behind it. False, and nothing moves, if there is
/// none that is whole.
bool next_body(int fd, std::uint64_t& at, std::uint64_t salt, std::vector<std::byte>& body);

}  // namespace lockstep::harness::results_file
