#pragma once

#include "core/resource/types.hpp"
#include "core/resource/withheld.hpp"

namespace lockstep::resource {

/// A row that is updated on condition of its version, for where a resource cannot fence. A write is
/// accepted if the version that it was computed from is still the row's, answered again if it is
/// the last one that was accepted, and refused otherwise. Reads are always answered.
///
/// Tokens are looked at by nobody: an older holder may write after a newer one has read, and then
/// it is the newer one's write that is refused. No update is lost either way. What an older holder
/// reads may be stale by the time it is used; so it is under a lock alone.
///
/// Calls are refused: a row is no endpoint.
///
/// Source: Kung and Robinson, "On optimistic methods for concurrency control" (1981).
class Row {
public:
    explicit Row(Record recovered) : record_(recovered) {}

    void step(Input&& input, Effects& effects);

    const Record& record() const { return record_; }

private:
    void decide(NodeId from, const wire::Write& write, Effects& effects);
    void decide(NodeId from, const wire::Read& read, Effects& effects);
    void decide(NodeId from, const wire::Call& call, Effects& effects);

    Record record_;
    Withheld withheld_;
};

}  // namespace lockstep::resource
