#include "scenarios/world/reporting.hpp"

namespace lockstep::world {

void Reporter::leads(sim::ProcessId server, Term term) {
    emit(server, events::BecameLeader{term, LogIndex(), 0});
}

void Reporter::granted(sim::ProcessId server, LockId lock, SessionId session, FencingToken token) {
    ++changes_;
    emit(server, events::Granted{lock, session, seq, token});
}

void Reporter::queued(sim::ProcessId server, LockId lock, SessionId session,
                      std::uint64_t position) {
    emit(server, events::Queued{lock, session, seq, next_index(), position});
}

void Reporter::released(sim::ProcessId server, LockId lock, SessionId session, FencingToken token) {
    emit(server, events::Released{lock, session, seq, token, next_index()});
}

void Reporter::expired(sim::ProcessId server, SessionId session) {
    emit(server, events::SessionEnded{session, next_index(), Term(), events::EndReason::Expired});
}

void Reporter::left_queue(sim::ProcessId server, LockId lock, SessionId session) {
    emit(server,
         events::Cancelled{lock, session, seq, next_index(), events::CancelEffect::LeftQueue});
}

}  // namespace lockstep::world
