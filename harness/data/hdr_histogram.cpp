#include "harness/data/hdr_histogram.hpp"

#include "harness/data/unzip.hpp"

#include <bit>
#include <optional>
#include <string>

namespace lockstep::data {
namespace {

constexpr std::uint32_t compressed_cookie = 0x1c849304;
constexpr std::uint32_t plain_cookie = 0x1c849303;
constexpr std::uint32_t version_mask = 0xffffff0f;  // the rest is the size of a word
constexpr std::size_t most_bytes = std::size_t{1} << 24;

Error error_of(const char* message) {
    Error error;
    error.message = message;
    return error;
}

int value_of(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+') return 62;
    return c == '/' ? 63 : -1;
}

std::optional<std::string> from_base64(std::string_view text) {
    while (text.ends_with('=')) text.remove_suffix(1);
    std::string out;
    std::uint32_t bits = 0;
    int have = 0;
    for (const char c : text) {
        const int value = value_of(c);
        if (value < 0) return std::nullopt;
        bits = (bits << 6U) | static_cast<std::uint32_t>(value);
        have += 6;
        if (have < 8) continue;
        have -= 8;
        out += static_cast<char>((bits >> static_cast<unsigned>(have)) & 0xffU);
    }
    return out;
}

std::uint64_t big_endian(std::string_view bytes, std::size_t at, std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
        value = (value << 8U) | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

/// Seven bits a byte, the ninth byte whole; zigzag.
std::optional<std::int64_t> take_number(std::string_view& bytes) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < 9; ++i) {
        if (bytes.empty()) return std::nullopt;
        const auto byte = static_cast<unsigned char>(bytes.front());
        bytes.remove_prefix(1);
        if (i == 8) {
            value |= std::uint64_t{byte} << 56U;
            break;
        }
        value |= std::uint64_t{byte & 0x7fU} << (7 * i);
        if ((byte & 0x80U) == 0) break;
    }
    const std::uint64_t sign = (value & 1U) != 0 ? ~std::uint64_t{0} : 0;
    return static_cast<std::int64_t>((value >> 1U) ^ sign);
}

/// How values share slots: the first 2 x `half` slots have a width of `1 << unit`, each next `half`
/// of them twice the width of those before.
struct Shape {
    unsigned unit = 0;
    unsigned half_bits = 0;
};

Shape shape_of(std::uint64_t digits, std::uint64_t lowest) {
    std::uint64_t resolution = 2;
    for (std::uint64_t i = 0; i < digits; ++i) resolution *= 10;
    const auto bits = static_cast<unsigned>(std::bit_width(resolution - 1));
    return {static_cast<unsigned>(std::bit_width(lowest)) - 1, bits - 1};
}

std::optional<HdrCount> slot_at(const Shape& shape, std::uint64_t index) {
    const std::uint64_t half = std::uint64_t{1} << shape.half_bits;
    const std::uint64_t bucket = index < 2 * half ? 0 : (index >> shape.half_bits) - 1;
    const std::uint64_t sub = index < 2 * half ? index : (index & (half - 1)) + half;
    const std::uint64_t shift = bucket + shape.unit;
    if (shift + shape.half_bits + 1 > 62) return std::nullopt;
    const auto lowest = static_cast<std::int64_t>(sub << shift);
    const auto width = static_cast<std::int64_t>(std::uint64_t{1} << shift);
    // Values are whole: the slot holds [lowest, lowest + width).
    return HdrCount{lowest == 0 ? 0 : lowest - 1, lowest + width - 1, 0};
}

Result<std::vector<HdrCount>> counts_of(const Shape& shape, std::string_view payload) {
    std::vector<HdrCount> counts;
    std::uint64_t index = 0;
    while (!payload.empty()) {
        const auto number = take_number(payload);
        if (!number) return error_of("the histogram is cut off");
        if (*number <= 0) {  // so many empty slots
            const std::uint64_t gap = *number == 0 ? 1 : 0 - static_cast<std::uint64_t>(*number);
            if (gap > UINT32_MAX) return error_of("the histogram has an absurd gap");
            index += gap;
            continue;
        }
        auto slot = slot_at(shape, index++);
        if (!slot) return error_of("the histogram has more slots than there are lengths");
        slot->count = static_cast<std::uint64_t>(*number);
        counts.push_back(*slot);
    }
    return counts;
}

}  // namespace

Result<std::vector<HdrCount>> decode_hdr(std::string_view base64) {
    const auto bytes = from_base64(base64);
    if (!bytes) return error_of("the histogram is not base64");
    if (bytes->size() < 8) return error_of("the histogram is cut off");
    if ((big_endian(*bytes, 0, 4) & version_mask) != compressed_cookie)
        return error_of("the histogram is not in the second encoding of HdrHistogram, compressed");
    if (big_endian(*bytes, 4, 4) > bytes->size() - 8) return error_of("the histogram is cut off");
    const auto body = inflated(
        std::string_view(*bytes).substr(8, static_cast<std::size_t>(big_endian(*bytes, 4, 4))),
        most_bytes);
    constexpr std::size_t header = 40;
    if (!body || body->size() < header) return error_of("the histogram is damaged");
    if ((big_endian(*body, 0, 4) & version_mask) != plain_cookie)
        return error_of("the histogram is not in the second encoding of HdrHistogram");
    const std::uint64_t size = big_endian(*body, 4, 4);
    if (size > body->size() - header) return error_of("the histogram is cut off");
    if (big_endian(*body, 8, 4) != 0) return error_of("a shifted histogram is not known here");
    const std::uint64_t digits = big_endian(*body, 12, 4);
    const std::uint64_t lowest = big_endian(*body, 16, 8);
    if (digits > 5 || lowest == 0 || lowest > std::uint64_t{1} << 40)
        return error_of("the header of the histogram is damaged");
    return counts_of(shape_of(digits, lowest),
                     std::string_view(*body).substr(header, static_cast<std::size_t>(size)));
}

}  // namespace lockstep::data
