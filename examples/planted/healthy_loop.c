// Nothing planted: iterations of any size, handed out in chunks that are neither large nor fine.
#include "work.h"

int main(void)
{
    number sum = 0;
    for (int step = 0; step < 2; step++) {
#pragma omp parallel for schedule(dynamic, 4) reduction(+ : sum)
        for (long i = 0; i < 1600; i++)
            sum += work((number)i, (100 + 200 * (i % 2)) * (long)MICROSECOND);
    }
    return told("healthy_loop", sum);
}
