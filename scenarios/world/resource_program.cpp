#include "scenarios/world/resource_program.hpp"

#include "scenarios/world/payloads.hpp"
#include "sim/disk.hpp"

#include <utility>

namespace lockstep::world {
namespace {

constexpr std::string_view file = "record";

}  // namespace

ResourceProgram::ResourceProgram(sim::Process& process, Recorder& recorder, resource::Fencing mode)
    : process_(process), recorder_(recorder), mode_(mode) {}

// What was read may still be in the cache alone, left there by a life that was killed. Nothing is
// answered on the strength of it before it is on the disk, and what a crash tore is cut off.
void ResourceProgram::start(sim::Process&) {
    sim::Disk& disk = process_.disk();
    auto recovered = resource::recover(disk.read(file));
    if (!disk.exists(file)) return begin(recovered);
    disk.truncate(file, recovered.valid_bytes);
    disk.sync(file, [this, recovered = std::move(recovered)](bool) { begin(recovered); });
}

void ResourceProgram::begin(const resource::RecoveredRecord& recovered) {
    for (const resource::Record& w : recovered.last_writes)
        recorder_.emit(process_.id(), events::WriteRecovered{w.token, w.n, w.op, w.read_version,
                                                             w.version - 1, w.version});
    store_.emplace(mode_, recovered.record);
}

void ResourceProgram::on_message(sim::Process&, sim::Envelope& message) {
    if (!store_ || !message.payload.holds<wire::ResourceRequest>()) return;
    store_->step(resource::Request{message.from, message.payload.get<wire::ResourceRequest>()},
                 effects_);
    pump();
}

void ResourceProgram::pump() {
    for (const auto& event : effects_.events) recorder_.emit(process_.id(), event);
    for (auto& reply : effects_.replies)
        process_.send(reply.to, sim::Payload::make(std::move(reply.reply)));
    for (const auto& persist : effects_.persist) {
        encoded_.clear();
        resource::encode(persist.record, encoded_);
        process_.disk().append(file, encoded_.bytes());
        written_ = persist.id;
    }
    const bool wrote = !effects_.persist.empty();
    effects_.clear();
    if (wrote) sync();
}

// One sync at a time; what is written meanwhile shares the next one.
void ResourceProgram::sync() {
    if (syncing_ || written_ == 0) return;
    syncing_ = true;
    process_.disk().sync(file, [this, covers = written_](bool) {
        syncing_ = false;
        store_->step(resource::Persisted{covers}, effects_);
        pump();
        if (written_ > covers) sync();
    });
}

}  // namespace lockstep::world
