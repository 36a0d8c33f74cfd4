// Iterations of a loop that take turns for most of what they do.
#include "work.h"

int main(void)
{
    number sum = 0;
#pragma omp parallel for schedule(dynamic, 1) ordered
    for (long i = 0; i < 400; i++) {
        number found = work((number)i, 30L * MICROSECOND);
#pragma omp ordered // planted: dependence-chain
        sum += work(found, 150L * MICROSECOND);
    }
    return told("chain_ordered", sum);
}
