#include "harness/data/line_source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace lockstep::data {

LineSource::LineSource(int fd) : fd_(fd), buffer_(std::make_unique<char[]>(capacity)) {}

LineSource::LineSource(std::string_view bytes)
    : memory_(bytes), buffer_(std::make_unique<char[]>(capacity)) {}

std::string_view LineSource::beginning() {
    while (end_ < block && fill()) {
    }
    // Some editors of other systems put a mark before the text.
    if (number_ == 0 && std::string_view(buffer_.get(), end_).starts_with("\xEF\xBB\xBF"))
        begin_ = scanned_ = 3;
    return {buffer_.get() + begin_, end_ - begin_};
}

bool LineSource::next(std::string_view& line) {
    if (!started_) beginning();
    unfinished_ = false;
    for (;;) {
        const char* from = buffer_.get() + begin_;
        const void* found = std::memchr(buffer_.get() + scanned_, '\n', end_ - scanned_);
        if (found != nullptr) {
            const char* stop = static_cast<const char*>(found);
            line = std::string_view(from, static_cast<std::size_t>(stop - from));
            begin_ = scanned_ = static_cast<std::size_t>(stop - buffer_.get()) + 1;
            break;
        }
        scanned_ = end_;
        if (end_ - begin_ > longest_line) {
            failure_ = "a line is longer than a mebibyte, which none is that can be read";
            return false;
        }
        if (fill()) continue;
        if (failure_ || begin_ == end_) return false;
        line = std::string_view(from, end_ - begin_);
        begin_ = scanned_ = end_;
        unfinished_ = true;
        break;
    }
    ++number_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    return true;
}

bool LineSource::fill() {
    if (at_end_) return false;
    if (begin_ > 0 && end_ + block > capacity) {
        std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
        end_ -= begin_;
        scanned_ -= begin_;
        begin_ = 0;
    }
    if (!started_) recognise_compression();
    char* room = buffer_.get() + end_;
    const std::size_t size = std::min(block, capacity - end_);
    std::size_t got = 0;
    const bool good =
        gunzip_ != nullptr ? fill_unzipped(room, size, got) : fill_raw(room, size, got);
    end_ += got;
    if (!good || got == 0 || failure_) at_end_ = true;
    return got > 0;
}

bool LineSource::fill_raw(char* room, std::size_t size, std::size_t& got) {
    if (!packed_.empty()) {  // what was read to see whether it is compressed
        got = std::min(size, packed_.size());
        std::memcpy(room, packed_.data(), got);
        packed_.remove_prefix(got);
        return true;
    }
    if (fd_ < 0) {
        got = std::min(size, memory_.size());
        if (got > 0) std::memcpy(room, memory_.data(), got);
        memory_.remove_prefix(got);
        bytes_ += got;
        return true;
    }
    for (;;) {
        const ssize_t count = ::read(fd_, room, size);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) {
            failure_ = std::string("cannot be read: ") + std::strerror(errno);
            return false;
        }
        got = static_cast<std::size_t>(count);
        bytes_ += got;
        return true;
    }
}

bool LineSource::fill_unzipped(char* room, std::size_t size, std::size_t& got) {
    const std::size_t wanted = size;
    while (size > 0) {
        if (packed_.empty()) {
            std::size_t count = 0;
            if (!fill_raw(compressed_.get(), block, count)) break;
            packed_ = std::string_view(compressed_.get(), count);
            if (count == 0) {
                if (!gunzip_->between())
                    failure_ = "the compressed data ends too early: the file was cut off";
                break;
            }
        }
        // Archives on tape are padded so.
        if (gunzip_->between() && packed_.front() == '\0') {
            packed_.remove_prefix(std::min(packed_.find_first_not_of('\0'), packed_.size()));
            continue;
        }
        if (gunzip_->step(packed_, room, size) == Gunzip::State::Damaged) {
            failure_ = "the compressed data is damaged";
            break;
        }
    }
    got = wanted - size;
    return true;
}

void LineSource::recognise_compression() {
    started_ = true;
    compressed_ = std::make_unique<char[]>(block);
    std::size_t have = 0;
    while (have < 2) {
        std::size_t got = 0;
        if (!fill_raw(compressed_.get() + have, block - have, got) || got == 0) break;
        have += got;
    }
    const std::string_view head(compressed_.get(), have);
    if (is_gzip(head)) gunzip_ = std::make_unique<Gunzip>();
    packed_ = head;
}

}  // namespace lockstep::data
