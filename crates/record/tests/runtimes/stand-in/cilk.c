/* STAND-IN for OpenCilk's runtime, for Crosscut's tests; not OpenCilk: see cilk/cilk.h. */
#include "cilk/cilk.h"

#include <stdlib.h>

#include "fibers.h"

static int started;

int cilk_stand_in_spawn(void) {
    if (!started) { /* by the first spawn, of which there is only one */
        const char *const workers = getenv("CILK_NWORKERS");
        started = 1;
        fibers_start(workers != NULL ? atoi(workers) : 0);
    }
    return 1;
}

int cilk_stand_in_go_on(void) {
    if (started) {
        fiber_move();
    }
    return 0;
}
