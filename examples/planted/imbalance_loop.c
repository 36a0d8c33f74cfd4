// A loop whose last iterations cost ten times as much, cut into one equal part for each thread.
#include "work.h"

int main(void)
{
    number sum = 0;
    for (int step = 0; step < 3; step++) {
#pragma omp parallel for schedule(static) reduction(+ : sum) // planted: imbalance
        for (long i = 0; i < 480; i++)
            sum += work((number)i, (i < 420 ? 100L : 1000L) * MICROSECOND);
    }
    return told("imbalance_loop", sum);
}
