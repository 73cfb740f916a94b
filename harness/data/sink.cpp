#include "harness/data/sink.hpp"

#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::data {
namespace {

std::uint32_t narrowed(std::uint64_t line) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(line, UINT32_MAX));
}

}  // namespace

void Sink::begin_line(std::uint64_t number) {
    line_ = number;
}

void Sink::jumped(const Timeline::Moment& moment) {
    Jumps& jumps = moment.jump == Timeline::Jump::Back      ? back_
                   : moment.jump == Timeline::Jump::WallOff ? wall_off_
                                                            : restarts_;
    if (jumps.times++ > 0) return;
    jumps.first_line = line_;
    jumps.first_distance = moment.distance;
}

void Sink::stamp(const Stamp& stamp) {
    const auto moment = timeline_.at(stamp);
    if (moment.jump != Timeline::Jump::None) jumped(moment);
    now_ = moment.at;
}

void Sink::stamp_in_order(const Stamp& stamp) {
    const auto moment = timeline_.at(stamp);
    if (moment.jump != Timeline::Jump::None)
        refuse(fmt::format("the time goes back by {}", harness::span_text(moment.distance)));
    now_ = moment.at;
}

Found& Sink::found(Measure measure) {
    for (Found& found : found_)
        if (found.measure == measure) return found;
    found_.emplace_back();
    found_.back().measure = measure;
    return found_.back();
}

void Sink::ended(Measure measure, Duration length) {
    at(measure, now_ - length, length);
}

void Sink::began(Measure measure, Duration length) {
    at(measure, now_, length);
}

void Sink::at(Measure measure, Duration at, Duration length) {
    if (length.ns < 0)
        return refuse(
            fmt::format("a length of {} ns is negative: nothing takes that long", length.ns));
    if (length > longest_length)
        return refuse(
            fmt::format("a length of {} is absurd; the longest that is believed is 30 "
                        "days",
                        length == Duration::max() ? std::string("more than 292 years")
                                                  : harness::long_span_text(length)));
    const bool timed = !timeline_.empty();
    if (timed) {
        timeline_.begins(at);
        timeline_.lasts(at + length);
    }
    Found& found = this->found(measure);
    found.timed = found.timed && timed;
    ++found.count;
    const Point point{timed ? at : Duration{}, length, 0, narrowed(line_)};
    if (keep_points_)
        found.points.push_back(point);
    else
        found.tally.add(point);
}

void Sink::bucket(Measure measure, Duration above, Duration up_to, std::uint64_t count) {
    Found& found = this->found(measure);
    found.timed = false;
    found.count += count;
    found.buckets.push_back({above, up_to, count});
}

std::uint64_t Sink::forget(Measure measure) {
    const auto it = std::ranges::find(found_, measure, &Found::measure);
    if (it == found_.end()) return 0;
    const std::uint64_t count = it->count;
    found_.erase(it);
    return count;
}

void Sink::skip(std::string_view why, std::uint64_t lines) {
    for (Skipped& skipped : skipped_) {
        if (skipped.why != why) continue;
        skipped.lines += lines;
        return;
    }
    skipped_.push_back({std::string(why), lines, 0, narrowed(line_)});
}

void Sink::refuse(std::string why) {
    refuse_at(std::move(why), line_);
}

void Sink::refuse_at(std::string why, std::uint64_t line) {
    if (refused_) return;
    Error error;
    error.message = std::move(why);
    error.line = static_cast<int>(std::min<std::uint64_t>(line, INT32_MAX));
    refused_ = std::move(error);
}

std::vector<std::string> Sink::notes() const {
    std::vector<std::string> all = notes_;
    const auto times = [](const Jumps& jumps) {
        return jumps.times == 1 ? std::string("once")
                                : fmt::format("{} times", harness::grouped(jumps.times));
    };
    if (back_.times > 0)
        all.push_back(fmt::format(
            "the clock goes back {}, first in line {} by {}: the time until the next line is not "
            "known and counts as none",
            times(back_), back_.first_line, harness::span_text(back_.first_distance)));
    if (wall_off_.times > 0)
        all.push_back(fmt::format(
            "the wall clock goes back {}, first in line {} by {}: the time since the start of the "
            "process was used",
            times(wall_off_), wall_off_.first_line, harness::span_text(wall_off_.first_distance)));
    if (restarts_.times > 0)
        all.push_back(fmt::format(
            "the process started anew {}, first in line {}: its lives follow each other",
            times(restarts_), restarts_.first_line));
    return all;
}

}  // namespace lockstep::data
