#include "properties/fencing.hpp"

namespace lockstep::properties {

void Fencing::on(const Stamp& stamp, const events::WriteAccepted& e) {
    if (!fences_writes()) return;
    Mark& mark = marks_[stamp.process];
    if (mark.set) {
        context_.ledger.checked(PropertyId::Fence1);
        const bool equal = mark.token == e.token && mark.n == e.n;
        if (equal || mark.above(e.token, e.n))
            return stale(stamp, equal ? "once more took the write" : "took the write", e.token, e.n,
                         mark);
    }
    mark = {e.token, e.n, true};
}

void Fencing::on(const Stamp& stamp, const events::WriteRepeated& e) {
    if (!fences_writes()) return;
    const Mark& mark = marks_[stamp.process];
    if (!mark.set) return;
    context_.ledger.checked(PropertyId::Fence1);
    if (mark.above(e.token, e.n)) stale(stamp, "confirmed the write", e.token, e.n, mark);
}

void Fencing::on(const Stamp& stamp, const events::ReadAccepted& e) {
    if (context_.setup.fencing != FencingMode::Fenced) return;
    Mark& mark = marks_[stamp.process];
    if (mark.set) {
        context_.ledger.checked(PropertyId::Fence1);
        if (mark.token > e.token) return stale(stamp, "answered the read", e.token, 0, mark);
        if (mark.token == e.token) return;
    }
    mark = {e.token, 0, true};
}

void Fencing::stale(const Stamp& stamp, const char* what, FencingToken token, std::uint64_t n,
                    const Mark& mark) {
    context_.ledger.object(PropertyId::Fence1, stamp, [&] {
        return fmt::format(
            "resource {} {} with (token {}, n {}) after it had said yes to (token "
            "{}, n {})",
            context_.name(stamp.process), what, token.value, n, mark.token.value, mark.n);
    });
}

}  // namespace lockstep::properties
