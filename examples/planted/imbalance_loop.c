// A loop whose iterations cost more and more, cut into one equal part for each thread.
#include "work.h"

int main(void)
{
    number sum = 0;
    for (int step = 0; step < 3; step++) {
#pragma omp parallel for schedule(static) reduction(+ : sum) // planted: imbalance
        for (long i = 0; i < 480; i++)
            sum += work((number)i, i * MICROSECOND);
    }
    return told("imbalance_loop", sum);
}
