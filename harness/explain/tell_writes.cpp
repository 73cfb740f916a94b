// Writes that came too late, and what the resource did with them.
#include "harness/explain/telling.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::harness {
namespace {

/// The lock that guards the resource.
LockId lock_of(const Telling& t, sim::ProcessId resource) {
    const auto before =
        static_cast<std::uint32_t>(t.settings.servers.size() + t.settings.clients.size());
    const auto& kinds = t.log.outcome().process_kinds;
    if (resource.value > kinds.size() || resource.value <= before) return {};
    return LockId(resource.value - before);
}

sim::ProcessId resource_of(const Telling& t, LockId lock) {
    const auto before =
        static_cast<std::uint32_t>(t.settings.servers.size() + t.settings.clients.size());
    return sim::ProcessId(before + lock.value);
}

bool fences(const Telling& t) {
    return t.settings.resource == scenario::ResourceKind::Store &&
           t.settings.fencing == scenario::Fencing::Fenced;
}

/// Why it let a late write in.
std::string how_it_looks(const Telling& t) {
    switch (t.settings.resource) {
        case scenario::ResourceKind::Row:
            return "compares versions and no tokens";
        case scenario::ResourceKind::Endpoint:
            return "knows calls by their keys and looks at no tokens";
        case scenario::ResourceKind::Store:
            break;
    }
    switch (t.settings.fencing) {
        case scenario::Fencing::Fenced:
            return "fences reads and writes";
        case scenario::Fencing::WriteOnly:
            return "looks at the tokens of writes, and of no reads";
        case scenario::Fencing::None:
            return "looks at no token";
    }
    return "";
}

class StaleWrite {
public:
    explicit StaleWrite(Telling& telling)
        : t_(telling), log_(telling.log), write_(log_.event<events::WriteAccepted>(t_.at)) {}

    bool tell() {
        if (write_ == nullptr) return false;
        find_rival();
        const LockId lock = lock_of(t_, log_.process(t_.at));
        const HoldTale* writer = log_.hold(write_->token, t_.at, lock);
        const auto* other = log_.event<events::WriteAccepted>(rival_);
        const HoldTale* rival = other != nullptr ? log_.hold(other->token, rival_, lock) : nullptr;
        if (writer == nullptr) return false;
        if (lock) t_.focus.locks.insert(lock);
        t_.about(*writer);
        if (rival != nullptr) t_.about(*rival);
        t_.about(log_.process(t_.at));
        say(*writer, rival);
        // The late one is whoever has the lower token.
        const bool other_is_late = rival != nullptr && rival->token < writer->token;
        const Place late_at = other_is_late ? rival_ : t_.at;
        late(other_is_late ? *rival : *writer, other_is_late ? writer : rival, late_at);
        t_.step(t_.at, Rank::Needed);
        return true;
    }

private:
    /// The write that was overwritten, or that had a higher token.
    void find_rival() {
        for (Place place = t_.at; place-- > 0;) {
            if (log_.process(place) != log_.process(t_.at)) continue;
            const auto* write = log_.event<events::WriteAccepted>(place);
            if (write == nullptr) continue;
            const bool overwritten =
                write_->read_version != write_->prior_version && write->token != write_->token;
            if (overwritten || write->token > write_->token) {
                rival_ = place;
                return;
            }
            if (write->version <= write_->read_version && write->token <= write_->token) return;
        }
    }

    void say(const HoldTale& writer, const HoldTale* rival) {
        const std::string store = t_.name(log_.process(t_.at));
        const std::string who = t_.name(writer.client);
        if (rival == nullptr) {
            t_.harm = fmt::format("{} took {}'s write at {} (token {}), which it should not have",
                                  store, who, t_.words.when(t_.at), writer.token.value);
            t_.broke = t_.violation.evidence;
            return;
        }
        const std::string whose = rival->client == writer.client
                                      ? "an update of its own"
                                      : t_.name(rival->client) + "'s update";
        t_.harm = fmt::format("{} took {}'s write with token {} at {}, {} {}'s with token {} at {}",
                              store, who, writer.token.value, t_.words.when(t_.at),
                              writer.token < rival->token ? "after" : "and overwrote",
                              t_.name(rival->client), rival->token.value, t_.words.when(rival_));
        if (write_->read_version != write_->prior_version) {
            t_.harm += fmt::format(": {} is lost", whose);
            t_.broke = fmt::format(
                "{}'s write was computed from version {} of {}, and overwrote version {}, {}", who,
                write_->read_version, store, write_->prior_version, whose);
        } else {
            t_.broke = fmt::format("{} took a write with token {} after one with token {}", store,
                                   writer.token.value, rival->token.value);
        }
        t_.step(rival->granted != nowhere ? rival->granted : rival->told, Rank::Needed);
        t_.step(rival_, Rank::Needed);
        t_.step(writer.granted != nowhere ? writer.granted : writer.told, Rank::Needed);
    }

