#include "harness/history/floor.hpp"

namespace lockstep::history {

Floor::Below Floor::at_call(std::int64_t time, std::uint32_t process, std::int64_t now) {
    forget(now);
    Below below{settled_, first_young_ + young_.size()};
    Mark maybe;
    for (const Mark& mark : recent_) {
        // One process's lines are in their true order.
        if (mark.process == process || mark.time + error_ < time)
            raise(below.sure, mark);
        else if (mark.time - error_ < time)
            raise(maybe, mark);
    }
    if (error_ > 0) young_.push_back({time, process, maybe, false});
    return below;
}

Mark Floor::maybe_before(const Below& below) {
    if (error_ == 0) return {};
    if (below.number >= first_young_) {
        Young& call = young_[below.number - first_young_];
        call.over = true;
        return call.maybe;
    }
    const auto found = grown_.find(below.number);
    if (found == grown_.end()) return {};
    const Mark maybe = found->second;
    grown_.erase(found);
    return maybe;
}

void Floor::confirmed(const Mark& mark, std::int64_t now) {
    forget(now);
    recent_.push_back(mark);
    for (Young& call : young_)
        if (!call.over && call.process != mark.process && mark.time - error_ < call.time)
            raise(call.maybe, mark);
}

void Floor::forget(std::int64_t now) {
    while (!recent_.empty() && recent_.front().time + 2 * error_ < now) {
        raise(settled_, recent_.front());
        recent_.pop_front();
    }
    while (!young_.empty() && young_.front().time + 2 * error_ < now) {
        if (!young_.front().over && young_.front().maybe.line != 0)
            grown_.emplace(first_young_, young_.front().maybe);
        young_.pop_front();
        ++first_young_;
    }
}

}  // namespace lockstep::history
