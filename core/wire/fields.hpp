#pragma once

#include "core/base/codec.hpp"
#include "core/events/event.hpp"
#include "core/wire/messages.hpp"

#include <fmt/format.h>

#include <concepts>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

/// The fields of each message, said once for writing, reading and printing.
namespace lockstep::wire {

template <class M, class Message>
concept Is = std::same_as<std::remove_const_t<M>, Message>;

void fields(Is<Open> auto& m, auto&& f) {
    f("nonce", m.nonce);
    f("sending", m.sending);
    f("ttl", m.ttl);
}
void fields(Is<KeepAlive> auto& m, auto&& f) {
    f("session", m.session);
    f("sending", m.sending);
}
void fields(Is<Close> auto& m, auto&& f) {
    f("session", m.session);
    f("seq", m.seq);
}
void fields(Is<Acquire> auto& m, auto&& f) {
    f("session", m.session);
    f("seq", m.seq);
    f("mark", m.mark);
    f("lock", m.lock);
    f("try_only", m.try_only);
}
void fields(Is<Cancel> auto& m, auto&& f) {
    f("session", m.session);
    f("seq", m.seq);
    f("mark", m.mark);
    f("lock", m.lock);
}
void fields(Is<Release> auto& m, auto&& f) {
    f("session", m.session);
    f("seq", m.seq);
    f("mark", m.mark);
    f("lock", m.lock);
    f("token", m.token);
}
void fields(Is<NotLeader> auto& m, auto&& f) {
    f("leader", m.leader);
    f("operation", m.operation);
    f("session", m.session);
    f("seq", m.seq);
}
void fields(Is<OpenReply> auto& m, auto&& f) {
    f("nonce", m.nonce);
    f("sending", m.sending);
    f("status", m.status);
    f("session", m.session);
    f("ttl", m.ttl);
}
void fields(Is<HeldGrant> auto& m, auto&& f) {
    f("lock", m.lock);
    f("seq", m.seq);
    f("token", m.token);
}
void fields(Is<KeepAliveReply> auto& m, auto&& f) {
    f("session", m.session);
    f("sending", m.sending);
    f("status", m.status);
    f("grants", m.grants);
    f("waits", m.waits);
}
void fields(Is<RequestReply> auto& m, auto&& f) {
    f("operation", m.operation);
    f("status", m.status);
    f("session", m.session);
    f("seq", m.seq);
    f("lock", m.lock);
    f("token", m.token);
    f("other_seq", m.other_seq);
}
void fields(Is<Busy> auto& m, auto&& f) {
    f("operation", m.operation);
    f("session", m.session);
    f("seq", m.seq);
    f("nonce", m.nonce);
    f("retry_after", m.retry_after);
}
void fields(Is<Write> auto& m, auto&& f) {
    f("lock", m.lock);
    f("token", m.token);
    f("n", m.n);
    f("op", m.op);
    f("read_version", m.read_version);
    f("value", m.value);
}
void fields(Is<Read> auto& m, auto&& f) {
    f("lock", m.lock);
    f("token", m.token);
    f("op", m.op);
}
void fields(Is<Call> auto& m, auto&& f) {
    f("lock", m.lock);
    f("token", m.token);
    f("key", m.key);
    f("op", m.op);
    f("value", m.value);
}
void fields(Is<CallReply> auto& m, auto&& f) {
    f("op", m.op);
    f("key", m.key);
    f("accepted", m.accepted);
    f("first", m.first);
    f("value", m.value);
}
void fields(Is<WriteReply> auto& m, auto&& f) {
    f("op", m.op);
    f("accepted", m.accepted);
    f("version", m.version);
    f("held_token", m.held_token);
}
void fields(Is<ReadReply> auto& m, auto&& f) {
    f("op", m.op);
    f("accepted", m.accepted);
    f("value", m.value);
    f("version", m.version);
    f("held_token", m.held_token);
}

class FieldWriter {
public:
    explicit FieldWriter(Writer& out) : out_(out) {}
    template <class Tag, class Rep>
    void operator()(const char*, Strong<Tag, Rep> v) {
        out_.id(v);
    }
    void operator()(const char*, std::uint64_t v) { out_.varint(v); }
    void operator()(const char*, bool v) { out_.boolean(v); }
    void operator()(const char*, Duration v) { out_.duration(v); }
    void operator()(const char*, Operation v) { out_.u8(static_cast<std::uint8_t>(v)); }
    void operator()(const char*, AnswerStatus v) { out_.u8(static_cast<std::uint8_t>(v)); }
    void operator()(const char*, const std::vector<HeldGrant>& v) {
        out_.varint(v.size());
        for (const HeldGrant& grant : v) fields(grant, *this);
    }
    void operator()(const char*, const std::vector<RequestSeq>& v) {
        out_.varint(v.size());
        for (const RequestSeq seq : v) out_.id(seq);
    }

private:
    Writer& out_;
};

class FieldReader {
public:
    explicit FieldReader(Reader& in) : in_(in) {}
    template <class Tag, class Rep>
    void operator()(const char*, Strong<Tag, Rep>& v) {
        v = in_.id<Strong<Tag, Rep>>();
    }
    void operator()(const char*, std::uint64_t& v) { v = in_.varint(); }
    void operator()(const char*, bool& v) { v = in_.boolean(); }
    void operator()(const char*, Duration& v) { v = in_.duration(); }
    void operator()(const char*, Operation& v) { v = in_.enumerator<Operation>(operations); }
    void operator()(const char*, AnswerStatus& v) { v = in_.enumerator<AnswerStatus>(statuses); }
    void operator()(const char*, std::vector<HeldGrant>& v) {
        v.clear();
        for (std::size_t left = in_.count(); left > 0 && !in_.failed(); --left)
            fields(v.emplace_back(), *this);
    }
    void operator()(const char*, std::vector<RequestSeq>& v) {
        v.clear();
        for (std::size_t left = in_.count(); left > 0 && !in_.failed(); --left)
            v.push_back(in_.id<RequestSeq>());
    }

private:
    static constexpr std::size_t operations = static_cast<std::size_t>(Operation::Release) + 1;
    static constexpr std::size_t statuses =
        static_cast<std::size_t>(AnswerStatus::LimitReached) + 1;
    Reader& in_;
};

/// ` name=value` for each field.
class FieldPrinter {
public:
    explicit FieldPrinter(std::string& out) : out_(out) {}
    template <class Tag, class Rep>
    void operator()(const char* name, Strong<Tag, Rep> v) {
        print(name, v.value);
    }
    void operator()(const char* name, std::uint64_t v) { print(name, v); }
    void operator()(const char* name, bool v) { print(name, v); }
    void operator()(const char* name, Operation v) { print(name, events::to_string(v)); }
    void operator()(const char* name, AnswerStatus v) { print(name, events::to_string(v)); }
    void operator()(const char* name, Duration v) {
        const bool whole = v.ns % 1'000'000 == 0;
        print(name, fmt::format("{}{}", whole ? v.ns / 1'000'000 : v.ns, whole ? "ms" : "ns"));
    }
    void operator()(const char* name, const std::vector<HeldGrant>& v) {
        fmt::format_to(std::back_inserter(out_), " {}=[", name);
        const char* between = "";
        for (const HeldGrant& grant : v) {
            fmt::format_to(std::back_inserter(out_), "{}{}:{}/{}", std::exchange(between, ","),
                           grant.lock.value, grant.seq.value, grant.token.value);
        }
        out_ += ']';
    }
    void operator()(const char* name, const std::vector<RequestSeq>& v) {
        fmt::format_to(std::back_inserter(out_), " {}=[", name);
        const char* between = "";
        for (const RequestSeq seq : v)
            fmt::format_to(std::back_inserter(out_), "{}{}", std::exchange(between, ","),
                           seq.value);
        out_ += ']';
    }

private:
    void print(const char* name, const auto& value) {
        fmt::format_to(std::back_inserter(out_), " {}={}", name, value);
    }
    std::string& out_;
};

/// A variant as the number of its alternative and that one's fields.
template <class Variant>
void encode_variant(const Variant& message, Writer& out) {
    out.u8(static_cast<std::uint8_t>(message.index()));
    std::visit([&](const auto& m) { fields(m, FieldWriter(out)); }, message);
}

template <class Variant, std::size_t I = 0>
void emplace_alternative(std::size_t index, Variant& message) {
    if constexpr (I < std::variant_size_v<Variant>) {
        if (index == I)
            message.template emplace<I>();
        else
            emplace_alternative<Variant, I + 1>(index, message);
    }
}

template <class Variant>
bool decode_variant(Reader& in, Variant& message) {
    const std::size_t index = in.u8();
    if (index >= std::variant_size_v<Variant>) in.fail();
    if (in.failed()) return false;
    emplace_alternative(index, message);
    std::visit([&](auto& m) { fields(m, FieldReader(in)); }, message);
    return !in.failed();
}

template <class Variant>
std::string print_variant(std::string_view kind, const Variant& message) {
    std::string text(kind);
    std::visit([&](const auto& m) { fields(m, FieldPrinter(text)); }, message);
    return text;
}

}  // namespace lockstep::wire
