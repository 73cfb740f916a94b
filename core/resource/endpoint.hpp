#pragma once

#include "core/base/flat_map.hpp"
#include "core/resource/types.hpp"
#include "core/resource/withheld.hpp"

#include <cstdint>
#include <vector>

namespace lockstep::resource {

/// The idempotency key of call `number` of a series. The numbers of a series grow; whoever makes
/// them sees to it: a worker counts its payments, a fleet goes by the number of the tick.
constexpr std::uint64_t call_key(std::uint32_t series, std::uint32_t number) {
    return std::uint64_t{series} << 32 | number;
}
constexpr std::uint32_t series_of(std::uint64_t key) {
    return static_cast<std::uint32_t>(key >> 32);
}
constexpr std::uint32_t number_of(std::uint64_t key) {
    return static_cast<std::uint32_t>(key);
}

/// An endpoint that knows calls by their idempotency keys, for where a resource cannot fence. Of
/// the calls with one key the first takes effect, and all are answered alike: with the value of the
/// one that took effect. Tokens are looked at by nobody.
///
/// Keys are remembered within bounds: of each series the last `kept` numbers up to the highest that
/// took effect. A key below these is refused, known or not: what may have been taken is not taken
/// again. A call that comes that late has an unknown outcome. (The rule of sliding windows against
/// replays, as in RFC 4303, 3.4.3.)
///
/// Reads and writes are refused: an endpoint is no store.
///
/// Source: IETF draft "The Idempotency-Key HTTP Header Field".
class Endpoint {
public:
    static constexpr std::uint32_t kept = 16;

    Endpoint() = default;

    /// Before the first step: what was found in the file, in its order.
    void restore(const TakenCall& call) { remember(call); }
    void step(Input&& input, Effects& effects);

    /// The call of that key that took effect; null if there is none, or it is too old.
    const TakenCall* find(std::uint64_t key) const;
    /// Calls f(call) for all that is remembered.
    void for_each(auto&& f) const {
        for (const auto& [series, calls] : series_)
            for (const TakenCall& call : calls) f(call);
    }

private:
    using Calls = std::vector<TakenCall>;  ///< of one series, by number

    void decide(NodeId from, const wire::Write& write, Effects& effects);
    void decide(NodeId from, const wire::Read& read, Effects& effects);
    void decide(NodeId from, const wire::Call& call, Effects& effects);
    bool too_old(std::uint64_t key) const;
    void remember(const TakenCall& call);

    FlatMap<std::uint32_t, Calls> series_;
    Withheld withheld_;
};

}  // namespace lockstep::resource
