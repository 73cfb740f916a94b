#include "lease_file.hpp"

#include "storage.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

namespace lease_file {

using namespace lockstep;

namespace {

constexpr world::Setting<bool> atomic{"atomic", false,
                                      "write only if nobody has written since the file was read"};
constexpr world::Setting<Duration> settle{
    "settle", milliseconds(300), "how long to wait before looking whose name is in the file"};
constexpr world::Setting<Duration> poll{"poll", milliseconds(250),
                                        "how long to wait before looking again at a held lock"};

class Client final : public world::GuestClient {
public:
    Client(sim::Process& process, world::Reporter& reporter, world::ClientSlot slot,
           const scenario::Resolved& settings, sim::ProcessId storage)
        : GuestClient(process, reporter, slot),
          settings_(settings),
          storage_(storage),
          usable_(shrink(settings.ttl, settings.drift_bound) - settings.margin),
          // Grows over the lives of the process, so that no answer to an earlier one is taken.
          last_id_((std::uint64_t{process.life()} << 32) + (std::uint64_t{slot.index} << 24)) {}

    bool on_message(sim::Envelope& message) override {
        if (!message.payload.holds<FileReply>()) return false;
        const auto& reply = message.payload.get<FileReply>();
        if (reply.id != waiting_for_) return false;
        reply_ = reply.content;
        replied_.notify_all();
        return true;
    }

protected:
    Answer ask(const Ask& ask) override {
        const LocalTime until = after(ask.wait_max);
        while (const auto file = call(ReadFile{0, ask.lock}, until)) {
            Seen& seen = seen_[ask.lock];
            const LocalTime now = process().now();
            if (file->stamp != seen.stamp) seen = {file->stamp, now};
            // Nobody's clock is compared with another's: a lease is over when its file has stood
            // still for a whole lease, as this client has seen it.
            const bool abandoned = file->owner && now - seen.since >= settings_.ttl;
            if (abandoned)
                note("has seen nothing happen to the lease file of {} for a whole lease",
                     name_of(ask.lock));
            if (!file->owner || abandoned)
                if (const auto mine = take(ask, *file, until))
                    return granted(FencingToken(mine->version), now + usable_);
            if (process().now() >= until) break;
            process().sleep(poll.in(settings_));
        }
        return timed_out();
    }

    bool give_up(LockId lock, SessionId session, const Grant&, Duration patience) override {
        const LocalTime until = after(patience);
        const std::uint64_t mine = stamp_of(session);
        if (!atomic.in(settings_)) {
            const auto file = call(ReadFile{0, lock}, until);
            if (!file || file->stamp != mine) return false;
        }
        const auto file = call(write(lock, mine + 1, {}, mine), until);
        return file && file->stamp == mine + 1;
    }

private:
    struct Seen {
        std::uint64_t stamp = 0;
        LocalTime since;
    };

    /// Two stamps a session: of its name in the file, and of its taking it out again.
    static std::uint64_t stamp_of(SessionId session) { return session.value * 2; }
    const std::string& name_of(LockId lock) const { return settings_.locks[lock.value - 1]; }

    WriteFile write(LockId lock, std::uint64_t stamp, NodeId owner, std::uint64_t seen) const {
        return {0, lock, stamp, owner, atomic.in(settings_), seen};
    }

    /// The file with this client's name in it, if it has come to that.
    std::optional<Content> take(const Ask& ask, const Content& file, LocalTime until) {
        const std::uint64_t stamp = stamp_of(ask.session);
        note("writes its name into the lease file of {}", name_of(ask.lock));
        auto now = call(write(ask.lock, stamp, process().id(), file.stamp), until);
        if (now && !atomic.in(settings_)) {
            // Somebody else may have found the file free at the same time, and written after us.
            // Let everybody finish writing, and see who was last: that one has the lock.
            process().sleep(settle.in(settings_));
            now = call(ReadFile{0, ask.lock}, until);
        }
        if (!now) return std::nullopt;
        const bool mine = now->stamp == stamp;
        note("reads {} name in the lease file of {}", mine ? "its own" : "another's",
             name_of(ask.lock));
        return mine ? now : std::nullopt;
    }

    /// Asks the storage, again and again, until it answers; nothing if it has not by then.
    template <class Request>
    std::optional<Content> call(Request request, LocalTime until) {
        request.id = waiting_for_ = ++last_id_;
        reply_.reset();
        while (!reply_ && process().now() < until) {
            process().send(storage_, sim::Payload::make(Request(request)));
            const LocalTime again = std::min(until, after(seconds(1)));
            while (!reply_ && process().wait_until(replied_, again)) {
            }
        }
        waiting_for_ = 0;
        return reply_;
    }

    const scenario::Resolved& settings_;
    const sim::ProcessId storage_;
    const Duration usable_;  ///< of a lease, by this client's clock
    std::map<LockId, Seen> seen_;
    std::uint64_t last_id_;
    std::uint64_t waiting_for_ = 0;
    std::optional<Content> reply_;
    sim::Condition replied_;
};

class LeaseFile final : public world::GuestService {
public:
    using GuestService::GuestService;

    std::unique_ptr<sim::Program> make_server(sim::Process&, std::size_t) override {
        return std::make_unique<Storage>(settings().locks.size());
    }
    std::unique_ptr<world::LockClient> make_client(sim::Process& process,
                                                   world::ClientSlot slot) override {
        return std::make_unique<Client>(process, reporter(), slot, settings(), servers().front());
    }
};

}  // namespace

std::unique_ptr<world::Service> make(const scenario::Resolved& settings,
                                     world::Recorder& recorder) {
    return std::make_unique<LeaseFile>(settings, recorder);
}

world::ServiceFace face() {
    world::ServiceFace face;
    face.about = "a lease file on shared storage, to be found wanting";
    face.messages = {world::request<ReadFile>(), world::request<WriteFile>(),
                     world::answer<FileReply>()};
    face.settings = {atomic, settle, poll};
    return face;
}

}  // namespace lease_file
