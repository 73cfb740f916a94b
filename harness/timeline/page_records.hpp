#pragma once

#include "harness/timeline/json_out.hpp"
#include "harness/timeline/model.hpp"

#include <map>
#include <string>
#include <vector>

namespace lockstep::harness::timeline {

/// Texts that come often, by number.
class Words {
public:
    std::size_t of(std::string_view text);
    const std::vector<std::string>& all() const { return all_; }

private:
    std::map<std::string, std::size_t, std::less<>> places_;
    std::vector<std::string> all_;
};

/// Records of one kind of thing in the order of time, as JSON numbers with commas between, of which
/// any range can be had. The first number of each is the time since the one before.
class Records {
public:
    void begin(SimTime at);
    /// After begin(): what else there is of the record.
    JsonOut& body() { return text_; }

    std::size_t size() const { return at_.size(); }
    /// The first record at or after that time.
    std::size_t place_of(SimTime at) const;
    /// How many bytes the records of a range take.
    std::size_t bytes(std::size_t first, std::size_t last) const {
        return start(last) - start(first);
    }
    /// The time before the first of them and, as one array, the records: `[base,[...]]`.
    std::string range(std::size_t first, std::size_t last) const;

private:
    std::size_t start(std::size_t i) const {
        return i < starts_.size() ? starts_[i] : text_.size();
    }
    JsonOut text_;
    std::vector<std::size_t> starts_;
    std::vector<std::int64_t> at_;  ///< us
};

/// All that happened, as records; and what their numbers mean.
struct RunRecords {
    Records events;    ///< time, process, kind, fields
    Records ordinary;  ///< without what comes all the time
    Records notable;   ///< only what a story is made of
    Records messages;  ///< time, from, to, kind (a word), how long it took, fate
    std::string
        kinds;  ///< weights 0 to 2; JSON: `[name, weight, [field, type, ...]]` for each kind
    Words words;
};

/// What message records say last: 0 taken, 1 lost, 2 under way at the end, from there on the word
/// that says why it was dropped.
inline constexpr std::size_t first_drop_reason = 3;

RunRecords records_of(const Outcome& outcome, const Model& model);

}  // namespace lockstep::harness::timeline
