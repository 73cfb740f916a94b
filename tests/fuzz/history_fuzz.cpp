// Whatever the bytes, a history is judged, or its first bad line is named. The first byte chooses
// what is said of its clocks.
#include "harness/history/judge_file.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace {

/// A file in memory, read from its beginning.
class MemoryFile {
public:
    MemoryFile(const std::uint8_t* data, std::size_t size) : fd_(::memfd_create("history", 0)) {
        lockstep::fuzz::demand(fd_ >= 0, "no file in memory");
        lockstep::fuzz::demand(::write(fd_, data, size) == static_cast<ssize_t>(size),
                               "a file in memory is full");
        ::lseek(fd_, 0, SEEK_SET);
    }
    ~MemoryFile() { ::close(fd_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    int fd() const { return fd_; }

private:
    int fd_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lockstep;
    if (size == 0) return 0;
    history::Given given;
    if (data[0] % 4 == 1) given.clock_error = milliseconds(5).ns;
    if (data[0] % 4 == 2) given.ttl = seconds(10).ns;
    const MemoryFile file(data + 1, size - 1);
    const auto judged = history::judge_file(file.fd(), "fuzz.jsonl", given, {});
    if (!judged) fuzz::demand(!judged.error().message.empty(), "an error that says nothing");
    return 0;
}
