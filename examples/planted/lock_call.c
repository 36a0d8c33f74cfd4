// Tasks call a function that does nearly all of its work under a lock.
#include "work.h"

#include <omp.h>

static omp_lock_t gate;
static number total;

__attribute__((noinline)) static void add(number seed)
{
    number own = work(seed, 100L * MICROSECOND);
    omp_set_lock(&gate); // planted: lock
    total += own + work(seed, 300L * MICROSECOND);
    omp_unset_lock(&gate);
}

int main(void)
{
    omp_init_lock(&gate);
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 600; i++) {
#pragma omp task
        add((number)i);
    }
    omp_destroy_lock(&gate);
    return told("lock_call", total);
}
