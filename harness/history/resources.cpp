#include "harness/history/resources.hpp"

#include "harness/history/checker.hpp"

#include <fmt/format.h>

namespace lockstep::history {
namespace {

std::string presented(const Height& height) {
    return height.minor == 0 ? fmt::format("token {}", height.major)
                             : fmt::format("(token {}, n {})", height.major, height.minor - 1);
}

/// Room for the order under one token; zero says that none was given.
std::uint64_t order_of(const OpenCall& call) {
    return call.op == Op::Write && call.n ? call.n.value + 1 : 0;
}

/// Whether who presents this after `before` was taken must be refused.
bool stale(const OpenCall& call, const Height& mine, const Height& before) {
    if (mine.major != before.major) return mine.major < before.major;
    return call.op == Op::Write && mine.minor != 0 && before.minor != 0 &&
           mine.minor <= before.minor;
}

}  // namespace

Resources::Resource& Resources::at(std::uint32_t resource) {
    while (all_.size() <= resource) all_.emplace_back(terms_.clock_error);
    return all_[resource];
}

void Resources::called(OpenCall& call, std::int64_t now) {
    Resource& resource = at(call.resource);
    call.heights = resource.heights.at_call(call.time, call.process, now);
    call.versions = resource.versions.at_call(call.time, call.process, now);
}

void Resources::ended(const OpenCall& call, const End& end) {
    Resource& resource = at(call.resource);
    if (end.kind == Kind::Ok) {
        if (call.token)
            fenced(call, end, resource);
        else
            resource.heights.maybe_before(call.heights);
        versions_rise(call, end, resource);
        return;
    }
    resource.heights.maybe_before(call.heights);
    resource.versions.maybe_before(call.versions);
}

void Resources::fenced(const OpenCall& call, const End& end, Resource& resource) {
    const Height mine{call.token.value, order_of(call)};
    const Mark sure = call.heights.sure;
    const Mark maybe = resource.heights.maybe_before(call.heights);
    const auto text = [&](const Mark& before, std::string_view when) {
        return fmt::format(
            "resource {} took a {} of process {} with {}, {} it had said yes to {} of "
            "process {}",
            resources_.name_of(call.resource), to_string(call.op), processes_.name_of(call.process),
            presented(mine), when, presented(before.height), processes_.name_of(before.process));
    };
    if (sure.line != 0 || maybe.line != 0) findings_.checked(PropertyId::Fence1);
    if (sure.line != 0 && stale(call, mine, sure.height))
        findings_.violated(PropertyId::Fence1, end.time, {sure.line, call.line, end.line},
                           [&] { return text(sure, "after"); });
    else if (maybe.line != 0 && stale(call, mine, maybe.height))
        findings_.undecided(PropertyId::Fence1, end.time, {maybe.line, call.line, end.line},
                            std::abs(call.time - maybe.time) / 2, "",
                            [&] { return text(maybe, "maybe after"); });
    resource.heights.confirmed({mine, end.line, end.time, call.process}, end.now);
}

void Resources::versions_rise(const OpenCall& call, const End& end, Resource& resource) {
    const bool write = call.op == Op::Write;
    const Mark sure = call.versions.sure;
    const Mark maybe = resource.versions.maybe_before(call.versions);
    const Maybe<std::uint64_t>& seen = write ? call.read_version : call.version;
    if (!seen) return;
    const auto text = [&](const Mark& before, std::string_view when) {
        return fmt::format(
            "process {} {} version {} of {}, {} process {} had been told of version {}",
            processes_.name_of(call.process),
            write ? "was told yes to a write that rests on" : "read", seen.value,
            resources_.name_of(call.resource), when, processes_.name_of(before.process),
            before.height.major);
    };
    const bool comparable = sure.line != 0 || maybe.line != 0;
    if (comparable) findings_.checked(PropertyId::Fence2);
    bool objected = true;
    if (sure.line != 0 && sure.height.major > seen.value)
        findings_.violated(PropertyId::Fence2, end.time, {sure.line, call.line, end.line},
                           [&] { return text(sure, "after"); });
    else if (maybe.line != 0 && maybe.height.major > seen.value)
        findings_.undecided(PropertyId::Fence2, end.time, {maybe.line, call.line, end.line},
                            std::abs(call.time - maybe.time) / 2, "",
                            [&] { return text(maybe, "maybe after"); });
    else
        objected = false;
    if (write && !objected) updated(call, end, resource);
    // An update of which no version is told made at least the next one.
    const std::uint64_t made = !write         ? seen.value
                               : call.version ? call.version.value
                                              : seen.value + 1;
    resource.versions.confirmed({{made, 0}, end.line, end.time, call.process}, end.now);
}

/// Whatever the time, two updates cannot rest on one version, nor one on a version that another had
/// replaced before it.
void Resources::updated(const OpenCall& call, const End& end, Resource& resource) {
    const std::uint64_t kept = std::min<std::uint64_t>(resource.count, resource.updates.size());
    const std::uint64_t read = call.read_version.value;
    bool good = true;
    for (std::uint64_t i = 0; i < kept && good; ++i) {
        const Update& other = resource.updates[i];
        good = false;
        if (other.read == read)
            object_to(call, end, other, "rests on the same version");
        else if (call.version && other.version && read < other.version.value &&
                 other.version.value < call.version.value)
            object_to(call, end, other, "made a version in between");
        else if (call.version && other.version && other.read < call.version.value &&
                 call.version.value < other.version.value)
            object_to(call, end, other, "rests on an older version and made a later one");
        else
            good = true;
    }
    if (kept > 0) findings_.checked(PropertyId::Fence2);
    resource.updates[resource.count++ % resource.updates.size()] = {read, call.version, end.line,
                                                                    call.process};
}

void Resources::object_to(const OpenCall& call, const End& end, const Update& other,
                          const char* how) {
    findings_.violated(PropertyId::Fence2, end.time, {other.line, call.line, end.line}, [&] {
        const auto made = [](const Maybe<std::uint64_t>& version) {
            return version ? fmt::format(" and made version {}", version.value) : std::string();
        };
        return fmt::format(
            "process {} was told yes to a write of {} that rests on version {}{}; the write of "
            "process {}, which {}, rests on version {}{}",
            processes_.name_of(call.process), resources_.name_of(call.resource),
            call.read_version.value, made(call.version), processes_.name_of(other.process), how,
            other.read, made(other.version));
    });
}

}  // namespace lockstep::history
