#pragma once

#include "core/base/result.hpp"
#include "harness/repro/repro.hpp"
#include "harness/shrink/shrink.hpp"

#include <chrono>
#include <string>

/// What the commands share that shrink failures and keep repros.
namespace lockstep::cli {

/// Tells on standard error how far the shrinking is: one line that renews itself on a terminal, a
/// plain line every ten seconds elsewhere.
class ShrinkLine {
public:
    /// `what` is being shrunk.
    explicit ShrinkLine(std::string what);
    ~ShrinkLine() { finish(); }
    ShrinkLine(const ShrinkLine&) = delete;
    ShrinkLine& operator=(const ShrinkLine&) = delete;
    void show(const harness::ShrinkProgress& progress);
    /// Takes the line away again.
    void finish();

private:
    std::string what_;
    bool terminal_;
    bool visible_ = false;
    std::chrono::milliseconds last_{0};
};

/// The repro of what was shrunk, with its story: where it was found, what happened, what was cut.
harness::Repro repro_of(const harness::Shrunk& shrunk, const std::string& found);
/// What was violated in the shrunk run, in one sentence with its time, or how the run ended.
std::string evidence_of(const harness::Shrunk& shrunk);
/// "FENCE-2-1f377914.toml": the same failure gets the same name.
std::string file_name_of(const harness::Repro& repro);

/// Writes the file, and the folders that it lies in. A file that is there already with other
/// contents is left as it is, and is an error.
std::optional<Error> write_new_file(const std::string& path, const std::string& text);

}  // namespace lockstep::cli
