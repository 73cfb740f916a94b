#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

namespace lockstep::sim {

/// Stacks for fibers, each with a guard page below, kept for reuse: a new one costs a thousand
/// times what a kept one does. Outlives the worlds that use it. One thread.
class StackPool {
public:
    struct Stack {
        std::byte* low = nullptr;  ///< lowest usable byte; the guard page lies below
        std::size_t size = 0;
    };

    /// `size` is rounded up to whole pages.
    explicit StackPool(std::size_t size = std::size_t{256} * 1024);
    ~StackPool();
    StackPool(const StackPool&) = delete;
    StackPool& operator=(const StackPool&) = delete;

    Stack take();
    void give_back(Stack stack) noexcept;
    std::size_t made() const { return made_; }  ///< ever
    std::size_t idle() const { return idle_.size(); }

private:
    std::size_t page_;
    std::size_t size_;
    std::size_t made_ = 0;
    std::vector<Stack> idle_;
};

/// Thrown out of `suspend` to unwind a fiber that is being killed. No std::exception, so that code
/// which handles those does not stop it.
struct FiberKilled {};

/// Code with a stack of its own. It runs when it is resumed, until it suspends itself, on the
/// thread's one main stack's behalf: fibers do not resume each other.
///
/// Each fiber has its own view of exceptions in flight, so that one may suspend inside a catch
/// block. It must not suspend below a noexcept function, as a kill would end the program there.
class Fiber {
public:
    Fiber(StackPool& stacks, std::function<void()> body);
    /// Kills it; what it throws meanwhile is lost.
    ~Fiber();
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    /// From the main stack: lets it run until it suspends or ends. Throws what the body let out.
    void resume();
    /// From the fiber: back to the main stack. Returns at once while an exception unwinds this
    /// stack (a destructor that wants to wait); throws FiberKilled when the fiber is being killed.
    void suspend();
    /// From the main stack: unwinds it. Returns what the body threw instead of ending, if anything.
    std::exception_ptr kill();

    bool done() const;
    /// From the fiber: `suspend` would return at once.
    bool unwinding() const;

private:
    struct Context;
    std::unique_ptr<Context> context_;
};

}  // namespace lockstep::sim
