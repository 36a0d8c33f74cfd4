// A task is created, and waited for before the next one is.
#include "work.h"

int main(void)
{
    number sum = 0;
#pragma omp parallel
#pragma omp single
    for (long i = 0; i < 64; i++) {
        number found = 0;
#pragma omp task shared(found)
        found = work((number)i, 4000L * MICROSECOND);
#pragma omp taskwait // planted: wait-in-loop
        sum += found;
    }
    return told("wait_in_loop", sum);
}
