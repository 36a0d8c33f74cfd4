/* STAND-IN for Qthreads' library, for Crosscut's tests; not Qthreads: see qthread/qthread.h. */
#include "qthread/qthread.h"

#include <stdlib.h>
#include <string.h>

#include "fibers.h"
#include "qthread/sinc.h"

_Static_assert(sizeof(struct fiber_count) <= sizeof(qt_sinc_t), "a sinc holds a counter");

struct qthread {
    qthread_f function;
    max_align_t argument[];
};

int qthread_initialize(void) {
    fibers_start(0);
    return QTHREAD_SUCCESS;
}

int qthread_init(qthread_shepherd_id_t nshepherds) {
    fibers_start(nshepherds);
    return QTHREAD_SUCCESS;
}

void qthread_finalize(void) { fibers_stop(); }

qthread_worker_id_t qthread_num_workers(void) { return (qthread_worker_id_t)fibers_workers(); }

static void *qthread_main(void *argument) {
    struct qthread *const qthread = argument;
    qthread->function(qthread->argument);
    free(qthread);
    return NULL;
}

int qthread_fork_copyargs(qthread_f f, const void *arg, size_t arg_size, aligned_t *ret) {
    struct qthread *const qthread = malloc(sizeof *qthread + arg_size);
    if (qthread == NULL || ret != NULL) {
        free(qthread);
        return -1;
    }
    qthread->function = f;
    memcpy(qthread->argument, arg, arg_size);
    fiber_fork(qthread_main, qthread);
    return QTHREAD_SUCCESS;
}

void qt_sinc_init(qt_sinc_t *sinc, size_t sizeof_value, const void *initial_value, qt_sinc_op_f op, size_t expect) {
    (void)sizeof_value, (void)initial_value, (void)op;
    struct fiber_count *const count = (struct fiber_count *)sinc;
    count->count = (long)expect;
    count->waiters = NULL;
}

void qt_sinc_fini(qt_sinc_t *sinc) { (void)sinc; }

void qt_sinc_expect(qt_sinc_t *sinc, size_t number) { fiber_count_add((struct fiber_count *)sinc, (long)number); }

void qt_sinc_submit(qt_sinc_t *sinc, const void *value) {
    (void)value;
    fiber_count_add((struct fiber_count *)sinc, -1);
}

void qt_sinc_wait(qt_sinc_t *sinc, void *target) {
    (void)target;
    fiber_count_wait((struct fiber_count *)sinc);
}
