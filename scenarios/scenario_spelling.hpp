#pragma once

#include "scenarios/scenario_fields.hpp"
#include "scenarios/scenario_values.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// How members of a scenario are spelled, for scenario_fields.cpp and fault_fields.cpp alone.
namespace lockstep::scenario::spelling {

// The overloads below join these.
using scenario::parse;
using scenario::text_of;

/// `auto` instead of a duration.
template <class T>
struct OrAuto {
    T& duration;
};
/// `off` instead of a duration.
template <class T>
struct OrOff {
    T& duration;
};
/// `forever` instead of a duration.
template <class T>
struct OrForever {
    T& duration;
};
/// `all` instead of a list of kinds.
template <class T>
struct Kinds {
    T& kinds;
};

template <class T>
Wrong parse(std::string_view text, OrAuto<T> to) {
    Duration d;
    if (text == "auto") {
        to.duration.reset();
    } else if (parse(text, d)) {
        return "\"auto\" or a duration such as \"10s\", \"250ms\", \"1.5s\" (ns, us, ms, s, m, h)";
    } else {
        to.duration = d;
    }
    return std::nullopt;
}
template <class T>
Wrong parse(std::string_view text, OrOff<T> to) {
    Duration d;
    if (text == "off") {
        to.duration.reset();
    } else if (parse(text, d)) {
        return "\"off\" or a duration such as \"10s\", \"250ms\", \"1.5s\" (ns, us, ms, s, m, h)";
    } else {
        to.duration = d;
    }
    return std::nullopt;
}
template <class T>
Wrong parse(std::string_view text, OrForever<T> to) {
    if (text == "forever")
        to.duration = Duration::max();
    else if (parse(text, to.duration))
        return "\"forever\" or a duration such as \"10s\", \"250ms\", \"1.5s\"";
    return std::nullopt;
}
template <class T>
Wrong parse(std::string_view text, Kinds<T> to) {
    std::vector<sim::FaultKind> kinds;
    if (text != "all") {
        for (const std::string& name : split(text)) {
            sim::FaultKind kind{};
            if (auto wrong = parse(name, kind)) return "\"all\" or a list of " + *wrong;
            kinds.push_back(kind);
        }
        if (kinds.empty())
            return std::string("\"all\" or a list of kinds of faults, not an empty one");
    }
    to.kinds = kinds;
    return std::nullopt;
}
inline Wrong parse(std::string_view text, std::string& to) {
    to = text;
    return std::nullopt;
}
inline Wrong parse(std::string_view text, std::vector<std::string>& to) {
    to = split(text);
    return std::nullopt;
}

template <class T>
std::string text_of(OrAuto<T> v) {
    return v.duration ? text_of(*v.duration) : "auto";
}
template <class T>
std::string text_of(OrOff<T> v) {
    return v.duration ? text_of(*v.duration) : "off";
}
template <class T>
std::string text_of(OrForever<T> v) {
    return text_of(v.duration);
}
template <class T>
std::string text_of(Kinds<T> v) {
    std::vector<std::string> names;
    for (const sim::FaultKind kind : v.kinds) names.emplace_back(sim::to_string(kind));
    return names.empty() ? "all" : join(names);
}
inline std::string text_of(const std::string& v) {
    return v;
}
inline std::string text_of(const std::vector<std::string>& v) {
    return join(v);
}
inline std::string text_of(std::uint32_t v) {
    return fmt::format("{}", v);
}
inline std::string text_of(std::uint64_t v) {
    return fmt::format("{}", v);
}
inline std::string text_of(bool v) {
    return v ? "true" : "false";
}

template <class T>
constexpr Shape shape_of(const T&) {
    return Shape::Text;
}
constexpr Shape shape_of(const std::uint32_t&) {
    return Shape::Number;
}
constexpr Shape shape_of(const std::uint64_t&) {
    return Shape::Number;
}
constexpr Shape shape_of(const bool&) {
    return Shape::Boolean;
}
constexpr Shape shape_of(const std::vector<std::string>&) {
    return Shape::List;
}
template <class T>
Shape shape_of(const Kinds<T>& v) {
    return v.kinds.empty() ? Shape::Text : Shape::List;
}

inline std::string name_of(Shape shape) {
    switch (shape) {
        case Shape::Number:
            return "a number";
        case Shape::Boolean:
            return "true or false";
        case Shape::Text:
            return "a string";
        case Shape::List:
            return "an array of strings";
    }
    return {};
}

inline std::string quoted(std::string_view text, std::optional<Shape> shape) {
    if (shape == Shape::List) return fmt::format("[{}]", text);
    if (shape == Shape::Number || shape == Shape::Boolean) return std::string(text);
    return fmt::format("\"{}\"", text);
}

/// Tries keys one by one and remembers what became of it.
struct Setter {
    std::string_view key;
    std::string_view text;
    std::optional<Shape> shape;
    bool found = false;
    std::optional<std::string> error;
    std::vector<std::string> keys;

    template <class T>
    static std::string allowed_for(T& to) {
        if constexpr (requires { to.append("x"); } || requires { to.emplace_back("x"); })
            return name_of(shape_of(to));
        else  // nothing is spelled like this
            return parse("?", to).value_or(name_of(shape_of(to)));
    }
    template <class T>
    void operator()(const char* name, T&& to) {
        keys.emplace_back(name);
        if (key != name) return;
        found = true;
        constexpr bool is_kinds = requires { to.kinds; };
        const bool fits = !shape || *shape == shape_of(to) ||
                          (is_kinds && (*shape == Shape::Text || *shape == Shape::List));
        if (!fits)
            error = fmt::format("found {}, {}; allowed is {}", quoted(text, shape), name_of(*shape),
                                allowed_for(to));
        else if (auto allowed = parse(text, to))
            error = fmt::format("found {}; allowed is {}", quoted(text, shape), *allowed);
    }
};

/// Sets one key of a fault, without `fault[1].`.
std::optional<std::string> set_in_fault(sim::Fault& fault, Setter& set);

}  // namespace lockstep::scenario::spelling
