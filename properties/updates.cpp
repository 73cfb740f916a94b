#include "properties/updates.hpp"

namespace lockstep::properties {
namespace {

std::string spelled(std::uint64_t key) {
    return fmt::format("{}/{}", key >> 32, key & 0xffff'ffff);
}

}  // namespace

void Updates::on(const Stamp& stamp, const events::WriteAccepted& e) {
    if (!judged_) return;
    History& history = histories_[stamp.process];
    context_.ledger.checked(PropertyId::Fence2);
    on_what_it_read(stamp, e, history);
    once(stamp, e);
    history = {e.op, e.version, true};
}

// A crash may have come between a write's becoming durable and its report: it counts from here.
void Updates::on(const Stamp& stamp, const events::WriteRecovered& e) {
    if (!judged_ || e.version <= histories_[stamp.process].version) return;
    on(stamp,
       events::WriteAccepted{e.token, e.n, e.op, e.read_version, e.prior_version, e.version});
}

void Updates::on(const Stamp&, const events::WriteRejected& e) {
    if (!judged_) return;
    Operation* operation = find(e.op);
    if (operation && operation->accepted == 0) operation->refused_first = true;
}

void Updates::on(const Stamp& stamp, const events::WriteTold& e) {
    if (!judged_ || e.outcome != events::WriteOutcome::Accepted) return;
    const Operation* operation = find(e.op);
    if (!operation) return;
    context_.ledger.checked(PropertyId::Fence2);
    if (operation->accepted > 0) return;
    context_.ledger.object(PropertyId::Fence2, stamp, [&] {
        return fmt::format("{} was told that resource {} took it, and it is not in the history",
                           whose(e.op), context_.name(e.resource));
    });
}

void Updates::on(const Stamp& stamp, const events::CallAccepted& e) {
    if (!judged_) return;
    context_.ledger.checked(PropertyId::Fence2);
    if (e.first) return took_effect(stamp, e.key, e.op);
    const Call* call = find(stamp.process, e.key);
    if (!call || call->effects > 0) return;
    context_.ledger.object(PropertyId::Fence2, stamp, [&] {
        return fmt::format(
            "endpoint {} answered {} as one that had been made before, and none of "
            "its key, {}, is in the history",
            context_.name(stamp.process), whose(e.op), spelled(e.key));
    });
}

// As of writes: a call counts from here if a crash kept it from being reported.
void Updates::on(const Stamp& stamp, const events::CallRecovered& e) {
    if (!judged_) return;
    const Call* call = find(stamp.process, e.key);
    if (!call || (call->effects > 0 && call->op == e.op)) return;
    took_effect(stamp, e.key, e.op);
}

void Updates::on(const Stamp& stamp, const events::CallTold& e) {
    if (!judged_ || e.outcome != events::WriteOutcome::Accepted) return;
    const Call* call = find(e.resource, e.key);
    if (!call) return;
    context_.ledger.checked(PropertyId::Fence2);
    if (call->effects > 0) return;
    context_.ledger.object(PropertyId::Fence2, stamp, [&] {
        return fmt::format(
            "{} was told that endpoint {} took it, and none of its key, {}, is in "
            "the history",
            whose(e.op), context_.name(e.resource), spelled(e.key));
    });
}

Updates::Call* Updates::find(sim::ProcessId endpoint, std::uint64_t key) {
    std::vector<Call>& calls = endpoints_[endpoint][static_cast<std::uint32_t>(key >> 32)].calls;
    if (calls.empty()) [[unlikely]]
        calls.resize(Series::kept);
    Call& call = calls[key % Series::kept];
    if (call.key > key) return nullptr;
    if (call.key < key) call = {key, 0, 0};
    return &call;
}

void Updates::took_effect(const Stamp& stamp, std::uint64_t key, std::uint64_t op) {
    Call* call = find(stamp.process, key);
    if (!call) return;
    if (call->effects++ > 0) {
        context_.ledger.object(PropertyId::Fence2, stamp, [&] {
            return fmt::format(
                "{} took effect at endpoint {} under the key {}, under which {} had "
                "taken effect already: one call, made twice",
                whose(op), context_.name(stamp.process), spelled(key),
                call->op == op ? "it" : whose(call->op));
        });
    }
    call->op = op;
}

Updates::Operation* Updates::find(std::uint64_t op) {
    std::vector<Operation>& operations = clients_[client_of(op)].operations;
    if (operations.empty()) [[unlikely]]
        operations.resize(Client::kept);
    Operation& operation = operations[op % Client::kept];
    if (operation.id > op) return nullptr;
    if (operation.id < op) operation = {op, 0, false};
    return &operation;
}

std::string Updates::whose(std::uint64_t op) const {
    const std::uint64_t life = op >> 24 & 0xff;
    return fmt::format("update {} of client {}{}", op & 0xff'ffff, context_.name(client_of(op)),
                       life > 1 ? fmt::format(" in its life {}", life) : "");
}

void Updates::on_what_it_read(const Stamp& stamp, const events::WriteAccepted& e,
                              const History& history) {
    if (e.read_version != e.prior_version) {
        context_.ledger.object(PropertyId::Fence2, stamp, [&] {
            return fmt::format("{} read version {} of resource {} and overwrote version {}, {}",
                               whose(e.op), e.read_version, context_.name(stamp.process),
                               e.prior_version,
                               history.begun ? whose(history.last_op) : "of unknown origin");
        });
    } else if (history.begun && e.prior_version != history.version) {
        context_.ledger.object(PropertyId::Fence2, stamp, [&] {
            return fmt::format(
                "{} found version {} at resource {}, which had made version {} of "
                "{}: that update is lost",
                whose(e.op), e.prior_version, context_.name(stamp.process), history.version,
                whose(history.last_op));
        });
    }
}

void Updates::once(const Stamp& stamp, const events::WriteAccepted& e) {
    Operation* operation = find(e.op);
    if (!operation) return;
    ++operation->accepted;
    if (operation->accepted > 1) {
        context_.ledger.object(PropertyId::Fence2, stamp, [&] {
            return fmt::format("{} took effect twice at resource {}, the second time as version {}",
                               whose(e.op), context_.name(stamp.process), e.version);
        });
    } else if (operation->refused_first) {
        context_.ledger.object(PropertyId::Fence2, stamp, [&] {
            return fmt::format("{} was refused by resource {} and taken when a later copy came",
                               whose(e.op), context_.name(stamp.process));
        });
    }
}

}  // namespace lockstep::properties
