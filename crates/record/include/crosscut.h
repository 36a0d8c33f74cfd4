/* crosscut.h: tasks in C11 and C++17, written once and compiled to one of six runtimes.
 *
 * Goes in: a program that makes sections, creates tasks in them and waits for them, and one macro that names the runtime:
 * CROSSCUT_OPENMP, CROSSCUT_TBB (C++ only), CROSSCUT_CILK, CROSSCUT_QTHREADS, CROSSCUT_MASSIVETHREADS or CROSSCUT_SERIAL.
 * Comes out: that runtime's own calls, and beside them what `crosscut record` needs to know. Without the recorder in the
 * process a call costs one load and one branch more. OpenMP needs no help: the recorder listens to its runtime.
 *
 *     static void half(void *argument);              // a task: a function and its argument
 *
 *     static void whole(void *argument) {
 *         crosscut_section section;
 *         crosscut_open(&section);                   // make a section
 *         crosscut_create(&section, half, &left);    // create a task in it
 *         crosscut_create(&section, half, &right);
 *         crosscut_wait(&section);                   // wait for its tasks; the section is closed
 *     }
 *
 *     int main(void) { crosscut_run(whole, NULL); }  // starts the runtime, runs whole(NULL), ends the runtime
 *
 * Rules that hold for all six:
 *   - The function that opens a section creates its tasks and waits for them. (A Cilk function joins what it spawned when
 *     it returns, so nobody else can.) A section may be opened again after its wait; sections nest.
 *   - What the argument points to must live until the wait.
 *   - With OpenMP and OpenCilk a wait also waits for the tasks of the sections around it in the same function, as
 *     `taskwait` and `cilk_sync` do.
 *   - No exception may leave a task of this interface; crosscut.hpp has tasks that may throw.
 *   - crosscut_run and crosscut_run_on are for main's thread, one at a time, and not inside a task.
 *
 * Every name here that this comment does not mention is internal.
 */
#ifndef CROSSCUT_H
#define CROSSCUT_H

#if defined(CROSSCUT_OPENMP) + defined(CROSSCUT_TBB) + defined(CROSSCUT_CILK) + defined(CROSSCUT_QTHREADS) + \
        defined(CROSSCUT_MASSIVETHREADS) + defined(CROSSCUT_SERIAL) != 1
#error "crosscut.h: define exactly one of CROSSCUT_OPENMP, CROSSCUT_TBB, CROSSCUT_CILK, CROSSCUT_QTHREADS, CROSSCUT_MASSIVETHREADS and CROSSCUT_SERIAL, for example with -DCROSSCUT_OPENMP."
#endif

#if defined(CROSSCUT_OPENMP) && !defined(_OPENMP)
#error "crosscut.h: CROSSCUT_OPENMP needs the compiler's OpenMP: compile with -fopenmp."
#endif

#if defined(CROSSCUT_TBB) && !defined(__cplusplus)
#error "crosscut.h: oneTBB exists in C++ only: compile this file as C++17, or choose another runtime than CROSSCUT_TBB."
#endif

#include <stddef.h>
#include <stdint.h>

/* Code that must lie in the caller, so that addresses taken in it are in the caller's function. */
#define CROSSCUT_INLINE inline __attribute__((always_inline))

#ifdef __cplusplus
extern "C" {
#endif

/* A task's code. */
typedef void (*crosscut_function)(void *argument);

#ifdef __cplusplus
}
#endif

/* ---- What the recorder is told: all runtimes but OpenMP ---------------------------------------------------------- */

#ifndef CROSSCUT_OPENMP

#include <dlfcn.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The recorder's functions, version 1. A task's number is never 0. */
struct crosscut_recorder {
    uint32_t version;
    uint32_t size;
    uint64_t (*current)(void);            /* the task that runs on this thread */
    uint64_t (*create)(const void *code); /* the current task creates one */
    void (*begin)(uint64_t task);         /* first instruction of a created task */
    void (*end)(uint64_t next);           /* last instruction of the current task; `next` (0: nobody) goes on here */
    void (*resume)(uint64_t task);        /* `task` goes on here */
    void (*section)(const void *code);    /* the current task opens a section */
    void (*wait)(const void *code);       /* it begins to wait for the tasks of its innermost open section */
    void (*wait_end)(void);               /* it has waited */
    void (*group_wait)(const void *code); /* like wait, for descendants too */
};

