#include "core/resource/machine.hpp"

#include "core/resource/record_codec.hpp"

namespace lockstep::resource {
namespace {

std::vector<events::Event> reports(const std::vector<Record>& writes) {
    std::vector<events::Event> found;
    for (const Record& w : writes)
        found.emplace_back(
            events::WriteRecovered{w.token, w.n, w.op, w.read_version, w.version - 1, w.version});
    return found;
}

Recovered recover_endpoint(std::span<const std::byte> file) {
    const RecoveredCalls recovered = recover_calls(file);
    Endpoint endpoint;
    std::vector<events::Event> found;
    const std::size_t all = recovered.calls.size();
    for (std::size_t i = 0; i < all; ++i) {
        const TakenCall& call = recovered.calls[i];
        endpoint.restore(call);
        if (i + last_writes_kept >= all)
            found.emplace_back(events::CallRecovered{call.key, call.op, call.token});
    }
    return {std::move(endpoint), recovered.valid_bytes, std::move(found)};
}

}  // namespace

Recovered recover(Kind kind, Fencing fencing, std::span<const std::byte> file) {
    if (kind == Kind::Endpoint) return recover_endpoint(file);
    RecoveredRecord recovered = recover(file);
    std::vector<events::Event> found = reports(recovered.last_writes);
    if (kind == Kind::Row) return {Row(recovered.record), recovered.valid_bytes, std::move(found)};
    return {Store(fencing, recovered.record), recovered.valid_bytes, std::move(found)};
}

void encode(const Entry& entry, Writer& out) {
    std::visit([&](const auto& e) { encode(e, out); }, entry);
}

void encode_file(const Machine& machine, Writer& out) {
    if (const auto* endpoint = std::get_if<Endpoint>(&machine))
        return endpoint->for_each([&](const TakenCall& call) { encode(call, out); });
    if (const auto* row = std::get_if<Row>(&machine)) return encode(row->record(), out);
    encode(std::get<Store>(machine).record(), out);
}

}  // namespace lockstep::resource
