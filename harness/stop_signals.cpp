#include "harness/stop_signals.hpp"

namespace lockstep::harness {
namespace {

volatile std::sig_atomic_t stop_requested = 0;
extern "C" void request_stop(int) {
    stop_requested = 1;
}

}  // namespace

StopSignals::StopSignals() {
    struct sigaction before{};
    ::sigaction(SIGINT, nullptr, &before);
    if (before.sa_handler != request_stop) stop_requested = 0;
    struct sigaction action{};
    action.sa_handler = request_stop;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGINT, &action, &old_int_);
    ::sigaction(SIGTERM, &action, &old_term_);
}

StopSignals::~StopSignals() {
    ::sigaction(SIGINT, &old_int_, nullptr);
    ::sigaction(SIGTERM, &old_term_, nullptr);
    if (old_int_.sa_handler != request_stop) stop_requested = 0;
}

bool StopSignals::caught() {
    return stop_requested != 0;
}

}  // namespace lockstep::harness
