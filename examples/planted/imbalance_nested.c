// A region in each member of a region: the inner ones are not alike inside, the outer ones are.
#include "work.h"

#include <omp.h>

static number inner(int threads)
{
    number sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum) // planted: imbalance
    {
        long share = omp_get_thread_num() == 0 ? 140000L : 20000L;
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
    sum += inner(threads > 2 ? threads : 2);
    return told("imbalance_nested", sum);
}
