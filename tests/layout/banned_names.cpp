#include "tests/layout/banned_names.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace lockstep::test::layout {
namespace {

struct Name {
    std::string_view rule;
    std::string_view name;
};

/// Wherever they stand, unless behind a dot: a member may be called what it likes.
constexpr std::array names = {
    Name{"randomness", "random_device"},
    Name{"randomness", "default_random_engine"},
    Name{"randomness", "mt19937"},
    Name{"randomness", "mt19937_64"},
    Name{"randomness", "minstd_rand"},
    Name{"randomness", "rand"},
    Name{"randomness", "srand"},
    Name{"randomness", "drand48"},
    Name{"randomness", "getrandom"},
    Name{"wall-clock", "chrono"},
    Name{"wall-clock", "system_clock"},
    Name{"wall-clock", "steady_clock"},
    Name{"wall-clock", "high_resolution_clock"},
    Name{"wall-clock", "clock_gettime"},
    Name{"wall-clock", "gettimeofday"},
    Name{"wall-clock", "localtime"},
    Name{"wall-clock", "gmtime"},
    Name{"wall-clock", "strftime"},
    Name{"wall-clock", "rdtsc"},
    Name{"floating-point", "float"},
    Name{"floating-point", "double"},
    Name{"floating-point", "stod"},
    Name{"floating-point", "stof"},
    Name{"floating-point", "strtod"},
    Name{"floating-point", "atof"},
    Name{"shared-owner", "shared_ptr"},
    Name{"shared-owner", "weak_ptr"},
    Name{"shared-owner", "make_shared"},
    Name{"shared-owner", "enable_shared_from_this"},
    Name{"thread", "thread_local"},
    Name{"thread", "jthread"},
    Name{"thread", "pthread_create"},
    Name{"locale", "locale"},
    Name{"locale", "setlocale"},
    Name{"environment", "getenv"},
    Name{"environment", "setenv"},
    Name{"address", "uintptr_t"},
    Name{"address", "intptr_t"},
    Name{"address", "owner_less"},
    Name{"address", "type_index"},
    Name{"address", "typeid"},
};

/// Behind `std::` alone, since they are everyday words.
constexpr std::array std_names = {
    Name{"shuffle", "shuffle"},
    Name{"shuffle", "sample"},
    Name{"hash", "hash"},
    Name{"thread", "thread"},
    Name{"thread", "async"},
    Name{"thread", "mutex"},
    Name{"thread", "atomic"},
    Name{"thread", "condition_variable"},
    Name{"wall-clock", "time"},
    Name{"wall-clock", "clock"},
    // The order of what compares equal is the library's choice. (stable_sort has none to make.)
    Name{"sort", "sort"},
    Name{"sort", "partial_sort"},
    Name{"sort", "nth_element"},
};

/// The core does none of these; what is around it may have to.
constexpr std::array core_names = {
    Name{"callback", "function"},  // behind std::
    Name{"exception", "throw"},   Name{"exception", "try"}, Name{"io", "cout"},
    Name{"io", "cerr"},           Name{"io", "printf"},     Name{"io", "fopen"},
    Name{"io", "ifstream"},       Name{"io", "ofstream"},
};

/// Whoever includes one of these means to use it. (`unordered_` and `chrono` are names, too.)
constexpr std::array headers = {
    Name{"randomness", "random"},    Name{"thread", "thread"},
    Name{"thread", "mutex"},         Name{"thread", "atomic"},
    Name{"thread", "future"},        Name{"thread", "condition_variable"},
    Name{"wall-clock", "ctime"},     Name{"locale", "clocale"},
    Name{"floating-point", "cmath"}, Name{"floating-point", "cfloat"},
};

constexpr std::array ordered_containers = {
    "map", "set", "multimap", "multiset", "FlatMap", "flat_map", "flat_set", "less", "greater"};

class Scanner {
public:
    Scanner(std::string_view path, std::string_view text)
        : code_(code_of(text)), tokens_(tokens_of(code_)), core_(path.starts_with("core/")) {}

    std::vector<Finding> scan() {
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            named(i);
            caught_all(i);
            pointer_key(i);
            static_state(i);
            header(i);
        }
        // Only now: a macro's body may hold anything but says nothing of where it will stand.
        std::erase_if(tokens_, [](const Token& t) { return t.directive; });
        namespace_state();
        std::ranges::stable_sort(found_, {}, &Finding::line);
        return std::move(found_);
    }

private:
    std::string_view at(std::size_t i) const {
        return i < tokens_.size() ? tokens_[i].text : std::string_view();
    }
    void report(std::size_t i, std::string_view rule, std::string what) {
        found_.push_back({tokens_[i].line, rule, std::move(what)});
    }
    /// `std::x`, `std::ranges::x` and the like.
    bool in_std(std::size_t i) const {
        for (; i >= 2 && at(i - 1) == "::"; i -= 2)
            if (at(i - 2) == "std") return true;
        return false;
    }
    bool is_member(std::size_t i) const {
        return i > 0 && (at(i - 1) == "." || (i > 1 && at(i - 1) == ">" && at(i - 2) == "-"));
    }

    void named(std::size_t i) {
        const std::string_view word = at(i);
        if (is_member(i)) return;
        if (word.starts_with("unordered_")) report(i, "unordered", std::string(word));
        if (word.ends_with("_distribution") && in_std(i))
            report(i, "randomness", std::string(word));
        if (word == "namespace" && at(i + 1) == "std" && at(i - 1) == "using")
            report(i, "using-std", "using namespace std");
        for (const Name& n : names)
            if (word == n.name) report(i, n.rule, std::string(word));
        for (const Name& n : std_names)
            if (word == n.name && in_std(i)) report(i, n.rule, "std::" + std::string(word));
        if (!core_) return;
        for (const Name& n : core_names)
            if (word == n.name && (n.rule != "callback" || in_std(i)))
                report(i, n.rule, std::string(word));
    }