/* NULL: this process is not recorded. One for each program or shared object that includes this header. */
__attribute__((weak, visibility("hidden"))) const struct crosscut_recorder *crosscut_table = NULL;

/* Finds the recorder before main. It is preloaded or absent: it does not come later. */
__attribute__((constructor)) static void crosscut_find_recorder(void) {
#ifdef __APPLE__
    void *const everywhere = (void *)-2; /* RTLD_DEFAULT, which the C library shows to GNU sources only */
#else
    void *const everywhere = NULL;
#endif
    const struct crosscut_recorder *(*find)(uint32_t version) = NULL;
    void *const found = dlsym(everywhere, "crosscut_recorder");
    if (found == NULL) {
        return;
    }
    memcpy(&find, &found, sizeof find); /* ISO C has no cast from an object's address to a function's */
    const struct crosscut_recorder *const table = find(1);
    if (table != NULL && table->version == 1 && table->size >= sizeof(struct crosscut_recorder)) {
        crosscut_table = table;
    }
}

/* Tells how many workers the runtime has: not all of them may get something to do. */
static inline void crosscut_note_workers(size_t workers) {
    if (crosscut_table != NULL) {
#ifdef __APPLE__
        void *const found = dlsym((void *)-2, "crosscut_workers");
#else
        void *const found = dlsym(NULL, "crosscut_workers");
#endif
        if (found != NULL) {
            void (*tell)(uint32_t workers) = NULL;
            memcpy(&tell, &found, sizeof tell);
            tell((uint32_t)workers);
        }
    }
}

#ifdef __cplusplus
}
#endif

/* An address at the caller's line. */
#if defined(__x86_64__)
static CROSSCUT_INLINE const void *crosscut_here(void) {
    const void *here;
    __asm__ volatile("2: lea 2b(%%rip), %0" : "=r"(here));
    return here;
}
#elif defined(__aarch64__)
static CROSSCUT_INLINE const void *crosscut_here(void) {
    const void *here;
    __asm__ volatile("adr %0, ." : "=r"(here));
    return here;
}
#else
static __attribute__((noinline, unused)) const void *crosscut_here(void) { return __builtin_return_address(0); }
#endif

static CROSSCUT_INLINE const struct crosscut_recorder *crosscut_recording(void) {
    const struct crosscut_recorder *const table = crosscut_table;
    return __builtin_expect(table != NULL, 0) ? table : NULL;
}

/* The current task, which is the section's owner from now on; 0 when nothing is recorded. */
static CROSSCUT_INLINE uint64_t crosscut_note_open(void) {
    const struct crosscut_recorder *const table = crosscut_recording();
    if (table == NULL) {
        return 0;
    }
    const uint64_t owner = table->current();
    table->section(crosscut_here());
    return owner;
}

/* The new task; 0 when nothing is recorded. */
static CROSSCUT_INLINE uint64_t crosscut_note_create(void) {
    const struct crosscut_recorder *const table = crosscut_recording();
    return table == NULL ? 0 : table->create(crosscut_here());
}

static CROSSCUT_INLINE void crosscut_note_begin(uint64_t task) {
    if (task != 0) {
        crosscut_table->begin(task);
    }
}

static CROSSCUT_INLINE void crosscut_note_end(uint64_t task, uint64_t next) {
    if (task != 0) {
        crosscut_table->end(next);
    }
}

static CROSSCUT_INLINE uint64_t crosscut_note_current(void) {
    const struct crosscut_recorder *const table = crosscut_recording();
    return table == NULL ? 0 : table->current();
}

static CROSSCUT_INLINE void crosscut_note_resume(uint64_t task) {
    if (task != 0) {
        crosscut_table->resume(task);
    }
}

static CROSSCUT_INLINE void crosscut_note_wait(uint64_t owner) {
    if (owner != 0) {
        crosscut_table->wait(crosscut_here());
    }
}

static CROSSCUT_INLINE void crosscut_note_wait_end(uint64_t owner) {
    if (owner != 0) {
        crosscut_table->wait_end();
    }
}

#endif /* not OpenMP */

/* ---- Serial: a task runs where it is created --------------------------------------------------------------------- */

#ifdef CROSSCUT_SERIAL

typedef struct crosscut_section {
    uint64_t owner;
} crosscut_section;

static CROSSCUT_INLINE void crosscut_open(crosscut_section *section) { section->owner = crosscut_note_open(); }

