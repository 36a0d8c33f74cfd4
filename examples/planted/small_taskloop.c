// A taskloop whose tasks have four iterations each, and an iteration takes a nanosecond.
#include "work.h"

enum { CELLS = 400000 };

static number cells[CELLS];

int main(void)
{
    number sum = 0;
#pragma omp parallel
#pragma omp single
    for (int step = 0; step < 3; step++) {
#pragma omp taskloop grainsize(4) // planted: small-tasks
        for (int i = 0; i < CELLS; i++)
            cells[i] = cells[i] * 5 + (number)i;
    }
    for (int i = 0; i < CELLS; i++)
        sum += cells[i];
    return told("small_taskloop", sum);
}
