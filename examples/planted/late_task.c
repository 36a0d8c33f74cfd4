// The largest task is created last, when all others are on their way. There are few enough to wait in a queue: with more than
// 64 for each worker, libgomp has the creator run them as they come, and the largest early.
#include "work.h"

int main(void)
{
    number sum = 0;
#pragma omp parallel
#pragma omp single
    {
        for (long i = 0; i < 100; i++) {
#pragma omp task shared(sum)
            {
                number found = work((number)i, 3800L * MICROSECOND);
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
