#include "cli/parser.hpp"
#include "harness/catalogue.hpp"
#include "harness/services.hpp"
#include "properties/property.hpp"
#include "scenarios/scenario_fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::cli {
namespace {

using Words = std::vector<std::string>;

/// What --set can set, whatever the scenario; with the sign behind it.
Words set_keys() {
    scenario::Scenario scenario;
    scenario.swarm.emplace();
    Words keys;
    for (const auto& field : scenario::fields(scenario)) keys.push_back(field.key + "=");
    for (const auto id : properties::all_properties())
        keys.push_back(fmt::format("properties.{}=", properties::code_of(id)));
    return keys;
}

Words scenario_names() {
    Words names;
    for (const auto& file : harness::catalogue_files()) names.emplace_back(file.name);
    return names;
}

void add_names(const CLI::Option& option, Words& names) {
    for (const auto& name : option.get_lnames()) names.push_back("--" + name);
    for (const auto& name : option.get_snames()) names.push_back("-" + name);
}

/// What stands before a value that cannot be guessed.
void add_valued(const CLI::App& command, Words& names) {
    for (const CLI::Option* option : command.get_options())
        if (option->get_items_expected_max() > 0) add_names(*option, names);
}

/// One arm of a case for each command.
std::string arms(const std::vector<const CLI::App*>& commands,
                 std::string (*words_of)(const CLI::App&)) {
    std::string out;
    for (const CLI::App* command : commands)
        if (const std::string words = words_of(*command); !words.empty())
            out += fmt::format("        {}) {} ;;\n", command->get_name(), words);
    return out;
}

std::string options_arm(const CLI::App& command) {
    Words names;
    for (const CLI::Option* option : command.get_options()) add_names(*option, names);
    return fmt::format("options='{}'", fmt::join(names, " "));
}

std::string arguments_arm(const CLI::App& command) {
    const std::string& name = command.get_name();
    if (name == "list") return fmt::format("words='{}'", fmt::join(list_groups(), " "));
    if (name == "completion") return "words=bash";
    if (name == "replay" || name == "accept") return "files='!*.toml'";
    if (name == "check" || name == "data") return "files='!*'";
    if (name == "confirm") return "files='!*.toml'";
    if (name == "merge") return "files='*'";
    for (const CLI::Option* option : command.get_options())
        if (option->get_positional() && option->get_name().starts_with("scenario"))
            return "words=$scenarios files='!*.toml'";
    return "";
}

// {0}: a name for functions, {1}: the program, {2}: commands, {3}: scenarios, {4}: keys of --set,
// {5}: options with values, {6}: options of each command, {7}: arguments of each.
constexpr const char* script = R"(# Completion of {1} for bash, written by `{1} completion bash`.
_{0}() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}
    local commands='{2}'
    local scenarios='{3}'
    local command= options='--help --version --config --no-config' words= files= i
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        [[ " $commands " == *" ${{COMP_WORDS[i]}} "* ]] && command=${{COMP_WORDS[i]}} && break
    done
    case $before in
        --set)
            compopt -o nospace 2>/dev/null
            COMPREPLY=($(compgen -W '{4}' -- "$word"))
            return ;;
        --wire-codec) COMPREPLY=($(compgen -W 'on off' -- "$word")); return ;;
        --out | --to | --regressions)
            compopt -o filenames 2>/dev/null
            COMPREPLY=($(compgen -d -- "$word"))
            return ;;
        --config | --json | --junit | --summary | --known | --rates | --baseline | --events | --history | --html | --perfetto)
            compopt -o filenames 2>/dev/null
            COMPREPLY=($(compgen -f -- "$word"))
            return ;;
        = | {5}) return ;;
    esac
    case $command in
{6}    esac
    if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$word"))
        return
    fi
    case $command in
        '') words=$commands ;;
{7}    esac
    COMPREPLY=($(compgen -W "$words" -- "$word"))
    if [[ -n $files ]]; then
        COMPREPLY+=($(compgen -f -X "$files" -- "$word") $(compgen -d -S / -- "$word"))
        [[ ${{COMPREPLY[0]}} == */ ]] && compopt -o nospace 2>/dev/null
    fi
}}
complete -F _{0} {1}
)";

}  // namespace

std::string bash_completion(const CLI::App& app) {
    const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
    Words names;
    Words valued;
    for (const CLI::App* command : commands) {
        names.push_back(command->get_name());
        add_valued(*command, valued);
    }
    std::sort(valued.begin(), valued.end());
    valued.erase(std::unique(valued.begin(), valued.end()), valued.end());
    std::erase_if(valued, [](const std::string& name) { return name == "--set"; });
    const std::string& program = harness::program_name();
    std::string function = program;
    std::replace_if(
        function.begin(), function.end(),
        [](char c) { return !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9'); }, '_');
    return fmt::format(fmt::runtime(script), function, program, fmt::join(names, " "),
                       fmt::join(scenario_names(), " "), fmt::join(set_keys(), " "),
                       fmt::join(valued, " | "), arms(commands, options_arm),
                       arms(commands, arguments_arm));
}

}  // namespace lockstep::cli