static CROSSCUT_INLINE void crosscut_create(crosscut_section *section, crosscut_function function, void *argument) {
    const uint64_t task = crosscut_note_create();
    crosscut_note_begin(task);
    function(argument);
    crosscut_note_end(task, section->owner);
}

static CROSSCUT_INLINE void crosscut_wait(crosscut_section *section) {
    crosscut_note_wait(section->owner);
    crosscut_note_wait_end(section->owner);
}

static CROSSCUT_INLINE void crosscut_run_on(int workers, crosscut_function function, void *argument) {
    (void)workers;
    function(argument);
}

#endif /* CROSSCUT_SERIAL */

/* ---- OpenMP: task and taskwait ----------------------------------------------------------------------------------- */

#ifdef CROSSCUT_OPENMP

#include <omp.h>

typedef struct crosscut_section {
    char nothing; /* the runtime knows whose children a task's are */
} crosscut_section;

/* Macros, so that the code address that the runtime reports is the caller's. */
#define crosscut_open(section) ((void)(section))

#define crosscut_create(section, function, argument)                                            \
    do {                                                                                        \
        const crosscut_function crosscut_f = (function);                                        \
        void *const crosscut_a = (argument);                                                    \
        (void)(section);                                                                        \
        _Pragma("omp task default(none) firstprivate(crosscut_f, crosscut_a)")                  \
        crosscut_f(crosscut_a);                                                                 \
    } while (0)

#define crosscut_wait(section)       \
    do {                             \
        (void)(section);             \
        _Pragma("omp taskwait")      \
    } while (0)

#define crosscut_run_on(workers, function, argument)                                            \
    do {                                                                                        \
        const int crosscut_w = (workers);                                                       \
        const int crosscut_n = crosscut_w > 0 ? crosscut_w : omp_get_max_threads();             \
        const crosscut_function crosscut_f = (function);                                        \
        void *const crosscut_a = (argument);                                                    \
        _Pragma("omp parallel num_threads(crosscut_n) default(none) firstprivate(crosscut_f, crosscut_a)") \
        {                                                                                       \
            _Pragma("omp single")                                                               \
            crosscut_f(crosscut_a);                                                             \
        }                                                                                       \
    } while (0)

#endif /* CROSSCUT_OPENMP */

/* ---- oneTBB: task_group ------------------------------------------------------------------------------------------ */

#ifdef CROSSCUT_TBB

#include <memory>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

struct crosscut_section {
    uint64_t owner;
    oneapi::tbb::task_group group;
};

static CROSSCUT_INLINE void crosscut_open(crosscut_section *section) { section->owner = crosscut_note_open(); }

static CROSSCUT_INLINE void crosscut_create(crosscut_section *section, crosscut_function function, void *argument) {
    const uint64_t task = crosscut_note_create();
    section->group.run([task, function, argument] {
        const uint64_t interrupted = task != 0 ? crosscut_note_current() : 0;
        crosscut_note_begin(task);
        function(argument);
        crosscut_note_end(task, interrupted);
    });
}

static CROSSCUT_INLINE void crosscut_wait(crosscut_section *section) {
    crosscut_note_wait(section->owner);
    section->group.wait();
    crosscut_note_wait_end(section->owner);
}

static inline void crosscut_run_on(int workers, crosscut_function function, void *argument) {
    using namespace oneapi::tbb;
    std::unique_ptr<global_control> limit; /* without it an arena never gets more threads than the machine has */
    if (workers > 0) {
        limit.reset(new global_control(global_control::max_allowed_parallelism, static_cast<size_t>(workers)));
    }
    task_arena arena(workers > 0 ? workers : task_arena::automatic);
    crosscut_note_workers(static_cast<size_t>(arena.max_concurrency()));
    arena.execute([=] { function(argument); });
}

#endif /* CROSSCUT_TBB */

/* ---- OpenCilk: cilk_spawn and cilk_sync -------------------------------------------------------------------------- */

#ifdef CROSSCUT_CILK

#include <cilk/cilk.h>

typedef struct crosscut_section {
    uint64_t owner;
} crosscut_section;

static CROSSCUT_INLINE void crosscut_open(crosscut_section *section) { section->owner = crosscut_note_open(); }

static inline void crosscut_spawned(uint64_t task, crosscut_function function, void *argument) {
    crosscut_note_begin(task);
    function(argument);
    crosscut_note_end(task, 0);
}

