#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct z_stream_s;

namespace lockstep::data {

/// Whether a file that begins like this is compressed by gzip.
bool is_gzip(std::string_view beginning);

/// Takes gzip apart as it comes: any number of compressed files behind each other, as `cat` joins
/// rotated logs.
class Gunzip {
public:
    Gunzip();
    ~Gunzip();
    Gunzip(const Gunzip&) = delete;
    Gunzip& operator=(const Gunzip&) = delete;

    enum class State : std::uint8_t {
        More,     ///< all input is used up, or the room is full
        Ended,    ///< a compressed file ended, with its checksum right
        Damaged,  ///< what is no gzip
    };
    /// Takes from the front of `input`, and writes to `room`, of which it takes the front too.
    State step(std::string_view& input, char*& room, std::size_t& room_left);
    /// Between two compressed files: the input may end here.
    bool between() const { return between_; }

private:
    std::unique_ptr<z_stream_s> stream_;
    bool between_ = true;
};

/// The bytes of a zlib stream that is here as a whole; none if it is damaged or holds more than
/// `most`.
std::optional<std::string> inflated(std::string_view compressed, std::size_t most);

}  // namespace lockstep::data
