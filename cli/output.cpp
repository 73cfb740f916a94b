#include "cli/output.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace lockstep::cli {

bool same_file(const std::string& a, const std::string& b) {
    namespace fs = std::filesystem;
    if (a.empty() || b.empty() || a == "-" || b == "-") return false;
    std::error_code code;
    // Into a device or a pipe any number may write.
    if (fs::exists(a, code) && !fs::is_regular_file(a, code)) return false;
    if (fs::equivalent(a, b, code)) return true;
    const auto place = [&code](const std::string& path) {
        return fs::weakly_canonical(fs::absolute(path, code), code);
    };
    return place(a) == place(b);
}

Result<OutputFile> OutputFile::open(const std::string& option, const std::string& path) {
    OutputFile output;
    output.path_ = path;
    if (path.empty()) return output;
    if (path == "-") {
        output.file_ = stdout;
        return output;
    }
    output.owned_.reset(std::fopen(path.c_str(), "wb"));
    if (output.owned_ == nullptr)
        return Error{fmt::format("{}: cannot be written: {}", option, std::strerror(errno)), path};
    output.file_ = output.owned_.get();
    return output;
}

void OutputFile::write(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size() && error_ == 0)
        error_ = errno;
}

std::string OutputFile::close() {
    if (file_ == nullptr) return "";
    // A full disk may show only when the buffer is emptied.
    if (std::fflush(file_) != 0 && error_ == 0) error_ = errno;
    if (owned_ != nullptr && std::fclose(owned_.release()) != 0 && error_ == 0) error_ = errno;
    file_ = nullptr;
    if (error_ == 0) return "";
    return fmt::format("{} could not be written: {}", path_ == "-" ? "the output" : path_,
                       std::strerror(error_));
}

}  // namespace lockstep::cli
