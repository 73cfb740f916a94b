// What the program knows of services, and refuses.
#include "harness/catalogue.hpp"
#include "harness/services.hpp"
#include "scenarios/world/payloads.hpp"
#include "tests/guest/post.hpp"
#include "tests/support/catch.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <unistd.h>

namespace lockstep::test::guest {
namespace {

/// Why the service is not taken.
std::string refusal(std::string name, MakeService make, world::ServiceFace face) {
    try {
        add_service(std::move(name), make, std::move(face));
    } catch (const std::invalid_argument& why) {
        return why.what();
    }
    return "";
}

bool has(const std::string& text, const std::string& part) {
    INFO(text);
    const bool found = text.find(part) != std::string::npos;
    CHECK(found);
    return found;
}

/// What the program says to such a file.
std::string error_in(const std::string& text, const std::vector<std::string>& sets = {}) {
    post::add();
    const auto path = std::filesystem::temp_directory_path() /
                      ("lockstep-guest-" + std::to_string(::getpid()) + ".toml");
    std::ofstream(path) << text;
    const auto loaded = harness::load_scenario(path.string(), sets);
    std::filesystem::remove(path);
    if (loaded) return "";
    const std::string said = harness::error_text(loaded.error());
    return said.substr(said.rfind(".toml") == std::string::npos ? 0 : said.rfind(".toml"));
}

}  // namespace

TEST_CASE("guest: a service that cannot be told apart is not taken") {
    using Face = world::ServiceFace;
    const auto make = post::make;
    has(refusal("Mine", make, {}), "a name is made of");
    has(refusal("", make, {}), "a name is made of");
    has(refusal("raft", make, {}), "there is one of that name");
    has(refusal("mine", nullptr, {}), "nothing to make it with");
    Face low;
    low.messages = {{"ping", 7, world::MessageKind::Way::FromClients}};
    has(refusal("mine", make, low), "begin at GuestFamily");
    Face twice;
    twice.messages = {{"ping", world::GuestFamily, world::MessageKind::Way::FromClients},
                      {"pong", world::GuestFamily, world::MessageKind::Way::ToClients}};
    has(refusal("mine", make, twice), "share a name or a number");
    Face taken;
    taken.messages = {{"write", world::GuestFamily, world::MessageKind::Way::FromClients}};
    has(refusal("mine", make, taken), "resources have one");
    Face ugly;
    ugly.messages = {{"Ping!", world::GuestFamily, world::MessageKind::Way::FromClients}};
    has(refusal("mine", make, ugly), "its name is made of");
    Face role;
    role.roles = {"king"};
    has(refusal("mine", make, role), "role king");
    constexpr world::Setting<bool> one{"one", false, "a switch"};
    Face settings;
    settings.settings = {one, one};
    has(refusal("mine", make, settings), "declared twice");
    CHECK(harness::find_service("mine") == nullptr);
}

TEST_CASE("guest: what a scenario asks of a service that lacks it is refused at its line") {
    CHECK(error_in("service = \"post\"\n").empty());
    CHECK(error_in("service = \"post\"\n[service_settings]\nextra = 5\n").empty());
    has(error_in("# story\nservice = \"pots\"\n"),
        ".toml:2: service: found \"pots\"; this program has raft");
    has(error_in("service = \"post\"\n[service_settings]\nnone = 1\n"),
        ".toml:3: service_settings.none: no such setting; this service has twice");
    has(error_in("service = \"post\"\n[service_settings]\nextra = \"much\"\n"),
        ".toml:3: service_settings.extra: found \"much\"; allowed is");
    has(error_in("[service_settings]\nextra = 5\n"),
        ".toml:2: service_settings.extra: this service has no settings");
    const std::string fault = "service = \"post\"\n[[fault]]\nkind = \"drop-message\"\n";
    has(error_in(fault + "aim = \"n1\"\nmessage = \"append\"\n"),
        ".toml:5: fault[1].message: found \"append\"; service post has want, leave, write, read, "
        "call, given");
    const std::string pause =
        "service = \"post\"\n[[fault]]\nkind = \"pause\"\naim = \"n1\"\nfor = \"1s\"\n";
    has(error_in(pause + "when = { message = \"acquire\" }\n"), ".toml:6: fault[1].when.message:");
    has(error_in(pause + "when = { event = \"truncated\" }\n"), ".toml:6: fault[1].when.event:");
    CHECK(error_in(pause + "when = { event = \"granted\" }\n").empty());
    CHECK(error_in(pause + "when = { message = \"read-reply\" }\n").empty());
}

TEST_CASE("guest: roles that a service lacks are refused, wherever they stand") {
    if (harness::find_service("headless") == nullptr) add_service("headless", post::make);
    const auto fault = [](const std::string& lines) {
        return "service = \"headless\"\n[[fault]]\nkind = \"cut\"\nfor = \"1s\"\n" + lines;
    };
    const std::string lacks =
        "found \"leader\"; the roles of service headless are holder, next-waiter";
    has(error_in(fault("aim = \"leader\"\n")), ".toml:5: fault[1].aim: " + lacks);
    has(error_in(fault("aim = \"n1\"\npeers = [\"!leader\"]\n")),
        ".toml:6: fault[1].peers: " + lacks);
    has(error_in(fault("aim = \"n1\"\nwhen = { point = \"before-write\", at = \"leader\" }\n")),
        ".toml:6: fault[1].when.at: " + lacks);
    CHECK(error_in(fault("aim = \"holder\"\n")).empty());
}

TEST_CASE("guest: --set is judged when all is set") {
    post::add();
    CHECK(harness::load_scenario("calm", {"service_settings.extra=5", "service=post"}));
    const auto wrong = harness::load_scenario("calm", {"service=post", "service_settings.extr=5"});
    REQUIRE_FALSE(wrong);
    has(harness::error_text(wrong.error()), "--set service_settings.extr: no such setting");
    const auto torn = harness::load_scenario("leaders-before-commit", {"service=post"});
    REQUIRE_FALSE(torn);
    has(harness::error_text(torn.error()), "--set service=post: fault[");
}

TEST_CASE("guest: what the catalogue demands of raft it demands of no other") {
    post::add();
    const auto ours = harness::load_scenario("calm", {});
    REQUIRE(ours);
    CHECK_FALSE(ours.value().required_marks.empty());
    CHECK_FALSE(ours.value().minimum_share.empty());
    const auto theirs = harness::load_scenario("calm", {"service=post"});
    REQUIRE(theirs);
    CHECK(theirs.value().required_marks.empty());
    CHECK(theirs.value().minimum_share.empty());
}

TEST_CASE("guest: names of messages have numbers") {
    post::add();
    const auto* raft = harness::find_service("raft");
    const auto* post = harness::find_service("post");
    REQUIRE(raft != nullptr);
    REQUIRE(post != nullptr);
    for (const std::string& name : scenario::message_names()) {
        INFO(name);
        CHECK(harness::message_kind(*raft, name) != 0);
    }
    CHECK(harness::message_kind(*raft, "busy") ==
          sim::Payload::make(wire::Reply(wire::Busy{})).kind());
    CHECK(harness::message_kind(*raft, "call") ==
          sim::Payload::make(wire::ResourceRequest(wire::Call{})).kind());
    CHECK(harness::message_kind(*raft, "call-reply") ==
          sim::Payload::make(wire::ResourceReply(wire::CallReply{})).kind());
    CHECK(harness::message_kind(*post, "want") == sim::Payload::make(post::Want{}).kind());
    CHECK(harness::message_kind(*post, "write") == harness::message_kind(*raft, "write"));
    CHECK(harness::message_kind(*post, "append") == 0);
    CHECK(harness::message_kind(*raft, "want") == 0);

    const scenario::Vocabulary ours = scenario::raft_vocabulary();
    const scenario::Vocabulary known = harness::message_names(*raft);
    CHECK(known.between_servers == ours.between_servers);
    CHECK(known.from_clients == ours.from_clients);
    CHECK(known.to_clients == ours.to_clients);
    CHECK(known.roles == ours.roles);
}

}  // namespace lockstep::test::guest
