#pragma once

#include "harness/history/findings.hpp"
#include "harness/history/floor.hpp"
#include "harness/history/names.hpp"
#include "harness/history/open_call.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::history {

struct Terms;

/// What protected resources took: FENCE-1 by tokens, FENCE-2 by versions.
class Resources {
public:
    Resources(const Terms& terms, Findings& findings, const Names& processes,
              const Names& resources)
        : terms_(terms), findings_(findings), processes_(processes), resources_(resources) {}

    void called(OpenCall& call, std::int64_t now);
    void ended(const OpenCall& call, const End& end);

private:
    struct Update {
        std::uint64_t read = 0;
        Maybe<std::uint64_t> version;
        std::uint64_t line = 0;
        std::uint32_t process = 0;
    };
    struct Resource {
        explicit Resource(std::int64_t error) : heights(error), versions(error) {}
        Floor heights;
        Floor versions;
        std::array<Update, 64> updates{};  ///< the last that were acknowledged
        std::uint64_t count = 0;
    };

    Resource& at(std::uint32_t resource);
    void fenced(const OpenCall& call, const End& end, Resource& resource);
    void updated(const OpenCall& call, const End& end, Resource& resource);
    void versions_rise(const OpenCall& call, const End& end, Resource& resource);
    void object_to(const OpenCall& call, const End& end, const Update& other, const char* how);

    const Terms& terms_;
    Findings& findings_;
    const Names& processes_;
    const Names& resources_;
    std::vector<Resource> all_;
};

}  // namespace lockstep::history
