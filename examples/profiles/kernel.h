/* The library of the solver: what both of its files have to know. */
#ifndef CROSSCUT_KERNEL_H
#define CROSSCUT_KERNEL_H

/* One pass over a grid of n cells. */
double sweep(double *cells, int n);
/* Adds up a grid of n cells. */
double add_up(const double *cells, int n);

#endif
