#include "core/wire/codec.hpp"
#include "core/wire/fields.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rapid.hpp"

#include <algorithm>

namespace lockstep::wire {
namespace {

/// Draws each field over its whole range, with the ends of it often.
class FieldDrawer {
public:
    template <class Tag, class Rep>
    void operator()(const char*, Strong<Tag, Rep>& v) {
        v = Strong<Tag, Rep>(number<Rep>());
    }
    void operator()(const char*, std::uint64_t& v) { v = number<std::uint64_t>(); }
    void operator()(const char*, bool& v) { v = *rc::gen::arbitrary<bool>(); }
    void operator()(const char*, Duration& v) { v.ns = number<std::int64_t>(); }
    void operator()(const char*, Operation& v) {
        v = static_cast<Operation>(*rc::gen::inRange(0, 6));
    }
    void operator()(const char*, AnswerStatus& v) {
        v = static_cast<AnswerStatus>(*rc::gen::inRange(0, 11));
    }
    void operator()(const char*, std::vector<HeldGrant>& v) {
        v.resize(*rc::gen::inRange<std::size_t>(0, 5));
        for (HeldGrant& grant : v) fields(grant, *this);
    }
    void operator()(const char*, std::vector<RequestSeq>& v) {
        v.resize(*rc::gen::inRange<std::size_t>(0, 5));
        for (RequestSeq& seq : v) (*this)("", seq);
    }

private:
    template <class Number>
    static Number number() {
        using Limits = std::numeric_limits<Number>;
        return *rc::gen::oneOf(rc::gen::arbitrary<Number>(),
                               rc::gen::element(Limits::min(), Limits::max(), Number(127),
                                                Number(128), Number(16'384)));
    }
};

template <class Variant>
void round_trip() {
    Variant message;
    emplace_alternative(*rc::gen::inRange<std::size_t>(0, std::variant_size_v<Variant>), message);
    std::visit([](auto& m) { fields(m, FieldDrawer()); }, message);
    Writer out;
    encode(message, out);
    Reader in(out.bytes());
    Variant back;
    RC_ASSERT(decode(in, back));
    RC_ASSERT(in.done());
    RC_ASSERT(to_string(back) == to_string(message));
    Writer again;
    encode(back, again);
    RC_ASSERT(std::ranges::equal(again.bytes(), out.bytes()));
}

template <class Variant>
void takes_anything(std::span<const std::byte> bytes) {
    Reader in(bytes);
    Variant message;
    if (!decode(in, message)) {
        RC_ASSERT(in.failed());
        return;
    }
    const std::size_t read = bytes.size() - in.left();
    Writer out;
    encode(message, out);
    RC_ASSERT(std::ranges::equal(out.bytes(), bytes.first(read)));
    RC_ASSERT(!to_string(message).empty());
}

}  // namespace

TEST_CASE("wire: every message goes round") {
    test::check_property("requests", [] { round_trip<Request>(); });
    test::check_property("replies", [] { round_trip<Reply>(); });
    test::check_property("resource requests", [] { round_trip<ResourceRequest>(); });
    test::check_property("resource replies", [] { round_trip<ResourceReply>(); });
}

TEST_CASE("wire: arbitrary bytes are one message's spelling or refused") {
    test::check_property("arbitrary bytes", [] {
        auto raw = *rc::gen::arbitrary<std::vector<std::uint8_t>>();
        // Mostly of a kind that there is.
        if (!raw.empty()) raw[0] %= 8;
        const auto bytes = std::as_bytes(std::span(raw));
        takes_anything<Request>(bytes);
        takes_anything<Reply>(bytes);
        takes_anything<ResourceRequest>(bytes);
        takes_anything<ResourceReply>(bytes);
    });
}

}  // namespace lockstep::wire
