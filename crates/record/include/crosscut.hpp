// crosscut.hpp: the sections of crosscut.h with C++17 closures as tasks.
//
// Goes in: closures, and the macro that chooses the runtime (see crosscut.h). Comes out: the runtime's own tasks, recorded
// when the program runs under `crosscut record`.
//
//     crosscut::section section;                                // make a section
//     CROSSCUT_CREATE(section, [&] { left = half(n - 1); });    // create a task in it
//     CROSSCUT_CREATE(section, [&] { right = half(n - 2); });
//     CROSSCUT_WAIT(section);                                   // wait for its tasks
//
// The two macros work with all six runtimes. With all but OpenCilk they are the members section.create(closure) and
// section.wait(), which may be called as well. crosscut::run([&] { … }) starts the runtime, runs the closure and ends the
// runtime; crosscut::run_on(workers, …) asks for a number of workers.
//
// Rules beside those of crosscut.h:
//   - A section opens when it is made and again at the first task after a wait. When it goes before it was waited for, for
//     instance because an exception passes, it waits (with OpenCilk: the function waits, the section only notes it).
//   - oneTBB and OpenCilk throw a task's exception again where it is waited for, the serial runtime where the task is
//     created. With OpenMP, Qthreads and MassiveThreads an exception that leaves a task ends the program.
#ifndef CROSSCUT_HPP
#define CROSSCUT_HPP

#include "crosscut.h"

#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace crosscut {

#ifndef CROSSCUT_OPENMP

/// Internal: from the first to the last instruction of a task, also when it throws.
class running {
public:
    running(std::uint64_t task, std::uint64_t next) : task_(task), next_(next) { crosscut_note_begin(task_); }
    ~running() { crosscut_note_end(task_, next_); }
    running(const running &) = delete;
    running &operator=(const running &) = delete;

private:
    std::uint64_t task_;
    std::uint64_t next_;
};

/// Internal: closes the record of a wait, also when the wait throws.
class waiting {
public:
    explicit waiting(std::uint64_t owner) : owner_(owner) {}
    ~waiting() {
        crosscut_note_resume(owner_);
        crosscut_note_wait_end(owner_);
    }
    waiting(const waiting &) = delete;
    waiting &operator=(const waiting &) = delete;

private:
    std::uint64_t owner_;
};

#endif

#ifdef CROSSCUT_TBB
/// Internal: a task of oneTBB, which calls its functions as constants; ours may change what they hold. When another task of
/// the section throws, oneTBB drops those that have not begun: they are recorded as tasks that did nothing.
template <class Body> class task {
public:
    task(std::uint64_t number, Body body) : number_(number), body_(std::move(body)) {}
    task(task &&other) : number_(std::exchange(other.number_, 0)), body_(std::move(other.body_)) {}
    task &operator=(task &&) = delete;
    ~task() {
        if (number_ != 0) {
            const running noted(number_, crosscut_note_current());
        }
    }

    void operator()() const {
        const std::uint64_t number = std::exchange(number_, 0);
        const running noted(number, number != 0 ? crosscut_note_current() : 0);
        body_();
    }

private:
    mutable std::uint64_t number_;
    mutable Body body_;
};
#endif

#ifdef CROSSCUT_QTHREADS
/// Internal: a closure that qthread_fork_copyargs may copy byte by byte.
template <class Body> struct copied {
    qt_sinc_t *tasks;
    std::uint64_t task;
    Body body;

    static aligned_t run(void *argument) noexcept {
        auto *const closure = static_cast<copied *>(argument);
        {
            const running noted(closure->task, 0);
            closure->body();
        }
        qt_sinc_submit(closure->tasks, nullptr);
        return 0;
    }
};
#endif

#if defined(CROSSCUT_QTHREADS) || defined(CROSSCUT_MASSIVETHREADS)
/// Internal: a closure behind an argument, gone when it has run.
template <class Body> struct held {
    Body body;
    bool on_heap;

    static void run(void *argument) noexcept {
        auto *const closure = static_cast<held *>(argument);
        closure->body();
        if (closure->on_heap) {
            delete closure;
        } else {
            closure->~held();
        }
    }
};
#endif

/// Tasks that are waited for together.
class section {
public:
    CROSSCUT_INLINE section() { open(); }
    section(const section &) = delete;
    section &operator=(const section &) = delete;

#ifdef CROSSCUT_CILK
    CROSSCUT_INLINE ~section() {
        if (open_) {
            resumed();
            if (!waits_) {
                wait_begins();
            }
            wait_ends();
        }
    }

    /// Does not compile: see the text.
    template <class Body> void create(Body &&) {
        static_assert(sizeof(Body) == 0, "crosscut.hpp: OpenCilk joins a task when the function that spawned it returns, so "
                                         "a member cannot spawn for its caller: use CROSSCUT_CREATE(section, closure).");
    }

    /// Does not compile: see the text.
    template <class Nothing = char> void wait() {
        static_assert(sizeof(Nothing) == 0, "crosscut.hpp: OpenCilk waits for the tasks of the function that says so, so a "
                                            "member cannot wait for its caller: use CROSSCUT_WAIT(section).");
    }

    /// Internal, of CROSSCUT_CREATE: a new task's number.
    CROSSCUT_INLINE std::uint64_t prepare() {
        reopen();
        return crosscut_note_create();
    }

    /// Internal, of CROSSCUT_CREATE: the owner goes on, perhaps on another thread.
    CROSSCUT_INLINE void resumed() { crosscut_note_resume(tasks_.owner); }

