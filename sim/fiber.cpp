#include "sim/fiber.hpp"

#include "core/base/assert.hpp"

#include <boost/context/fiber.hpp>
#include <boost/context/stack_context.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#define LOCKSTEP_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LOCKSTEP_ASAN 1
#endif
#endif
#ifdef LOCKSTEP_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#endif

namespace __cxxabiv1 {
struct __cxa_eh_globals;
extern "C" __cxa_eh_globals* __cxa_get_globals() noexcept;
}  // namespace __cxxabiv1

namespace lockstep::sim {
namespace {

/// The C++ runtime's record of exceptions that are caught or on their way, one a thread. The layout
/// is that of the Itanium ABI, which libstdc++ and libc++abi share.
struct ExceptionState {
    void* caught = nullptr;
    unsigned int uncaught = 0;
};

ExceptionState* exceptions_of_thread() {
    return reinterpret_cast<ExceptionState*>(__cxxabiv1::__cxa_get_globals());
}

/// Tells the address sanitizer about switches of the stack; does nothing without it.
namespace announce {
#ifdef LOCKSTEP_ASAN
void start(void** save, const void* low, std::size_t size) {
    __sanitizer_start_switch_fiber(save, low, size);
}
void finish(void* saved, const void** low, std::size_t* size) {
    __sanitizer_finish_switch_fiber(saved, low, size);
}
void unpoison(const void* low, std::size_t size) {
    __asan_unpoison_memory_region(low, size);
}
#else
void start(void** /*save*/, const void* /*low*/, std::size_t /*size*/) {}
void finish(void* /*saved*/, const void** /*low*/, std::size_t* /*size*/) {}
void unpoison(const void* /*low*/, std::size_t /*size*/) {}
#endif
}  // namespace announce

unsigned int register_stack([[maybe_unused]] const StackPool::Stack& stack) {
#ifdef VALGRIND_STACK_REGISTER
    return VALGRIND_STACK_REGISTER(stack.low, stack.low + stack.size);
#else
    return 0;
#endif
}

void deregister_stack([[maybe_unused]] unsigned int number) {
#ifdef VALGRIND_STACK_DEREGISTER
    VALGRIND_STACK_DEREGISTER(number);
#endif
}

constexpr std::uint32_t max_kills = 1000;

[[noreturn]] void refuses_to_die() {
    std::fputs("a fiber that is being killed swallows FiberKilled and goes on\n", stderr);
    std::abort();
}

}  // namespace

StackPool::StackPool(std::size_t size) : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    size_ = (size + page_ - 1) / page_ * page_;
}

StackPool::~StackPool() {
    for (const Stack& stack : idle_) munmap(stack.low - page_, stack.size + page_);
}

StackPool::Stack StackPool::take() {
    if (!idle_.empty()) {
        const Stack stack = idle_.back();
        idle_.pop_back();
        return stack;
    }
    void* const memory = mmap(nullptr, size_ + page_, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    if (mprotect(memory, page_, PROT_NONE) != 0) {
        munmap(memory, size_ + page_);
        throw std::bad_alloc();
    }
    ++made_;
    idle_.reserve(made_);  // giving back cannot fail
    return {static_cast<std::byte*>(memory) + page_, size_};
}

void StackPool::give_back(Stack stack) noexcept {
    announce::unpoison(stack.low, stack.size);
    idle_.push_back(stack);
}

struct Fiber::Context {
    explicit Context(StackPool& pool, std::function<void()> code)
        : stacks(pool), body(std::move(code)) {}

    /// Hands Boost.Context a stack of the pool, and takes it back when the fiber has ended.
    struct Stacks {
        Context* owner;
        boost::context::stack_context allocate() const {
            boost::context::stack_context whole;
            whole.size = owner->stack.size;
            whole.sp = owner->stack.low + owner->stack.size;
            return whole;
        }
        void deallocate(boost::context::stack_context& /*whole*/) const noexcept {
            deregister_stack(owner->stack_number);
            owner->stacks.give_back(owner->stack);
        }
    };

    void create() {
        live_exceptions = exceptions_of_thread();
        stack = stacks.take();
        stack_number = register_stack(stack);
        fiber = boost::context::fiber(
            std::allocator_arg, Stacks{this},
            [this](boost::context::fiber&& back) { return entry(std::move(back)); });
    }

    /// First frame on the fiber's stack.
    boost::context::fiber entry(boost::context::fiber&& back) {
        arrived();
        main = std::move(back);
        try {
            body();
        } catch (const FiberKilled&) {
            if (!dying) thrown = std::current_exception();
        } catch (...) {
            thrown = std::current_exception();
        }
        body = nullptr;
        done = true;
        // No stack to come back to: the sanitizer may forget this one.
        announce::start(nullptr, main_low, main_size);
        return std::move(main);
    }

    void arrived() { announce::finish(fake_stack, &main_low, &main_size); }

    [[gnu::always_inline]] void switch_in() {
        if (!fiber) create();
        void* main_fake_stack = nullptr;
        std::swap(*live_exceptions, exceptions);
        announce::start(&main_fake_stack, stack.low, stack.size);
        fiber = std::move(fiber).resume();
        announce::finish(main_fake_stack, nullptr, nullptr);
        std::swap(*live_exceptions, exceptions);
    }

    [[gnu::always_inline]] void switch_out() {
        announce::start(&fake_stack, main_low, main_size);
        main = std::move(main).resume();
        arrived();
    }

    StackPool& stacks;
    std::function<void()> body;
    StackPool::Stack stack;
    unsigned int stack_number = 0;
    boost::context::fiber fiber;
    boost::context::fiber main;
    ExceptionState* live_exceptions = nullptr;  ///< the thread's, looked up once
    ExceptionState exceptions;                  ///< the fiber's own, while it does not run
    std::exception_ptr thrown;
    bool started = false;
    bool done = false;
    bool dying = false;
    std::uint32_t kills = 0;  ///< times that FiberKilled was thrown
    // For the sanitizer.
    void* fake_stack = nullptr;
    const void* main_low = nullptr;
    std::size_t main_size = 0;
};

Fiber::Fiber(StackPool& stacks, std::function<void()> body)
    : context_(std::make_unique<Context>(stacks, std::move(body))) {}

Fiber::~Fiber() {
    kill();
}

void Fiber::resume() {
    LOCKSTEP_ASSERT(!context_->done && !context_->dying, "resumed after its end");
    context_->started = true;
    context_->switch_in();
    if (context_->thrown) std::rethrow_exception(std::exchange(context_->thrown, nullptr));
}

void Fiber::suspend() {
    if (unwinding()) return;
    if (!context_->dying) context_->switch_out();
    if (!context_->dying) return;
    // From now on every suspension throws at once: one resumption reaches the end, unless the code
    // swallows what unwinds it in a loop.
    if (++context_->kills > max_kills) refuses_to_die();
    throw FiberKilled();
}

std::exception_ptr Fiber::kill() {
    if (context_->done) return nullptr;
    context_->dying = true;
    if (!context_->started) {
        context_->body = nullptr;
        context_->done = true;
        return nullptr;
    }
    context_->switch_in();
    LOCKSTEP_ASSERT(context_->done, "a fiber was killed and lives");
    return std::exchange(context_->thrown, nullptr);
}

bool Fiber::done() const {
    return context_->done;
}

bool Fiber::unwinding() const {
    return context_->live_exceptions->uncaught > 0;
}

}  // namespace lockstep::sim
