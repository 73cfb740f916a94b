#include "cli/parser.hpp"
#include "scenarios/scenario_toml.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::cli {
namespace {

using scenario::Setting;
using scenario::Shape;

constexpr const char* not_for_files[] = {"help", "help-all", "version", "config", "no-config"};

std::vector<CLI::App*> commands_of(CLI::App& app) {
    return app.get_subcommands([](const CLI::App* c) { return has_settings(c->get_name()); });
}

/// Null if there is none that a file may set.
CLI::Option* option_of(CLI::App& command, const std::string& name) {
    if (std::find(std::begin(not_for_files), std::end(not_for_files), name) !=
        std::end(not_for_files))
        return nullptr;
    CLI::Option* option = command.get_option_no_throw("--" + name);
    if (option == nullptr) option = command.get_option_no_throw(name);
    // What must be said anyway has no default.
    return option != nullptr && option->get_required() ? nullptr : option;
}

/// What an option is called in a file.
std::string key_of(const CLI::Option& option) {
    const auto& longs = option.get_lnames();
    return longs.empty() ? option.get_name() : longs.front();
}

std::vector<std::string> keys_of(CLI::App& command) {
    std::vector<std::string> keys;
    for (const CLI::Option* option : command.get_options())
        if (option_of(command, key_of(*option)) != nullptr) keys.push_back(key_of(*option));
    return keys;
}

bool is_flag(const CLI::Option& option) {
    return option.get_items_expected_max() == 0;
}

/// Why the option cannot take the value.
std::optional<std::string> set(CLI::Option& option, const Setting& setting) {
    const auto& [field, line, words] = setting;
    const bool flag = is_flag(option);
    if (flag != (field.shape == Shape::Boolean))
        return flag ? "allowed is true or false" : "true and false are not allowed";
    if (field.shape == Shape::List && option.get_items_expected_max() <= 1)
        return "a list is not allowed";
    try {
        if (field.shape != Shape::List) option.add_result(field.value);
        for (const auto& word : words) option.add_result(word);
        option.run_callback();
    } catch (const CLI::Error& error) {
        // The option's name is that of the key.
        const std::string why = error.what();
        const std::string name = "--" + key_of(option) + ": ";
        return why.starts_with(name) ? why.substr(name.size()) : why;
    }
    return std::nullopt;
}

std::string unknown(CLI::App& app, const std::string& name) {
    std::vector<std::string> keys;
    for (CLI::App* command : commands_of(app))
        for (const auto& key : keys_of(*command))
            if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    const std::string nearest = scenario::nearest(name, keys);
    return fmt::format("no option has that name{}; allowed are {}, and tables named after commands",
                       nearest.empty() ? "" : fmt::format(" (did you mean {}?)", nearest),
                       fmt::join(keys, ", "));
}

/// The options that the key is about, or why there are none.
Result<std::vector<CLI::Option*>> options_for(CLI::App& app, const Setting& setting) {
    const std::string& key = setting.field.key;
    const bool is_boolean = setting.field.shape == Shape::Boolean;
    const auto refuse = [&key](const std::string& why) {
        return Error{fmt::format("{}: {}", key, why), {}};
    };
    std::vector<CLI::Option*> options;
    const auto dot = key.find('.');
    if (dot == std::string::npos) {
        for (CLI::App* command : commands_of(app)) {
            // What is a folder of results for the others is the file that it writes.
            if (key == "out" && command->get_name() == "probe") continue;
            if (CLI::Option* option = option_of(*command, key)) options.push_back(option);
        }
        if (options.empty()) return refuse(unknown(app, key));
        // What is a flag of one command may be a file's name for another.
        std::vector<CLI::Option*> fitting;
        std::copy_if(options.begin(), options.end(), std::back_inserter(fitting),
                     [&](const CLI::Option* o) { return is_flag(*o) == is_boolean; });
        return fitting.empty() ? options : fitting;
    }
    const auto commands = commands_of(app);
    const auto found = std::find_if(commands.begin(), commands.end(), [&](const CLI::App* c) {
        return c->get_name() == key.substr(0, dot);
    });
    if (found == commands.end()) return refuse("no command has the name of this table");
    CLI::App* command = *found;
    CLI::Option* option = option_of(*command, key.substr(dot + 1));
    if (option == nullptr)
        return refuse(fmt::format("{} has no such option; allowed are {}", command->get_name(),
                                  fmt::join(keys_of(*command), ", ")));
    return std::vector<CLI::Option*>{option};
}

std::optional<std::string> apply(CLI::App& app, const Setting& setting) {
    const auto options = options_for(app, setting);
    if (!options) return options.error().message;
    for (CLI::Option* option : options.value()) {
        if (option->count() > 0) continue;
        const auto why = set(*option, setting);
        if (!why) continue;
        const bool says_what = why->starts_with("found ") || why->starts_with("'");
        return says_what
                   ? fmt::format("{}: {}", setting.field.key, *why)
                   : fmt::format("{}: found {}; {}", setting.field.key, setting.field.value, *why);
    }
    return std::nullopt;
}

/// The lists whose words are looked at only when scenarios are loaded.
struct Listed {
    const char* command;
    const char* option;
    Origin& (*origin)(Arguments&);
};
constexpr std::array<Listed, 9> listed{{
    {"run", "--set", [](Arguments& a) -> Origin& { return a.run.sets_from; }},
    {"explore", "--set", [](Arguments& a) -> Origin& { return a.explore.sets_from; }},
    {"digest", "--set", [](Arguments& a) -> Origin& { return a.digest.sets_from; }},
    {"pinpoint", "--set", [](Arguments& a) -> Origin& { return a.pinpoint.sets_from; }},
    {"shrink", "--set", [](Arguments& a) -> Origin& { return a.shrink.sets_from; }},
    {"gate", "--set", [](Arguments& a) -> Origin& { return a.gate.sets_from; }},
    {"explore", "scenarios", [](Arguments& a) -> Origin& { return a.explore.scenarios_from; }},
    {"gate", "scenarios", [](Arguments& a) -> Origin& { return a.gate.scenarios_from; }},
    {"digest", "scenarios", [](Arguments& a) -> Origin& { return a.digest.scenarios_from; }},
}};
using Said = std::array<bool, listed.size()>;

Said said(CLI::App& app) {
    Said all{};
    for (std::size_t i = 0; i < listed.size(); ++i)
        all.at(i) = app.get_subcommand(listed.at(i).command)->count(listed.at(i).option) > 0;
    return all;
}

/// Those that the setting gave a value.
void remember_origin(CLI::App& app, Arguments& arguments, const Said& before,
                     const Origin& origin) {
    const Said now = said(app);
    for (std::size_t i = 0; i < listed.size(); ++i)
        if (now.at(i) && !before.at(i)) listed.at(i).origin(arguments) = origin;
}

}  // namespace

