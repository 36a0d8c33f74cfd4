// A task for each cell of a grid, rows created by several threads; a cell takes a quarter of a microsecond.
#include "work.h"

int main(void)
{
    number sum = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : sum)
    for (long row = 0; row < 600; row++) {
        number cells[200];
        for (long i = 0; i < 200; i++) {
#pragma omp task shared(cells) // planted: small-tasks
            cells[i] = work((number)(row + i), MICROSECOND / 4);
        }
#pragma omp taskwait
        for (long i = 0; i < 200; i++)
            sum += cells[i];
    }
    return told("small_list", sum);
}