/* Macros, since a function that spawns waits for its children before it returns. */
#define crosscut_create(section, function, argument)                                  \
    do {                                                                              \
        crosscut_section *const crosscut_s = (section);                               \
        const uint64_t crosscut_t = crosscut_note_create();                           \
        cilk_spawn crosscut_spawned(crosscut_t, (function), (argument));              \
        crosscut_note_resume(crosscut_s->owner); /* perhaps on another thread */      \
    } while (0)

#define crosscut_wait(section)                            \
    do {                                                  \
        crosscut_section *const crosscut_s = (section);   \
        crosscut_note_wait(crosscut_s->owner);            \
        cilk_sync;                                        \
        crosscut_note_resume(crosscut_s->owner);          \
        crosscut_note_wait_end(crosscut_s->owner);        \
    } while (0)

/* OpenCilk reads its number of workers from CILK_NWORKERS before main runs: `workers` comes too late and is not used. */
static inline void crosscut_run_on(int workers, crosscut_function function, void *argument) {
    (void)workers;
    const uint64_t me = crosscut_note_current();
    function(argument);
    crosscut_note_resume(me);
}

#endif /* CROSSCUT_CILK */

/* ---- Qthreads: a qthread for each task, joined by a sinc ---------------------------------------------------------- */

#ifdef CROSSCUT_QTHREADS

#include <stdio.h>
#include <stdlib.h>

#include <qthread/qthread.h>
#ifdef __cplusplus
extern "C" { /* which some versions of this header forget */
#endif
#include <qthread/sinc.h>
#ifdef __cplusplus
}
#endif

typedef struct crosscut_section {
    uint64_t owner;
    qt_sinc_t tasks; /* counts the tasks, and the owner until it waits: it cannot reach zero before */
} crosscut_section;

/* What a task is; copied by qthread_fork_copyargs into the qthread, which allocates nothing more for it. */
struct crosscut_closure {
    qt_sinc_t *tasks;
    uint64_t task;
    crosscut_function function;
    void *argument;
};

static CROSSCUT_INLINE void crosscut_open(crosscut_section *section) {
    qt_sinc_init(&section->tasks, 0, NULL, NULL, 1);
    section->owner = crosscut_note_open();
}

#ifdef __cplusplus
extern "C" {
#endif
static inline aligned_t crosscut_qthread(void *argument) {
    const struct crosscut_closure *const closure = (const struct crosscut_closure *)argument;
    crosscut_note_begin(closure->task);
    closure->function(closure->argument);
    crosscut_note_end(closure->task, 0);
    qt_sinc_submit(closure->tasks, NULL);
    return 0;
}
#ifdef __cplusplus
}
#endif

static inline void crosscut_fork(qthread_f function, const void *closure, size_t size) {
    const int error = qthread_fork_copyargs(function, closure, size, NULL);
    if (error != QTHREAD_SUCCESS) {
        fprintf(stderr, "crosscut.h: qthread_fork_copyargs failed with %d\n", error);
        abort();
    }
}

static CROSSCUT_INLINE void crosscut_create(crosscut_section *section, crosscut_function function, void *argument) {
    struct crosscut_closure closure;
    closure.tasks = &section->tasks;
    closure.task = crosscut_note_create();
    closure.function = function;
    closure.argument = argument;
    qt_sinc_expect(&section->tasks, 1);
    crosscut_fork(crosscut_qthread, &closure, sizeof closure);
    crosscut_note_resume(section->owner);
}

static CROSSCUT_INLINE void crosscut_wait(crosscut_section *section) {
    crosscut_note_wait(section->owner);
    qt_sinc_submit(&section->tasks, NULL);
    qt_sinc_wait(&section->tasks, NULL);
    qt_sinc_fini(&section->tasks);
    crosscut_note_resume(section->owner);
    crosscut_note_wait_end(section->owner);
}

static inline void crosscut_run_on(int workers, crosscut_function function, void *argument) {
    const uint64_t me = crosscut_note_current();
    /* A worker for each shepherd: the schedulers of Qthreads that steal want no more. */
    const int error = workers > 0 ? qthread_init((qthread_shepherd_id_t)workers) : qthread_initialize();
    crosscut_note_workers((size_t)qthread_num_workers());
    if (error != QTHREAD_SUCCESS) {
        fprintf(stderr, "crosscut.h: qthread_initialize failed with %d\n", error);
        abort();
    }
    function(argument);
    qthread_finalize();
    crosscut_note_resume(me);
}

