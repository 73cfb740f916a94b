#include "scenarios/world/resource_program.hpp"

#include "scenarios/world/payloads.hpp"
#include "sim/disk.hpp"

#include <algorithm>
#include <utility>

namespace lockstep::world {
namespace {

constexpr std::string_view file = "record";
constexpr std::string_view new_file = "record.new";

}  // namespace

ResourceProgram::ResourceProgram(sim::Process& process, Recorder& recorder,
                                 const Settings& settings)
    : process_(process), recorder_(recorder), settings_(settings) {}

// What was read may still be in the cache alone, left there by a life that was killed, and so may
// the file's name. Nothing is answered on the strength of it before it is on the disk, and what a
// crash tore is cut off.
void ResourceProgram::start(sim::Process&) {
    sim::Disk& disk = process_.disk();
    if (disk.exists(new_file)) disk.remove(new_file);
    auto recovered = resource::recover(settings_.kind, settings_.fencing, disk.read(file));
    if (!disk.exists(file)) return begin(std::move(recovered));
    disk.truncate(file, recovered.valid_bytes);
    disk.sync(file, [this, recovered = std::move(recovered)](bool ok) mutable {
        if (!ok) return fail(false);
        process_.disk().sync_dir([this, recovered = std::move(recovered)](bool named) mutable {
            if (!named) return fail(false);
            begin(std::move(recovered));
        });
    });
}

void ResourceProgram::begin(resource::Recovered&& recovered) {
    for (const events::Event& event : recovered.found) recorder_.emit(process_.id(), event);
    machine_.emplace(std::move(recovered.machine));
}

void ResourceProgram::on_message(sim::Process&, sim::Envelope& message) {
    if (!machine_ || !message.payload.holds<wire::ResourceRequest>()) return;
    resource::step(*machine_,
                   resource::Request{message.from, message.payload.get<wire::ResourceRequest>()},
                   effects_);
    pump();
}

void ResourceProgram::pump() {
    for (const auto& event : effects_.events) recorder_.emit(process_.id(), event);
    for (auto& reply : effects_.replies)
        process_.send(reply.to, sim::Payload::make(std::move(reply.reply)));
    encoded_.clear();
    for (const auto& persist : effects_.persist) {
        resource::encode(persist.entry, rewriting_ ? held_ : encoded_);
        written_ = persist.id;
    }
    const bool wrote = !effects_.persist.empty();
    effects_.clear();
    if (!wrote || rewriting_ || !append(file, encoded_.bytes())) return;
    sync();
}

// One sync at a time; what is written meanwhile shares the next one.
void ResourceProgram::sync() {
    if (syncing_ || written_ == 0) return;
    syncing_ = true;
    process_.disk().sync(file, [this, covers = written_](bool ok) {
        syncing_ = false;
        if (!ok) return fail(false);
        synced(covers);
    });
}

void ResourceProgram::synced(std::uint64_t covers) {
    if (!machine_) return;
    resource::step(*machine_, resource::Persisted{covers}, effects_);
    pump();
    if (written_ > covers) return sync();
    if (machine_ && too_long()) rewrite();
}

bool ResourceProgram::append(std::string_view to, std::span<const std::byte> bytes) {
    if (process_.disk().append(to, bytes)) return true;
    fail(true);
    return false;
}

bool ResourceProgram::too_long() const {
    return process_.disk().size(file) > std::max(settings_.file_bytes, 2 * shortest_);
}

void ResourceProgram::rewrite() {
    encoded_.clear();
    resource::encode_file(*machine_, encoded_);
    if (!append(new_file, encoded_.bytes())) return;
    rewriting_ = true;
    process_.disk().sync(new_file, [this](bool ok) {
        if (!ok) return fail(false);
        renamed();
    });
}

void ResourceProgram::renamed() {
    process_.disk().rename(new_file, file);
    process_.disk().sync_dir([this](bool ok) {
        if (!ok) return fail(false);
        rewritten();
    });
}

void ResourceProgram::rewritten() {
    rewriting_ = false;
    shortest_ = process_.disk().size(file);
    if (held_.size() == 0) return;
    const bool fits = append(file, held_.bytes());
    held_.clear();
    if (fits) sync();
}

// The process is started again a second later, and finds what there is.
void ResourceProgram::fail(bool full) {
    recorder_.emit(process_.id(), events::StorageFailed{full});
    machine_.reset();
    process_.fail();
}

}  // namespace lockstep::world
