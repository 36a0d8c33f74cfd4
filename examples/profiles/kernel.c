/* The hot library of the solver. `relax` is where the time goes: about nine tenths of it, all called by `sweep`. */
#include "kernel.h"

__attribute__((noinline)) static double relax(const double *cells, int at, int n) {
    double left = cells[(at + n - 1) % n], here = cells[at], right = cells[(at + 1) % n];
    for (int step = 0; step < 24; step++) here = 0.25 * left + 0.5 * here + 0.25 * right; /* hot */
    return here;
}

__attribute__((noinline)) double sweep(double *cells, int n) {
    double most = 0;
    for (int at = 0; at < n; at++) {
        double before = cells[at], after = relax(cells, at, n);
        double change = after > before ? after - before : before - after;
        cells[at] = after;
        if (change > most) most = change;
    }
    return most;
}

__attribute__((noinline)) double add_up(const double *cells, int n) {
    double sum = 0;
    for (int at = 0; at < n; at++) sum += cells[at];
    return sum;
}
