// In the middle of a region all wait while one thread reads the next input.
#include "work.h"

int main(void)
{
    number sum = 0, input = 0;
#pragma omp parallel reduction(+ : sum)
    for (int step = 0; step < 4; step++) {
#pragma omp single
        input = work(input, 30000L * MICROSECOND); // planted: serial-part
#pragma omp for schedule(dynamic, 4)
        for (long i = 0; i < 160; i++)
            sum += work(input + (number)i, 250L * MICROSECOND);
    }
    return told("serial_single", sum);
}