    /// Internal, of CROSSCUT_WAIT.
    CROSSCUT_INLINE void wait_begins() {
        crosscut_note_wait(tasks_.owner);
        waits_ = true; // stays so when a task's exception comes out of the wait
    }

    /// Internal, of CROSSCUT_WAIT.
    CROSSCUT_INLINE void wait_ends() {
        const waiting noted(tasks_.owner);
        open_ = waits_ = false;
    }
#else
    CROSSCUT_INLINE ~section() {
        if (open_) {
            try {
                wait();
            } catch (...) {
                if (std::uncaught_exceptions() == 0) {
                    std::terminate(); // a task failed and nobody waited for it
                }
            }
        }
    }

    /// Creates a task that runs a copy of `body`.
    template <class Body> CROSSCUT_INLINE void create(Body &&body) {
        reopen();
        start<std::decay_t<Body>>(std::forward<Body>(body));
    }

    /// Waits for the tasks.
    CROSSCUT_INLINE void wait() {
        open_ = false;
#ifdef CROSSCUT_TBB
        crosscut_note_wait(tasks_.owner);
        const waiting noted(tasks_.owner);
        tasks_.group.wait();
#else
        crosscut_wait(&tasks_);
#endif
    }
#endif

    /// Internal: opens the section when it has been waited for.
    CROSSCUT_INLINE void reopen() {
        if (!open_) {
            open();
        }
    }

private:
    CROSSCUT_INLINE void open() {
        crosscut_open(&tasks_);
        open_ = true;
    }

#if defined(CROSSCUT_SERIAL)
    template <class Body> CROSSCUT_INLINE void start(Body body) {
        const running noted(crosscut_note_create(), tasks_.owner);
        body();
    }
#elif defined(CROSSCUT_OPENMP)
    template <class Body> CROSSCUT_INLINE void start(Body body) {
#pragma omp task default(none) firstprivate(body)
        body();
    }
#elif defined(CROSSCUT_TBB)
    template <class Body> CROSSCUT_INLINE void start(Body body) {
        tasks_.group.run(task<Body>(crosscut_note_create(), std::move(body)));
    }
#elif defined(CROSSCUT_QTHREADS)
    template <class Body> CROSSCUT_INLINE void start(Body body) {
        if constexpr (std::is_trivially_copyable_v<Body> && alignof(Body) <= alignof(void *)) {
            const copied<Body> closure{&tasks_.tasks, crosscut_note_create(), std::move(body)};
            qt_sinc_expect(&tasks_.tasks, 1);
            crosscut_fork(copied<Body>::run, &closure, sizeof closure);
            crosscut_note_resume(tasks_.owner);
        } else {
            crosscut_create(&tasks_, held<Body>::run, new held<Body>{std::move(body), true});
        }
    }
#elif defined(CROSSCUT_MASSIVETHREADS)
    template <class Body> CROSSCUT_INLINE void start(Body body) {
        void *const room = alignof(held<Body>) <= 16 ? crosscut_take(&tasks_, sizeof(held<Body>)) : nullptr;
        held<Body> *const closure = room != nullptr ? new (room) held<Body>{std::move(body), false}
                                                    : new held<Body>{std::move(body), true};
        crosscut_create(&tasks_, held<Body>::run, closure);
    }
#endif

    crosscut_section tasks_;
    bool open_ = false;
#ifdef CROSSCUT_CILK
    bool waits_ = false;
#endif
};

#ifdef CROSSCUT_CILK
/// Internal: what CROSSCUT_CREATE spawns.
template <class Body> void spawned(std::uint64_t task, Body body) {
    const running noted(task, 0);
    body();
}
#endif

/// Starts the runtime with `workers` workers (0: as many as it likes), runs `body` there and ends the runtime.
template <class Body> CROSSCUT_INLINE void run_on(int workers, Body &&body) {
    using Plain = std::remove_reference_t<Body>;
    crosscut_run_on(
        workers, [](void *argument) { (*static_cast<Plain *>(argument))(); },
        const_cast<void *>(static_cast<const void *>(std::addressof(body))));
}

/// Starts the runtime with as many workers as it likes, runs `body` there and ends the runtime.
template <class Body> CROSSCUT_INLINE void run(Body &&body) { run_on(0, std::forward<Body>(body)); }

} // namespace crosscut

/// Creates a task in a section: CROSSCUT_CREATE(section, closure).
/// Waits for a section's tasks: CROSSCUT_WAIT(section).
#if defined(CROSSCUT_CILK)
#define CROSSCUT_CREATE(section, ...)                                       \
    do {                                                                    \
        const std::uint64_t crosscut_t = (section).prepare();               \
        cilk_spawn crosscut::spawned(crosscut_t, __VA_ARGS__);              \
        (section).resumed();                                                \
    } while (0)
#define CROSSCUT_WAIT(section)       \
    do {                             \
        (section).wait_begins();     \
        cilk_sync;                   \
        (section).wait_ends();       \
    } while (0)
#elif defined(CROSSCUT_OPENMP)
#define CROSSCUT_CREATE(section, ...)                                              \
    do {                                                                           \
        (section).reopen();                                                        \
        auto crosscut_body = __VA_ARGS__;                                          \
        _Pragma("omp task default(none) firstprivate(crosscut_body)")              \
        crosscut_body();                                                           \
    } while (0)
#define CROSSCUT_WAIT(section) (section).wait()
#else
#define CROSSCUT_CREATE(section, ...) (section).create(__VA_ARGS__)
#define CROSSCUT_WAIT(section) (section).wait()
#endif

#endif // CROSSCUT_HPP
