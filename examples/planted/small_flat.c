// One thread creates a task for each of many cells, and a cell takes a tenth of a microsecond.
#include "work.h"

enum { CELLS = 100000 };

static number cells[CELLS];

int main(void)
{
    number sum = 0;
#pragma omp parallel
#pragma omp single
    for (long i = 0; i < CELLS; i++) {
#pragma omp task // planted: small-tasks
        cells[i] = work((number)i, MICROSECOND / 10);
    }
    for (long i = 0; i < CELLS; i++)
        sum += cells[i];
    return told("small_flat", sum);
}
