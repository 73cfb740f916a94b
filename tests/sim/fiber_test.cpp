#include "sim/fiber.hpp"

#include "tests/support/catch.hpp"

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace lockstep::sim::fiber_tests {

namespace {

struct OnExit {
    std::function<void()> call;
    ~OnExit() { call(); }
};

}  // namespace

TEST_CASE("sim: a fiber runs when resumed and gives its stack back") {
    StackPool stacks;
    std::vector<int> order;
    {
        Fiber* self = nullptr;
        Fiber fiber(stacks, [&] {
            order.push_back(1);
            self->suspend();
            order.push_back(3);
        });
        self = &fiber;
        CHECK(stacks.made() == 0);
        fiber.resume();
        order.push_back(2);
        CHECK_FALSE(fiber.done());
        fiber.resume();
        CHECK(fiber.done());
        CHECK(stacks.idle() == 1);
    }
    CHECK(order == std::vector<int>{1, 2, 3});
    Fiber second(stacks, [] {});
    second.resume();
    CHECK(stacks.made() == 1);
}

TEST_CASE(
    "sim: a kill unwinds a fiber, innermost first, and handlers of exceptions do not stop it") {
    StackPool stacks;
    std::vector<std::string> order;
    Fiber* self = nullptr;
    Fiber fiber(stacks, [&] {
        const OnExit outer{[&] { order.emplace_back("outer"); }};
        try {
            const OnExit inner{[&] { order.emplace_back("inner"); }};
            self->suspend();
        } catch (const std::exception&) {
            order.emplace_back("handled");
        }
        order.emplace_back("went on");
    });
    self = &fiber;
    fiber.resume();
    CHECK(fiber.kill() == nullptr);
    CHECK(fiber.done());
    CHECK(order == std::vector<std::string>{"inner", "outer"});
}

TEST_CASE("sim: a destructor that suspends while its fiber is unwound does not wait") {
    StackPool stacks;
    bool passed = false;
    Fiber* self = nullptr;
    Fiber fiber(stacks, [&] {
        const OnExit waits{[&] {
            self->suspend();
            passed = true;
        }};
        self->suspend();
    });
    self = &fiber;
    fiber.resume();
    fiber.kill();
    CHECK(passed);
    CHECK(fiber.done());
}

TEST_CASE("sim: code that swallows FiberKilled meets it again at its next suspension") {
    StackPool stacks;
    int swallowed = 0;
    Fiber* self = nullptr;
    Fiber fiber(stacks, [&] {
        for (int i = 0; i < 3; ++i) {
            try {
                self->suspend();
            } catch (const FiberKilled&) {
                ++swallowed;
            }
        }
        self->suspend();
        swallowed = -1;
    });
    self = &fiber;
    fiber.resume();
    fiber.kill();
    CHECK(swallowed == 3);
    CHECK(fiber.done());
}

TEST_CASE("sim: a fiber that was never resumed is killed without running") {
    StackPool stacks;
    bool ran = false;
    {
        Fiber fiber(stacks, [&] { ran = true; });
        fiber.kill();
        CHECK(fiber.done());
    }
    CHECK_FALSE(ran);
    CHECK(stacks.made() == 0);
}

TEST_CASE("sim: what a fiber lets out comes out of resume, or of kill") {
    StackPool stacks;
    Fiber fiber(stacks, [] { throw std::runtime_error("out"); });
    CHECK_THROWS_WITH(fiber.resume(), "out");
    CHECK(fiber.done());

    Fiber* self = nullptr;
    Fiber dying(stacks, [&] {
        try {
            self->suspend();
        } catch (const FiberKilled&) {
            throw std::runtime_error("in place of dying");
        }
    });
    self = &dying;
    dying.resume();
    const std::exception_ptr thrown = dying.kill();
    REQUIRE(thrown != nullptr);
    CHECK_THROWS_WITH(std::rethrow_exception(thrown), "in place of dying");
}

TEST_CASE("sim: fibers that suspend in catch blocks keep their own exceptions") {
    StackPool stacks;
    std::vector<std::unique_ptr<Fiber>> fibers;
    std::vector<std::string> caught;
    for (int i = 0; i < 20; ++i) {
        fibers.push_back(std::make_unique<Fiber>(stacks, [&, i] {
            try {
                try {
                    throw std::runtime_error(std::to_string(i));
                } catch (const std::exception&) {
                    fibers[static_cast<std::size_t>(i)]->suspend();
                    throw;
                }
            } catch (const std::exception& e) {
                caught.emplace_back(e.what());
            }
        }));
    }
    for (auto& fiber : fibers) fiber->resume();
    CHECK(std::current_exception() == nullptr);
    std::vector<std::string> expected;
    for (int i = 19; i >= 0; --i) {
        fibers[static_cast<std::size_t>(i)]->resume();
        expected.push_back(std::to_string(i));
    }
    CHECK(caught == expected);
}

}  // namespace lockstep::sim::fiber_tests
