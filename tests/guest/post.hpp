#pragma once

#include "cli/lockstep.hpp"

#include <memory>

/// A small lock service that is not ours, for tests: one server that keeps a queue for each lock in
/// memory, clients that ask again and again, which renews what they hold. It reports who leads and
/// what is granted. Its settings plant bugs.
namespace lockstep::test::post {

/// What a client says while it waits or holds.
struct Want {
    static constexpr const char* name = "want";
    LockId lock;
    SessionId session;
    std::int64_t sent = 0;  ///< the client's clock
    static void visit(auto&& self, auto&& field) {
        field("lock", self.lock);
        field("session", self.session);
        field("sent", self.sent);
    }
};
struct Leave {
    static constexpr const char* name = "leave";
    LockId lock;
    SessionId session;
    static void visit(auto&& self, auto&& field) {
        field("lock", self.lock);
        field("session", self.session);
    }
};
/// To a Want whose session has the lock.
struct Given {
    static constexpr const char* name = "given";
    LockId lock;
    SessionId session;
    FencingToken token;
    std::int64_t sent = 0;  ///< as the Want said
    static void visit(auto&& self, auto&& field) {
        field("lock", self.lock);
        field("session", self.session);
        field("token", self.token);
        field("sent", self.sent);
    }
};
/// To a Leave, and to whoever's lease ran out.
struct Left {
    static constexpr const char* name = "left";
    LockId lock;
    SessionId session;
    static void visit(auto&& self, auto&& field) {
        field("lock", self.lock);
        field("session", self.session);
    }
};

std::unique_ptr<world::Service> make(const scenario::Resolved& settings, world::Recorder& recorder);
world::ServiceFace face();
/// Adds it to this program as `post`, once.
void add();

}  // namespace lockstep::test::post

namespace lockstep::sim {

template <>
struct PayloadTraits<test::post::Want>
    : world::PlainPayload<test::post::Want, world::GuestFamily + 0x10> {};
template <>
struct PayloadTraits<test::post::Leave>
    : world::PlainPayload<test::post::Leave, world::GuestFamily + 0x11> {};
template <>
struct PayloadTraits<test::post::Given>
    : world::PlainPayload<test::post::Given, world::GuestFamily + 0x12> {};
template <>
struct PayloadTraits<test::post::Left>
    : world::PlainPayload<test::post::Left, world::GuestFamily + 0x13> {};

}  // namespace lockstep::sim
