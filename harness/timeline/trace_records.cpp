#include "harness/timeline/trace_records.hpp"

#include "harness/describe.hpp"
#include "harness/timeline/page_records.hpp"
#include "properties/property.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace lockstep::harness::timeline {
namespace {

using Phase = TraceRecord::Phase;

// The trace's process numbers: those of the run, then the locks, then the world.
constexpr std::uint32_t first_lock = 1'000'000;
constexpr std::uint32_t world = 2'000'000;

std::string_view text_of(Role::Kind kind) {
    switch (kind) {
        case Role::Kind::Follower:
            return "follower";
        case Role::Kind::Candidate:
            return "candidate";
        case Role::Kind::Leader:
            return "leader";
    }
    return "";
}

std::string_view text_of(Band::Kind kind) {
    switch (kind) {
        case Band::Kind::Paused:
            return "paused";
        case Band::Kind::PausedClockToo:
            return "paused, its clock too";
        case Band::Kind::StrandStalled:
            return "one strand stands still";
        case Band::Kind::CallbacksStalled:
            return "its callbacks stand still";
        case Band::Kind::Down:
            return "down: killed";
        case Band::Kind::DownPower:
            return "down: power lost";
        case Band::Kind::LinkTrouble:
            return "trouble with a link";
        case Band::Kind::LinkCut:
            return "a link is cut";
        case Band::Kind::DiskTrouble:
            return "trouble with its disk";
    }
    return "";
}

std::string_view text_of(Write::Fate fate) {
    switch (fate) {
        case Write::Fate::Accepted:
            return "write accepted";
        case Write::Fate::Rejected:
            return "write refused";
        case Write::Fate::Stale:
            return "stale write accepted";
        case Write::Fate::Repeated:
            return "write repeated";
        case Write::Fate::ReadAccepted:
            return "read";
        case Write::Fate::ReadRejected:
            return "read refused";
    }
    return "";
}

class TraceBuilder {
public:
    TraceBuilder(const Outcome& outcome, const scenario::Resolved& settings, const Model& model)
        : outcome_(outcome), names_(outcome, settings.plan), model_(model) {}

    TraceRecords build() {
        name_processes();
        roles();
        bands();
        faults();
        leases();
        writes();
        messages();
        violations();
        for (const auto& [key, ends] : lanes_)
            for (std::uint32_t lane = 0; lane < ends.size(); ++lane)
                out_.tracks.push_back(
                    {key.first, track_of(key.second, lane), std::string(families[key.second])});
        std::stable_sort(out_.records.begin(), out_.records.end(),
                         [](const TraceRecord& a, const TraceRecord& b) { return a.at < b.at; });
        out_.names = words_.all();
        return std::move(out_);
    }

private:
    /// Each has as many tracks as it needs for nothing to overlap.
    enum Family : std::uint32_t {
        RoleFamily,
        TroubleFamily,
        HolderFamily,
        WriteFamily,
        MessageFamily
    };
    static constexpr std::array<std::string_view, 5> families{"role", "trouble", "holder", "writes",
                                                              "messages"};
    static constexpr std::uint32_t lanes_of_family = 100'000;

    static std::uint32_t track_of(std::uint32_t family, std::uint32_t lane) {
        return 1 + family * lanes_of_family + lane;
    }

    std::uint32_t word(std::string_view text) {
        return static_cast<std::uint32_t>(words_.of(text));
    }

    TraceRecord& add(SimTime at, Phase phase, std::string_view name, const char* category,
                     std::uint32_t process) {
        TraceRecord& record = out_.records.emplace_back();
        record.at = at;
        record.phase = phase;
        record.name = word(name);
        record.category = category;
        record.process = process;
        return record;
    }

    /// On the first track of the family that is free by then.
    TraceRecord& slice(Span time, std::string_view name, const char* category,
                       std::uint32_t process, Family family) {
        std::vector<SimTime>& ends = lanes_[{process, family}];
        const auto free =
            std::find_if(ends.begin(), ends.end(), [&](SimTime end) { return end <= time.from; });
        const auto lane = static_cast<std::uint32_t>(free - ends.begin());
        if (free == ends.end())
            ends.push_back(time.to);
        else
            *free = time.to;
        TraceRecord& record = add(time.from, Phase::Slice, name, category, process);
        record.lasts = time.to - time.from;
        record.track = track_of(family, lane);
        return record;
    }

    void async(Span time, const std::string& name, const char* category, std::uint32_t process,
               std::uint64_t token) {
        const std::uint64_t id = ++last_id_;
        for (const Phase phase : {Phase::Begin, Phase::End}) {
            TraceRecord& record =
                add(phase == Phase::Begin ? time.from : time.to, phase, name, category, process);
            record.id = id;
            if (phase == Phase::Begin && token != 0) {
                record.number_name = "token";
                record.number = token;
            }
        }
    }

