#include "tests/layout/banned_names.hpp"

#include "tests/support/catch.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace lockstep::test::layout {
namespace {

/// The rules that a text offends, each once.
std::set<std::string_view> rules_of(std::string_view text,
                                    std::string_view path = "sim/sample.cpp") {
    std::set<std::string_view> rules;
    for (const Finding& finding : findings_in(path, text)) rules.insert(finding.rule);
    return rules;
}

using Rules = std::set<std::string_view>;

}  // namespace

TEST_CASE("layout: nothing that differs between machines or runs is used where it matters") {
    std::size_t files = 0;
    for (const SourceFile& file : source_tree()) {
        if (!is_deterministic_code(file.path)) continue;
        ++files;
        for (const Finding& found : findings_in(file.path, file.text))
            if (!excepted(file.path, found.rule))
                FAIL_CHECK(file.path << ":" << found.line << ": " << found.what << " ("
                                     << found.rule << ")");
    }
    CHECK(files > 80);  // it did read something
}

TEST_CASE("layout: every exception is still needed, and says why") {
    for (const Exception& e : exceptions()) {
        INFO(e.path << " " << e.rule);
        CHECK_FALSE(e.reason.empty());
        const auto file = std::ranges::find(source_tree(), e.path, &SourceFile::path);
        REQUIRE(file != source_tree().end());
        CHECK(std::ranges::any_of(findings_in(file->path, file->text),
                                  [&](const Finding& f) { return f.rule == e.rule; }));
    }
    CHECK(excepted("sim/fiber.cpp", "catch-all"));
    CHECK_FALSE(excepted("sim/fiber.cpp", "sort"));
    CHECK_FALSE(excepted("sim/world.cpp", "catch-all"));
}

TEST_CASE("layout: the rules are for what runs in a run") {
    CHECK(is_deterministic_code("core/raft/log.cpp"));
    CHECK(is_deterministic_code("properties/lock.cpp"));
    CHECK(is_deterministic_code("scenarios/workloads/counter.cpp"));
    CHECK_FALSE(is_deterministic_code("properties/rapid/clusters.cpp"));
    CHECK_FALSE(is_deterministic_code("tests/sim/disk_test.cpp"));
    CHECK_FALSE(is_deterministic_code("harness/worker.cpp"));
}

TEST_CASE("layout: banned names are found") {
    const auto [text, rule] = GENERATE(table<const char*, const char*>({
        {"std::unordered_map<int, int> f();", "unordered"},
        {"void f(std::unordered_set<int> s);", "unordered"},
        {"auto d = [] { return std::uniform_int_distribution<int>(1, 6); };", "randomness"},
        {"void f() { int x = std::rand(); }", "randomness"},
        {"void f() { std::mt19937_64 engine(1); }", "randomness"},
        {"void f() { std::shuffle(a.begin(), a.end(), g); }", "shuffle"},
        {"void f() { std::ranges::shuffle(a, g); }", "shuffle"},
        {"auto f() { return std::hash<int>()(3); }", "hash"},
        {"void f() { auto t = std::chrono::steady_clock::now(); }", "wall-clock"},
        {"void f() { auto t = std::time(nullptr); }", "wall-clock"},
        {"void f() { timespec t; clock_gettime(CLOCK_MONOTONIC, &t); }", "wall-clock"},
        {"double half(int x);", "floating-point"},
        {"void f() { auto x = static_cast<float>(1); }", "floating-point"},
        {"std::shared_ptr<int> f();", "shared-owner"},
        {"void f() { auto p = std::make_shared<int>(3); }", "shared-owner"},
        {"thread_local int x;", "thread"},
        {"struct S { std::atomic<int> n; };", "thread"},
        {"void f() { std::setlocale(LC_ALL, \"\"); }", "locale"},
        {"void f() { auto home = getenv(\"HOME\"); }", "environment"},
        {"void f(int* p) { auto n = reinterpret_cast<std::uintptr_t>(p); }", "address"},
        {"void f() { try { g(); } catch (...) { } }", "catch-all"},
        {"void f() { try { g(); } catch( ... ) { } }", "catch-all"},
        {"void f() { std::sort(a.begin(), a.end()); }", "sort"},
        {"void f() { std::ranges::sort(a); }", "sort"},
        {"using namespace std;", "using-std"},
        {"#include <unordered_map>\n", "unordered"},
        {"#  include <random>\n", "randomness"},
        {"#include <chrono>\n", "wall-clock"},
        {"#include <mutex>\n", "thread"},
        {"#define TWICE(x) 2 * (x); \\\n    double y\nint f();", "floating-point"},
        {"#define ONCE(x) static int x = 0\n", "static-state"},
    }));
    INFO(text);
    CHECK(rules_of(text).contains(rule));
}

