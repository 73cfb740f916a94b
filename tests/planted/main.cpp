// The program with two more services: Raft, with a use of an order that nobody promised planted in
// its clients. The gates must catch both: `by-address` differs between two runs of one program
// (digest --twice), `by-hash` between two standard libraries only.
#include "cli/lockstep.hpp"
#include "scenarios/services/raft/raft_service.hpp"

#include <memory>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace {

using namespace lockstep;

/// Every name, in some order.
using Order = std::vector<std::string> (*)(const std::vector<std::string>& names);

/// A small number that another order of the same names would hardly come to.
std::size_t sum_of(const std::vector<std::string>& ordered) {
    std::size_t sum = 0;
    for (const std::string& name : ordered)
        for (const char c : name) sum = (sum * 31 + static_cast<unsigned char>(c)) % 1'009;
    return sum;
}

/// Passes all on to Raft, but a new client draws as many random numbers in vain as the order of all
/// names comes to: what it draws afterwards depends on that.
class Planted final : public world::Service {
public:
    Planted(const scenario::Resolved& settings, world::Recorder& recorder, Order order)
        : settings_(settings), raft_(settings, recorder), order_(order) {}

    std::unique_ptr<sim::Program> make_server(sim::Process& process, std::size_t index) override {
        return raft_.make_server(process, index);
    }
    std::unique_ptr<world::LockClient> make_client(sim::Process& process,
                                                   world::ClientSlot slot) override {
        std::vector<std::string> names = settings_.servers;
        names.insert(names.end(), settings_.clients.begin(), settings_.clients.end());
        names.insert(names.end(), settings_.resources.begin(), settings_.resources.end());
        const std::size_t draws = sum_of(order_(names));
        for (std::size_t i = 0; i < draws; ++i) (void)process.prng().next();
        return raft_.make_client(process, slot);
    }
    std::optional<sim::ProcessId> who_is(std::string_view role) const override {
        return raft_.who_is(role);
    }
    void on_event(const world::Stamp& stamp, const events::Event& event) override {
        raft_.on_event(stamp, event);
    }
    void on_world_event(const world::Stamp& stamp, const sim::WorldEvent& event) override {
        raft_.on_world_event(stamp, event);
    }

private:
    const scenario::Resolved& settings_;
    services::RaftService raft_;
    const Order order_;
};

std::vector<std::string> by_hash(const std::vector<std::string>& names) {
    const std::unordered_set<std::string> set(names.begin(), names.end());
    return {set.begin(), set.end()};
}

std::vector<std::string> by_address(const std::vector<std::string>& names) {
    std::vector<std::unique_ptr<std::string>> copies;
    std::set<const std::string*> set;
    for (const std::string& name : names)
        set.insert(copies.emplace_back(std::make_unique<std::string>(name)).get());
    std::vector<std::string> ordered;
    for (const std::string* name : set) ordered.push_back(*name);
    return ordered;
}

template <Order order>
std::unique_ptr<world::Service> make(const scenario::Resolved& settings,
                                     world::Recorder& recorder) {
    return std::make_unique<Planted>(settings, recorder, order);
}

}  // namespace

int main(int argc, char** argv) {
    const world::ServiceFace face = harness::find_service("raft")->face;
    lockstep::add_service("by-hash", make<by_hash>, face);
    lockstep::add_service("by-address", make<by_address>, face);
    return lockstep::cli_main(argc, argv);
}