bool has_settings(const std::string& command) {
    return !command.empty() && command != "list" && command != "merge" && command != "completion" &&
           command != "version";
}

std::optional<Error> apply_settings(CLI::App& app, Arguments& arguments, bool demanded) {
    const std::string& path = arguments.config;
    std::error_code code;
    // A link that leads nowhere is a file that somebody wanted to be read.
    const auto there = std::filesystem::symlink_status(path, code).type();
    if (!demanded && there == std::filesystem::file_type::not_found) return std::nullopt;
    const bool out_is_said = app.get_subcommand("explore")->count("--out") > 0 &&
                             app.get_subcommand("explore")->count("--no-out") == 0;
    const auto loaded = scenario::load_settings(path);
    if (!loaded) return loaded.error();
    // Those in tables first: what they set is not set again.
    for (const bool in_table : {true, false})
        for (const Setting& setting : loaded.value()) {
            if ((setting.field.key.find('.') != std::string::npos) != in_table) continue;
            const Said before = said(app);
            if (const auto why = apply(app, setting)) return Error{*why, path, setting.line};
            remember_origin(app, arguments, before, {path, setting.line});
        }
    if (out_is_said) arguments.explore.no_out = false;
    return std::nullopt;
}

void prepare_repeats(const CLI::App& app, Arguments& arguments) {
    std::error_code code;
    const auto there = std::filesystem::symlink_status(default_config, code).type();
    if (there == std::filesystem::file_type::not_found) return;
    const bool read = !arguments.no_config && app.count("--config") == 0;
    // `run` would read what the file has for it, unless it is given something else.
    arguments.run.again_without_config = !read;
    arguments.explore.again_without_config =
        !read || (arguments.explore.sets.empty() && !arguments.run.sets.empty());
    arguments.gate.again_without_config =
        !read || (arguments.gate.sets.empty() && !arguments.run.sets.empty());
}

}  // namespace lockstep::cli
