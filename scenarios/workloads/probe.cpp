#include "scenarios/workloads/workload.hpp"

namespace lockstep::workloads {
namespace {

/// Takes every lock in turn, however often it has to ask, and gives it up. It waits for each as
/// long as a leader may be missing and a dead holder's lease may last, and then some.
class Probe final : public Workload {
public:
    void run(Worker& worker) override {
        const auto& settings = worker.settings;
        const Duration wait = settings.live1_bound() + stretch(settings.ttl, settings.drift_bound) +
                              settings.lock_delay + settings.slack;
        for (std::uint32_t i = 1; i <= settings.locks.size(); ++i) {
            const LockId lock(i);
            do worker.have_session();
            while (!worker.ask(lock, wait).granted());
            worker.release(lock);
        }
        worker.locks.close();
    }
};

}  // namespace

std::unique_ptr<Workload> make_probe() {
    return std::make_unique<Probe>();
}

}  // namespace lockstep::workloads
