#include "properties/grants.hpp"

#include <algorithm>

namespace lockstep::properties {

Grants::Grant* Grants::Lock::find(FencingToken token) {
    const std::size_t held = std::min(count, kept);
    for (std::size_t back = 1; back <= held; ++back) {
        Grant& grant = grants[(count - back) % kept];
        if (grant.token == token) return &grant;
    }
    return nullptr;
}

bool Grants::Lock::forgot(FencingToken token) const {
    return count > kept && token < grants[count % kept].token;
}

void Grants::on(const Stamp& stamp, const events::Granted& e) {
    Lock& lock = locks_[e.lock];
    if (Grant* before = lock.latest(); before && !before->ended) {
        before->overtaken_by = e.token;
        if (before->told) overtaken(stamp, e.lock, *before);
    }
    lock.grants[lock.count % Lock::kept] = {e.token, e.session, e.seq, {}, false, {}};
    ++lock.count;
}

void Grants::on(const Stamp&, const events::Released& e) {
    Grant* grant = locks_[e.lock].find(e.token);
    if (grant && grant->session == e.session) grant->ended = true;
}

void Grants::on(const Stamp&, const events::Cancelled& e) {
    if (e.effect != events::CancelEffect::ReleasedGrant) return;
    Grant* grant = locks_[e.lock].latest();
    if (grant && grant->session == e.session && grant->seq == e.seq) grant->ended = true;
}

void Grants::on(const Stamp&, const events::SessionEnded& e) {
    locks_.for_each([&](Lock& lock) {
        Grant* grant = lock.latest();
        if (grant && grant->session == e.session) grant->ended = true;
    });
}

void Grants::on(const Stamp&, const events::HoldEnded& e) {
    Grant* grant = locks_[e.lock].find(e.token);
    if (grant && grant->session == e.session) grant->ended = true;
}

void Grants::on(const Stamp& stamp, const events::GrantTold& e) {
    Lock& lock = locks_[e.lock];
    if (lock.forgot(e.token)) return;
    context_.ledger.checked(PropertyId::Grant1);
    Grant* grant = lock.find(e.token);
    if (!grant || grant->session != e.session || grant->seq != e.seq)
        return no_such_grant(stamp, e);
    grant->told = stamp.process;
    if (grant->overtaken_by) overtaken(stamp, e.lock, *grant);
}

void Grants::overtaken(const Stamp& stamp, LockId lock, const Grant& grant) {
    context_.ledger.object(PropertyId::Grant1, stamp, [&] {
        return fmt::format(
            "client {} was told that it holds lock {} with token {}, and the lock "
            "was granted anew with token {} before that grant had ended",
            context_.name(grant.told), context_.name(lock), grant.token.value,
            grant.overtaken_by.value);
    });
}

void Grants::no_such_grant(const Stamp& stamp, const events::GrantTold& e) {
    context_.ledger.object(PropertyId::Grant1, stamp, [&] {
        return fmt::format(
            "client {} was told that its session {} holds lock {} with token {} for "
            "request {}; no such grant was applied",
            context_.name(stamp.process), e.session.value, context_.name(e.lock), e.token.value,
            e.seq.value);
    });
}

}  // namespace lockstep::properties
