// Members of a region wait for something outside of the program, one of them far longer than the others.
#include "work.h"

#include <omp.h>
#include <unistd.h>

int main(void)
{
    number sum = 0;
#pragma omp parallel reduction(+ : sum) // planted: imbalance
    {
        int times = omp_get_thread_num() == 0 ? 200 : 40;
        for (int i = 0; i < times; i++) {
            usleep(1000);
            sum += work((number)i, MICROSECOND);
        }
    }
    return told("imbalance_sleep", sum);
}
