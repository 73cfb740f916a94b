#include "harness/history/line_source.hpp"

#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace lockstep::history {

LineSource::LineSource(int fd) : fd_(fd), buffer_(std::make_unique<char[]>(capacity)) {}

bool LineSource::next(std::string_view& line) {
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
            ++number_;
            too_long_ = true;
            return false;
        }
        if (fill()) continue;
        if (failure_ != 0 || begin_ == end_) return false;
        line = std::string_view(from, end_ - begin_);
        begin_ = scanned_ = end_;
        unfinished_ = true;
        break;
    }
    ++number_;
    // Some editors of other systems put a mark before the text.
    if (number_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    return true;
}

bool LineSource::fill() {
    if (at_end_) return false;
    if (begin_ > 0) {
        std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
        end_ -= begin_;
        scanned_ -= begin_;
        begin_ = 0;
    }
    for (;;) {
        const ssize_t got = ::read(fd_, buffer_.get() + end_, capacity - end_);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) failure_ = errno;
        if (got <= 0) {
            at_end_ = true;
            return false;
        }
        end_ += static_cast<std::size_t>(got);
        bytes_ += static_cast<std::uint64_t>(got);
        return true;
    }
}

}  // namespace lockstep::history
