#include "harness/history/writer.hpp"

#include "harness/history/json_writer.hpp"
#include "harness/history/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <vector>

namespace lockstep::history {
namespace {

using harness::LoggedEvent;
using harness::Outcome;

/// Several sessions of one client number their sendings alike.
std::string renewal_id(SessionId session, SendingNo sending) {
    return fmt::format("renew-{}-{}", session.value, sending.value);
}

class Writer {
public:
    Writer(const Outcome& outcome, const scenario::Resolved& settings)
        : outcome_(outcome), settings_(settings) {}

    std::string write();

private:
    struct Held {
        LockId lock;
        SessionId session;
        FencingToken token;
    };
    struct Sending {
        SendingNo number;
        sim::SimTime at;
    };
    struct Session {
        std::vector<Sending> open;  ///< renewals that nothing has been heard of
        sim::SimTime renewed;       ///< the sending that the deadline counts from
        LocalTime deadline;
    };
    struct Client {
        std::vector<Held> held;
        std::vector<Held>
            lapsed;  ///< lost by their deadline; closing their session still frees them
        std::map<std::string, std::pair<Op, std::string>>
            open;  ///< by id: op, and its lock's member
        std::map<SessionId, Session> sessions;
        std::map<Nonce, sim::SimTime> openings;
        SessionId passed;  ///< the session whose deadline passed last
    };

    JsonObject line(Op op, Kind kind, const std::string& id) const;
    void put(const JsonObject& object);
    void call(const JsonObject& object, Op op, const std::string& id);
    bool end(const std::string& id);
    Client& client() { return clients_[process_]; }
    std::string lock_name(LockId lock) const { return outcome_.lock_names.at(lock.value - 1); }
    std::string process_name(sim::ProcessId id) const {
        return outcome_.process_names.at(id.value - 1);
    }
    std::string guarded_by(sim::ProcessId resource) const;
    void give_up_renewals(SessionId session);
    void free(const Held& held);
    void lose(const Held& held);
    template <class Which>
    void lose_if(Which&& which);

    void on(const events::OpenSent&);
    void on(const events::SessionTold&);
    void on(const events::RenewalSent&);
    void on(const events::DeadlineMoved&);
    void on(const events::AcquireCalled&);
    void on(const events::GrantTold&);
    void on(const events::AcquireReturned&);
    void on(const events::ReleaseCalled&);
    void on(const events::ReleaseReturned&);
    void on(const events::CloseCalled&);
    void on(const events::LossTold&);
    void on(const events::SessionOverTold&) {}
    void on(const events::WriteSent&);
    void on(const events::WriteTold&);
    void on(const events::ReadAccepted&);
    void on(const sim::DeadlinePassed&);
    void on(const sim::ProcessStopped&);

