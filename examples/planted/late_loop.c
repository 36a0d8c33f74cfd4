// A loop that is handed out one iteration after the other, and the last one is the longest.
#include "work.h"

int main(void)
{
    number sum = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : sum) // planted: late-task
    for (long i = 0; i < 161; i++)
        sum += work((number)i, (i < 160 ? 2000L : 60000L) * MICROSECOND);
    return told("late_loop", sum);
}