TEST_CASE("layout: pointers are found where they would give an order") {
    CHECK(rules_of("struct S { std::map<Process*, int> m; };") == Rules{"pointer-key"});
    CHECK(rules_of("struct S { std::set<const Process*> m; };") == Rules{"pointer-key"});
    CHECK(rules_of("struct S { FlatMap<std::pair<int, Process*>, int> m; };") ==
          Rules{"pointer-key"});
    CHECK(rules_of("struct S { std::less<Process*> m; };") == Rules{"pointer-key"});
    CHECK(rules_of("struct S { std::map<int, Process*> m; };").empty());
    CHECK(rules_of("struct S { std::map<std::pair<int, int>, Process*> m; };").empty());
    CHECK(rules_of("bool f() { return map < a * b; }").empty());
    CHECK(rules_of("int f(std::set<int> s, int* p);").empty());
}

TEST_CASE("layout: state that outlives a run is found") {
    for (const char* text : {
             "void f() { static int calls = 0; }",
             "void f() { static int calls; }",
             "void f() { static std::vector<int> cache{1, 2}; }",
             "struct S { static inline int count = 0; };",
             "struct S { static int count; };",
             "static int count;",
             "int count = 0;",
             "namespace a::b { int count; }",
             "namespace { Fiber* current = nullptr; }",
             "namespace { std::vector<int> cache{1, 2}; }",
             "extern int count;",
             "inline int count = 3;",
             "namespace { struct S { int x; }; int after = 1; }",
             "int f() { return 1; } int after = 1;",
             "enum class E : int { A, B }; int after = 1;",
         }) {
        INFO(text);
        CHECK(rules_of(text) == Rules{"static-state"});
    }
    for (const char* text : {
             "static constexpr int limit = 3;",
             "void f() { static const std::vector<int> table = {1, 2}; }",
             "struct S { static constexpr const char* name = \"s\"; int x = 0; };",
             "struct S { static int f(int x); static S make() { return {}; } };",
             "static_assert(sizeof(int) == 4);",
             "namespace { constexpr int limit = 3; const int other = 4; }",
             "int f(int x) { int y = x; return y; }",
             "using A = int; template <class T> struct B { T x{}; }; enum class E { A = 1 };",
             "template <> struct B<int> {}; S::S(int x) : x_{x}, y_(0) { f(); }",
             "namespace a { namespace b { struct Known; } } void f();",
             "bool operator==(const S& a, const S& b) { return a.x == b.x; }",
             "template <class T> concept Small = sizeof(T) < 8;",
             "std::vector<int> f() { return {1, 2}; }",
             "auto S::operator<=>(const S&) const = default;",
         }) {
        INFO(text);
        CHECK(rules_of(text).empty());
    }
}

TEST_CASE("layout: the core calls nobody back, throws nothing and prints nothing") {
    for (const auto& [text, rule] : {
             std::pair{"struct S { std::function<void()> f; };", "callback"},
             std::pair{"void f() { throw 1; }", "exception"},
             std::pair{"void f() { try { g(); } catch (int) { } }", "exception"},
             std::pair{"void f() { std::cout << 1; }", "io"},
         }) {
        INFO(text);
        CHECK(rules_of(text, "core/raft/log.cpp") == Rules{rule});
        CHECK(rules_of(text, "sim/world.cpp").empty());
    }
    CHECK(
        rules_of("/// a function of its input\nint function(int x);", "core/raft/log.cpp").empty());
}

TEST_CASE("layout: what stands in comments and strings, or is called alike, is no finding") {
    for (const char* text : {
             "// std::unordered_map would differ\nint f();",
             "/* static int x;\n double y; */ int f();",
             "const char* const text = \"std::shared_ptr<double> // \\\" float\";",
             "const char* const text = R\"x(thread_local \" )\" double)x\";",
             "constexpr char quote = '\"'; constexpr int big = 1'000'000; // double",
             "void f() { world.shuffle(a); int hash = 3; sample(hash); }",
             "int shrink_time(int time); int double_of(int x); struct floats {};",
             "void f() { plan.locale = 1; p->clock(); std::stable_sort(a.begin(), a.end(), g); }",
             "#include \"sim/random.hpp\"\n#include <map>\n#define COUNT int count;\nint f();",
             "#if defined(__clang__)\n#pragma once\n#endif\nint f();",
             "struct Latency { Latency delay_distribution; };",
         }) {
        INFO(text);
        CHECK(rules_of(text).empty());
    }
    CHECK(rules_of("const char* const text = \"a\\\\\"; double x();") == Rules{"floating-point"});
    CHECK(rules_of("int a = 1 /* x */; // y").contains("static-state"));
}

TEST_CASE("layout: a finding says its line") {
    const auto found =
        findings_in("sim/sample.cpp", "// one\n/* two\n three */\nfloat f();\n\ndouble g();\n");
    REQUIRE(found.size() == 2);
    CHECK(found[0].line == 4);
    CHECK(found[0].what == "float");
    CHECK(found[1].line == 6);
}

}  // namespace lockstep::test::layout
