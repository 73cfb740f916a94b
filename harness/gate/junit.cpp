#include "harness/gate/junit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace lockstep::harness {
namespace {

using properties::PropertyId;
using Result = JunitCase::Result;

/// Failing seeds told in one case.
constexpr std::size_t told = 20;

constexpr const char* endings_name = "every run ends";

std::string group_of(PropertyId id) {
    const std::string code(properties::code_of(id));
    return code.substr(0, code.find('-'));
}

/// In the order of the properties.
std::vector<std::string> groups() {
    std::vector<std::string> all;
    for (const PropertyId id : properties::all_properties())
        if (std::find(all.begin(), all.end(), group_of(id)) == all.end())
            all.push_back(group_of(id));
    return all;
}

std::string again(const Repeat& repeat, std::uint64_t seed) {
    return fmt::format("  again: {}\n", repeat_command(repeat, seed));
}

void add_count(JunitCase& one, std::size_t seeds) {
    if (seeds > told) one.body += fmt::format("and {} more seeds\n", seeds - told);
}

JunitCase endings(const Batch& batch, std::size_t subject) {
    const Tally& tally = batch.tallies[subject];
    JunitCase one;
    one.name = endings_name;
    std::size_t seeds = 0;
    for (const Failure& failure : tally.failures()) {
        if (failure.end == End::Finished) continue;
        const std::string how = failure.end == End::Stuck ? "stuck" : "crashed";
        if (seeds++ >= told) continue;
        const std::string line =
            fmt::format("seed {} {}: {}", failure.seed, how, failure.end_detail);
        if (one.message.empty()) one.message = line;
        one.body += line + "\n" + again(batch.repeats[subject], failure.seed);
        one.kind = how;
        one.result = Result::Failed;
    }
    add_count(one, seeds);
    for (const GivenUp& seed : batch.exploration.given_up) {
        if (seed.subject != subject) continue;
        const std::string line = fmt::format("seed {} gave no result for too long", seed.seed);
        if (one.message.empty()) one.message = line;
        one.body += line + "\n" + again(batch.repeats[subject], seed.seed);
        if (one.result == Result::Passed) one.result = Result::Error;
        if (one.kind.empty()) one.kind = "gave-up";
    }
    return one;
}

JunitCase group_case(const Batch& batch, std::size_t subject, const std::string& group) {
    const Tally& tally = batch.tallies[subject];
    JunitCase one;
    one.name = group;
    std::uint64_t spoke = 0;
    for (const PropertyId id : properties::all_properties()) {
        if (group_of(id) != group) continue;
        const auto& property = tally.properties()[static_cast<std::size_t>(id)];
        spoke += property.held + property.violated + property.excused;
    }
    std::size_t seeds = 0;
    for (const Failure& failure : tally.failures())
        for (const auto& report : failure.violated) {
            if (group_of(report.id) != group) continue;
            const auto& property = properties::describe(report.id);
            one.result = Result::Failed;
            if (seeds++ >= told) continue;
            std::string line =
                fmt::format("{} {}, seed {}", property.code, property.name, failure.seed);
            if (report.first)
                line += fmt::format(", at {}: {}", seconds_text(report.first->at.ns),
                                    report.first->evidence);
            if (one.message.empty()) one.message = line;
            if (one.kind.empty()) one.kind = property.code;
            one.body += line + "\n" + again(batch.repeats[subject], failure.seed);
        }
    add_count(one, seeds);
    if (spoke == 0 && one.result == Result::Passed) {
        one.result = Result::Skipped;
        one.message = "had nothing to check in any run";
    }
    return one;
}

JunitCase demands_case(std::string name, const std::vector<std::string>& doubts) {
    JunitCase one;
    one.name = std::move(name);
    if (doubts.empty()) return one;
    one.result = Result::Error;
    one.kind = "untrustworthy";
    one.message = doubts.front();
    for (const auto& doubt : doubts) one.body += doubt + "\n";
    return one;
}

std::string case_text(const std::string& suite, const JunitCase& one) {
    std::string out = fmt::format("    <testcase classname=\"{}\" name=\"{}\"", xml_text(suite),
                                  xml_text(one.name));
    if (one.result == Result::Passed) return out + "/>\n";
    out += ">\n";
    if (one.result == Result::Skipped)
        return out + fmt::format("      <skipped message=\"{}\"/>\n    </testcase>\n",
                                 xml_text(one.message));
    const char* element = one.result == Result::Failed ? "failure" : "error";
    return out + fmt::format(
                     "      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n"
                     "    </testcase>\n",
                     element, xml_text(one.kind), xml_text(one.message), xml_text(one.body));
}

struct Counts {
    std::size_t tests = 0;
    std::size_t failures = 0;
    std::size_t errors = 0;
    std::size_t skipped = 0;

