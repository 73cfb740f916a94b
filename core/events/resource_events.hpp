#pragma once

#include "core/base/strong.hpp"

/// What protected resources report, and what their callers sent and were told.
namespace lockstep::events {

enum class WriteOutcome : std::uint8_t { Accepted, Rejected, Unknown };

/// The resource took the write. A read-modify-write that took effect on the version it had read
/// has read_version = prior_version; anything else overwrote somebody's update.
struct WriteAccepted {
    static constexpr const char* name = "write-accepted";
    FencingToken token;
    std::uint64_t n;
    std::uint64_t op;
    std::uint64_t read_version;
    std::uint64_t prior_version;
    std::uint64_t version;
    void visit(auto&& f) const {
        f("token", token);
        f("n", n);
        f("op", op);
        f("read_version", read_version);
        f("prior_version", prior_version);
        f("version", version);
    }
};

/// An equal (token, n) came again: the answer of before was repeated, nothing changed.
struct WriteRepeated {
    static constexpr const char* name = "write-repeated";
    FencingToken token;
    std::uint64_t n;
    std::uint64_t op;
    void visit(auto&& f) const {
        f("token", token);
        f("n", n);
        f("op", op);
    }
};

/// Start of a life: the write was found on the disk. A crash may have come between its becoming
/// durable and its being reported, so this is the first that is heard of some, and of others it has
/// been heard before.
struct WriteRecovered {
    static constexpr const char* name = "write-recovered";
    FencingToken token;
    std::uint64_t n;
    std::uint64_t op;
    std::uint64_t read_version;
    std::uint64_t prior_version;
    std::uint64_t version;
    void visit(auto&& f) const {
        f("token", token);
        f("n", n);
        f("op", op);
        f("read_version", read_version);
        f("prior_version", prior_version);
        f("version", version);
    }
};

struct WriteRejected {
    static constexpr const char* name = "write-rejected";
    FencingToken token;
    std::uint64_t n;
    std::uint64_t op;
    FencingToken held_token;
    std::uint64_t held_n;
    void visit(auto&& f) const {
        f("token", token);
        f("n", n);
        f("op", op);
        f("held_token", held_token);
        f("held_n", held_n);
    }
};

struct ReadAccepted {
    static constexpr const char* name = "read-accepted";
    FencingToken token;
    FencingToken held_token;  ///< before this read
    std::uint64_t version;
    void visit(auto&& f) const {
        f("token", token);
        f("held_token", held_token);
        f("version", version);
    }
};

struct ReadRejected {
    static constexpr const char* name = "read-rejected";
    FencingToken token;
    FencingToken held_token;
    void visit(auto&& f) const {
        f("token", token);
        f("held_token", held_token);
    }
};

/// By the caller. One sending of a write; a repeat of it carries the same operation.
struct WriteSent {
    static constexpr const char* name = "write-sent";
    NodeId resource;
    FencingToken token;
    std::uint64_t n;
    std::uint64_t op;
    std::uint64_t read_version;
    void visit(auto&& f) const {
        f("resource", resource);
        f("token", token);
        f("n", n);
        f("op", op);
        f("read_version", read_version);
    }
};

/// By the caller. What it knows of the write in the end.
struct WriteTold {
    static constexpr const char* name = "write-told";
    NodeId resource;
    std::uint64_t op;
    std::uint64_t version;
    WriteOutcome outcome;
    void visit(auto&& f) const {
        f("resource", resource);
        f("op", op);
        f("version", version);
        f("outcome", outcome);
    }
};

/// An endpoint that knows calls by their idempotency keys took one: `first` if the key was new, and
/// the call took effect.
struct CallAccepted {
    static constexpr const char* name = "call-accepted";
    std::uint64_t key;
    std::uint64_t op;
    FencingToken token;
    bool first;
    void visit(auto&& f) const {
        f("key", key);
        f("op", op);
        f("token", token);
        f("first", first);
    }
};

/// Start of a life: the call was found on the disk; as WriteRecovered.
struct CallRecovered {
    static constexpr const char* name = "call-recovered";
    std::uint64_t key;
    std::uint64_t op;
    FencingToken token;
    void visit(auto&& f) const {
        f("key", key);
        f("op", op);
        f("token", token);
    }
};

/// By the caller: one sending of a call, and what it knows of it in the end.
struct CallSent {
    static constexpr const char* name = "call-sent";
    NodeId resource;
    std::uint64_t key;
    std::uint64_t op;
    FencingToken token;
    void visit(auto&& f) const {
        f("resource", resource);
        f("key", key);
        f("op", op);
        f("token", token);
    }
};
struct CallTold {
    static constexpr const char* name = "call-told";
    NodeId resource;
    std::uint64_t key;
    std::uint64_t op;
    WriteOutcome outcome;
    void visit(auto&& f) const {
        f("resource", resource);
        f("key", key);
        f("op", op);
        f("outcome", outcome);
    }
};

}  // namespace lockstep::events
