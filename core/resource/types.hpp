#pragma once

#include "core/events/event.hpp"
#include "core/wire/messages.hpp"

#include <cstdint>
#include <variant>
#include <vector>

/// Protected resources, as state machines: what comes from callers and from the disk is an Input,
/// what a resource asks of the world is in Effects.
namespace lockstep::resource {

/// What a store checks. `WriteOnly` and `None` exist to show what breaks.
enum class Fencing : std::uint8_t {
    Fenced,     ///< writes by (token, n), reads by token; a read raises the mark
    WriteOnly,  ///< writes alone: an older writer can slip in between a newer holder's read and
                ///< write
    None,
};

/// Of a store or a row. Value, version, token and n: one record, durable before any answer. The
/// version counts accepted writes.
struct Record {
    std::uint64_t value = 0;
    std::uint64_t version = 0;
    FencingToken token;
    std::uint64_t n = 0;             ///< zero: no write under this token yet
    std::uint64_t op = 0;            ///< of the last accepted write
    std::uint64_t read_version = 0;  ///< what that write was computed from
    bool operator==(const Record&) const = default;
};

/// Of an endpoint: a call that took effect.
struct TakenCall {
    std::uint64_t key = 0;
    std::uint64_t op = 0;  ///< the attempt that took effect
    std::uint64_t value = 0;
    FencingToken token;  ///< as the caller gave it; nobody checks it
    bool operator==(const TakenCall&) const = default;
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

/// Append this to the file and make it durable.
using Entry = std::variant<Record, TakenCall>;
struct Persist {
    std::uint64_t id;  ///< counted from 1 in each life
    Entry entry;
};
struct Reply {
    NodeId to;
    wire::ResourceReply reply;
};
/// Reused from step to step; the caller clears it. Replies may be sent at once: the resource has
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

}  // namespace lockstep::resource
