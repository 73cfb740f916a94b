#include "harness/data/unzip.hpp"

#include "core/base/assert.hpp"

#include <climits>

#include <algorithm>
#include <zlib.h>

namespace lockstep::data {
namespace {

/// 15 bits of window, and a header of gzip.
constexpr int window_of_gzip = 15 + 16;

/// zlib's interface is older than const.
Bytef* bytes_of(const char* text) {
    return reinterpret_cast<Bytef*>(const_cast<char*>(text));
}

uInt amount(std::size_t bytes) {
    return static_cast<uInt>(std::min<std::size_t>(bytes, UINT_MAX));
}

}  // namespace

bool is_gzip(std::string_view beginning) {
    return beginning.starts_with("\x1f\x8b");
}

Gunzip::Gunzip() : stream_(std::make_unique<z_stream_s>()) {
    const int opened = ::inflateInit2(stream_.get(), window_of_gzip);
    LOCKSTEP_ASSERT(opened == Z_OK, "opened={}", opened);
}

Gunzip::~Gunzip() {
    ::inflateEnd(stream_.get());
}

Gunzip::State Gunzip::step(std::string_view& input, char*& room, std::size_t& room_left) {
    stream_->next_in = bytes_of(input.data());
    stream_->avail_in = amount(input.size());
    stream_->next_out = bytes_of(room);
    stream_->avail_out = amount(room_left);
    const int answer = ::inflate(stream_.get(), Z_NO_FLUSH);
    input.remove_prefix(amount(input.size()) - stream_->avail_in);
    const std::size_t made = amount(room_left) - stream_->avail_out;
    room += made;
    room_left -= made;
    if (answer == Z_STREAM_END) {
        between_ = true;
        ::inflateReset(stream_.get());
        return State::Ended;
    }
    between_ = false;
    // Z_BUF_ERROR says that there was nothing to do.
    return answer == Z_OK || answer == Z_BUF_ERROR ? State::More : State::Damaged;
}

std::optional<std::string> inflated(std::string_view compressed, std::size_t most) {
    z_stream_s stream{};
    if (::inflateInit(&stream) != Z_OK) return std::nullopt;
    stream.next_in = bytes_of(compressed.data());
    stream.avail_in = amount(compressed.size());
    std::string out;
    int answer = Z_OK;
    while (answer == Z_OK && out.size() <= most) {
        const std::size_t had = out.size();
        const std::size_t step = std::max<std::size_t>(4'096, had);
        out.resize(had + step);
        stream.next_out = bytes_of(out.data() + had);
        stream.avail_out = amount(step);
        answer = ::inflate(&stream, Z_NO_FLUSH);
        out.resize(had + step - stream.avail_out);
    }
    ::inflateEnd(&stream);
    if (answer != Z_STREAM_END || out.size() > most) return std::nullopt;
    return out;
}

}  // namespace lockstep::data
