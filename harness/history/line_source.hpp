#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace lockstep::history {

/// The bytes of a file, in blocks, with the place that has been reached. Holds one block and what
/// of a line did not fit into the one before.
class LineSource {
public:
    /// Reads from an open file, which stays the caller's.
    explicit LineSource(int fd);

    /// The next line without its end; false at the end of the file, or when reading failed. The
    /// view is good until the next call.
    bool next(std::string_view& line);

    std::uint64_t number() const { return number_; }  ///< of the line that was returned last
    std::uint64_t bytes() const { return bytes_; }    ///< read so far
    /// The last line had no end: it may have been cut off.
    bool unfinished() const { return unfinished_; }
    /// Not zero if reading failed: the system's error number.
    int failure() const { return failure_; }
    /// A line was longer than any history needs.
    bool too_long() const { return too_long_; }

    static constexpr std::size_t longest_line = std::size_t{1} << 20;

private:
    bool fill();

    static constexpr std::size_t capacity = 2 * longest_line;
    int fd_;
    std::unique_ptr<char[]> buffer_;
    std::size_t begin_ = 0;
    std::size_t scanned_ = 0;  ///< no line ends between begin and here
    std::size_t end_ = 0;
    std::uint64_t number_ = 0;
    std::uint64_t bytes_ = 0;
    bool at_end_ = false;
    bool unfinished_ = false;
    bool too_long_ = false;
    int failure_ = 0;
};

}  // namespace lockstep::history
