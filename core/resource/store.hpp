#pragma once

#include "core/resource/types.hpp"
#include "core/resource/withheld.hpp"

namespace lockstep::resource {

/// A store that one lock protects: the resource has the last word on who may write.
///
/// Requests are decided one after the other, in the order in which they come. Under `Fenced` a
/// write is accepted if its (token, n) is higher than the one held, answered again if equal, and
/// refused if lower; a read is accepted unless its token is lower, and raises the mark to (token,
/// 0), or an older writer could still slip in. Under `None` every write is accepted, but for a
/// repeat of the last one. Calls are refused: a store is no endpoint.
///
/// Source: Kleppmann, "How to do distributed locking" (2016), on fencing tokens.
class Store {
public:
    Store(Fencing mode, Record recovered) : mode_(mode), record_(recovered) {}

    void step(Input&& input, Effects& effects);

    const Record& record() const { return record_; }

private:
    void decide(NodeId from, const wire::Write& write, Effects& effects);
    void decide(NodeId from, const wire::Read& read, Effects& effects);
    void decide(NodeId from, const wire::Call& call, Effects& effects);
    bool repeats(const wire::Write& write) const;
    bool admits(const wire::Write& write) const;

    Fencing mode_;
    Record record_;
    Withheld withheld_;
};

}  // namespace lockstep::resource
