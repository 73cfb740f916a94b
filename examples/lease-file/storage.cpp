#include "storage.hpp"

#include <utility>

namespace lease_file {

using namespace lockstep;

namespace {

std::string name_of(LockId lock) {
    return "lease-" + std::to_string(lock.value);
}

}  // namespace

void Storage::start(sim::Process& process) {
    for (std::uint32_t i = 1; i <= locks_; ++i) {
        const std::vector<std::byte> bytes = process.disk().read(name_of(LockId(i)));
        Reader in(bytes);
        Content& content = files_[LockId(i)];
        if (!bytes.empty()) content = {in.u64(), in.u64(), in.id<NodeId>()};
        // A disk that lies must not lead to a lock that lies: nothing is served from damage.
        damaged_ = damaged_ || in.failed();
    }
}

void Storage::on_message(sim::Process& process, sim::Envelope& message) {
    if (damaged_) return;
    if (message.payload.holds<ReadFile>()) {
        const auto& request = message.payload.get<ReadFile>();
        reply(process, message.from, request.id, request.lock);
    } else if (message.payload.holds<WriteFile>()) {
        writes_.push_back({message.from, message.payload.get<WriteFile>()});
        if (writes_.size() == 1) next_write(process);
    }
}

void Storage::next_write(sim::Process& process) {
    while (!writes_.empty()) {
        const Write& write = writes_.front();
        const std::uint64_t there = files_[write.request.lock].stamp;
        const bool repeated = there == write.request.stamp;
        const bool refused = write.request.if_match && there != write.request.expected;
        if (!repeated && !refused) return store(process, write);
        reply(process, write.from, write.request.id, write.request.lock);
        writes_.pop_front();
    }
}

/// Beside the old file, then in its place: whatever happens, one of the two is there.
void Storage::store(sim::Process& process, const Write& write) {
    const LockId lock = write.request.lock;
    const Content content{files_[lock].version + 1, write.request.stamp, write.request.owner};
    Writer out;
    out.u64(content.version);
    out.u64(content.stamp);
    out.id(content.owner);
    sim::Disk& disk = process.disk();
    const std::string file = name_of(lock);
    if (disk.exists(file + ".new")) disk.truncate(file + ".new", 0);
    if (!disk.append(file + ".new", out.bytes())) return process.fail();
    disk.sync(file + ".new", [this, &process, file, content](bool written) {
        if (!written) return process.fail();
        process.disk().rename(file + ".new", file);
        process.disk().sync_dir([this, &process, content](bool renamed) {
            if (!renamed) return process.fail();
            const Write done = writes_.front();
            writes_.pop_front();
            files_[done.request.lock] = content;
            reply(process, done.from, done.request.id, done.request.lock);
            next_write(process);
        });
    });
}

void Storage::reply(sim::Process& process, sim::ProcessId to, std::uint64_t id, LockId lock) {
    process.send(to, sim::Payload::make(FileReply{id, files_[lock]}));
}

}  // namespace lease_file
