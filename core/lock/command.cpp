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
    f("delay", m.delay);
}
void fields(wire::Is<EndHold> auto& m, auto&& f) {
    f("lock", m.lock);
    f("token", m.token);
    f("term", m.term);
}
void fields(wire::Is<EndDelay> auto& m, auto&& f) {
    f("lock", m.lock);
    f("token", m.token);
    f("term", m.term);
}
void fields(wire::Is<ClearCheckpoint> auto& m, auto&& f) {
    f("session", m.session);
}

// The one command with a list, which wire's fields do not know.
void write(const Checkpoint& m, Writer& out) {
    out.id(m.term);
    out.varint(m.leases.size());
    for (const Remaining& lease : m.leases) {
        out.id(lease.session);
        out.duration(lease.left);
    }
}
void read(Reader& in, Checkpoint& m) {
    m.term = in.id<Term>();
    m.leases.clear();
    SessionId last;
    for (std::size_t left = in.count(); left > 0 && !in.failed(); --left) {
        const auto session = in.id<SessionId>();
        const Duration remaining = in.duration();
        if (session <= last || remaining.ns < 0) in.fail();
        last = session;
        m.leases.push_back({session, remaining});
    }
}
void print(const Checkpoint& m, std::string& text) {
    wire::FieldPrinter printer(text);
    printer("term", m.term);
    printer("sessions", std::uint64_t{m.leases.size()});
}

void write(const auto& m, Writer& out) {
    fields(m, wire::FieldWriter(out));
}
void read(Reader& in, auto& m) {
    fields(m, wire::FieldReader(in));
}
void print(const auto& m, std::string& text) {
    fields(m, wire::FieldPrinter(text));
}

struct Name {
    std::string_view operator()(const Open&) const { return "open"; }
    std::string_view operator()(const Close&) const { return "close"; }
    std::string_view operator()(const Acquire&) const { return "acquire"; }
    std::string_view operator()(const Cancel&) const { return "cancel"; }
    std::string_view operator()(const Release&) const { return "release"; }
    std::string_view operator()(const Expire&) const { return "expire"; }
    std::string_view operator()(const EndHold&) const { return "end-hold"; }
    std::string_view operator()(const EndDelay&) const { return "end-delay"; }
    std::string_view operator()(const Checkpoint&) const { return "checkpoint"; }
    std::string_view operator()(const ClearCheckpoint&) const { return "clear-checkpoint"; }
};

}  // namespace

Blob encode(const Command& command) {
    Writer out;
    out.u8(static_cast<std::uint8_t>(command.index()));
    std::visit([&](const auto& m) { write(m, out); }, command);
    return Blob::copy_of(out.bytes());
}

bool decode(std::span<const std::byte> bytes, Command& command) {
    Reader in(bytes);
    const std::size_t index = in.u8();
    if (index >= std::variant_size_v<Command>) return false;
    wire::emplace_alternative(index, command);
    std::visit([&](auto& m) { read(in, m); }, command);
    return in.done();
}

std::string to_string(const Command& command) {
    std::string text(std::visit(Name{}, command));
    std::visit([&](const auto& m) { print(m, text); }, command);
    return text;
}

}  // namespace lockstep::lock