    Place sending_of(std::uint64_t op, Place before) const {
        for (Place place = before; place-- > 0;)
            if (const auto* sent = log_.event<events::WriteSent>(place); sent && sent->op == op)
                return place;
        return nowhere;
    }
    Place asked_before(const HoldTale& hold, Place before) const {
        for (Place place = before; place != nowhere && place-- > 0;) {
            if (log_.process(place) != hold.client) continue;
            const auto* asked = log_.event<events::MayActAsked>(place);
            if (asked != nullptr && asked->token == hold.token) return place;
        }
        return nowhere;
    }

    /// How the write of that holder came to be late.
    void late(const HoldTale& hold, const HoldTale* next, Place arrived) {
        const auto* write = log_.event<events::WriteAccepted>(arrived);
        const Place sent = sending_of(write->op, arrived);
        const Place asked = asked_before(hold, sent != nowhere ? sent : arrived);
        t_.step(hold.granted != nowhere ? hold.granted : hold.told, Rank::Needed);
        t_.step(asked, Rank::Linked);
        t_.step(sent, Rank::Linked);
        t_.step(hold.belief_end, Rank::Linked);
        t_.troubles({hold.client, log_.process(arrived)}, asked != nowhere ? asked : hold.told,
                    arrived, Rank::Linked);
        const SessionTale* session = log_.session(hold.session);
        LeaseAccount account;
        const bool ended = session != nullptr && session->ended != nowhere &&
                           session->ended < arrived && hold.freed == session->ended;
        if (ended) account = account_for(t_, *session);
        if (account.flawed) {
            t_.pivot = account.pivot;
            t_.looks_like = account.looks_like;
        } else if (!broke_off(hold, sent) && !overslept(hold, asked, sent, arrived)) {
            t_.looks_like = fences(t_) ? "a resource that forgot which token it had seen"
                                       : "a resource that does not fence";
        }
        if (!account.flawed && !account.ran_out.empty())
            t_.pivot += (t_.pivot.empty() ? "" : " ") + account.ran_out;
        if (!fences(t_))
            t_.pivot += fmt::format(" {} {}, and took the write.", t_.name(log_.process(arrived)),
                                    how_it_looks(t_));
        if (t_.decisive == nowhere) t_.decide(ended ? session->ended : arrived);
        t_.fencing = fencing_of(t_, {&hold});
        if (next != nullptr && t_.fencing.empty() && !fences(t_))
            t_.fencing = "a store that fences would have refused it";
    }

    /// The client wrote when it knew, or could have known, that it must not.
    bool broke_off(const HoldTale& hold, Place sent) {
        if (sent == nowhere || hold.belief_end == nowhere || sent < hold.belief_end) return false;
        const std::string who = t_.name(hold.client);
        if (log_.event<events::ReleaseCalled>(hold.belief_end) != nullptr) {
            t_.pivot = fmt::format(
                "{} released {} at {} and sent its write at {}, when it held "
                "nothing any more.",
                who, t_.words.lock(hold.lock), t_.words.when(hold.belief_end), t_.words.when(sent));
            t_.looks_like = "a client that acts after it has released";
            t_.decide(hold.belief_end);
            return true;
        }
        if (log_.still_since(hold.client, hold.belief_end) != nowhere) return false;
        for (const PauseTale& pause : log_.pauses())
            if (pause.process == hold.client && pause.from <= hold.belief_end &&
                hold.belief_end < pause.to)
                return false;
        t_.pivot = fmt::format("{}'s own deadline had passed at {}, and it sent its write at {}.",
                               who, t_.words.when(hold.belief_end), t_.words.when(sent));
        t_.looks_like = "a client that acts past its deadline";
        t_.decide(hold.belief_end);
        return true;
    }