    void add(const JunitSuite& suite) {
        for (const auto& one : suite.cases) {
            ++tests;
            failures += one.result == Result::Failed ? 1 : 0;
            errors += one.result == Result::Error ? 1 : 0;
            skipped += one.result == Result::Skipped ? 1 : 0;
        }
    }
    std::string text() const {
        return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"", tests,
                           failures, errors, skipped);
    }
};

}  // namespace

std::string junit_case_of(const std::optional<PropertyId>& property) {
    return property ? group_of(*property) : endings_name;
}

std::string xml_text(std::string_view text) {
    std::string out;
    const auto flush = [&out](std::string_view part) {
        for (const char c : printable(part)) {
            if (c == '&')
                out += "&amp;";
            else if (c == '<')
                out += "&lt;";
            else if (c == '>')
                out += "&gt;";
            else if (c == '"')
                out += "&quot;";
            else
                out += c;
        }
    };
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::string_view rest = text.substr(i);
        const bool no_character =
            rest.starts_with("\xef\xbf\xbe") || rest.starts_with("\xef\xbf\xbf");
        if (text[i] != '\n' && text[i] != '\t' && !no_character) continue;
        flush(text.substr(begin, i - begin));
        if (no_character) {
            out += rest[2] == '\xbe' ? "\\xef\\xbf\\xbe" : "\\xef\\xbf\\xbf";
            i += 2;
        } else {
            out += text[i];
        }
        begin = i + 1;
    }
    flush(text.substr(begin));
    return out;
}

std::string junit_text(std::string_view name, const std::vector<JunitSuite>& suites) {
    Counts all;
    std::string inside;
    for (const auto& suite : suites) {
        Counts counts;
        counts.add(suite);
        all.add(suite);
        inside +=
            fmt::format("  <testsuite name=\"{}\" {}>\n", xml_text(suite.name), counts.text());
        for (const auto& one : suite.cases) inside += case_text(suite.name, one);
        inside += "  </testsuite>\n";
    }
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites name=\"{}\" {}>\n{}</testsuites>\n",
        xml_text(name), all.text(), inside);
}

std::vector<JunitSuite> junit_suites(const Batch& batch) {
    std::vector<JunitSuite> suites;
    for (std::size_t i = 0; i < batch.tallies.size(); ++i) {
        JunitSuite suite{batch.tallies[i].scenario(), {}};
        suite.cases.push_back(endings(batch, i));
        for (const auto& group : groups()) suite.cases.push_back(group_case(batch, i, group));
        if (!batch.shard)
            suite.cases.push_back(
                demands_case("marks, faults and expectations", batch.tallies[i].doubts()));
        suites.push_back(std::move(suite));
    }
    return suites;
}

std::string batch_junit(const Batch& batch) {
    auto suites = junit_suites(batch);
    if (!batch.shard)
        suites.push_back({"all scenarios",
                          {demands_case("marks, faults and expectations", batch_doubts(batch))}});
    return junit_text("lockstep", suites);
}

}  // namespace lockstep::harness
