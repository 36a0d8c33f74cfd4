// Each iteration keeps everybody else out for most of its time.
#include "work.h"

int main(void)
{
    number sum = 0;
#pragma omp parallel for schedule(dynamic, 8)
    for (long i = 0; i < 1600; i++) {
        number found = work((number)i, 30L * MICROSECOND);
#pragma omp critical(norm) // planted: lock
        sum += work(found, 150L * MICROSECOND);
    }
    return told("lock_critical", sum);
}
