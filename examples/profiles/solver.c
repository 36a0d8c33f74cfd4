/* A program with a known hot path, for profilers: main > solve > sweep > relax. `sweep` and `relax` are in a library of
 * their own (kernel.c), so that there are two modules; `add_up` takes a few per cent.
 *
 *     cc -O0 -g solver.c kernel.c -o solver && ./solver 2000
 */
#include <stdio.h>
#include <stdlib.h>

#include "kernel.h"

enum { CELLS = 4096 };

__attribute__((noinline)) static int solve(double *cells, int passes) {
    int pass = 0;
    double change = 1;
    for (; pass < passes && change >= 0; pass++) change = sweep(cells, CELLS);
    return pass;
}

__attribute__((noinline)) static double check(const double *cells, int passes) {
    double sum = 0;
    for (int pass = 0; pass < passes; pass++) sum += add_up(cells, CELLS);
    return sum / passes;
}

int main(int count, char **words) {
    int passes = count > 1 ? atoi(words[1]) : 2000;
    double *cells = malloc(CELLS * sizeof *cells);
    if (passes < 1 || !cells) return 2;
    for (int at = 0; at < CELLS; at++) cells[at] = at % 2;
    int done = solve(cells, passes);
    double sum = check(cells, passes);
    printf("%d passes, sum %.3f\n", done, sum);
    free(cells);
    return sum > CELLS * 0.49 && sum < CELLS * 0.51 ? 0 : 1;
}
