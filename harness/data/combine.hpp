#pragma once

#include "harness/data/read.hpp"
#include "harness/data/sink.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::data {

/// What was found in one file.
struct FileFound {
    std::string name;
    std::string_view format;
    Sink sink;
};

/// The series that the files make together. With `keep_points` false, series have no points, and
/// the tallies say how they are distributed. The files are used up.
std::vector<Summary> combine(std::vector<FileFound>& files, bool keep_points);

}  // namespace lockstep::data
