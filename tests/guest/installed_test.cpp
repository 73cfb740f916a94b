// The installed package, used as somebody else would: examples/lease-file is built against it, and
// what is wrong with its service is found.
#include "tests/support/catch.hpp"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <sys/wait.h>

namespace lockstep::test::installed {
namespace {

namespace fs = std::filesystem;

struct Said {
    int code;
    std::string out;  ///< standard output and error together
};

Said shell(const std::string& command) {
    FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
    REQUIRE(pipe != nullptr);
    Said said{-1, ""};
    std::array<char, 4'096> block{};
    for (std::size_t n; (n = std::fread(block.data(), 1, block.size(), pipe)) > 0;)
        said.out.append(block.data(), n);
    const int status = ::pclose(pipe);
    if (WIFEXITED(status)) said.code = WEXITSTATUS(status);
    return said;
}

std::string text_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// What this build was configured with; the example needs the same compiler and flags.
std::string cached(const std::string& name) {
    std::ifstream cache(fs::path(LOCKSTEP_BUILD_DIR) / "CMakeCache.txt");
    for (std::string line; std::getline(cache, line);)
        if (line.starts_with(name + ":")) return line.substr(line.find('=') + 1);
    return "";
}

/// Where the package is installed and the example built: always the same place, so that a compiler
/// cache can help.
const fs::path& room() {
    static const fs::path path = fs::path(LOCKSTEP_BUILD_DIR) / "installed-package";
    return path;
}
fs::path example() {
    return fs::path(LOCKSTEP_SOURCE_DIR) / "examples/lease-file";
}

/// Installs and builds once, for all tests of this file.
const fs::path& program() {
    static const fs::path built = [] {
        fs::remove_all(room());
        const std::string prefix = (room() / "prefix").string();
        const Said installed = shell(std::string(LOCKSTEP_CMAKE) + " --install " +
                                     LOCKSTEP_BUILD_DIR + " --prefix " + prefix);
        INFO(installed.out);
        REQUIRE(installed.code == 0);
        std::string configure = std::string(LOCKSTEP_CMAKE) + " -G Ninja -S " + example().string() +
                                " -B " + (room() / "build").string() +
                                " -DCMAKE_PREFIX_PATH=" + prefix;
        for (const char* name : {"CMAKE_BUILD_TYPE", "CMAKE_CXX_COMPILER", "CMAKE_CXX_FLAGS",
                                 "CMAKE_EXE_LINKER_FLAGS"})
            configure += std::string(" '-D") + name + "=" + cached(name) + "'";
        if (!cached("LOCKSTEP_CCACHE").ends_with("NOTFOUND"))
            configure += " '-DCMAKE_CXX_COMPILER_LAUNCHER=" + cached("LOCKSTEP_CCACHE") + "'";
        const Said configured = shell(configure);
        INFO(configured.out);
        REQUIRE(configured.code == 0);
        const Said made =
            shell(std::string(LOCKSTEP_CMAKE) + " --build " + (room() / "build").string());
        INFO(made.out);
        REQUIRE(made.code == 0);
        return room() / "build/lease-file";
    }();
    return built;
}

/// What the example's program says, from within its folder.
Said lease_file(const std::string& arguments) {
    std::string command =
        "cd " + example().string() + " && " + program().string() + " " + arguments;
    // Its results beside the build, not among the sources.
    if (arguments.starts_with("explore")) command += " --out " + (room() / "results").string();
    return shell(command);
}

bool says(const Said& said, const std::string& text) {
    INFO(said.out);
    const bool found = said.out.find(text) != std::string::npos;
    CHECK(found);
    return found;
}

}  // namespace

TEST_CASE("installed: the bug of the example is found, and its fix holds") {
    const Said found = lease_file("explore scenarios/trouble.toml --seeds 200 --jobs 1");
    CHECK(found.code == 1);
    says(found, "BELIEF-1 TruthfulDeadline");
    says(found, "again: lease-file run scenarios/trouble.toml --seed ");

    const Said fixed = lease_file(
        "explore scenarios/calm.toml scenarios/late-writer.toml scenarios/trouble.toml "
        "--seeds 200 --jobs 1 --set service_settings.atomic=true");
    INFO(fixed.out);
    CHECK(fixed.code == 0);
    says(fixed, "600 runs: all as expected");

    const Said expected =
        lease_file("explore scenarios/calm.toml scenarios/late-writer.toml --seeds 50 --jobs 1");
    INFO(expected.out);
    CHECK(expected.code == 0);
}

TEST_CASE("installed: the violated run of the example is told as clearly as our own") {
    const Said run = lease_file("run scenarios/late-writer.toml");
    CHECK(run.code == 0);  // it is there to see it
    for (const char* line : {
             "A writer that is late for the lease file.",
             "FAULT     1s more delay of write-file from worker-a to n1 for 10s",
             "worker-b  writes its name into the lease file of job",
             "worker-b  has job now, token ",
             "worker-a  reads its own name in the lease file of job",
             "worker-a  has job now, token ",
             "VIOLATED  BELIEF-1 TruthfulDeadline: client worker-a was told at ",
             "store     REFUSES worker-b's late write: token ",
             "worker-b  hears that its write was refused",
             "violated  BELIEF-1 TruthfulDeadline (expected here)",
             "again     lease-file run scenarios/late-writer.toml --seed 1",
         })
        says(run, line);
    // What nobody reported was not checked.
    says(run, "had nothing to check (RAFT-1,");
    const Said verbose = lease_file("run scenarios/late-writer.toml --verbose");
    says(verbose, "worker-a -> n1 read-file id=");
}

TEST_CASE("installed: every command works over the example's service") {
    const Said list = lease_file("list");
    CHECK(list.code == 0);
    says(list, "lease-file  a lease file on shared storage");
    says(list, "service_settings.atomic = false: write only if nobody has written");
    says(list, "raft        Lockstep's own");
    says(list, "pause-past-lease");
    CHECK(list.out.find("leaders-before-commit") == std::string::npos);  // it waits for appends

    const Said calm = lease_file("run calm --seed 3");
    CHECK(calm.code == 0);
    says(calm, "again     lease-file run calm --seed 3");
    const Said raft = lease_file("run calm --seed 3 --set service=raft");
    CHECK(raft.code == 0);
    says(raft, "is elected leader");
    const Said digest = lease_file("digest scenarios/trouble.toml --seeds 5 --twice");
    INFO(digest.out);
    CHECK(digest.code == 0);
    CHECK(lease_file("digest scenarios/trouble.toml --seeds 5 --wire-codec on").out == digest.out);

    const Said other = lease_file("run leaders-before-commit");
    CHECK(other.code == 2);
    says(other, "scenarios/catalogue/leaders-before-commit.toml:");
    says(other, "service lease-file");
    const Said setting = lease_file("run calm --set service_settings.atomc=true");
    CHECK(setting.code == 2);
    says(setting, "no such setting; this service has atomic, settle, poll");
}

TEST_CASE("installed: what is installed is whole, and knows no path of the machine that built it") {
    (void)program();
    const fs::path prefix = room() / "prefix";
    const fs::path headers = prefix / "include/lockstep";
    std::size_t seen = 0;
    std::size_t packages = 0;
    for (const auto& entry : fs::recursive_directory_iterator(prefix)) {
        const fs::path& path = entry.path();
        INFO(path.string());
        if (path.extension() == ".cmake") {
            ++packages;
            const std::string text = text_of(path);
            CHECK(text.find(LOCKSTEP_SOURCE_DIR) == std::string::npos);
            CHECK(text.find(LOCKSTEP_BUILD_DIR) == std::string::npos);
            CHECK(text.find(prefix.string()) == std::string::npos);
            CHECK(text.find("/usr/lib") == std::string::npos);
        }
        if (path.extension() != ".hpp") continue;
        std::ifstream in(path);
        for (std::string line; std::getline(in, line);) {
            if (!line.starts_with("#include \"")) continue;
            const std::string name = line.substr(10, line.rfind('"') - 10);
            ++seen;
            if (!fs::exists(headers / name)) FAIL_CHECK("no such header installed: " << name);
        }
    }
    CHECK(packages >= 4);
    CHECK(seen > 100);
}

}  // namespace lockstep::test::installed
