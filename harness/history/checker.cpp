#include "harness/history/checker.hpp"

#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace lockstep::history {
namespace {

/// 2255 counted from 1970: sums with spans stay below the end of time.
constexpr std::int64_t latest_time = 9'000'000'000'000'000'000;

template <class T>
bool agree(Maybe<T>& mine, const Maybe<T>& theirs) {
    if (!theirs) return true;
    if (mine && mine.value != theirs.value) return false;
    mine = theirs;
    return true;
}

bool agree(std::uint32_t& mine, std::string_view theirs, Names& names) {
    if (theirs.empty()) return true;
    const std::uint32_t number = names.number_of(theirs);
    if (mine != no_number && mine != number) return false;
    mine = number;
    return true;
}

std::string called(const OpenCall& call) {
    return fmt::format("the {} called at line {}", to_string(call.op), call.line);
}

}  // namespace

Checker::Checker(const Terms& terms)
    : terms_(terms),
      leases_(terms_, findings_, process_names_, lock_names_),
      resources_(terms_, findings_, process_names_, resource_names_),
      linearity_(terms_, findings_, process_names_, lock_names_) {}

bool Checker::refuse(std::string problem) {
    problem_ = std::move(problem);
    return false;
}

bool Checker::on(const Record& record) {
    if (!in_order(record)) return false;
    last_line_ = record.line;
    const std::uint32_t process = process_names_.number_of(record.process);
    if (process == processes_.size()) processes_.emplace_back();
    seen_ops_ |= std::uint64_t{1} << static_cast<int>(record.op);
    if (record.op == Op::Lost) {
        if (record.kind == Kind::No || record.kind == Kind::Unknown)
            return refuse(
                "lost: a process knows that it lost a lock, or says nothing; allowed are call "
                "and ok, or no type at all");
        if (record.kind == Kind::Ok) return true;  // the call said it
        OpenCall said;
        said.op = Op::Lost;
        said.process = process;
        said.line = record.line;
        said.time = record.time;
        said.session = record.session;
        said.token = record.token;
        if (!record.lock.empty()) said.lock = lock_names_.number_of(record.lock);
        leases_.lost(said, now_);
        linearity_.lost(said);
        return true;
    }
    return record.kind == Kind::Call ? call(record, process) : end(record, process);
}

bool Checker::in_order(const Record& record) {
    if (record.time > latest_time)
        return refuse(fmt::format("time: found {}; allowed are nanoseconds up to {}", record.time,
                                  latest_time));
    if (first_ < 0) linearity_.count_from(first_ = record.time);
    if (record.time + 2 * terms_.clock_error < now_)
        return refuse(
            fmt::format("time goes back by {}; lines are in the order of time{}",
                        harness::span_text(Duration{now_ - record.time}),
                        terms_.clock_error == 0
                            ? ", but for stamps of several clocks (--clock-error)"
                            : fmt::format(", but for twice the clock error, {}",
                                          harness::span_text(Duration{2 * terms_.clock_error}))));
    now_ = std::max(now_, record.time);
    return true;
}

bool Checker::call(const Record& record, std::uint32_t number) {
    Process& process = processes_[number];
    const std::size_t hash = TextHash{}(record.id);
    for (std::size_t i = 0; i < process.hashes.size(); ++i) {
        if (process.hashes[i] != hash || process.calls[i].id != record.id) continue;
        const OpenCall& open = process.calls[i];
        return refuse(record.id.empty()
                          ? fmt::format("process {} calls {} while {} has not ended; calls of one "
                                        "process that overlap need an id each",
                                        record.process, to_string(record.op), called(open))
                          : fmt::format("id {} of process {} is taken: {} has not ended", record.id,
                                        record.process, called(open)));
    }
    ++operations_;
    process.hashes.push_back(hash);
    OpenCall& open = process.calls.emplace_back();
    open.id = record.id;
    open.op = record.op;
    open.process = number;
    open.line = record.line;
    open.time = record.time;
    open.session = record.session;
    open.token = record.token;
    open.n = record.n;
    open.read_version = record.read_version;
    open.version = record.version;
    open.ttl = record.ttl;
    if (!record.lock.empty()) open.lock = lock_names_.number_of(record.lock);
    begin(open, record.resource);
    return true;
}

void Checker::begin(OpenCall& open, std::string_view resource) {
    const bool on_lock = open.op == Op::Acquire || open.op == Op::Release;
    // A history of one lock need not name it.
    if (open.lock == no_number && on_lock) open.lock = lock_names_.number_of("");
    leases_.called(open, now_);
    linearity_.called(open);
    if (open.op != Op::Write && open.op != Op::Read) return;
    // What a lock guards may go by the lock's name.
    if (resource.empty() && open.lock != no_number) resource = lock_names_.name_of(open.lock);
    open.resource = resource_names_.number_of(resource);
    resources_.called(open, now_);
}

