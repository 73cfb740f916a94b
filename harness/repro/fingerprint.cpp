#include "harness/repro/fingerprint.hpp"

#include <algorithm>
#include <cstddef>

namespace lockstep::harness {
namespace {

using properties::Verdict;

/// Beyond these a sentence has said what it is about.
constexpr std::size_t most_words = 20;
/// What stands before the slash of a run that ended badly: no property is called so.
constexpr std::string_view bad_end = "end";

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
bool is_letter(char c) {
    return lower(c) >= 'a' && lower(c) <= 'z';
}

/// Without what stands in parentheses, which are numbers of sessions and tokens, and without the
/// clauses that say more than what happened: how it came about differs from run to run.
std::string main_clause(std::string_view sentence) {
    std::string out;
    int depth = 0;
    for (const char c : sentence) {
        if (c == '(') ++depth;
        if (depth == 0) out += c;
        if (c == ')' && depth > 0) --depth;
    }
    std::size_t end = out.find(';');
    for (const std::string_view opener :
         {", but ", ", after ", ", nor ", ", by ", ", at ", ", update ", ", of unknown "})
        end = std::min(end, out.find(opener));
    if (end < out.size()) out.resize(end);
    return out;
}

/// What a process, or a lock, of that name is; empty for any other word.
std::string_view part_of(const Outcome& outcome, std::string_view word) {
    for (std::size_t i = 0; i < outcome.process_names.size(); ++i)
        if (outcome.process_names[i] == word && i < outcome.process_kinds.size())
            return properties::to_string(outcome.process_kinds[i]);
    const auto& locks = outcome.lock_names;
    return std::find(locks.begin(), locks.end(), word) == locks.end() ? "" : "lock";
}

bool is_hash(std::string_view word) {
    return word.size() == 16 && word.find_first_not_of("0123456789abcdef") == word.npos;
}

class Normaliser {
public:
    explicit Normaliser(const Outcome& outcome) : outcome_(outcome) {}

    void word(std::string_view word) {
        while (!word.empty() && !is_letter(word.front()) && !is_digit(word.front()))
            word.remove_prefix(1);
        while (!word.empty() && !is_letter(word.back()) && !is_digit(word.back()))
            word.remove_suffix(1);
        if (word.ends_with("'s")) word.remove_suffix(2);
        if (word.empty()) return;
        const std::string_view part = part_of(outcome_, word);
        const bool number =
            part.empty() && (std::any_of(word.begin(), word.end(), is_digit) || is_hash(word));
        const bool unit = after_number_ && (word == "s" || word == "ms" || word == "us");
        after_number_ = number;
        if (number || unit) return;
        add(part.empty() ? word : part);
    }
    std::string text() {
        std::string out;
        for (std::size_t i = 0; i < std::min(words_.size(), most_words); ++i)
            out += (i == 0 ? "" : "-") + words_[i];
        return out;
    }

private:
    void add(std::string_view word) {
        std::string plain;
        for (const char c : word) plain += is_letter(c) ? lower(c) : '-';
        // "client worker-a" has become "client client".
        if (words_.empty() || words_.back() != plain) words_.push_back(std::move(plain));
    }

    const Outcome& outcome_;
    std::vector<std::string> words_;
    bool after_number_ = false;
};

/// Dashes that stand alone, and nothing else but a to z.
std::string dashed(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (is_letter(c))
            out += lower(c);
        else if (!out.empty() && out.back() != '-')
            out += '-';
    }
    while (out.ends_with('-')) out.pop_back();
    return out;
}

std::string kind_of(const Outcome& outcome, std::string_view evidence) {
    const std::string clause = main_clause(evidence);
    Normaliser normaliser(outcome);
    std::string_view rest = clause;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        normaliser.word(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    std::string kind = dashed(normaliser.text());
    return kind.empty() ? "violated" : kind;
}

/// The file and the condition of an assertion, or the first words of whatever was thrown. A line
/// number would be another one with each change above it.
std::string crash_kind(std::string_view detail) {
    constexpr std::string_view failed = ": assertion failed: ";
    constexpr std::size_t most_letters = 80;
    std::string_view place = detail.substr(0, detail.find('\n'));
    std::string_view condition;
    if (const auto at = place.find(failed); at != place.npos) {
        condition = place.substr(at + failed.size());
        condition = condition.substr(0, condition.find(": "));
        place = place.substr(0, place.find(':'));
        if (const auto slash = place.rfind('/'); slash != place.npos)
            place.remove_prefix(slash + 1);
    }
    const std::string words = std::string(place) + " " + std::string(condition);
    std::string kind = dashed(std::string_view(words).substr(0, most_letters));
    return kind.empty() ? "crashed" : "crashed-" + kind;
}

bool is_kind(std::string_view text) {
    return !text.empty() && !text.starts_with('-') && !text.ends_with('-') &&
           text.find("--") == text.npos &&
           text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == text.npos;
}

}  // namespace

std::string to_string(const Fingerprint& fingerprint) {
    const std::string_view code =
        fingerprint.property ? properties::code_of(*fingerprint.property) : bad_end;
    return std::string(code) + "/" + fingerprint.kind;
}

std::optional<Fingerprint> parse_fingerprint(std::string_view text) {
    const auto slash = text.find('/');
    if (slash == text.npos || !is_kind(text.substr(slash + 1))) return std::nullopt;
    const std::string_view code = text.substr(0, slash);
    Fingerprint fingerprint{properties::property_of(code), std::string(text.substr(slash + 1))};
    if (!fingerprint.property && code != bad_end) return std::nullopt;
    return fingerprint;
}

Fingerprint fingerprint_of(const Outcome& outcome, const properties::Violation& violation) {
    return {violation.id, kind_of(outcome, violation.evidence)};
}

std::vector<Fingerprint> fingerprints(const Outcome& outcome) {
    if (outcome.end == End::Stuck) return {{std::nullopt, "stuck"}};
    if (outcome.end == End::Crashed) return {{std::nullopt, crash_kind(outcome.end_detail)}};
    std::vector<const properties::Violation*> violations;
    for (const auto& report : outcome.reports)
        if (report.verdict == Verdict::Violated && report.first)
            violations.push_back(&*report.first);
    std::stable_sort(violations.begin(), violations.end(), [](const auto* a, const auto* b) {
        return a->at != b->at ? a->at < b->at : a->ordinal < b->ordinal;
    });
    std::vector<Fingerprint> all;
    for (const auto* violation : violations) all.push_back(fingerprint_of(outcome, *violation));
    return all;
}

const properties::Violation* violation_of(const Outcome& outcome, const Fingerprint& why) {
    for (const auto& report : outcome.reports)
        if (why.property == report.id && report.first) return &*report.first;
    return nullptr;
}

}  // namespace lockstep::harness