    void name_processes() {
        out_.processes.emplace_back(world, "world");
        for (std::uint32_t lock = 1; lock <= outcome_.lock_names.size(); ++lock)
            out_.processes.emplace_back(first_lock + lock, "lock " + names_.lock(LockId(lock)));
        using Kind = sim::ProcessKind;
        for (const Kind kind : {Kind::Client, Kind::Resource, Kind::Server})
            for (std::uint32_t p = 1; p <= outcome_.process_names.size(); ++p)
                if (p <= outcome_.process_kinds.size() && outcome_.process_kinds[p - 1] == kind)
                    out_.processes.emplace_back(p, outcome_.process_names[p - 1]);
    }

    void roles() {
        for (const Role& r : model_.roles) {
            TraceRecord& record =
                slice({r.from, r.to}, text_of(r.kind), "role", r.server.value, RoleFamily);
            record.number_name = "term";
            record.number = r.term.value;
        }
        for (const Commit& c : model_.commits) {
            TraceRecord& record =
                add(c.at, Phase::Counter, "commit index", "commit", c.server.value);
            record.number_name = "index";
            record.number = c.index.value;
        }
    }

    void bands() {
        for (const Band& b : model_.bands)
            slice({b.from, b.to}, text_of(b.kind), "trouble", b.process.value, TroubleFamily);
    }

    void faults() {
        for (const FaultSpan& f : model_.faults) {
            std::string name = names_.fault(f.fault);
            if (f.missed) name += fmt::format(" ({})", names_.why_missed(f.fault));
            slice({f.from, f.to}, name, "fault", world, TroubleFamily);
        }
    }

    void leases() {
        for (const Belief& b : model_.beliefs)
            async({b.from, b.over}, names_.lock(b.lock) + " believed", "belief", b.client.value,
                  b.token.value);
        for (const Grant& g : model_.grants) {
            const std::string& holder = g.client ? names_.process(g.client) : "somebody";
            slice({g.from, g.to}, holder, "holder", first_lock + g.lock.value, HolderFamily);
            if (g.client)
                async({g.from, g.to}, names_.lock(g.lock) + " granted", "grant", g.client.value,
                      g.token.value);
        }
        for (const Wait& w : model_.waits)
            async({w.from, w.to}, names_.process(w.client) + " waits", "wait",
                  first_lock + w.lock.value, 0);
    }

    void writes() {
        for (const Write& w : model_.writes) {
            TraceRecord& record =
                add(w.at, Phase::Instant, text_of(w.fate), "write", w.resource.value);
            record.track = track_of(WriteFamily, 0);
            record.number_name = "token";
            record.number = w.token.value;
            lanes_[{w.resource.value, WriteFamily}].resize(1);
        }
    }

    /// A flow goes from slice to slice: sending and taking are ones of a microsecond. Those of one
    /// process must be laid out in the order of time, whichever they are.
    void messages() {
        struct Touch {
            SimTime at;
            const Message* message;
            bool sending;
        };
        std::vector<Touch> touches;
        for (const Message& m : model_.messages) {
            touches.push_back({m.sent, &m, true});
            if (m.fate == Message::Fate::Taken) touches.push_back({m.taken, &m, false});
        }
        std::stable_sort(touches.begin(), touches.end(),
                         [](const Touch& a, const Touch& b) { return a.at < b.at; });
        for (const Touch& touch : touches) {
            const Message& m = *touch.message;
            const bool arrives = m.fate == Message::Fate::Taken;
            const std::uint32_t process = touch.sending ? m.from.value : m.to.value;
            const TraceRecord shown =
                slice({touch.at, touch.at + microseconds(1)},
                      arrives ? std::string(m.kind) : fmt::format("{} (lost)", m.kind), "message",
                      process, MessageFamily);
            if (!arrives) continue;
            TraceRecord& flow = add(touch.at, touch.sending ? Phase::FlowStart : Phase::FlowEnd,
                                    m.kind, "message", process);
            flow.track = shown.track;
            flow.id = m.number;
        }
    }

    void violations() {
        for (const properties::Report& report : outcome_.reports) {
            if (!report.first) continue;
            const auto& property = properties::describe(report.id);
            TraceRecord& record =
                add(report.first->at, Phase::Instant,
                    fmt::format("{} {} {}", property.code, property.name,
                                report.first->excused_by ? "excused" : "violated"),
                    "violation", world);
            record.track = track_of(TroubleFamily, 0);
            record.global = true;
            if (lanes_[{world, TroubleFamily}].empty()) lanes_[{world, TroubleFamily}].resize(1);
        }
    }

    const Outcome& outcome_;
    const Names names_;
    const Model& model_;
    Words words_;
    TraceRecords out_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<SimTime>> lanes_;
    std::uint64_t last_id_ = 0;
};

}  // namespace

TraceRecords trace_records_of(const Outcome& outcome, const scenario::Resolved& settings,
                              const Model& model) {
    return TraceBuilder(outcome, settings, model).build();
}

}  // namespace lockstep::harness::timeline
