#pragma once

#include "core/base/result.hpp"

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace lockstep::cli {

/// Whether the two paths are those of one file that keeps what is written to it. A name in the
/// catalogue is no path, and "-" is none.
bool same_file(const std::string& a, const std::string& b);

/// A file that an option names, for what a command exports. Opened before the work is done, so that
/// a path that cannot be written is refused at once.
class OutputFile {
public:
    /// Empty: none. "-": standard output.
    static Result<OutputFile> open(const std::string& option, const std::string& path);

    explicit operator bool() const { return file_ != nullptr; }
    bool is_standard_output() const { return file_ == stdout; }
    void write(std::string_view text);
    /// Why the file is not whole, now that all is written; empty if it is.
    std::string close();

private:
    struct Close {
        void operator()(std::FILE* file) const {
            if (file != stdout) std::fclose(file);
        }
    };
    std::string path_;
    std::unique_ptr<std::FILE, Close> owned_;
    std::FILE* file_ = nullptr;
    int error_ = 0;
};

}  // namespace lockstep::cli
