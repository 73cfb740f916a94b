#pragma once

#include "tests/support/catch.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

/// The program, as a shell runs it.
namespace lockstep::test::program {

struct Answer {
    int code;
    std::string out;  ///< standard output and error together
};

/// Runs a command of a shell.
inline Answer shell(const std::string& command) {
    FILE* pipe = ::popen(("{ " + command + "\n} 2>&1").c_str(), "r");
    REQUIRE(pipe != nullptr);
    Answer answer{-1, ""};
    std::array<char, 4'096> block{};
    for (std::size_t n; (n = std::fread(block.data(), 1, block.size(), pipe)) > 0;)
        answer.out.append(block.data(), n);
    const int status = ::pclose(pipe);
    if (WIFEXITED(status)) answer.code = WEXITSTATUS(status);
    return answer;
}

/// Runs the program with the arguments as a shell would read them.
inline Answer lockstep_says(const std::string& arguments) {
    return shell(std::string(LOCKSTEP_PROGRAM) + " " + arguments);
}

inline bool says(const Answer& answer, const std::string& text) {
    return answer.out.find(text) != std::string::npos;
}

inline std::size_t lines_in(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// A folder of its own, gone with the test.
class Folder {
public:
    Folder() {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "lockstep-test-XXXXXX").string();
        REQUIRE(::mkdtemp(pattern.data()) != nullptr);
        path_ = pattern;
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::string write(const std::string& name, const std::string& bytes) const {
        const auto path = path_ / name;
        std::ofstream(path, std::ios::binary) << bytes;
        return path.string();
    }
    std::string read(const std::string& name) const {
        std::ifstream in(path_ / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    }
    std::string path() const { return path_.string(); }
    /// The program, run in this folder.
    Answer lockstep_says(const std::string& arguments) const {
        return shell("cd " + path() + " && " + LOCKSTEP_PROGRAM + " " + arguments);
    }

private:
    std::filesystem::path path_;
};

/// Exit code 2 and one line that says what is wrong.
inline void refuses(const std::string& arguments, const std::string& because) {
    const Answer answer = lockstep_says(arguments);
    INFO("lockstep " << arguments << "\n" << answer.out);
    CHECK(answer.code == 2);
    CHECK(lines_in(answer.out) == 1);
    CHECK(says(answer, because));
}

}  // namespace lockstep::test::program
