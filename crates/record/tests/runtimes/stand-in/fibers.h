/* STAND-IN, not a task runtime for use: user-level threads that the stand-ins for Qthreads, MassiveThreads and OpenCilk
 * share. A fiber has a stack of its own and may go on on another worker (a POSIX thread) each time it stops, as the tasks
 * of those runtimes may: that is what the recorder must survive. One lock guards everything; speed is no aim. */
#ifndef CROSSCUT_STAND_IN_FIBERS_H
#define CROSSCUT_STAND_IN_FIBERS_H

#ifdef __cplusplus
extern "C" {
#endif

struct fiber;

/* Makes the caller the first fiber, and `workers` workers (0: four), of which the calling thread is one. */
void fibers_start(int workers);
/* How many workers there are. */
int fibers_workers(void);
/* Returns to the thread that started them and ends the others. */
void fibers_stop(void);
/* A fiber for function(argument), to be joined. It goes first; another worker may take the caller up meanwhile. */
struct fiber *fiber_call(void *(*function)(void *), void *argument);
/* Waits for such a fiber's end, and frees it. */
void fiber_join(struct fiber *fiber);
/* A fiber for function(argument) that nobody joins. The caller goes on. */
void fiber_fork(void *(*function)(void *), void *argument);
/* Another worker, if there is one, takes the caller up. */
void fiber_move(void);

/* A counter to wait for: fibers that wait go on when it reaches zero. */
struct fiber_count {
    long count;
    struct fiber *waiters;
};
void fiber_count_add(struct fiber_count *count, long number);
void fiber_count_wait(struct fiber_count *count);

#ifdef __cplusplus
}
#endif

#endif
