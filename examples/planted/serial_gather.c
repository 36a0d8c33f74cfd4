// A loop in parallel, then a function that goes over all of it alone.
#include "work.h"

enum { CELLS = 4000 };

static number cells[CELLS];

__attribute__((noinline)) static number gather(void)
{
    number sum = 0;
    for (int i = 0; i < CELLS; i++)
        sum += work(cells[i], 12L * MICROSECOND);
    return sum;
}

int main(void)
{
    number sum = 0;
    for (int step = 0; step < 5; step++) {
#pragma omp parallel for schedule(dynamic, 64)
        for (int i = 0; i < CELLS; i++)
            cells[i] = work((number)(i + step), 20L * MICROSECOND);
        sum += gather(); // planted: serial-part
    }
    return told("serial_gather", sum);
}
