// Every decoder takes any bytes; what one takes, encoding gives back byte for byte. The first byte
// chooses the decoder.
#include "core/lock/command.hpp"
#include "core/lock/table.hpp"
#include "core/raft/codec.hpp"
#include "core/wire/codec.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <algorithm>

namespace {

using namespace lockstep;

template <class Message, class Decode, class Encode>
void there_and_back(std::span<const std::byte> bytes, Decode&& decode, Encode&& encode) {
    Reader in(bytes);
    Message message{};
    if (!decode(in, message)) return;
    Writer out;
    encode(message, out);
    const auto taken = bytes.first(bytes.size() - in.left());
    fuzz::demand(std::ranges::equal(out.bytes(), taken), "another spelling of a message");
}

template <class Message>
void wire_message(std::span<const std::byte> bytes) {
    there_and_back<Message>(
        bytes, [](Reader& in, Message& m) { return wire::decode(in, m); },
        [](const Message& m, Writer& out) {
            wire::encode(m, out);
            (void)wire::to_string(m);
        });
}

void raft_message(std::span<const std::byte> bytes) {
    there_and_back<raft::Message>(
        bytes, [](Reader& in, raft::Message& m) { return raft::decode(in, m); },
        [](const raft::Message& m, Writer& out) {
            raft::encode(m, out);
            (void)raft::to_string(m);
        });
}

void command(std::span<const std::byte> bytes) {
    lock::Command command;
    if (!lock::decode(bytes, command)) return;
    fuzz::demand(std::ranges::equal(lock::encode(command).bytes(), bytes),
                 "another spelling of a command");
    lock::Table table;
    lock::Outcome outcome;
    table.apply(command, LogIndex(1), Term(1), outcome);
}

/// A table that is taken is consistent: no entry makes it fail an assertion.
void table(std::span<const std::byte> bytes) {
    auto table = lock::Table::decode(bytes);
    if (!table) return;
    Writer out;
    table->encode(out);
    fuzz::demand(std::ranges::equal(out.bytes(), bytes), "another spelling of a table");
    std::vector<SessionId> sessions;
    table->for_each_session([&](SessionId id, auto&&...) { sessions.push_back(id); });
    lock::Outcome outcome;
    const std::uint64_t limit = table->applied().value + sessions.size();
    if (limit < table->applied().value) return;  // the log's last index
    for (const SessionId id : sessions)
        table->apply(lock::Close{id, RequestSeq(1)}, LogIndex(table->applied().value + 1), Term(1),
                     outcome);
    fuzz::demand(table->session_count() == 0, "a session that was closed lives on");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const auto bytes = fuzz::bytes_of(data + 1, size - 1);
    switch (data[0] % 7) {
        case 0:
            wire_message<wire::Request>(bytes);
            break;
        case 1:
            wire_message<wire::Reply>(bytes);
            break;
        case 2:
            wire_message<wire::ResourceRequest>(bytes);
            break;
        case 3:
            wire_message<wire::ResourceReply>(bytes);
            break;
        case 4:
            raft_message(bytes);
            break;
        case 5:
            command(bytes);
            break;
        default:
            table(bytes);
    }
    return 0;
}