    /// It asked in time, and stood still, or its write was under way for too long.
    bool overslept(const HoldTale& hold, Place asked, Place sent, Place arrived) {
        const std::string who = t_.name(hold.client);
        const Place from = asked != nowhere ? asked : hold.told;
        const char* class_name = fences(t_) ? "a resource that forgot which token it had seen"
                                 : t_.settings.fencing == scenario::Fencing::WriteOnly &&
                                         t_.settings.resource == scenario::ResourceKind::Store
                                     ? "a resource that does not fence reads"
                                     : "a resource that does not fence";
        for (const PauseTale& pause : log_.pauses()) {
            if (pause.process != hold.client || pause.to == nowhere) continue;
            if (pause.from > arrived || pause.to < from || pause.from < hold.told) continue;
            t_.pivot = fmt::format(
                "{} {}and was {} at {}, before its write was sent; when it ran again at {}, "
                "nothing made it ask again.",
                who,
                asked != nowhere && asked < pause.from
                    ? fmt::format("asked at {} whether it may act, was told yes, ",
                                  t_.words.when(asked))
                    : "",
                pause.strand == 0 ? "paused" : "stalled in part", t_.words.when(pause.from),
                t_.words.when(pause.to));
            t_.decide(pause.from);
            t_.looks_like = class_name;
            return true;
        }
        if (sent == nowhere || log_.time(arrived) - log_.time(sent) < milliseconds(100))
            return false;
        t_.pivot = fmt::format("{}'s write was under way from {} to {}.", who, t_.words.when(sent),
                               t_.words.when(arrived));
        t_.decide(sent);
        t_.looks_like = class_name;
        return true;
    }

    Telling& t_;
    const Chronicle& log_;
    const events::WriteAccepted* write_;
    Place rival_ = nowhere;
};

/// What became of one holder's writes when somebody with a higher token had been at the resource.
struct LateWrites {
    Place refused = nowhere;
    Place taken = nowhere;
    FencingToken seen;  ///< the highest token, then
    Place seen_at = nowhere;
};

LateWrites late_writes(const Telling& t, const HoldTale& hold, sim::ProcessId resource) {
    LateWrites late;
    FencingToken highest;
    Place since = nowhere;
    for (Place place = 0; place < t.log.size(); ++place) {
        if (t.log.process(place) != resource) continue;
        if (const auto* refused = t.log.event<events::WriteRejected>(place);
            refused != nullptr && refused->token == hold.token &&
            refused->held_token > refused->token && late.refused == nowhere) {
            late.refused = place;
            late.seen = refused->held_token;
        }
        const auto* taken = t.log.event<events::WriteAccepted>(place);
        const auto* read = t.log.event<events::ReadAccepted>(place);
        if (taken != nullptr && taken->token == hold.token && highest > hold.token &&
            late.taken == nowhere) {
            late.taken = place;
            late.seen = highest;
            late.seen_at = since;
        }
        const FencingToken token = taken != nullptr  ? taken->token
                                   : read != nullptr ? read->token
                                                     : FencingToken();
        if (token > highest) {
            highest = token;
            since = place;
        }
    }
    return late;
}

}  // namespace

std::string fencing_of(const Telling& t, const std::vector<const HoldTale*>& stale) {
    for (const HoldTale* hold : stale) {
        const sim::ProcessId resource = resource_of(t, hold->lock);
        if (resource.value > t.log.outcome().process_names.size()) continue;
        const std::string store = t.name(resource);
        const std::string who = t.name(hold->client);
        const LateWrites late = late_writes(t, *hold, resource);
        if (late.taken != nowhere)
            return fmt::format(
                "did not help: {} {}; one that fences would have refused {}'s write, token {}, "
                "for it had seen {} at {}",
                store, how_it_looks(t), who, hold->token.value, late.seen.value,
                t.words.when(late.seen_at));
        if (late.refused != nowhere)
            return fmt::format(
                "saved the day: {} refused {}'s late write at {}, token {} being "
                "below {}",
                store, who, t.words.when(late.refused), hold->token.value, late.seen.value);
        if (fences(t))
            return fmt::format(
                "was not needed: no late write of {} came; {} would have refused it "
                "once it had seen the next token",
                who, store);
        return fmt::format("would not have helped: no late write of {} came, but {} {}", who, store,
                           how_it_looks(t));
    }
    return "";
}

void tell_stale_write(Telling& t) {
    if (!StaleWrite(t).tell()) tell_evidence(t);
}

}  // namespace lockstep::harness
