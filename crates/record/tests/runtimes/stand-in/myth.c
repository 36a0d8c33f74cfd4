/* STAND-IN for MassiveThreads' library, for Crosscut's tests; not MassiveThreads: see myth/myth.h. */
#include "myth/myth.h"

#include "fibers.h"

int myth_globalattr_init(myth_globalattr_t *attr) {
    attr->n_workers = 0;
    return 0;
}

int myth_globalattr_set_n_workers(myth_globalattr_t *attr, size_t n_workers) {
    attr->n_workers = (int)n_workers;
    return 0;
}

int myth_init_ex(myth_globalattr_t *attr) {
    fibers_start(attr->n_workers);
    return 0;
}

void myth_fini(void) { fibers_stop(); }

int myth_get_num_workers(void) { return fibers_workers(); }

myth_thread_t myth_create(myth_func_t func, void *arg) { return fiber_call(func, arg); }

int myth_join(myth_thread_t th, void **result) {
    fiber_join(th);
    if (result != NULL) {
        *result = NULL; /* nobody here asks for one */
    }
    return 0;
}
