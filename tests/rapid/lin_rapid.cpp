#include "core/base/prng.hpp"
#include "properties/rapid/exhaustive_lin.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rapid.hpp"

#include <algorithm>
#include <sstream>

namespace lockstep::test::histories {
namespace {

using properties::rapid::distort;
using properties::rapid::explainable;
using properties::rapid::lin_history;
using properties::rapid::LinCall;
using properties::rapid::LinHistory;
using properties::rapid::tell;
using Bytes = std::vector<std::uint8_t>;

std::string text(const LinHistory& history) {
    std::ostringstream out;
    out << history;
    return out.str();
}

Bytes bytes_of(Prng& prng, std::size_t size) {
    Bytes bytes(size);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(prng.below(256));
    return bytes;
}

void agree(const LinHistory& history) {
    const bool yes = explainable(history);
    for (std::uint64_t turn = 0; turn < 3; ++turn) {
        const auto told = tell(history, turn);
        RC_ASSERT(!told.gave_up());
        if (told.objection().has_value() == yes)
            RC_FAIL(text(history) + (yes ? "can be explained, yet: " + told.objection()->evidence
                                         : std::string("cannot be explained")));
    }
}

TEST_CASE("lin: what a correct service did is explained") {
    check_property("lin: correct", [](const Bytes& bytes) {
        const LinHistory history = lin_history(bytes, 24);
        const auto told = tell(history);
        if (told.objection()) RC_FAIL(text(history) + told.objection()->evidence);
    });
}

TEST_CASE("lin: trying every order finds the same") {
    check_property("lin: exhaustive",
                   [](const Bytes& bytes, const Bytes& first, const Bytes& second) {
                       LinHistory history = lin_history(bytes, 8);
                       agree(history);
                       distort(history, first);
                       agree(history);
                       distort(history, second);
                       agree(history);
                   });
}

/// So that the comparison cannot be one of nothing with nothing: thousands of histories of which
/// many cannot be explained, and many only by an outcome that is unknown.
TEST_CASE("lin: distorted histories are often objected to") {
    Prng prng(7);
    int objected = 0;
    int held = 0;
    int by_unknown = 0;
    for (int i = 0; i < 3000; ++i) {
        LinHistory history = lin_history(bytes_of(prng, 90), 8);
        for (int k = static_cast<int>(prng.below(3)); k > 0; --k)
            distort(history, bytes_of(prng, 5));
        const bool yes = explainable(history);
        const auto told = tell(history, static_cast<std::uint64_t>(i));
        INFO(text(history) << (told.objection() ? told.objection()->evidence : "no objection"));
        REQUIRE(told.objection().has_value() != yes);
        REQUIRE(!told.gave_up());
        ++(yes ? held : objected);
        if (!yes) continue;
        std::erase_if(history.calls, [](const LinCall& call) { return call.is_maybe(); });
        if (!explainable(history)) ++by_unknown;
    }
    INFO("objected " << objected << ", held " << held << ", by an unknown outcome " << by_unknown);
    CHECK(objected > 400);
    CHECK(held > 1000);
    CHECK(by_unknown > 50);
}

TEST_CASE("lin: a lowered token and a dropped grant are found") {
    Prng prng(11);
    int lowered = 0;
    int dropped = 0;
    int tried = 0;
    for (int i = 0; i < 1000; ++i) {
        const LinHistory history = lin_history(bytes_of(prng, 120), 12);
        LinHistory low = history;
        LinHistory less = history;
        LinCall* last = nullptr;
        for (LinCall& call : low.calls)
            if (call.outcome == LinCall::Outcome::Granted) last = &call;
        const bool refused =
            std::any_of(history.calls.begin(), history.calls.end(),
                        [](const LinCall& c) { return c.outcome == LinCall::Outcome::Refused; });
        if (!last || !refused) continue;
        ++tried;
        last->token = 0;
        lowered += tell(low).objection().has_value();
        std::erase_if(less.calls, [](const LinCall& c) {
            return c.outcome == LinCall::Outcome::Granted || c.is_release();
        });
        dropped += tell(less).objection().has_value();
    }
    INFO("tried " << tried << " lowered " << lowered << " dropped " << dropped);
    CHECK(tried > 200);
    CHECK(lowered * 4 > tried);
    CHECK(dropped * 4 > tried);
}

}  // namespace
}  // namespace lockstep::test::histories