#endif /* CROSSCUT_QTHREADS */

/* ---- MassiveThreads: a thread for each task, joined one by one ---------------------------------------------------- */

#ifdef CROSSCUT_MASSIVETHREADS

#include <stdio.h>
#include <stdlib.h>

#include <myth/myth.h>

/* A created task, from its creation until it is joined. */
struct crosscut_node {
    struct crosscut_node *next;
    myth_thread_t thread;
    crosscut_function function;
    void *argument;
    uint64_t task;
    int on_heap;
};

enum { CROSSCUT_ROOM = 512 };

typedef struct crosscut_section {
    uint64_t owner;
    struct crosscut_node *nodes; /* the youngest first */
    size_t used;
    unsigned char room[CROSSCUT_ROOM] __attribute__((aligned(16))); /* for the first few nodes: malloc serves the rest */
} crosscut_section;

static CROSSCUT_INLINE void crosscut_open(crosscut_section *section) {
    section->nodes = NULL;
    section->used = 0;
    section->owner = crosscut_note_open();
}

/* A part of the section's room, or NULL when it is full. */
static inline void *crosscut_take(crosscut_section *section, size_t size) {
    const size_t rounded = (size + 15) & ~(size_t)15;
    if (rounded > CROSSCUT_ROOM - section->used) {
        return NULL;
    }
    void *const taken = section->room + section->used;
    section->used += rounded;
    return taken;
}

static inline struct crosscut_node *crosscut_new_node(crosscut_section *section) {
    void *memory = crosscut_take(section, sizeof(struct crosscut_node));
    const int on_heap = memory == NULL;
    if (on_heap) {
        memory = malloc(sizeof(struct crosscut_node));
        if (memory == NULL) {
            fputs("crosscut.h: no memory for a task\n", stderr);
            abort();
        }
    }
    struct crosscut_node *const node = (struct crosscut_node *)memory;
    node->on_heap = on_heap;
    node->next = section->nodes;
    section->nodes = node;
    return node;
}

#ifdef __cplusplus
extern "C" {
#endif
static inline void *crosscut_thread(void *argument) {
    const struct crosscut_node *const node = (const struct crosscut_node *)argument;
    const uint64_t task = node->task;
    crosscut_note_begin(task);
    node->function(node->argument);
    crosscut_note_end(task, 0);
    return NULL;
}
#ifdef __cplusplus
}
#endif

static CROSSCUT_INLINE void crosscut_create(crosscut_section *section, crosscut_function function, void *argument) {
    struct crosscut_node *const node = crosscut_new_node(section);
    node->function = function;
    node->argument = argument;
    node->task = crosscut_note_create();
    node->thread = myth_create(crosscut_thread, node);
    crosscut_note_resume(section->owner); /* the child ran first: perhaps on another thread */
}

static inline void crosscut_join_all(crosscut_section *section) {
    struct crosscut_node *node = section->nodes;
    while (node != NULL) {
        struct crosscut_node *const next = node->next;
        myth_join(node->thread, NULL);
        if (node->on_heap) {
            free(node);
        }
        node = next;
    }
    section->nodes = NULL;
    section->used = 0;
}

static CROSSCUT_INLINE void crosscut_wait(crosscut_section *section) {
    crosscut_note_wait(section->owner);
    crosscut_join_all(section);
    crosscut_note_resume(section->owner);
    crosscut_note_wait_end(section->owner);
}

static inline void crosscut_run_on(int workers, crosscut_function function, void *argument) {
    const uint64_t me = crosscut_note_current();
    myth_globalattr_t attributes;
    myth_globalattr_init(&attributes);
    if (workers > 0) {
        myth_globalattr_set_n_workers(&attributes, (size_t)workers);
    }
    myth_init_ex(&attributes);
    crosscut_note_workers((size_t)myth_get_num_workers());
    function(argument);
    myth_fini();
    crosscut_note_resume(me);
}

#endif /* CROSSCUT_MASSIVETHREADS */

/* With as many workers as the runtime likes; crosscut_run_on(workers, …) asks for a number (0: as many as it likes). */
#define crosscut_run(function, argument) crosscut_run_on(0, (function), (argument))

#endif /* CROSSCUT_H */
