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

/// Where a server is in some order of all servers.
using Position = std::size_t (*)(const std::vector<std::string>& names, const std::string& name);

/// Passes all on to Raft, but a new client draws as many random numbers in vain as the first server
/// has others before it: all that it draws afterwards depends on the order.
class Planted final : public world::Service {
public:
    Planted(const scenario::Resolved& settings, world::Recorder& recorder, Position position)
        : settings_(settings), raft_(settings, recorder), position_(position) {}

    std::unique_ptr<sim::Program> make_server(sim::Process& process, std::size_t index) override {
        return raft_.make_server(process, index);
    }
    std::unique_ptr<world::LockClient> make_client(sim::Process& process,
                                                   world::ClientSlot slot) override {
        const std::size_t before = position_(settings_.servers, settings_.servers.front());
        for (std::size_t i = 0; i < before; ++i) (void)process.prng().next();
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
    const Position position_;
};

std::size_t by_hash(const std::vector<std::string>& names, const std::string& name) {
    const std::unordered_set<std::string> set(names.begin(), names.end());
    return static_cast<std::size_t>(std::distance(set.begin(), set.find(name)));
}

std::size_t by_address(const std::vector<std::string>& names, const std::string& name) {
    std::vector<std::unique_ptr<std::string>> copies;
    std::set<const std::string*> set;
    for (const std::string& n : names)
        set.insert(copies.emplace_back(std::make_unique<std::string>(n)).get());
    std::size_t before = 0;
    for (const std::string* n : set) {
        if (*n == name) break;
        ++before;
    }
    return before;
}

template <Position position>
std::unique_ptr<world::Service> make(const scenario::Resolved& settings,
                                     world::Recorder& recorder) {
    return std::make_unique<Planted>(settings, recorder, position);
}

}  // namespace

int main(int argc, char** argv) {
    const world::ServiceFace face = harness::find_service("raft")->face;
    lockstep::add_service("by-hash", make<by_hash>, face);
    lockstep::add_service("by-address", make<by_address>, face);
    return lockstep::cli_main(argc, argv);
}
