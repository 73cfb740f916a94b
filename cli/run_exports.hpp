#pragma once

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "core/base/result.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace lockstep::cli {

enum class Export : std::uint8_t { Events, Json, History, Html, Perfetto };
inline constexpr std::size_t export_count = 5;

/// The files that a run was asked to write.
class Exports {
public:
    /// Refuses files that cannot be written, or would be written over by another.
    static Result<Exports> open(const RunArguments& arguments);

    OutputFile& operator[](Export what) { return files_[static_cast<std::size_t>(what)]; }
    bool take_standard_output() const;
    /// False if one of them is not whole, which is said.
    bool close();

private:
    std::array<OutputFile, export_count> files_;
};

}  // namespace lockstep::cli
