// The largest task is created last, when all others are on their way.
#include "work.h"

int main(void)
{
    number sum = 0;
#pragma omp parallel
#pragma omp single
    {
        for (long i = 0; i < 160; i++) {
#pragma omp task shared(sum)
            {
                number found = work((number)i, 2400L * MICROSECOND);
#pragma omp atomic
                sum += found;
            }
        }
#pragma omp task shared(sum) // planted: late-task
        {
            number found = work(1000, 60000L * MICROSECOND);
#pragma omp atomic
            sum += found;
        }
    }
    return told("late_task", sum);
}
