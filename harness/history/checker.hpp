#pragma once

#include "harness/history/findings.hpp"
#include "harness/history/floor.hpp"
#include "harness/history/leases.hpp"
#include "harness/history/linearity.hpp"
#include "harness/history/names.hpp"
#include "harness/history/record.hpp"
#include "harness/history/resources.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::history {

/// What is known of a history beside its lines. Spans in ns.
struct Terms {
    /// How far a stamp may lie from the true time, either way, for processes on several hosts.
    std::int64_t clock_error = 0;
    /// Of leases whose lines name no TTL; zero: they have none.
    std::int64_t ttl = 0;
    /// The bound of the rates of clocks, by which a service may end a lease too early.
    std::int64_t drift_ppm = 0;
    bool lost_is_exact = false;
};

/// Judges a history, line by line. Holds what is open, and the names.
class Checker {
public:
    explicit Checker(const Terms& terms);
    Checker(const Checker&) = delete;
    Checker& operator=(const Checker&) = delete;

    /// False if the line contradicts those before it in what no service could be blamed for:
    /// `problem` says how.
    bool on(const Record& record);
    const std::string& problem() const { return problem_; }

    /// The history is over. Call once.
    std::vector<Finding> finish();

    std::uint64_t operations() const { return operations_; }
    std::size_t processes() const { return processes_.size(); }
    std::size_t locks() const { return lock_names_.size(); }
    std::size_t resources() const { return resource_names_.size(); }
    std::uint64_t open_calls() const;
    std::int64_t first_time() const { return first_; }
    std::int64_t last_time() const { return now_; }

private:
    struct Process {
        std::vector<std::uint64_t> hashes;  ///< of the ids of the open calls
        std::vector<OpenCall> calls;
    };

    bool in_order(const Record& record);
    bool call(const Record& record, std::uint32_t process);
    bool end(const Record& record, std::uint32_t process);
    bool find(const Record& record, const Process& process, std::size_t& position);
    bool merge(const Record& record, OpenCall& open);
    void begin(OpenCall& open, std::string_view resource);
    void finish_call(const Record& record, OpenCall& open);
    bool refuse(std::string problem);
    void explain_idle(std::vector<Finding>& findings) const;

    const Terms terms_;
    Findings findings_;
    Names process_names_;
    Names lock_names_;
    Names resource_names_;
    std::vector<Process> processes_;
    Leases leases_;
    Resources resources_;
    Linearity linearity_;
    std::uint64_t last_line_ = 0;
    std::uint64_t operations_ = 0;
    std::uint64_t seen_ops_ = 0;  ///< a bit for each kind
    std::int64_t first_ = -1;
    std::int64_t now_ = 0;  ///< the latest stamp so far
    std::string problem_;
};

}  // namespace lockstep::history
