#include "scenarios/scenario_toml.hpp"

#include "scenarios/scenario_text.hpp"
#include "scenarios/scenario_values.hpp"

#include <fmt/format.h>
#include <toml.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

namespace lockstep::scenario {
namespace {

// Ordered tables: the order of a hash table is no order.
using Value = toml::basic_value<toml::discard_comments, std::map>;

/// One key of the file, its tables in front of it: `fault[2].when.point`.
using Entry = Setting;

int line_of(const Value& value) {
    return static_cast<int>(value.location().line());
}

/// A whole number as it is written: the parser makes the largest one of any that is too large.
std::string number_text(const Value& value) {
    const auto place = value.location();
    std::string text = place.line_str();
    text = text.substr(std::min<std::size_t>(place.column() - 1, text.size()), place.region());
    std::erase(text, '_');
    if (text.starts_with('+')) text.erase(0, 1);
    const std::string_view digits = std::string_view(text).substr(text.starts_with('-') ? 1 : 0);
    const bool plain = !digits.empty() && digits.find_first_not_of("0123456789") == digits.npos;
    return plain ? text : fmt::format("{}", value.as_integer());
}

/// Turns a document into its keys, in the order of the file.
class Flattener {
public:
    void table(const Value::table_type& table, const std::string& prefix) {
        for (const auto& [key, value] : table)
            item(value, prefix.empty() ? key : prefix + "." + key);
    }
    std::vector<Entry> entries;
    std::map<std::string, std::size_t> lists;  ///< lengths of arrays of tables
    std::map<std::string, int> lines;
    std::optional<Error> error;

private:
    void item(const Value& value, const std::string& key) {
        lines[key] = line_of(value);
        if (value.is_table() && key != "fault" && key != "expect")
            return table(value.as_table(), key);
        if (!value.is_array()) return leaf(value, key);
        const auto& array = value.as_array();
        const auto is_text = [](const Value& v) { return v.is_string(); };
        const auto is_table = [](const Value& v) { return v.is_table(); };
        if (key == "fault" || key == "expect") {
            if (!std::all_of(array.begin(), array.end(), is_table))
                return refuse(key, "an array of tables");
            lists[key] = array.size();
            for (std::size_t i = 0; i < array.size(); ++i)
                item(array[i], fmt::format("{}[{}]", key, i + 1));
            return;
        }
        if (!std::all_of(array.begin(), array.end(), is_text))
            return refuse(key, "an array of strings");
        std::vector<std::string> words;
        for (const Value& word : array) words.push_back(word.as_string().str);
        add(key, Shape::List, join(words));
        entries.back().words = std::move(words);
    }
    void leaf(const Value& value, const std::string& key) {
        if (key == "fault" || key == "expect")
            return refuse(key, fmt::format("[[{}]] tables", key));
        if (value.is_string()) return add(key, Shape::Text, value.as_string().str);
        if (value.is_boolean())
            return add(key, Shape::Boolean, value.as_boolean() ? "true" : "false");
        if (value.is_integer()) return add(key, Shape::Number, number_text(value));
        std::ostringstream text;
        text << value;
        add(key, value.is_floating() ? Shape::Number : Shape::Text, text.str());
    }
    void add(const std::string& key, Shape shape, std::string text) {
        entries.push_back({{key, shape, std::move(text)}, lines[key]});
    }
    void refuse(const std::string& key, std::string_view allowed) {
        if (!error)
            error =
                Error{fmt::format("{}: found something else than {}, which is all that is allowed",
                                  key, allowed),
                      {},
                      lines[key]};
    }
};

/// The line of the key, or of the table that it would be in.
int line_for(const std::map<std::string, int>& lines, std::string key) {
    while (true) {
        const auto line = lines.find(key);
        if (line != lines.end()) return line->second;
        const std::size_t dot = key.rfind('.');
        if (dot == std::string::npos) return 0;
        key.resize(dot);
    }
}

/// The comment in front of everything else.
std::string story_of(std::string_view text) {
    std::string story;
    while (text.starts_with('#')) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(1, end - 1);
        if (line.starts_with(' ')) line.remove_prefix(1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (!story.empty()) story += '\n';
        story += line;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    // Empty lines at its end are none of it.
    while (story.ends_with('\n')) story.pop_back();
    return story;
}

/// What the parser says, without its own name and drawing.
std::string syntax_message(const toml::exception& error) {
    std::string text = error.what();
    text = text.substr(0, text.find('\n'));
    for (const std::string_view prefix : {"[error] ", "toml::"})
        if (text.starts_with(prefix)) text.erase(0, prefix.size());
    const std::size_t colon = text.find(": ");
    if (colon != std::string::npos && text.find(' ') > colon) text.erase(0, colon + 2);
    return "not TOML: " + text;
}

Result<Value> parse_document(std::string_view text, const std::string& file) {
    std::istringstream stream{std::string(text)};
    try {
        return toml::parse<toml::discard_comments, std::map>(stream, file);
    } catch (const toml::exception& error) {
        return Error{syntax_message(error), file, static_cast<int>(error.location().line())};
    } catch (const std::exception& error) {
        return Error{fmt::format("not TOML: {}", error.what()), file};
    }
}

/// What a fault or an expectation must say.
std::optional<Error> refuse_incomplete(const Scenario& scenario, const Flattener& file) {
    const auto lacks = [&](const std::string& table, const char* key,
                           const char* allowed) -> std::optional<Error> {
        if (file.lines.contains(table + "." + key)) return std::nullopt;
        return Error{fmt::format("{}: found no \"{}\"; it needs {}", table, key, allowed),
                     {},
                     line_for(file.lines, table)};
    };
    for (std::size_t i = 1; i <= scenario.faults.size(); ++i) {
        const std::string table = fmt::format("fault[{}]", i);
        if (auto error = lacks(table, "kind", "a kind of fault")) return error;
        if (auto error = lacks(table, "aim", "a process or a role to be aimed at")) return error;
        const auto waits = [&](const char* key) {
            return file.lines.contains(table + ".when." + key) ? 1 : 0;
        };
        if (scenario.faults[i - 1].aim.by == sim::Aim::By::Trigger &&
            !file.lines.contains(table + ".when"))
            return Error{fmt::format("{}.aim: found \"trigger\", and no \"when\" whose place it "
                                     "could mean",
                                     table),
                         {},
                         line_for(file.lines, table + ".aim")};
        for (const auto& key : needed_fault_keys(scenario.faults[i - 1].kind))
            if (auto error = lacks(table, key.name, key.what)) return error;
        if (file.lines.contains(table + ".when") &&
            waits("event") + waits("point") + waits("message") + waits("disk") != 1)
            return Error{table + ".when: allowed is exactly one of event, point, message and disk",
                         {},
                         line_for(file.lines, table + ".when")};
    }
    for (std::size_t i = 1; i <= scenario.expect.size(); ++i)
        if (auto error = lacks(fmt::format("expect[{}]", i), "violated", "a property's id"))
            return error;
    if (!file.lines.contains("repro")) return std::nullopt;
    for (const auto& [key, what] : {std::pair{"seed", "a number"},
                                    {"plan_epoch", "a number"},
                                    {"fingerprint", "a failure's fingerprint"},
                                    {"digest", "sixteen hex digits"},
                                    {"content", "sixteen hex digits"},
                                    {"build", "sixteen hex digits, or \"\""},
                                    {"version", "the version that wrote it"}})
        if (auto error = lacks("repro", key, what)) return error;
    return std::nullopt;
}

/// A fault's kind decides which other keys it may have, and is set first.
bool is_kind(const Entry& entry) {
    return entry.field.key.starts_with("fault[") && entry.field.key.ends_with("].kind");
}

std::optional<Error> fill(Scenario& scenario, Flattener& file) {
    const auto in_order = [](const Entry& a, const Entry& b) {
        if (is_kind(a) != is_kind(b)) return is_kind(a);
        return a.line != b.line ? a.line < b.line : a.field.key < b.field.key;
    };
    std::sort(file.entries.begin(), file.entries.end(), in_order);
    if (file.lists["fault"] > limits::faults)
        return Error{
            fmt::format("fault: found {}; allowed are {}", file.lists["fault"], limits::faults),
            {},
            line_for(file.lines, "fault")};
    scenario.faults.resize(file.lists["fault"]);
    scenario.expect.resize(file.lists["expect"]);
    if (file.lines.contains("swarm")) scenario.swarm.emplace();
    for (const Entry& entry : file.entries) {
        const auto& [key, shape, value] = entry.field;
        if (const auto error = set_value(scenario, key, value, shape))
            return Error{fmt::format("{}: {}", key, *error), {}, entry.line};
    }
    if (auto error = refuse_incomplete(scenario, file)) return error;
    for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
        const std::string prefix = fmt::format("fault[{}].", i + 1);
        for (const Entry& entry : file.entries) {
            if (!entry.field.key.starts_with(prefix)) continue;
            const auto error =
                stray_fault_key(scenario.faults[i], entry.field.key.substr(prefix.size()));
            if (error) return Error{fmt::format("{}: {}", entry.field.key, *error), {}, entry.line};
        }
    }
    return std::nullopt;
}

std::string in_quotes(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (c == '\n')
            out += "\\n";
        else
            out += c;
    }
    return out + '"';
}

std::string written(const Field& field) {
    if (field.shape == Shape::Text) return in_quotes(field.value);
    if (field.shape != Shape::List) return field.value;
    std::string list;
    for (const std::string& word : split(field.value))
        list += (list.empty() ? "" : ", ") + in_quotes(word);
    return "[" + list + "]";
}

Result<std::string> read_text(const std::string& path, std::string_view what) {
    std::error_code code;
    const auto status = std::filesystem::status(path, code);
    if (status.type() == std::filesystem::file_type::not_found)
        return Error{fmt::format("no such file; allowed is {} in TOML", what), path};
    if (std::filesystem::is_directory(status))
        return Error{fmt::format("found a directory; allowed is {} in TOML", what), path};
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        return Error{fmt::format("found something else than a file; allowed is {} in TOML", what),
                     path};
    std::ifstream in(path, std::ios::binary);
    if (!in) return Error{"cannot be opened for reading", path};
    std::string text(largest_file + 1, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (in.bad()) return Error{"cannot be read", path};
    const auto size = static_cast<std::size_t>(in.gcount());
    if (size > largest_file)
        return Error{fmt::format("found more than {} bytes; allowed are no more", largest_file),
                     path};
    text.resize(size);
    return text;
}

}  // namespace

Result<Scenario> parse_scenario(std::string_view text, const std::string& file,
                                const Surroundings& around) {
    const auto in_file = [&file](Error error) {
        error.file = file;
        return error;
    };
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    if (auto error = refuse_text(text)) return in_file(*error);
    Result<Value> document = parse_document(text, file);
    if (!document) return document.error();
    Flattener flat;
    flat.table(document.value().as_table(), "");
    if (flat.error) return in_file(*flat.error);
    Scenario scenario;
    scenario.service = around.service;
    if (auto error = fill(scenario, flat)) return in_file(*error);
    const bool named = !scenario.name.empty();
    if (!named) scenario.name = std::filesystem::path(file).stem().string();
    scenario.story = story_of(text);
    auto objection = check(scenario);
    if (!objection && around.check_service != nullptr) objection = around.check_service(scenario);
    if (!objection) return scenario;
    std::string message = objection->message;
    for (const Entry& entry : flat.entries)
        if (entry.field.key == objection->key) message = as_written(message, entry.field.value);
    if (objection->key == "name" && !named)
        message += "; it is the file's name, unless the file gives another with name = \"...\"";
    return Error{fmt::format("{}: {}", objection->key, message), file,
                 line_for(flat.lines, objection->key)};
}

Result<Scenario> load_scenario(const std::string& path, const Surroundings& around) {
    const auto text = read_text(path, "a scenario");
    if (!text) return text.error();
    return parse_scenario(text.value(), path, around);
}

Result<std::vector<Setting>> load_settings(const std::string& path) {
    const auto text = read_text(path, "a file of settings");
    if (!text) return text.error();
    const auto in_file = [&path](Error error) {
        error.file = path;
        return error;
    };
    if (auto error = refuse_text(text.value())) return in_file(*error);
    Result<Value> document = parse_document(text.value(), path);
    if (!document) return document.error();
    Flattener flat;
    flat.table(document.value().as_table(), "");
    if (flat.error) return in_file(*flat.error);
    std::sort(flat.entries.begin(), flat.entries.end(), [](const Entry& a, const Entry& b) {
        return a.line != b.line ? a.line < b.line : a.field.key < b.field.key;
    });
    return flat.entries;
}

std::string to_toml(const Scenario& scenario) {
    std::string out;
    std::istringstream story(scenario.story);
    for (std::string line; std::getline(story, line);)
        out += line.empty() ? "#\n" : "# " + line + "\n";
    std::string section;
    // Last, so that a file that was cut off lacks it, or some of it.
    std::string repro = "\n[repro]\n";
    constexpr std::string_view of_repro = "repro.";
    for (const Field& field : fields(scenario)) {
        if (field.key.starts_with(of_repro)) {
            repro += fmt::format("{} = {}\n", field.key.substr(of_repro.size()), written(field));
            continue;
        }
        const std::size_t dot = field.key.find('.');
        const std::string in = dot == std::string::npos ? "" : field.key.substr(0, dot);
        if (in != section) out += fmt::format("\n[{}]\n", section = in);
        out += fmt::format("{} = {}\n",
                           dot == std::string::npos ? field.key : field.key.substr(dot + 1),
                           written(field));
    }
    for (const sim::Fault& fault : scenario.faults) {
        out += fmt::format("\n# {}\n[[fault]]\n", fault.label());
        for (const Field& field : fault_fields(fault))
            out += fmt::format("{} = {}\n", field.key, written(field));
    }
    for (const Expectation& expected : scenario.expect) {
        out += fmt::format("\n[[expect]]\nviolated = {}\n", in_quotes(expected.violated));
        if (!expected.when_key.empty())
            out += fmt::format("when = {}\n",
                               in_quotes(expected.when_key + "=" + expected.when_value));
    }
    if (scenario.repro) out += repro;
    return out;
}

std::string to_string(const Error& error) {
    std::string place = error.file;
    if (error.line > 0) place += fmt::format(":{}", error.line);
    return place.empty() ? error.message : place + ": " + error.message;
}

}  // namespace lockstep::scenario
