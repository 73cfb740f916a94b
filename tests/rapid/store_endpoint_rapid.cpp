#include "core/resource/machine.hpp"
#include "core/resource/record_codec.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rapid.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <ostream>
#include <vector>

namespace lockstep::test::stores {
namespace {

using resource::call_key;
using resource::Endpoint;

struct CallStep {
    enum Kind { Call, Sync, Crash, Rewrite } kind;
    std::uint32_t series;
    std::uint32_t number;
    std::size_t keep;  ///< Sync, Crash: so many of the writes in flight reach the disk
};

std::ostream& operator<<(std::ostream& out, const CallStep& s) {
    static const char* const kinds[] = {"call", "sync", "crash", "rewrite"};
    return out << kinds[s.kind] << "{" << s.series << "/" << s.number << " keep " << s.keep << "}";
}

rc::Gen<CallStep> call_step() {
    using Kind = CallStep::Kind;
    return rc::gen::build<CallStep>(
        rc::gen::set(&CallStep::kind, rc::gen::weightedElement<Kind>({{10, CallStep::Call},
                                                                      {4, CallStep::Sync},
                                                                      {1, CallStep::Crash},
                                                                      {1, CallStep::Rewrite}})),
        rc::gen::set(&CallStep::series, rc::gen::inRange<std::uint32_t>(1, 3)),
        rc::gen::set(&CallStep::number, rc::gen::inRange<std::uint32_t>(1, 3 * Endpoint::kept)),
        rc::gen::set(&CallStep::keep, rc::gen::inRange<std::size_t>(0, 4)));
}

/// Forgets nothing, and knows which numbers an endpoint must.
struct EndpointModel {
    std::map<std::uint64_t, std::uint64_t> taken;  ///< the operation, by key
    std::map<std::uint32_t, std::uint32_t> highest;

    bool too_old(std::uint32_t series, std::uint32_t number) const {
        const auto it = highest.find(series);
        return it != highest.end() && number + Endpoint::kept <= it->second;
    }
    void take(std::uint64_t key, std::uint64_t op) {
        taken.emplace(key, op);
        std::uint32_t& top = highest[resource::series_of(key)];
        top = std::max(top, resource::number_of(key));
    }
};

struct EndpointRun {
    struct Expected {
        bool accepted;
        bool first;
        std::uint64_t value;
    };

    void step(const CallStep& s) {
        switch (s.kind) {
            case CallStep::Call:
                return call(s.series, s.number);
            case CallStep::Sync:
                return sync(s.keep);
            case CallStep::Crash:
                return crash(s.keep);
            case CallStep::Rewrite:
                return rewrite();
        }
    }

    void call(std::uint32_t series, std::uint32_t number) {
        const std::uint64_t key = call_key(series, number);
        const std::uint64_t op = ++ops;
        if (model.too_old(series, number)) {
            expected.push_back({false, false, 0});
        } else {
            const bool first = !model.taken.contains(key);
            if (first) model.take(key, op);
            expected.push_back({true, first, model.taken.at(key) * 10});
        }
        hand(resource::Request{NodeId(1), wire::Call{LockId(1), {}, key, op, op * 10}});
    }

    void sync(std::size_t keep) {
        keep = std::min(keep, in_flight.size());
        if (keep == 0) return;
        std::uint64_t last = 0;
        for (; keep > 0; --keep, in_flight.pop_front()) {
            encode(in_flight.front().entry, disk);
            last = in_flight.front().id;
        }
        hand(resource::Persisted{last});
    }

    /// What was answered must be found. What was not, may be; the model learns which.
    void crash(std::size_t keep) {
        for (; keep > 0 && !in_flight.empty(); --keep, in_flight.pop_front())
            encode(in_flight.front().entry, disk);
        in_flight.clear();
        expected.clear();
        auto found = resource::recover(resource::Kind::Endpoint, {}, disk.bytes());
        RC_ASSERT(found.valid_bytes == disk.size());
        endpoint = std::get<Endpoint>(std::move(found.machine));
        model = answered;
        endpoint.for_each([&](const resource::TakenCall& c) { model.take(c.key, c.op); });
        for (const auto& [key, op] : answered.taken) {
            const auto* call = endpoint.find(key);
            const bool old = model.too_old(resource::series_of(key), resource::number_of(key));
            const bool as_said = old ? call == nullptr : call != nullptr && call->op == op;
            RC_ASSERT(as_said);
        }
    }

    /// When all is durable and said.
    void rewrite() {
        sync(in_flight.size());
        disk.clear();
        resource::encode_file(endpoint, disk);
    }

    void hand(resource::Input input) {
        effects.clear();
        endpoint.step(std::move(input), effects);
        for (const auto& persist : effects.persist) in_flight.push_back(persist);
        for (const auto& reply : effects.replies) check(std::get<wire::CallReply>(reply.reply));
    }

    void check(const wire::CallReply& reply) {
        RC_ASSERT(!expected.empty());
        const Expected want = expected.front();
        expected.pop_front();
        RC_ASSERT(reply.accepted == want.accepted);
        RC_ASSERT(reply.first == want.first);
        RC_ASSERT(reply.value == want.value);
        if (!reply.accepted) return;
        const std::uint64_t op = reply.value / 10;
        answered.take(reply.key, op);
        // It took effect once: under this key nobody ever hears of another operation.
        RC_ASSERT(answered.taken.at(reply.key) == op);
    }

    Endpoint endpoint;
    EndpointModel model;
    EndpointModel answered;  ///< what anybody was told
    resource::Effects effects;
    Writer disk;
    std::deque<resource::Persist> in_flight;
    std::deque<Expected> expected;
    std::uint64_t ops = 0;
};

}  // namespace

TEST_CASE("resource: an endpoint takes each key once, over crashes and rewrites of its file") {
    check_property("endpoint against its model", [] {
        const auto steps =
            *rc::gen::scale(3.0, rc::gen::container<std::vector<CallStep>>(call_step()));
        EndpointRun run;
        for (const CallStep& s : steps) run.step(s);
        run.sync(run.in_flight.size());
        RC_ASSERT(run.expected.empty());
    });
}

TEST_CASE("resource: calls are found again, and any bytes are read without harm") {
    check_property("call round trip", [](std::uint64_t key, std::uint64_t op, std::uint64_t value,
                                         std::uint64_t token) {
        const resource::TakenCall call{key, op, value, FencingToken(token)};
        Writer out;
        encode(call, out);
        RC_ASSERT(resource::recover_calls(out.bytes()).calls == std::vector{call});
    });
    check_property("any bytes", [](const std::vector<std::uint8_t>& noise) {
        const auto found = resource::recover_calls(std::as_bytes(std::span(noise)));
        RC_ASSERT(found.valid_bytes <= noise.size());
    });
}

}  // namespace lockstep::test::stores
