#include "core/wire/codec.hpp"

#include "core/wire/fields.hpp"

namespace lockstep::wire {
namespace {

struct RequestName {
    std::string_view operator()(const Open&) const { return "open"; }
    std::string_view operator()(const KeepAlive&) const { return "keep-alive"; }
    std::string_view operator()(const Close&) const { return "close"; }
    std::string_view operator()(const Acquire&) const { return "acquire"; }
    std::string_view operator()(const Cancel&) const { return "cancel"; }
    std::string_view operator()(const Release&) const { return "release"; }
};

struct ReplyName {
    std::string_view operator()(const NotLeader&) const { return "not-leader"; }
    std::string_view operator()(const OpenReply&) const { return "open-reply"; }
    std::string_view operator()(const KeepAliveReply&) const { return "keep-alive-reply"; }
    std::string_view operator()(const Busy&) const { return "busy"; }
    std::string_view operator()(const RequestReply& m) const {
        switch (m.operation) {
            // These two have replies of their own. The bytes of a request reply can name them all
            // the same, so there is a name for it.
            case Operation::Open:
                return "open-request-reply";
            case Operation::KeepAlive:
                return "keep-alive-request-reply";
            case Operation::Close:
                return "close-reply";
            case Operation::Acquire:
                return "acquire-reply";
            case Operation::Cancel:
                return "cancel-reply";
            case Operation::Release:
                return "release-reply";
        }
        return "request-reply";
    }
};

struct ResourceName {
    std::string_view operator()(const Write&) const { return "write"; }
    std::string_view operator()(const Read&) const { return "read"; }
    std::string_view operator()(const Call&) const { return "call"; }
    std::string_view operator()(const CallReply&) const { return "call-reply"; }
    std::string_view operator()(const WriteReply&) const { return "write-reply"; }
    std::string_view operator()(const ReadReply&) const { return "read-reply"; }
};

}  // namespace

void encode(const Request& message, Writer& out) {
    encode_variant(message, out);
}
void encode(const Reply& message, Writer& out) {
    encode_variant(message, out);
}
void encode(const ResourceRequest& message, Writer& out) {
    encode_variant(message, out);
}
void encode(const ResourceReply& message, Writer& out) {
    encode_variant(message, out);
}

bool decode(Reader& in, Request& message) {
    return decode_variant(in, message);
}
bool decode(Reader& in, Reply& message) {
    return decode_variant(in, message);
}
bool decode(Reader& in, ResourceRequest& message) {
    return decode_variant(in, message);
}
bool decode(Reader& in, ResourceReply& message) {
    return decode_variant(in, message);
}

std::string_view kind_name(const Request& message) {
    return std::visit(RequestName{}, message);
}
std::string_view kind_name(const Reply& message) {
    return std::visit(ReplyName{}, message);
}
std::string_view kind_name(const ResourceRequest& message) {
    return std::visit(ResourceName{}, message);
}
std::string_view kind_name(const ResourceReply& message) {
    return std::visit(ResourceName{}, message);
}

std::string to_string(const Request& message) {
    return print_variant(kind_name(message), message);
}
std::string to_string(const Reply& message) {
    return print_variant(kind_name(message), message);
}
std::string to_string(const ResourceRequest& message) {
    return print_variant(kind_name(message), message);
}
std::string to_string(const ResourceReply& message) {
    return print_variant(kind_name(message), message);
}

}  // namespace lockstep::wire
