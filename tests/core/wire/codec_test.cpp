#include "core/wire/codec.hpp"

#include "tests/support/catch.hpp"

namespace lockstep::wire {
namespace {

template <class Message>
void goes_round(const Message& message, const char* kind, const std::string& text) {
    INFO(text);
    Writer out;
    encode(message, out);
    Reader in(out.bytes());
    Message back;
    REQUIRE(decode(in, back));
    CHECK(in.done());
    Writer again;
    encode(back, again);
    CHECK(std::ranges::equal(again.bytes(), out.bytes()));
    CHECK(to_string(back) == text);
    CHECK(kind_name(back) == kind);
    // What follows is left; what is missing is noticed.
    out.u8(7);
    Reader longer(out.bytes());
    REQUIRE(decode(longer, back));
    CHECK(longer.left() == 1);
    for (std::size_t n = 0; n + 1 < out.size(); ++n) {
        Reader shorter(out.bytes().first(n));
        CHECK_FALSE(decode(shorter, back));
    }
}

}  // namespace

TEST_CASE("wire: requests go round, and print") {
    goes_round<Request>(Open{Nonce(4), SendingNo(300), seconds(12)}, "open",
                        "open nonce=4 sending=300 ttl=12000ms");
    goes_round<Request>(KeepAlive{SessionId(9), SendingNo(2)}, "keep-alive",
                        "keep-alive session=9 sending=2");
    goes_round<Request>(Close{SessionId(9), RequestSeq(3)}, "close", "close session=9 seq=3");
    goes_round<Request>(Acquire{SessionId(9), RequestSeq(3), RequestSeq(2), LockId(1), true},
                        "acquire", "acquire session=9 seq=3 mark=2 lock=1 try_only=true");
    goes_round<Request>(Cancel{SessionId(9), RequestSeq(3), RequestSeq(2), LockId(1)}, "cancel",
                        "cancel session=9 seq=3 mark=2 lock=1");
    goes_round<Request>(
        Release{SessionId(9), RequestSeq(4), RequestSeq(2), LockId(1), FencingToken(77)}, "release",
        "release session=9 seq=4 mark=2 lock=1 token=77");
}

TEST_CASE("wire: replies go round, and print") {
    goes_round<Reply>(NotLeader{NodeId(2), Operation::Acquire, SessionId(9), RequestSeq(3)},
                      "not-leader", "not-leader leader=2 operation=acquire session=9 seq=3");
    goes_round<Reply>(
        OpenReply{Nonce(4), SendingNo(1), AnswerStatus::Ok, SessionId(9), nanoseconds(1)},
        "open-reply", "open-reply nonce=4 sending=1 status=ok session=9 ttl=1ns");
    goes_round<Reply>(KeepAliveReply{SessionId(9),
                                     SendingNo(2),
                                     AnswerStatus::Ok,
                                     {{LockId(1), RequestSeq(3), FencingToken(77)},
                                      {LockId(2), RequestSeq(4), FencingToken(78)}},
                                     {RequestSeq(5), RequestSeq(6)}},
                      "keep-alive-reply",
                      "keep-alive-reply session=9 sending=2 status=ok grants=[1:3/77,2:4/78] "
                      "waits=[5,6]");
    goes_round<Reply>(Busy{Operation::Open, SessionId(9), RequestSeq(3), Nonce(4), milliseconds(5)},
                      "busy", "busy operation=open session=9 seq=3 nonce=4 retry_after=5ms");
    goes_round<Reply>(RequestReply{Operation::Acquire, AnswerStatus::Granted, SessionId(9),
                                   RequestSeq(3), LockId(1), FencingToken(77), RequestSeq()},
                      "acquire-reply",
                      "acquire-reply operation=acquire status=granted session=9 seq=3 lock=1 "
                      "token=77 other_seq=0");
    CHECK(kind_name(Reply(RequestReply{Operation::Close, AnswerStatus::Ok, {}, {}, {}, {}, {}})) ==
          "close-reply");
    CHECK(kind_name(Reply(RequestReply{Operation::Cancel, AnswerStatus::Ok, {}, {}, {}, {}, {}})) ==
          "cancel-reply");
    CHECK(kind_name(Reply(RequestReply{
              Operation::Release, AnswerStatus::Ok, {}, {}, {}, {}, {}})) == "release-reply");
}

TEST_CASE("wire: what resources hear and say goes round, and prints") {
    goes_round<ResourceRequest>(Write{LockId(1), FencingToken(77), 2, 500, 3, 4}, "write",
                                "write lock=1 token=77 n=2 op=500 read_version=3 value=4");
    goes_round<ResourceRequest>(Read{LockId(1), FencingToken(77), 501}, "read",
                                "read lock=1 token=77 op=501");
    goes_round<ResourceReply>(WriteReply{500, true, 4, FencingToken(77)}, "write-reply",
                              "write-reply op=500 accepted=true version=4 held_token=77");
    goes_round<ResourceReply>(ReadReply{501, false, 4, 5, FencingToken(78)}, "read-reply",
                              "read-reply op=501 accepted=false value=4 version=5 held_token=78");
}

TEST_CASE("wire: a kind, status or length that cannot be is refused") {
    const auto refused = [](std::initializer_list<int> bytes) {
        std::vector<std::byte> raw;
        for (const int b : bytes) raw.push_back(static_cast<std::byte>(b));
        Reader in(raw);
        Reply reply;
        return !decode(in, reply) && in.failed();
    };
    CHECK(refused({4, 0, 0, 0, 0}));                             // no such kind
    CHECK(refused({0, 1, 6, 1, 1}));                             // no such operation
    CHECK(refused({2, 1, 1, 11, 0}));                            // no such status
    CHECK(refused({2, 1, 1, 0, 200, 1, 1, 1, 1}));               // more grants than bytes
    CHECK(refused({0, 0xff, 0xff, 0xff, 0xff, 0x7f, 0, 1, 1}));  // no node has that number
}

}  // namespace lockstep::wire
