/* STAND-IN, not a task runtime for use: see fibers.h.
 *
 * The lock is taken before a fiber stops and released by whoever goes on on that thread, so no worker takes a fiber up
 * whose registers are not saved yet. */
#define _GNU_SOURCE
#include "fibers.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

enum { STACK = 128 * 1024, MOST_WORKERS = 64, ANYWHERE = -1 };

struct fiber {
    ucontext_t context;
    struct fiber *next; /* in the list of those that are ready, or of those that wait for the same thing */
    struct fiber *joiner;
    void *stack;
    void *(*function)(void *);
    void *argument;
    int home; /* the only worker that may run it */
    int last; /* the worker that ran it last */
    int leaves; /* that worker may not take it up again */
    int done, detached;
};

struct worker {
    ucontext_t idle; /* its own loop */
    struct fiber *now;
    struct fiber *first; /* to be run before all others */
    struct fiber *finished;
    pthread_t thread;
    int number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static struct fiber *ready_head, *ready_tail;
static struct worker workers[MOST_WORKERS];
static int worker_count, stopping;
static __thread int my_number;

/* Never inlined: a fiber that moved must not use the address of the other thread's variable. */
static __attribute__((noinline)) struct worker *self(void) {
    __asm__ volatile("");
    return &workers[my_number];
}

static void *get(size_t size) {
    void *const memory = calloc(1, size);
    if (memory == NULL) {
        fputs("stand-in: no memory\n", stderr);
        abort();
    }
    return memory;
}

static void make_ready(struct fiber *fiber) {
    fiber->next = NULL;
    if (ready_tail == NULL) {
        ready_head = fiber;
    } else {
        ready_tail->next = fiber;
    }
    ready_tail = fiber;
    pthread_cond_broadcast(&more);
}

/* A ready fiber for this worker: one that another worker ran last if there is one, so that fibers move often. */
static struct fiber *take_ready(int number) {
    for (int pass = 0; pass < 2; pass++) {
        struct fiber *before = NULL;
        for (struct fiber *f = ready_head; f != NULL; before = f, f = f->next) {
            if ((f->home == ANYWHERE || f->home == number) && (f->last != number || (pass == 1 && !f->leaves))) {
                *(before == NULL ? &ready_head : &before->next) = f->next;
                if (ready_tail == f) {
                    ready_tail = before;
                }
                return f;
            }
        }
    }
    return NULL;
}

/* Runs fibers until all is over. Holds the lock except while a fiber runs. */
static void loop(struct worker *me) {
    for (;;) {
        struct fiber *next = me->first;
        me->first = NULL;
        if (next == NULL) {
            next = take_ready(me->number);
        }
        if (next == NULL) {
            if (stopping) {
                return;
            }
            pthread_cond_wait(&more, &lock);
            continue;
        }
        me->now = next;
        next->last = me->number;
        next->leaves = 0;
        swapcontext(&me->idle, &next->context);
        if (me->finished != NULL) {
            free(me->finished->stack);
            me->finished->stack = NULL;
            if (me->finished->detached) {
                free(me->finished);
            }
            me->finished = NULL;
        }
    }
}

static void *worker_main(void *argument) {
    struct worker *const me = argument;
    my_number = me->number;
    pthread_mutex_lock(&lock);
    loop(me);
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* The loop of the thread that called fibers_start: its own stack is the first fiber's. */
static void first_loop(void) { loop(&workers[0]); }

/* Stops the caller, which holds the lock; it goes on when a worker takes it up. */
static void stop_here(struct fiber *fiber) {
    struct worker *const me = self();
    swapcontext(&fiber->context, &me->idle);
    pthread_mutex_unlock(&lock);
}

static void fiber_main(void) {
    pthread_mutex_unlock(&lock);
    struct fiber *const fiber = self()->now;
    fiber->function(fiber->argument);
    pthread_mutex_lock(&lock);
    fiber->done = 1;
    if (fiber->joiner != NULL) {
        make_ready(fiber->joiner);
    }
    struct worker *const me = self();
    me->finished = fiber;
    setcontext(&me->idle);
}

void fibers_start(int number) {
    static struct fiber first;
    worker_count = number > 0 ? (number < MOST_WORKERS ? number : MOST_WORKERS) : 4;
    stopping = 0;
    my_number = 0;
    for (int i = 0; i < worker_count; i++) {
        workers[i].number = i;
    }
    first.home = ANYWHERE;
    first.last = 0;
    workers[0].now = &first;
    getcontext(&workers[0].idle);
    workers[0].idle.uc_stack.ss_sp = get(STACK);
    workers[0].idle.uc_stack.ss_size = STACK;
    makecontext(&workers[0].idle, first_loop, 0);
    for (int i = 1; i < worker_count; i++) {
        if (pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]) != 0) {
            fputs("stand-in: cannot make a thread\n", stderr);
            abort();
        }
    }
}

int fibers_workers(void) { return worker_count; }

void fibers_stop(void) {
    pthread_mutex_lock(&lock);
    struct fiber *const me = self()->now;
    me->home = 0;
    make_ready(me);
    stop_here(me);
    pthread_mutex_lock(&lock);
    stopping = 1;
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&lock);
    for (int i = 1; i < worker_count; i++) {
        pthread_join(workers[i].thread, NULL);
    }
    free(workers[0].idle.uc_stack.ss_sp);
}

static struct fiber *fiber_new(void *(*function)(void *), void *argument) {
    struct fiber *const fiber = get(sizeof *fiber);
    fiber->stack = get(STACK);
    fiber->function = function;
    fiber->argument = argument;
    fiber->home = ANYWHERE;
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->stack;
    fiber->context.uc_stack.ss_size = STACK;
    makecontext(&fiber->context, fiber_main, 0);
    return fiber;
}

struct fiber *fiber_call(void *(*function)(void *), void *argument) {
    struct fiber *const fiber = fiber_new(function, argument);
    pthread_mutex_lock(&lock);
    struct fiber *const me = self()->now;
    self()->first = fiber;
    make_ready(me);
    stop_here(me);
    return fiber;
}

void fiber_fork(void *(*function)(void *), void *argument) {
    struct fiber *const fiber = fiber_new(function, argument);
    fiber->detached = 1;
    pthread_mutex_lock(&lock);
    fiber->last = self()->number;
    make_ready(fiber);
    pthread_mutex_unlock(&lock);
}

void fiber_join(struct fiber *fiber) {
    pthread_mutex_lock(&lock);
    if (!fiber->done) {
        struct fiber *const me = self()->now;
        fiber->joiner = me;
        stop_here(me);
    } else {
        pthread_mutex_unlock(&lock);
    }
    free(fiber); /* its stack went when it finished */
}

void fiber_move(void) {
    pthread_mutex_lock(&lock);
    struct fiber *const me = self()->now;
    me->leaves = worker_count > 1;
    make_ready(me);
    stop_here(me);
}

void fiber_count_add(struct fiber_count *count, long number) {
    pthread_mutex_lock(&lock);
    count->count += number;
    if (count->count == 0) {
        struct fiber *waiter = count->waiters;
        count->waiters = NULL;
        while (waiter != NULL) {
            struct fiber *const next = waiter->next;
            make_ready(waiter);
            waiter = next;
        }
    }
    pthread_mutex_unlock(&lock);
}

void fiber_count_wait(struct fiber_count *count) {
    pthread_mutex_lock(&lock);
    if (count->count == 0) {
        pthread_mutex_unlock(&lock);
        return;
    }
    struct fiber *const me = self()->now;
    me->next = count->waiters;
    count->waiters = me;
    stop_here(me);
}