    void header(std::size_t i) {
        if (i == 0 || !tokens_[i].directive || at(i) != "include" || at(i - 1) != "#") return;
        for (const Name& h : headers)
            if (at(i + 1) == "<" && at(i + 2) == h.name && at(i + 3) == ">")
                report(i, h.rule, "<" + std::string(h.name) + ">");
    }

    void caught_all(std::size_t i) {
        if (at(i) == "catch" && at(i + 1) == "(" && at(i + 2) == "." && at(i + 3) == ".")
            report(i, "catch-all", "catch (...)");
    }

    /// Containers and orders whose first argument is a pointer, or a pair or tuple with one in it.
    void pointer_key(std::size_t i) {
        if (std::ranges::find(ordered_containers, at(i)) == ordered_containers.end()) return;
        if (at(i + 1) != "<") return;
        int depth = 1;
        for (std::size_t k = i + 2; k < tokens_.size() && depth > 0; ++k) {
            if (at(k) == ";" || at(k) == "{" || (at(k) == "," && depth == 1)) return;
            if (at(k) == "<") ++depth;
            if (at(k) == ">") --depth;
            const bool ends = at(k + 1) == ">" || at(k + 1) == "," || at(k + 1) == "const";
            if (at(k) == "*" && ends && depth > 0) {  // else it is a product
                report(i, "pointer-key", std::string(at(i)) + "<...*>");
                return;
            }
        }
    }

    static bool is_fixed(std::string_view word) {
        return word == "const" || word == "constexpr" || word == "consteval";
    }

    /// `static`, of a class or a function, that is neither fixed nor a function itself.
    void static_state(std::size_t i) {
        if (at(i) != "static") return;
        for (std::size_t k = i + 1; k < tokens_.size(); ++k) {
            const std::string_view word = at(k);
            if (is_fixed(word) || at(k) == "(" || word == "operator") return;
            if (word == ";" || word == "=" || word == "{") {
                report(i, "static-state", "static " + std::string(at(k - 1)));
                return;
            }
        }
    }

    /// Variables of a namespace: statements there that declare neither type, function nor constant.
    void namespace_state() {
        for (std::size_t i = 0; i < tokens_.size();) i = declaration(i);
    }

    std::size_t skip_block(std::size_t open) const {
        int depth = 0;
        for (std::size_t i = open; i < tokens_.size(); ++i) {
            if (at(i) == "{") ++depth;
            if (at(i) == "}" && --depth == 0) return i + 1;
        }
        return tokens_.size();
    }

    /// Looks at the declaration that begins here, and says where the next one does.
    std::size_t declaration(std::size_t begin) {
        constexpr std::array no_variable = {"using",   "typedef",       "template", "class",
                                            "struct",  "enum",          "union",    "friend",
                                            "concept", "static_assert", "static",   "operator"};
        bool variable = true;
        bool type = false;
        for (std::size_t i = begin; i < tokens_.size(); ++i) {
            const std::string_view word = at(i);
            if (word == "}" && i == begin) return i + 1;  // a namespace's end
            if (word == "namespace") {
                while (i < tokens_.size() && at(i) != "{" && at(i) != ";") ++i;
                return i + 1;  // what is in it is looked at, too
            }
            if (is_fixed(word) || word == "(" ||
                std::ranges::find(no_variable, word) != no_variable.end())
                variable = false;
            if (word == "class" || word == "struct" || word == "enum" || word == "union")
                type = true;
            if (word == ";" || word == "=" || word == "{") {
                if (variable && i > begin) report(begin, "static-state", std::string(at(i - 1)));
                return end_of(i, type);
            }
        }
        return tokens_.size();
    }

    /// Behind the declaration of which something that ends, begins or fills it stands at `i`.
    std::size_t end_of(std::size_t i, bool type) const {
        if (at(i) == "{" && !type) {
            i = skip_block(i);
            return at(i) == ";" ? i + 1 : i;
        }
        while (i < tokens_.size() && at(i) != ";") i = at(i) == "{" ? skip_block(i) : i + 1;
        return i + 1;
    }

    std::string code_;
    std::vector<Token> tokens_;
    bool core_;
    std::vector<Finding> found_;
};

}  // namespace

bool is_deterministic_code(std::string_view path) {
    if (path.starts_with("properties/rapid/")) return false;
    return path.starts_with("core/") || path.starts_with("sim/") ||
           path.starts_with("properties/") || path.starts_with("scenarios/");
}

std::vector<Finding> findings_in(std::string_view path, std::string_view text) {
    return Scanner(path, text).scan();
}

const std::vector<Exception>& exceptions() {
    static const std::vector<Exception> all = {
        {"core/base/assert.cpp", "exception",
         "an assertion that fails is a mistake of this program's"},
        {"sim/fiber.cpp", "catch-all",
         "the entry of a fiber hands every exception to the main stack"},
        {"sim/process_stall.cpp", "sort", "sources are sorted by their keys, which are distinct"},
        {"scenarios/scenario_toml.cpp", "sort",
         "entries are sorted by line, then by key, which is distinct"},
    };
    return all;
}

bool excepted(std::string_view path, std::string_view rule) {
    return std::ranges::any_of(
        exceptions(), [&](const Exception& e) { return e.path == path && e.rule == rule; });
}

}  // namespace lockstep::test::layout
