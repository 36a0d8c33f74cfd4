// Short steps with a barrier behind each, and another thread is last each time.
#include "work.h"

#include <omp.h>

int main(void)
{
    number sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
        int threads = omp_get_num_threads(), me = omp_get_thread_num();
        for (int step = 0; step < 300; step++) {
            long share = step % threads == me ? 900 : 600 / threads;
            sum += work((number)step, share * MICROSECOND);
#pragma omp barrier // planted: barrier-wait
        }
    }
    return told("barrier_wait", sum);
}
