// A critical section of a few nanoseconds, four hundred thousand times: getting in takes far longer than what is done there.
#include "work.h"

int main(void)
{
    number sum = 0;
#pragma omp parallel for schedule(static)
    for (long i = 0; i < 400000; i++) {
        number found = work((number)i, MICROSECOND / 20);
#pragma omp critical // planted: lock
        sum += work(found, MICROSECOND / 50);
    }
    return told("lock_short", sum);
}
