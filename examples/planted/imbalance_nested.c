// A region in each member of a region: in one of the inner ones a thread has far more to do than all others.
#include "work.h"

#include <omp.h>

static number inner(int outer, int threads)
{
    number sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum) // planted: imbalance
    {
        long share = outer == 0 && omp_get_thread_num() == 0 ? 200000L : 10000L;
        sum += work((number)share, share * MICROSECOND);
    }
    return sum;
}

int main(void)
{
    number sum = 0;
    int threads = omp_get_max_threads() / 2;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += inner(omp_get_thread_num(), threads > 2 ? threads : 2);
    return told("imbalance_nested", sum);
}
