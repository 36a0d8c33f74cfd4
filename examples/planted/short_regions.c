// A region for each of many short steps: starting and ending one takes as long as what is done in it.
#include "work.h"

int main(void)
{
    number sum = 0;
    for (long step = 0; step < 3000; step++) {
#pragma omp parallel for schedule(static) reduction(+ : sum) // planted: barrier-wait
        for (long i = 0; i < 16; i++)
            sum += work((number)(step + i), MICROSECOND / 4);
    }
    return told("short_regions", sum);
}
