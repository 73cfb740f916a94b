#pragma once

#include "core/base/codec.hpp"
#include "core/resource/endpoint.hpp"
#include "core/resource/row.hpp"
#include "core/resource/store.hpp"

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace lockstep::resource {

/// Any of the resources, for a driver that does not care which.
using Machine = std::variant<Store, Endpoint, Row>;

enum class Kind : std::uint8_t { Store, Endpoint, Row };

struct Recovered {
    Machine machine;
    std::uint64_t valid_bytes = 0;  ///< cut the file to this, and sync it, before appending
    /// What a crash may have kept from being reported; what was reported before is among it.
    std::vector<events::Event> found;
};
/// The resource as its file has it; takes any bytes. `fencing` is a store's.
Recovered recover(Kind kind, Fencing fencing, std::span<const std::byte> file);

inline void step(Machine& machine, Input&& input, Effects& effects) {
    std::visit([&](auto& m) { m.step(std::move(input), effects); }, machine);
}

void encode(const Entry& entry, Writer& out);
/// A file that says all that matters of the machine's state, for one that has grown too long. To be
/// asked for when everything is durable and said: what it leaves out is never reported again.
void encode_file(const Machine& machine, Writer& out);

}  // namespace lockstep::resource