bool Checker::find(const Record& record, const Process& process, std::size_t& position) {
    const std::size_t hash = TextHash{}(record.id);
    for (position = process.hashes.size(); position-- > 0;)
        if (process.hashes[position] == hash && process.calls[position].id == record.id)
            return true;
    if (record.id.empty() && process.calls.size() == 1) {
        position = 0;
        return true;
    }
    if (record.id.empty() && process.calls.size() > 1)
        return refuse(
            fmt::format("{} calls of process {} are open; an end needs the id of its call",
                        process.calls.size(), record.process));
    return refuse(fmt::format("the end of a call that never began: process {} has called no {}{}{}",
                              record.process, to_string(record.op),
                              record.id.empty() ? "" : " with id ", record.id));
}

bool Checker::merge(const Record& record, OpenCall& open) {
    if (record.op != open.op)
        return refuse(fmt::format("op: found {}; {} ends with the same op", to_string(record.op),
                                  called(open)));
    std::string_view differs;
    if (!agree(open.lock, record.lock, lock_names_)) differs = "lock";
    if (!agree(open.resource, record.resource, resource_names_)) differs = "resource";
    if (open.op != Op::Acquire && !agree(open.token, record.token)) differs = "token";
    if (open.op == Op::Acquire && record.token) open.token = record.token;
    if (!agree(open.n, record.n)) differs = "n";
    if (!agree(open.read_version, record.read_version)) differs = "read_version";
    // What an answer says of these is what counts.
    if (record.version) open.version = record.version;
    if (record.ttl) open.ttl = record.ttl;
    if (!record.session.empty()) {
        if (!open.session.empty() && open.session != record.session) differs = "session";
        open.session = record.session;
    }
    return differs.empty() ||
           refuse(fmt::format("{}: differs from that of {}", differs, called(open)));
}

bool Checker::end(const Record& record, std::uint32_t number) {
    Process& process = processes_[number];
    std::size_t position = 0;
    if (!find(record, process, position)) return false;
    OpenCall& open = process.calls[position];
    if (!merge(record, open)) return false;
    finish_call(record, open);
    // Order does not matter; the last takes the place of the one that has ended.
    process.hashes[position] = process.hashes.back();
    process.hashes.pop_back();
    if (position + 1 != process.calls.size()) open = std::move(process.calls.back());
    process.calls.pop_back();
    return true;
}

void Checker::finish_call(const Record& record, OpenCall& open) {
    const End end{record.line, record.time, now_, record.kind};
    if (record.kind == Kind::Unknown && open.op == Op::Acquire) open.token.given = false;
    leases_.ended(open, end);
    linearity_.ended(open, end);
    if (open.op == Op::Write || open.op == Op::Read) resources_.ended(open, end);
}

std::uint64_t Checker::open_calls() const {
    std::uint64_t sum = 0;
    for (const Process& process : processes_) sum += process.calls.size();
    return sum;
}

std::vector<Finding> Checker::finish() {
    leases_.finish(now_);
    linearity_.finish(now_, last_line_);
    auto all = findings_.finish();
    explain_idle(all);
    return all;
}

/// Never say held of what was not looked at; say why it was not.
void Checker::explain_idle(std::vector<Finding>& findings) const {
    const auto seen = [&](Op op) { return (seen_ops_ >> static_cast<int>(op) & 1) != 0; };
    const auto reason = [&](PropertyId id) -> std::string {
        switch (id) {
            case PropertyId::Lock1:
            case PropertyId::Belief1:
                if (!seen(Op::Acquire)) return "no acquire";
                return "no lock went from one process to another, of leases known to run";
            case PropertyId::Lock2:
                if (!seen(Op::Acquire)) return "no acquire";
                return leases_.any_token() ? "no lock was granted twice with a token"
                                           : "no grant has a token";
            case PropertyId::Lock3:
                if (!leases_.any_deadline()) return "no TTL (ttl, --ttl)";
                return "no lock went on before its release, and no renewal was answered no";
            case PropertyId::Grant1:
                return "nothing released, and no token presented for a named lock";
            case PropertyId::Act1:
                if (!seen(Op::Renew)) return "no renewal";
                if (!leases_.any_deadline()) return "no TTL (ttl, --ttl)";
                return "no renewal was answered yes after another";
            case PropertyId::Fence1:
                if (!seen(Op::Write) && !seen(Op::Read)) return "no write or read of a resource";
                return "no resource took two writes or reads with tokens, one after the other";
            case PropertyId::Fence2:
                if (!seen(Op::Write) && !seen(Op::Read)) return "no write or read of a resource";
                return "no writes with the version that they rest on (read_version)";
            case PropertyId::Lin1:
                return linearity_.idle_because();
            case PropertyId::Lock4:
            case PropertyId::Wake1:
                return "needs the order in which the service took its requests";
            case PropertyId::Live1:
            case PropertyId::Live2:
            case PropertyId::Live3:
            case PropertyId::Live4:
            case PropertyId::Avail1:
                return "needs to know when the world was whole";
            default:
                return "needs what servers report, and a history tells of clients";
        }
    };
    for (Finding& finding : findings)
        if (finding.state == State::Idle) finding.idle_because = reason(finding.id);
}

}  // namespace lockstep::history
