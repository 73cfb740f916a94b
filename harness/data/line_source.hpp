#pragma once

#include "harness/data/unzip.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::data {

/// The lines of a log, plain or compressed by gzip, in blocks: memory is constant, whatever the
/// size of the file.
class LineSource {
public:
    /// Reads from an open file, which stays the caller's.
    explicit LineSource(int fd);
    /// Reads bytes that are here already, and must outlive this.
    explicit LineSource(std::string_view bytes);

    /// The next line without its end ("\n" or "\r\n"); false at the end, and when reading failed.
    /// The view is good until the next call.
    bool next(std::string_view& line);

    /// The first block of the text, without taking a line from it. To be called before `next`.
    std::string_view beginning();

    std::uint64_t number() const { return number_; }  ///< of the line that was returned last
    std::uint64_t bytes() const { return bytes_; }    ///< read so far, as stored
    /// The last line had no end: it may have been cut off.
    bool unfinished() const { return unfinished_; }
    /// Why there is no more, if that is not the end of the file: at the line after number().
    const std::optional<std::string>& failure() const { return failure_; }

    static constexpr std::size_t longest_line = std::size_t{1} << 20;

private:
    bool fill();
    bool fill_raw(char* room, std::size_t size, std::size_t& got);
    bool fill_unzipped(char* room, std::size_t size, std::size_t& got);
    void recognise_compression();

    static constexpr std::size_t block = std::size_t{1} << 18;
    static constexpr std::size_t capacity = longest_line + block;

    int fd_ = -1;
    std::string_view memory_;
    std::unique_ptr<char[]> buffer_;
    std::size_t begin_ = 0;
    std::size_t scanned_ = 0;  ///< no line ends between begin and here
    std::size_t end_ = 0;
    std::uint64_t number_ = 0;
    std::uint64_t bytes_ = 0;
    bool started_ = false;
    bool at_end_ = false;
    bool unfinished_ = false;
    std::optional<std::string> failure_;

    std::unique_ptr<Gunzip> gunzip_;      ///< none: the file is plain
    std::unique_ptr<char[]> compressed_;  ///< a block of it
    std::string_view packed_;             ///< of that block, what is not taken apart yet
};

}  // namespace lockstep::data
