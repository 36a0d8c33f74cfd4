// One thread makes the input of each task and creates it: the others are done before the next one exists.
#include "work.h"

int main(void)
{
    number sum = 0;
#pragma omp parallel
#pragma omp single
    for (long i = 0; i < 200; i++) {
        number input = work((number)i, 1200L * MICROSECOND);
#pragma omp task shared(sum) firstprivate(input) // planted: serial-spawn
        {
            number found = work(input, 400L * MICROSECOND);
#pragma omp atomic
            sum += found;
        }
    }
    return told("serial_spawn", sum);
}
