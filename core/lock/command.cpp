#include "core/lock/command.hpp"

#include "core/wire/fields.hpp"

namespace lockstep::lock {
namespace {

/// Beside wire's, which the commands that clients ask for share.
void fields(wire::Is<Open> auto& m, auto&& f) {
    f("nonce", m.nonce);
    f("ttl", m.ttl);
    f("client", m.client);
}
void fields(wire::Is<Expire> auto& m, auto&& f) {
    f("session", m.session);
    f("term", m.term);
}

struct Name {
    std::string_view operator()(const Open&) const { return "open"; }
    std::string_view operator()(const Close&) const { return "close"; }
    std::string_view operator()(const Acquire&) const { return "acquire"; }
    std::string_view operator()(const Cancel&) const { return "cancel"; }
    std::string_view operator()(const Release&) const { return "release"; }
    std::string_view operator()(const Expire&) const { return "expire"; }
};

}  // namespace

Blob encode(const Command& command) {
    Writer out;
    out.u8(static_cast<std::uint8_t>(command.index()));
    std::visit([&](const auto& m) { fields(m, wire::FieldWriter(out)); }, command);
    return Blob::copy_of(out.bytes());
}

bool decode(std::span<const std::byte> bytes, Command& command) {
    Reader in(bytes);
    const std::size_t index = in.u8();
    if (index >= std::variant_size_v<Command>) return false;
    wire::emplace_alternative(index, command);
    std::visit([&](auto& m) { fields(m, wire::FieldReader(in)); }, command);
    return in.done();
}

std::string to_string(const Command& command) {
    std::string text(std::visit(Name{}, command));
    std::visit([&](const auto& m) { fields(m, wire::FieldPrinter(text)); }, command);
    return text;
}

}  // namespace lockstep::lock
