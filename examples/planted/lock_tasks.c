// Tasks that all update one table under one lock.
#include "work.h"

#include <omp.h>

int main(void)
{
    number table = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
    for (long i = 0; i < 800; i++) {
#pragma omp task shared(table, lock)
        {
            number found = work((number)i, 50L * MICROSECOND);
            omp_set_lock(&lock); // planted: lock
            table += work(found, 300L * MICROSECOND);
            omp_unset_lock(&lock);
        }
    }
    omp_destroy_lock(&lock);
    return told("lock_tasks", table);
}
