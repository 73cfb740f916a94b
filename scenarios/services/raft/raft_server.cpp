#include "scenarios/services/raft/raft_server.hpp"

#include "core/base/assert.hpp"
#include "core/raft/wal.hpp"
#include "scenarios/services/raft/raft_payload.hpp"

#include <utility>

namespace lockstep::services {
namespace {

constexpr std::string_view log_file = "log";
constexpr std::string_view new_file = "log.new";
constexpr sim::TimerId wake_timer = 0;

/// Events that applying an entry makes, the same on every replica.
bool made_by_applying(const events::Event& event) {
    return std::holds_alternative<events::SessionOpened>(event) ||
           std::holds_alternative<events::Granted>(event) ||
           std::holds_alternative<events::Queued>(event) ||
           std::holds_alternative<events::Refused>(event) ||
           std::holds_alternative<events::Released>(event) ||
           std::holds_alternative<events::Cancelled>(event) ||
           std::holds_alternative<events::SessionEnded>(event) ||
           std::holds_alternative<events::HoldEnded>(event) ||
           std::holds_alternative<events::DelayStarted>(event) ||
           std::holds_alternative<events::DelayEnded>(event) ||
           std::holds_alternative<events::LeasesCheckpointed>(event) ||
           std::holds_alternative<events::CheckpointCleared>(event);
}

}  // namespace

RaftServer::RaftServer(sim::Process& process, world::Recorder& recorder, FirstApplier& applier,
                       server::Config config)
    : process_(process), recorder_(recorder), applier_(applier), config_(std::move(config)) {}

// What was read may still be in the cache alone, left there by a life that was killed: the bytes,
// and the name, if that life was about to replace the file. The replica takes it for durable, so
// both are made durable first, and a torn tail is cut off.
void RaftServer::start(sim::Process&) {
    sim::Disk& disk = process_.disk();
    if (disk.exists(new_file)) disk.remove(new_file);
    auto recovery = raft::wal::recover(disk.read(log_file));
    if (recovery.refused) {
        recorder_.emit(process_.id(), events::StorageRefused{recovery.valid_bytes});
        return;
    }
    if (!disk.exists(log_file)) return begin(std::move(recovery.stored));
    if (recovery.torn) {
        recorder_.emit(process_.id(), events::TornTailCut{recovery.valid_bytes});
        disk.truncate(log_file, recovery.valid_bytes);
    }
    disk.sync(log_file, [this, stored = std::move(recovery.stored)](bool ok) mutable {
        if (!ok) return storage_failed(false);
        process_.disk().sync_dir([this, stored = std::move(stored)](bool named) mutable {
            if (!named) return storage_failed(false);
            begin(std::move(stored));
        });
    });
}

// What was written may be gone, and a later sync would not bring it back: only a new life, which
// reads what is there, can go on. Syncs that were asked for together fail together.
void RaftServer::storage_failed(bool full) {
    if (failed_) return;
    failed_ = true;
    recorder_.emit(process_.id(), events::StorageFailed{full});
    process_.fail();
}

void RaftServer::begin(raft::Stored stored) {
    server_.emplace(config_, std::move(stored), Prng(process_.prng().next()), process_.now(),
                    effects_);
    pump();
}

void RaftServer::on_message(sim::Process&, sim::Envelope& message) {
    if (message.payload.holds<raft::Message>())
        step(server::Input(std::in_place_type<server::PeerMessage>, message.from,
                           std::move(message.payload.get<raft::Message>())));
    else if (message.payload.holds<wire::Request>())
        step(server::Input(std::in_place_type<server::ClientRequest>, message.from,
                           message.payload.get<wire::Request>()));
}

void RaftServer::on_timer(sim::Process&, sim::TimerId) {
    step(server::Tick{});
}

void RaftServer::on_reset(sim::Process&, sim::ProcessId peer) {
    step(server::LinkReset{peer});
}

void RaftServer::step(server::Input&& input) {
    if (!server_ || failed_) return;
    server_->step(std::move(input), process_.now(), effects_);
    pump();
}

void RaftServer::pump() {
    report();
    for (auto& send : effects_.to_peers)
        process_.send(send.to, sim::Payload::make(std::move(send.message)));
    for (auto& reply : effects_.replies)
        process_.send(reply.to, sim::Payload::make(std::move(reply.reply)));
    if (!effects_.persist.empty()) write();
    effects_.clear();
    process_.set_timer(wake_timer, server_->wake_at());
}

void RaftServer::report() {
    bool first = false;
    for (const auto& event : effects_.events) {
        if (const auto* applied = std::get_if<events::Applied>(&event))
            first = applier_.first(applied->index);
        if (first || !made_by_applying(event)) recorder_.emit(process_.id(), event);
    }
}

// While the file is being replaced, what comes after it is held back: it belongs into the new one.
void RaftServer::write() {
    for (const auto& persist : effects_.persist) {
        encoded_.clear();
        if (persist.rewrite)
            raft::wal::encode_file(persist.hard, persist.snapshot, persist.entries, encoded_);
        else
            raft::wal::encode_append(persist, encoded_);
        if (rewriting_ || persist.rewrite) {
            const auto bytes = encoded_.bytes();
            held_.push_back(Job{persist.id, persist.rewrite, {bytes.begin(), bytes.end()}});
        } else if (process_.disk().append(log_file, encoded_.bytes())) {
            written_ = persist.id;
        } else {
            return storage_failed(true);
        }
    }
    if (!rewriting_) write_rewrite();
    sync();
}

// Appends what was held back, up to and with the next rewrite, which is begun.
void RaftServer::write_rewrite() {
    while (!held_.empty() && !held_.front().rewrite) {
        if (!process_.disk().append(log_file, held_.front().bytes)) return storage_failed(true);
        written_ = held_.front().id;
        held_.pop_front();
    }
    if (held_.empty()) return;
    rewriting_ = true;
    sim::Disk& disk = process_.disk();
    if (!disk.append(new_file, held_.front().bytes)) return storage_failed(true);
    disk.sync(new_file, [this](bool ok) {
        if (!ok) return storage_failed(false);
        process_.disk().rename(new_file, log_file);
        process_.disk().sync_dir([this](bool named) {
            if (!named) return storage_failed(false);
            on_rewritten();
        });
    });
}

void RaftServer::on_rewritten() {
    const PersistId id = held_.front().id;
    held_.pop_front();
    rewriting_ = false;
    written_ = id;
    write_rewrite();
    sync();
    durable(id);
}

void RaftServer::sync() {
    if (syncing_ || rewriting_ || failed_ || !written_) return;
    syncing_ = true;
    process_.disk().sync(log_file, [this, covers = written_](bool ok) {
        if (!ok) return storage_failed(false);
        syncing_ = false;
        // A rewrite that began meanwhile holds the rest; it will come back to sync.
        if (written_ > covers) sync();
        durable(covers);
    });
}

// A sync of the file that a rewrite has replaced may come back after the rewrite did: it says
// nothing new then.
void RaftServer::durable(PersistId id) {
    if (id <= durable_) return;
    durable_ = id;
    step(server::Persisted{id});
}

}  // namespace lockstep::services
