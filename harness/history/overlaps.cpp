#include "harness/history/overlaps.hpp"

#include <algorithm>

namespace lockstep::history {

void Overlaps::begin(const Span& span, std::int64_t now, const Found& found) {
    settle(now, found);
    holds_.push_back({span, Reading::Plain, 0, 0, false, {}});
}

void Overlaps::end(std::uint64_t grant, std::int64_t to, std::uint64_t line, Ending ending,
                   std::int64_t now, const Found& found) {
    for (Hold& hold : holds_) {
        if (hold.span.grant != grant || hold.reading != Reading::Plain || hold.span.to <= to)
            continue;
        hold.span.to = std::max(to, hold.span.from);
        hold.span.to_line = line;
        hold.span.ending = ending;
    }
    settle(now, found);
}

void Overlaps::asked(std::uint64_t grant, std::int64_t at, std::uint64_t line, std::int64_t until,
                     std::int64_t now, const Found& found) {
    const auto hold = std::ranges::find_if(holds_, [&](const Hold& h) {
        return h.span.grant == grant && h.reading == Reading::Plain && h.span.to > at;
    });
    if (hold == holds_.end()) return;
    Hold second = *hold;
    second.span.to = until;
    second.span.ending = until == Span::open ? Ending::None : Ending::Deadline;
    // What overlaps the hold itself counts there.
    second.span.from = std::max(at, hold->span.from);
    second.reading = Reading::Asked;
    second.release_line = line;
    second.has_hit = false;
    end(grant, at, line, Ending::Release, now, found);
    if (second.span.to > second.span.from) holds_.push_back(second);
}

void Overlaps::answered(std::uint64_t grant, Reading reading, std::uint64_t line, std::int64_t now,
                        const Found& found) {
    const auto hold = std::ranges::find_if(holds_, [&](const Hold& h) {
        return h.span.grant == grant && h.reading == Reading::Asked;
    });
    if (hold == holds_.end()) return;
    if (reading == Reading::Plain) {
        holds_.erase(hold);
        return;
    }
    hold->reading = reading;
    hold->answer_line = line;
    settle(now, found);
}

void Overlaps::asks_again(std::uint32_t process, std::int64_t at, std::int64_t now,
                          const Found& found) {
    for (Hold& hold : holds_) {
        if (hold.span.process != process || hold.reading == Reading::Plain || hold.span.to <= at)
            continue;
        hold.span.to = std::max(at, hold.span.from);
        hold.span.ending = Ending::Reacquired;
    }
    settle(now, found);
}

void Overlaps::finish(const Found& found) {
    for (Hold& hold : holds_)
        if (hold.reading == Reading::Asked) hold.reading = Reading::Unknown;
    // Nothing ends any more: each is compared with all that are left.
    while (!holds_.empty()) {
        const Hold last = holds_.back();
        holds_.pop_back();
        for (const Hold& other : holds_)
            if (last.reading == Reading::Plain)
                compare(other, last.span, found);
            else if (other.reading == Reading::Plain)
                compare(last, other.span, found);
        if (last.has_hit) compare(last, last.hit, found);
    }
}

/// Lines to come are stamped at most two clock errors before the latest so far, and what they stand
/// for lies within two of a hold's end to matter to it.
void Overlaps::settle(std::int64_t now, const Found& found) {
    for (std::size_t i = 0; i < holds_.size();) {
        if (!ended(holds_[i]) || holds_[i].span.to > now - 2 * error_) {
            ++i;
            continue;
        }
        const Hold hold = holds_[i];
        judge(hold, i, found);
        holds_.erase(holds_.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

void Overlaps::judge(const Hold& hold, std::size_t position, const Found& found) {
    for (std::size_t i = 0; i < holds_.size(); ++i) {
        Hold& other = holds_[i];
        if (i == position || other.span.process == hold.span.process) continue;
        if (hold.reading != Reading::Plain && other.reading != Reading::Plain) continue;
        if (ended(other)) {
            other.reading == Reading::Plain ? compare(hold, other.span, found)
                                            : compare(other, hold.span, found);
            continue;
        }
        // The other goes on, and it is not known yet until when.
        if (hold.reading != Reading::Plain) {
            compare(hold, other.span, found);
            continue;
        }
        const bool meets = hold.span.to - std::max(hold.span.from, other.span.from) > -error_;
        if (meets && (!other.has_hit || hold.span.from < other.hit.from)) {
            other.has_hit = true;
            other.hit = hold.span;
        }
    }
    if (hold.has_hit) compare(hold, hold.hit, found);
}

void Overlaps::compare(const Hold& a, const Span& b, const Found& found) const {
    if (a.span.process == b.process) return;
    const std::int64_t by = std::min(a.span.to, b.to) - std::max(a.span.from, b.from);
    if (error_ == 0 ? by <= 0 : by <= -error_) return;
    // Of a second reading, the one whose release it is comes first.
    const bool in_order = a.reading != Reading::Plain || a.span.from <= b.from;
    found({in_order ? a.span : b, in_order ? b : a.span, by, by > error_, a.reading, a.release_line,
           a.answer_line});
}

}  // namespace lockstep::history
