/* STAND-IN for MassiveThreads' <myth/myth.h>, for Crosscut's tests; not MassiveThreads.
 *
 * Just the part that crosscut.h uses, with the names and types of the public interface. A created thread runs at once and
 * its creator may be stolen meanwhile, as with MassiveThreads' default of child first. */
#ifndef CROSSCUT_STAND_IN_MYTH_H
#define CROSSCUT_STAND_IN_MYTH_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fiber *myth_thread_t;
typedef void *(*myth_func_t)(void *);

typedef struct {
    int n_workers;
} myth_globalattr_t;

int myth_globalattr_init(myth_globalattr_t *attr);
int myth_globalattr_set_n_workers(myth_globalattr_t *attr, size_t n_workers);
int myth_init_ex(myth_globalattr_t *attr);
void myth_fini(void);
int myth_get_num_workers(void);

myth_thread_t myth_create(myth_func_t func, void *arg);
int myth_join(myth_thread_t th, void **result);

#ifdef __cplusplus
}
#endif

#endif
