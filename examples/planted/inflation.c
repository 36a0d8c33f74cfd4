// All threads add to one counter with each step: alone that is quick, together it is not.
#include "work.h"

#include <stdatomic.h>

static _Atomic number counter;

static number hammer(number seed, long times)
{
    number sum = 0;
    for (long i = 0; i < times; i++)
        sum += atomic_fetch_add(&counter, seed + 1) & 1;
    return sum;
}

int main(void)
{
    number sum = 0;
#pragma omp parallel for schedule(dynamic, 4) reduction(+ : sum)
    for (long i = 0; i < 400; i++)
        sum += work((number)i, 100L * MICROSECOND);
#pragma omp parallel for schedule(dynamic, 4) reduction(+ : sum) // planted: work-inflation
    for (long i = 0; i < 400; i++)
        sum += hammer((number)i, 50000);
    return told("inflation", sum > 0 ? 1 : 0);
}