    const Outcome& outcome_;
    const scenario::Resolved& settings_;
    std::map<sim::ProcessId, Client> clients_;
    std::map<std::uint64_t, std::pair<sim::ProcessId, std::string>> writes_;  ///< by operation
    std::string out_;
    sim::SimTime at_;
    sim::ProcessId process_;
    std::uint64_t reads_ = 0;
};

std::string request_id(std::string_view what, SessionId session, std::uint64_t number) {
    return fmt::format("{}-{}-{}", what, session.value, number);
}

JsonObject Writer::line(Op op, Kind kind, const std::string& id) const {
    JsonObject out;
    out.number("time", at_.ns).text("process", process_name(process_));
    if (!id.empty()) out.text("id", id);
    out.text("op", to_string(op));
    if (op != Op::Lost) out.text("type", to_string(kind));
    return out;
}

void Writer::put(const JsonObject& object) {
    out_ += object.str();
    out_ += '\n';
}

void Writer::call(const JsonObject& object, Op op, const std::string& id) {
    put(object);
    client().open[id] = {op, ""};
}

/// False if the call is not open: a call of an earlier life, or one that ended.
bool Writer::end(const std::string& id) {
    return client().open.erase(id) > 0;
}

std::string Writer::guarded_by(sim::ProcessId resource) const {
    const std::size_t first = settings_.servers.size() + settings_.clients.size();
    const std::size_t position = resource.value - 1 - first;
    return position < settings_.locks.size() ? settings_.locks[position] : std::string();
}

// Sessions.

void Writer::on(const events::OpenSent& e) {
    if (!e.first) return;
    const std::string id = fmt::format("open-{}", e.nonce.value);
    call(line(Op::Renew, Kind::Call, id), Op::Renew, id);
    client().openings[e.nonce] = at_;
}

void Writer::on(const events::SessionTold& e) {
    const std::string id = fmt::format("open-{}", e.nonce.value);
    if (!end(id)) return;
    put(line(Op::Renew, Kind::Ok, id)
            .number("session", e.session.value)
            .number("ttl", settings_.ttl.ns));
    Session& session = client().sessions[e.session];
    session.renewed = client().openings[e.nonce];
    session.deadline = e.deadline;
    client().openings.erase(e.nonce);
}

void Writer::on(const events::RenewalSent& e) {
    const std::string id = renewal_id(e.session, e.sending);
    call(line(Op::Renew, Kind::Call, id).number("session", e.session.value), Op::Renew, id);
    client().sessions[e.session].open.push_back({e.sending, at_});
}

/// The client does not say which sending was answered, but by how much its deadline moved, which is
/// how much later than the last one it was sent, by its own clock.
void Writer::on(const events::DeadlineMoved& e) {
    Session& session = client().sessions[e.session];
    if (session.open.empty()) return;
    const Duration moved = e.deadline - session.deadline;
    const sim::SimTime sent = session.renewed + moved;
    const auto distance = [&](const Sending& s) { return std::abs((s.at - sent).ns); };
    const auto nearest = std::ranges::min_element(session.open, {}, distance);
    // Answers to those before it can move nothing any more.
    for (auto it = session.open.begin(); it != nearest; ++it) {
        const std::string id = renewal_id(e.session, it->number);
        if (end(id)) put(line(Op::Renew, Kind::Unknown, id));
    }
    const std::string id = renewal_id(e.session, nearest->number);
    if (end(id)) put(line(Op::Renew, Kind::Ok, id).number("ttl", settings_.ttl.ns));
    session.renewed = nearest->at;
    session.deadline = e.deadline;
    session.open.erase(session.open.begin(), nearest + 1);
}

// Locks.

void Writer::on(const events::AcquireCalled& e) {
    const std::string id = request_id("acquire", e.session, e.seq.value);
    call(line(Op::Acquire, Kind::Call, id)
             .text("lock", lock_name(e.lock))
             .number("session", e.session.value),
         Op::Acquire, id);
}

void Writer::on(const events::GrantTold& e) {
    const std::string id = request_id("acquire", e.session, e.seq.value);
    if (!end(id)) return;
    JsonObject ok = line(Op::Acquire, Kind::Ok, id);
    ok.number("token", e.token.value);
    // The service ends a grant by itself after so long, whatever is renewed.
    if (settings_.hold_max > Duration{}) ok.number("ttl", settings_.hold_max.ns);
    put(ok);
    const Held held{e.lock, e.session, e.token};
    // Told at or after the instant of its deadline, it holds nothing.
    if (client().passed == e.session) {
        lose(held);
        client().lapsed.push_back(held);
    } else {
        client().held.push_back(held);
    }
}

void Writer::on(const events::AcquireReturned& e) {
    using events::AcquireOutcome;
    const std::string id = request_id("acquire", e.session, e.seq.value);
    if (e.outcome == AcquireOutcome::Granted || !end(id)) return;
    // A wait that was given up, or a session that ended, may have crossed the grant.
    const bool unclear =
        e.outcome == AcquireOutcome::TimedOut || e.outcome == AcquireOutcome::SessionOver;
    put(line(Op::Acquire, unclear ? Kind::Unknown : Kind::No, id));
}

void Writer::on(const events::ReleaseCalled& e) {
    const std::string id = request_id("release", e.session, e.token.value);
    if (client().open.contains(id)) return;
    call(line(Op::Release, Kind::Call, id)
             .text("lock", lock_name(e.lock))
             .number("token", e.token.value)
             .number("session", e.session.value),
         Op::Release, id);
    std::erase_if(client().held,
                  [&](const Held& h) { return h.lock == e.lock && h.token == e.token; });
}

void Writer::on(const events::ReleaseReturned& e) {
    using events::AnswerStatus;
    const std::string id = request_id("release", e.session, e.token.value);
    if (!end(id)) return;
    const bool no = e.status == AnswerStatus::NotHeld;
    const Kind kind = e.status == AnswerStatus::Ok ? Kind::Ok : no ? Kind::No : Kind::Unknown;
    put(line(Op::Release, kind, id));
}

/// Closing a session asks for the release of all that it holds.
void Writer::on(const events::CloseCalled& e) {
    for (const Held& held : client().lapsed)
        if (held.session == e.session) free(held);
    for (const Held& held : client().held)
        if (held.session == e.session) free(held);
    std::erase_if(client().lapsed, [&](const Held& h) { return h.session == e.session; });
    std::erase_if(client().held, [&](const Held& h) { return h.session == e.session; });
    give_up_renewals(e.session);
}

/// A release by the end of its session; nobody says how each of them went.
void Writer::free(const Held& held) {
    const std::string id =
        request_id("close", held.session, held.token.value) + "-" + lock_name(held.lock);
    put(line(Op::Release, Kind::Call, id)
            .text("lock", lock_name(held.lock))
            .number("token", held.token.value)
            .number("session", held.session.value));
    put(line(Op::Release, Kind::Unknown, id));
}

/// What comes of them now concerns nobody.
void Writer::give_up_renewals(SessionId number) {
    const auto session = client().sessions.find(number);
    if (session == client().sessions.end()) return;
    for (const Sending& sending : session->second.open) {
        const std::string id = renewal_id(number, sending.number);
        if (end(id)) put(line(Op::Renew, Kind::Unknown, id));
    }
    client().sessions.erase(session);
}

void Writer::lose(const Held& held) {
    put(line(Op::Lost, Kind::Call, "")
            .text("lock", lock_name(held.lock))
            .number("token", held.token.value)
            .number("session", held.session.value));
}

template <class Which>
void Writer::lose_if(Which&& which) {
    for (const Held& held : client().held)
        if (which(held)) lose(held);
    std::erase_if(client().held, which);
}

void Writer::on(const events::LossTold& e) {
    const auto concerns = [&](const Held& h) { return h.lock == e.lock && h.token == e.token; };
    lose_if(concerns);
    if (e.reason != events::LossReason::DeadlinePassed) return;
    // A client whose deadline has passed closes the session of itself.
    free({e.lock, e.session, e.token});
    std::erase_if(client().lapsed, concerns);
}

void Writer::on(const sim::DeadlinePassed& e) {
    if (events::is_grant_deadline(e.key)) {
        lose_if(
            [&](const Held& h) { return events::grant_deadline_key(h.lock, h.token) == e.key; });
        return;
    }
    client().passed = SessionId(e.key);
    for (const Held& held : client().held)
        if (held.session.value == e.key) client().lapsed.push_back(held);
    lose_if([&](const Held& h) { return h.session.value == e.key; });
    give_up_renewals(client().passed);
}

/// With the process goes whatever it knew.
void Writer::on(const sim::ProcessStopped&) {
    if (!clients_.contains(process_)) return;
    lose_if([](const Held&) { return true; });
    for (const auto& [id, what] : client().open) put(line(what.first, Kind::Unknown, id));
    clients_.erase(process_);
}

// Resources.

void Writer::on(const events::WriteSent& e) {
    const std::string id = fmt::format("write-{}", e.op);
    if (writes_.contains(e.op)) return;  // a repeat
    writes_[e.op] = {process_, id};
    const sim::ProcessId resource(e.resource.value);
    JsonObject out = line(Op::Write, Kind::Call, id);
    out.text("resource", process_name(resource));
    if (const std::string lock = guarded_by(resource); !lock.empty()) out.text("lock", lock);
    out.number("token", e.token.value).number("n", e.n).number("read_version", e.read_version);
    call(out, Op::Write, id);
}

void Writer::on(const events::WriteTold& e) {
    using events::WriteOutcome;
    const std::string id = fmt::format("write-{}", e.op);
    writes_.erase(e.op);
    if (!end(id)) return;
    if (e.outcome == WriteOutcome::Accepted)
        put(line(Op::Write, Kind::Ok, id).number("version", e.version));
    else
        put(line(Op::Write, e.outcome == WriteOutcome::Rejected ? Kind::No : Kind::Unknown, id));
}

void Writer::on(const events::ReadAccepted& e) {
    const std::string id = fmt::format("read-{}", ++reads_);
    JsonObject call = line(Op::Read, Kind::Call, id);
    call.text("resource", process_name(process_));
    // A store that fences no reads takes their tokens for nothing.
    if (settings_.fencing == resource::Fencing::Fenced) call.number("token", e.token.value);
    put(call);
    put(line(Op::Read, Kind::Ok, id).number("version", e.version));
}

std::string Writer::write() {
    out_ = JsonObject()
               .number("lockstep_history", std::uint64_t{1})
               .number("ttl", settings_.ttl.ns)
               .number("drift_ppm", settings_.drift_bound.value)
               .text("lost", "exact")
               .str() +
           "\n";
    for (const LoggedEvent& logged : outcome_.log) {
        at_ = logged.at;
        process_ = logged.process;
        const auto take = [&](const auto& event) {
            if constexpr (requires { on(event); }) on(event);
        };
        if (const auto* event = std::get_if<events::Event>(&logged.what)) std::visit(take, *event);
        if (const auto* event = std::get_if<sim::WorldEvent>(&logged.what))
            std::visit(take, *event);
    }
    return std::move(out_);
}

}  // namespace

std::string history_of(const Outcome& outcome, const scenario::Resolved& settings) {
    return Writer(outcome, settings).write();
}

}  // namespace lockstep::history
