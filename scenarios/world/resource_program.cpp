#include "scenarios/world/resource_program.hpp"

#include "core/resource/record_codec.hpp"
#include "scenarios/world/payloads.hpp"
#include "sim/disk.hpp"

#include <utility>

namespace lockstep::world {
namespace {

constexpr std::string_view file = "record";

}  // namespace

ResourceProgram::ResourceProgram(sim::Process& process, Recorder& recorder, resource::Fencing mode)
    : process_(process),
      recorder_(recorder),
      store_(mode, resource::recover(process.disk().read(file)).record) {}

// A torn tail is cut, durably, before anything is appended behind it.
void ResourceProgram::start(sim::Process&) {
    const auto recovered = resource::recover(process_.disk().read(file));
    if (!process_.disk().exists(file)) return;
    process_.disk().truncate(file, recovered.valid_bytes);
    syncing_ = true;
    process_.disk().sync(file, [this](bool) {
        syncing_ = false;
        sync();
    });
}

void ResourceProgram::on_message(sim::Process&, sim::Envelope& message) {
    if (!message.payload.holds<wire::ResourceRequest>()) return;
    store_.step(resource::Request{message.from, message.payload.get<wire::ResourceRequest>()},
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
        store_.step(resource::Persisted{covers}, effects_);
        pump();
        if (written_ > covers) sync();
    });
}

}  // namespace lockstep::world
