#pragma once

#include <cstdint>
#include <lockstep/lockstep.hpp>

namespace lease_file {

/// What a lease file says.
struct Content {
    std::uint64_t version = 0;  ///< grows with every write; the fencing token of whoever wrote it
    std::uint64_t stamp = 0;    ///< no two writes have the same; zero: never written
    lockstep::NodeId owner;     ///< zero: the lock is free
};

struct ReadFile {
    static constexpr const char* name = "read-file";
    std::uint64_t id = 0;
    lockstep::LockId lock;
    static void visit(auto&& self, auto&& field) {
        field("id", self.id);
        field("lock", self.lock);
    }
};

struct WriteFile {
    static constexpr const char* name = "write-file";
    std::uint64_t id = 0;
    lockstep::LockId lock;
    std::uint64_t stamp = 0;
    lockstep::NodeId owner;
    bool if_match = false;       ///< only if ...
    std::uint64_t expected = 0;  ///< ... this is the stamp of what is there
    static void visit(auto&& self, auto&& field) {
        field("id", self.id);
        field("lock", self.lock);
        field("stamp", self.stamp);
        field("owner", self.owner);
        field("if_match", self.if_match);
        field("expected", self.expected);
    }
};

/// What is there now, to either request.
struct FileReply {
    static constexpr const char* name = "file-reply";
    std::uint64_t id = 0;
    Content content;
    static void visit(auto&& self, auto&& field) {
        field("id", self.id);
        field("version", self.content.version);
        field("stamp", self.content.stamp);
        field("owner", self.content.owner);
    }
};

}  // namespace lease_file

namespace lockstep::sim {

template <>
struct PayloadTraits<lease_file::ReadFile>
    : world::PlainPayload<lease_file::ReadFile, world::GuestFamily + 0> {};
template <>
struct PayloadTraits<lease_file::WriteFile>
    : world::PlainPayload<lease_file::WriteFile, world::GuestFamily + 1> {};
template <>
struct PayloadTraits<lease_file::FileReply>
    : world::PlainPayload<lease_file::FileReply, world::GuestFamily + 2> {};

}  // namespace lockstep::sim
