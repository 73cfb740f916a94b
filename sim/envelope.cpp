#include "sim/envelope.hpp"

namespace lockstep::sim {

Payload Payload::clone() const {
    Payload copy;
    if (ops_ == nullptr) return copy;
    ops_->clone(storage_, copy.storage_);
    copy.kind_ = kind_;
    copy.ops_ = ops_;
    return copy;
}

Payload Payload::recode(Writer& scratch) const {
    Payload copy;
    if (ops_ == nullptr) return copy;
    scratch.clear();
    ops_->encode(storage_, scratch);
    Reader in(scratch.bytes());
    const bool good = ops_->decode(in, copy.storage_, copy.kind_);
    copy.ops_ = ops_;
    LOCKSTEP_ASSERT(good && in.done(), "{} of {} bytes does not decode, {} left", ops_->name,
                    scratch.size(), in.left());
    LOCKSTEP_ASSERT(copy.kind_ == kind_, "{} of kind {} came back as {}", ops_->name, kind_,
                    copy.kind_);
    return copy;
}

}  // namespace lockstep::sim
