// Sections that are not alike: one takes ten times as long as the others.
#include "work.h"

int main(void)
{
    number a = 0, b = 0, c = 0, d = 0;
#pragma omp parallel sections // planted: imbalance
    {
#pragma omp section
        a = work(1, 200000L * MICROSECOND);
#pragma omp section
        b = work(2, 20000L * MICROSECOND);
#pragma omp section
        c = work(3, 20000L * MICROSECOND);
#pragma omp section
        d = work(4, 20000L * MICROSECOND);
    }
    return told("imbalance_sections", a + b + c + d);
}
