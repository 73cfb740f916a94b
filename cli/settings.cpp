#include "cli/parser.hpp"
#include "scenarios/scenario_toml.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
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
        return error.what();
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
        for (CLI::App* command : commands_of(app))
            if (CLI::Option* option = option_of(*command, key)) options.push_back(option);
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
        if (const auto why = set(*option, setting))
            return fmt::format("{}: found {}; {}", setting.field.key, setting.field.value, *why);
    }
    return std::nullopt;
}

}  // namespace

bool has_settings(const std::string& command) {
    return command != "list" && command != "completion" && command != "version";
}

std::optional<Error> apply_settings(CLI::App& app, const std::string& path, bool demanded) {
    std::error_code code;
    if (!demanded && !std::filesystem::exists(path, code)) return std::nullopt;
    const auto loaded = scenario::load_settings(path);
    if (!loaded) return loaded.error();
    // Those in tables first: what they set is not set again.
    for (const bool in_table : {true, false})
        for (const Setting& setting : loaded.value()) {
            if ((setting.field.key.find('.') != std::string::npos) != in_table) continue;
            if (const auto why = apply(app, setting)) return Error{*why, path, setting.line};
        }
    return std::nullopt;
}

}  // namespace lockstep::cli
