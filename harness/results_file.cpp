#include "harness/results_file.hpp"

#include "core/base/codec.hpp"
#include "core/base/hash.hpp"

#include <array>
#include <cerrno>
#include <string>
#include <unistd.h>

namespace lockstep::harness::results_file {
namespace {

/// A length beyond it is no length.
constexpr std::size_t longest_body = std::size_t{1} << 26;

}  // namespace

bool write_at(int fd, std::span<const std::byte> bytes, std::uint64_t at) {
    while (!bytes.empty()) {
        const ssize_t n = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(at));
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) errno = ENOSPC;
        if (n <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(n));
        at += static_cast<std::uint64_t>(n);
    }
    return true;
}

bool read_at(int fd, std::span<std::byte> bytes, std::uint64_t at) {
    while (!bytes.empty()) {
        const ssize_t n = ::pread(fd, bytes.data(), bytes.size(), static_cast<off_t>(at));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(n));
        at += static_cast<std::uint64_t>(n);
    }
    return true;
}

bool has_magic(int fd) {
    std::string found(magic.size(), '\0');
    return read_at(fd, std::as_writable_bytes(std::span(found)), 0) && found == magic;
}

bool next_body(int fd, std::uint64_t& at, std::uint64_t salt, std::vector<std::byte>& body) {
    std::array<std::byte, record_header> header{};
    if (!read_at(fd, header, at)) return false;
    Reader in(header);
    const std::size_t size = in.u32();
    const std::uint64_t checksum = in.u64();
    if (size > longest_body) return false;
    body.resize(size);
    if (!read_at(fd, body, at + record_header) || hash_bytes(body, salt) != checksum) return false;
    at += record_header + size;
    return true;
}

}  // namespace lockstep::harness::results_file
