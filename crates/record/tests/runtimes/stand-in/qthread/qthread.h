/* STAND-IN for Qthreads' <qthread/qthread.h>, for Crosscut's tests; not Qthreads.
 *
 * Just the part that crosscut.h uses, with the names and types of the public interface. A forked qthread waits its turn
 * while its creator goes on. */
#ifndef CROSSCUT_STAND_IN_QTHREAD_H
#define CROSSCUT_STAND_IN_QTHREAD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QTHREAD_SUCCESS 0

typedef uint64_t aligned_t;
typedef aligned_t (*qthread_f)(void *arg);
typedef unsigned short qthread_shepherd_id_t;
typedef unsigned short qthread_worker_id_t;

int qthread_initialize(void);
/* With so many shepherds, each with one worker. */
int qthread_init(qthread_shepherd_id_t nshepherds);
void qthread_finalize(void);
qthread_worker_id_t qthread_num_workers(void);
/* Of `ret` the stand-in knows NULL only. */
int qthread_fork_copyargs(qthread_f f, const void *arg, size_t arg_size, aligned_t *ret);

#ifdef __cplusplus
}
#endif

#endif
