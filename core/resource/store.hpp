#pragma once

#include "core/events/event.hpp"
#include "core/wire/messages.hpp"

#include <cstdint>
#include <deque>
#include <variant>
#include <vector>

namespace lockstep::resource {

/// What the resource checks. `WriteOnly` and `None` exist to show what breaks.
enum class Fencing : std::uint8_t {
    Fenced,     ///< writes by (token, n), reads by token; a read raises the mark
    WriteOnly,  ///< writes alone: an older writer can slip in between a newer holder's read and
                ///< write
    None,
};

/// Value, version, token and n: one record, durable before any answer. The version counts accepted
/// writes.
struct Record {
    std::uint64_t value = 0;
    std::uint64_t version = 0;
    FencingToken token;
    std::uint64_t n = 0;             ///< zero: no write under this token yet
    std::uint64_t op = 0;            ///< of the last accepted write
    std::uint64_t read_version = 0;  ///< what that write was computed from
    bool operator==(const Record&) const = default;
};

struct Request {
    NodeId from;
    wire::ResourceRequest request;
};
/// Everything up to this Persist is durable. Ids come back in order; one may stand for all before.
struct Persisted {
    std::uint64_t id;
};
using Input = std::variant<Request, Persisted>;

/// Append the record and make it durable.
struct Persist {
    std::uint64_t id;  ///< counted from 1 in each life
    Record record;
};
struct Reply {
    NodeId to;
    wire::ResourceReply reply;
};
/// Reused from step to step; the caller clears it. Replies may be sent at once: the store has
/// withheld them until what they rest on was durable, and reports each decision together with its
/// reply. What a crash undoes was thus never said, nor reported.
struct Effects {
    std::vector<Persist> persist;
    std::vector<Reply> replies;
    std::vector<events::Event> events;
    void clear() {
        persist.clear();
        replies.clear();
        events.clear();
    }
};

/// A store that one lock protects: the resource has the last word on who may write.
///
/// Requests are decided one after the other, in the order in which they come. Under `Fenced` a
/// write is accepted if its (token, n) is higher than the one held, answered again if equal, and
/// refused if lower; a read is accepted unless its token is lower, and raises the mark to (token,
/// 0), or an older writer could still slip in. Under `None` every write is accepted, but for a
/// repeat of the last one.
///
/// Source: Kleppmann, "How to do distributed locking" (2016), on fencing tokens.
class Store {
public:
    Store(Fencing mode, Record recovered) : mode_(mode), record_(recovered) {}

    void step(Input&& input, Effects& effects);

    const Record& record() const { return record_; }

private:
    /// Decided, but not said before its record is durable.
    struct Withheld {
        std::uint64_t needs;
        Reply reply;
        events::Event event;
    };

    void decide(NodeId from, const wire::Write& write, Effects& effects);
    void decide(NodeId from, const wire::Read& read, Effects& effects);
    bool repeats(const wire::Write& write) const;
    bool admits(const wire::Write& write) const;
    void persist(Effects& effects);
    void say(NodeId to, wire::ResourceReply reply, const events::Event& event, Effects& effects);
    void release(std::uint64_t durable, Effects& effects);

    Fencing mode_;
    Record record_;
    std::uint64_t persisted_ = 0;  ///< the last Persist that was asked for
    std::uint64_t durable_ = 0;
    std::deque<Withheld> withheld_;  ///< in the order of their decisions
};

}  // namespace lockstep::resource
