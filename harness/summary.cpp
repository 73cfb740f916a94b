#include "harness/summary.hpp"

#include <algorithm>
#include <span>

namespace lockstep::harness {
namespace {

using properties::Need;
using properties::Report;
using properties::Violation;

constexpr std::size_t process_kinds = 3;
constexpr std::size_t verdicts = 4;
constexpr std::size_t ends = 5;

bool was_reached(const MarkCount& mark) {
    return mark.reached > 0;
}

void put(Writer& out, const std::string& text) {
    out.varint(text.size());
    out.raw(std::as_bytes(std::span(text)));
}

std::string get_text(Reader& in) {
    const auto bytes = in.raw(in.varint());
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class E>
void put_enumerator(Writer& out, E value) {
    out.u8(static_cast<std::uint8_t>(value));
}

void put(Writer& out, const Need& need) {
    put_enumerator(out, need.assumption);
    put_enumerator(out, need.kind);
}

Need get_need(Reader& in) {
    Need need{};
    need.assumption = in.enumerator<sim::Assumption>(256);
    need.kind = in.enumerator<sim::ProcessKind>(process_kinds);
    return need;
}

void put(Writer& out, const Report& report) {
    put_enumerator(out, report.id);
    put_enumerator(out, report.verdict);
    out.varint(report.violations);
    out.varint(report.checks);
    out.boolean(report.excusable);
    out.varint(report.needs.size());
    for (const Need& need : report.needs) put(out, need);
    out.boolean(report.first.has_value());
    if (!report.first) return;
    put_enumerator(out, report.first->id);
    out.i64(report.first->at.ns);
    out.varint(report.first->ordinal);
    put(out, report.first->evidence);
    out.boolean(report.first->excused_by.has_value());
    if (report.first->excused_by) put(out, *report.first->excused_by);
}

Report get_report(Reader& in) {
    Report report{};
    report.id = in.enumerator<properties::PropertyId>(properties::property_count);
    report.verdict = in.enumerator<properties::Verdict>(verdicts);
    report.violations = in.varint();
    report.checks = in.varint();
    report.excusable = in.boolean();
    for (auto n = in.count(); n > 0 && !in.failed(); --n) report.needs.push_back(get_need(in));
    if (!in.boolean()) return report;
    Violation violation{};
    violation.id = in.enumerator<properties::PropertyId>(properties::property_count);
    violation.at = sim::SimTime{in.i64()};
    violation.ordinal = in.varint();
    violation.evidence = get_text(in);
    if (in.boolean()) violation.excused_by = get_need(in);
    report.first = violation;
    return report;
}

}  // namespace

void encode_summary(const Outcome& outcome, Writer& out) {
    out.u64(outcome.seed);
    put_enumerator(out, outcome.end);
    put(out, outcome.end_detail);
    out.u64(outcome.digest);
    out.varint(outcome.steps);
    out.varint(outcome.events);
    out.varint(outcome.messages);
    out.duration(outcome.simulated);
    out.varint(outcome.reports.size());
    for (const auto& report : outcome.reports) put(out, report);
    // Most runs reach few of the marks, and an exploration keeps a summary of each run.
    out.varint(static_cast<std::uint64_t>(
        std::count_if(outcome.marks.begin(), outcome.marks.end(), was_reached)));
    for (const auto& mark : outcome.marks) {
        if (!was_reached(mark)) continue;
        put(out, mark.mark);
        out.varint(mark.reached);
    }
    out.varint(outcome.faults.size());
    for (const auto& fault : outcome.faults) {
        put(out, fault.kind);
        out.varint(fault.planned);
        out.varint(fault.started);
        out.varint(fault.missed);
    }
    out.varint(outcome.roles.size());
    for (const auto& role : outcome.roles) {
        put(out, role.role);
        out.varint(role.hits);
    }
    out.varint(outcome.triggers.waited);
    out.varint(outcome.triggers.met);
    out.varint(outcome.checkpoints.size());
    for (const std::uint64_t checkpoint : outcome.checkpoints) out.u64(checkpoint);
}

bool decode_summary(std::span<const std::byte> bytes, Outcome& outcome) {
    Reader in(bytes);
    outcome = Outcome();
    outcome.seed = in.u64();
    outcome.end = in.enumerator<End>(ends);
    outcome.end_detail = get_text(in);
    outcome.digest = in.u64();
    outcome.steps = in.varint();
    outcome.events = in.varint();
    outcome.messages = in.varint();
    outcome.simulated = in.duration();
    for (auto n = in.count(); n > 0 && !in.failed(); --n) outcome.reports.push_back(get_report(in));
    for (auto n = in.count(); n > 0 && !in.failed(); --n) {
        MarkCount mark;
        mark.mark = get_text(in);
        mark.reached = in.varint();
        outcome.marks.push_back(mark);
    }
    for (auto n = in.count(); n > 0 && !in.failed(); --n) {
        FaultCount fault;
        fault.kind = get_text(in);
        fault.planned = in.varint();
        fault.started = in.varint();
        fault.missed = in.varint();
        outcome.faults.push_back(fault);
    }
    for (auto n = in.count(); n > 0 && !in.failed(); --n) {
        RoleCount role;
        role.role = get_text(in);
        role.hits = in.varint();
        outcome.roles.push_back(role);
    }
    outcome.triggers.waited = in.varint();
    outcome.triggers.met = in.varint();
    for (auto n = in.count(); n > 0 && !in.failed(); --n) outcome.checkpoints.push_back(in.u64());
    return in.done();
}

}  // namespace lockstep::harness
