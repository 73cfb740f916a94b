#include "harness/data/combine.hpp"

#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace lockstep::data {
namespace {

/// What one file has of the series.
struct Part {
    FileFound* file;
    Found* found;
};

struct Group {
    Measure measure;
    std::string_view format;
    std::vector<Part> parts;
};

std::vector<Group> groups_of(std::vector<FileFound>& files) {
    std::vector<Group> groups;
    for (FileFound& file : files) {
        for (Found& found : file.sink.all()) {
            auto it = std::ranges::find_if(groups, [&](const Group& g) {
                return g.measure == found.measure && g.format == file.format;
            });
            if (it == groups.end()) {
                groups.push_back({found.measure, file.format, {}});
                it = groups.end() - 1;
            }
            it->parts.push_back({&file, &found});
        }
    }
    return groups;
}

/// How long was looked in one file; zero: not known.
Duration looked(const FileFound& file) {
    if (file.sink.looked().ns > 0) return file.sink.looked();
    const Timeline& timeline = file.sink.timeline();
    return timeline.empty() ? Duration{} : timeline.last() - timeline.first();
}

void note_seam(const Part& before, const Part& after, Series& series) {
    const Timeline& earlier = before.file->sink.timeline();
    const Timeline& later = after.file->sink.timeline();
    if (!earlier.is_wall() || !later.is_wall()) return;
    const Duration gap = later.first() - earlier.last();
    if (gap < seconds(-1))
        series.notes.push_back(
            fmt::format("{} and {} overlap in time: they are taken for two "
                        "processes and laid end to end",
                        before.file->name, after.file->name));
    if (gap > seconds(60))
        series.notes.push_back(
            fmt::format("nobody looked for {} between {} and {}: that time does not count",
                        harness::long_span_text(gap), before.file->name, after.file->name));
}

/// The order of the parts: by the time at which they begin, where all have the same kind of time.
std::vector<std::size_t> order_of(const Group& group) {
    std::vector<std::size_t> order(group.parts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto timeline = [&](std::size_t i) -> const Timeline& {
        return group.parts[i].file->sink.timeline();
    };
    const bool comparable = std::ranges::all_of(order, [&](std::size_t i) {
        return !timeline(i).empty() && timeline(i).is_wall() == timeline(0).is_wall();
    });
    if (comparable)
        std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
            return timeline(a).first() < timeline(b).first();
        });
    return order;
}

/// Lays the buckets of several histograms over each other; all bounds of all of them stay only if
/// they agree, else the counts go where their upper bounds are.
std::vector<Bucket> merged(std::vector<Bucket> buckets) {
    std::vector<Bucket> out;
    std::ranges::stable_sort(buckets, {}, &Bucket::up_to);
    for (const Bucket& bucket : buckets) {
        if (!out.empty() && out.back().up_to == bucket.up_to) {
            out.back().count += bucket.count;
            out.back().above = std::min(out.back().above, bucket.above);
            continue;
        }
        out.push_back(bucket);
    }
    for (std::size_t i = 1; i < out.size(); ++i) out[i].above = out[i - 1].up_to;
    return out;
}

/// The points of one part, moved to where the part lies in the series.
void place(Part part, std::uint32_t index, Duration by, bool keep_points, Summary& summary) {
    Found& found = *part.found;
    const Duration shift = found.timed ? by : Duration{};
    if (keep_points) {
        auto& points = summary.series.points;
        points.reserve(points.size() + found.points.size());
        for (Point point : found.points) {
            point.at += shift;
            point.file = index;
            points.push_back(point);
        }
        found.points = {};
    } else {
        found.tally.move_longest(shift, index);
        summary.tally.add(found.tally);
    }
    auto& buckets = summary.series.buckets;
    buckets.insert(buckets.end(), found.buckets.begin(), found.buckets.end());
}

Summary combined(const Group& group, bool keep_points) {
    Summary summary;
    Series& series = summary.series;
    series.measure = group.measure;
    series.format = std::string(group.format);
    series.timed = true;
    bool known = true;
    for (const Part& part : group.parts) {
        const auto index = static_cast<std::uint32_t>(series.files.size());
        series.files.push_back(part.file->name);
        series.timed = series.timed && part.found->timed;
        series.none_below = std::max(series.none_below, part.found->none_below);
        known = known && looked(*part.file).ns > 0;
        for (Skipped skipped : part.file->sink.skipped()) {
            skipped.file = index;
            series.skipped.push_back(std::move(skipped));
        }
        for (const auto& note : part.file->sink.notes())
            series.notes.push_back(group.parts.size() == 1 ? note : part.file->name + ": " + note);
    }
    const auto order = order_of(group);
    Duration cursor;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const Part& part = group.parts[order[i]];
        const Timeline& timeline = part.file->sink.timeline();
        const Duration by = cursor - timeline.first();
        place(part, static_cast<std::uint32_t>(order[i]), by, keep_points, summary);
        if (series.timed)
            for (const Piece& piece : timeline.pieces())
                series.pieces.push_back({piece.at + by, piece.wall});
        if (i > 0 && series.timed) note_seam(group.parts[order[i - 1]], part, series);
        cursor += looked(*part.file);
    }
    series.observed = known ? cursor : Duration{};
    series.buckets = merged(std::move(series.buckets));
    if (series.timed) std::ranges::stable_sort(series.points, {}, &Point::at);
    // A file without wall times would be given those of the file before it.
    const bool all_wall = std::ranges::all_of(
        group.parts, [](const Part& part) { return part.file->sink.timeline().is_wall(); });
    if (!all_wall) series.pieces.clear();
    return summary;
}

}  // namespace

std::vector<Summary> combine(std::vector<FileFound>& files, bool keep_points) {
    std::vector<Summary> all;
    for (const Group& group : groups_of(files)) all.push_back(combined(group, keep_points));
    return all;
}

}  // namespace lockstep::data
