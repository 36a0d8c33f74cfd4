/* A front of heat in a bar that melts, on any number of ranks: each has a piece of the bar, sends its ends to its neighbours, and all
 * agree on how far it has come after each step. Cells that melt cost more (material.c, a library of its own), and they are all on
 * a few ranks: the others wait for those.
 *
 *     front [STEPS [CELLS]]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "material.h"

/* Melting begins at 5/16 of the bar and ends at 7/16. */
static double energy_at_start(double x) { return x < 0.3125 ? 5.0 + x : x < 0.4375 ? 2.5 : 0.5 - 0.1 * x; }

__attribute__((noinline)) static void evaluate(const double *energy, double *temperature, int cells) {
    for (int at = 1; at <= cells; at++) temperature[at] = temperature_of(energy[at]);
}

__attribute__((noinline)) static void exchange(double *temperature, int cells, int rank, int ranks) {
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
    temperature[0] = temperature[1];
    temperature[cells + 1] = temperature[cells];
    MPI_Sendrecv(&temperature[1], 1, MPI_DOUBLE, left, 0, &temperature[cells + 1], 1, MPI_DOUBLE, right, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&temperature[cells], 1, MPI_DOUBLE, right, 1, &temperature[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

__attribute__((noinline)) static double diffuse(double *energy, const double *temperature, int cells) {
    double moved = 0;
    for (int round = 0; round < 40; round++)
        for (int at = 1; at <= cells; at++) {
            double flow = 1e-4 * (temperature[at - 1] - 2 * temperature[at] + temperature[at + 1]);
            energy[at] += flow / 40;
            moved += flow > 0 ? flow : -flow;
        }
    return moved;
}

int main(int count, char **words) {
    MPI_Init(&count, &words);
    int rank, ranks, steps = count > 1 ? atoi(words[1]) : 200, cells = count > 2 ? atoi(words[2]) : 1000;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double *energy = calloc((size_t)cells + 2, sizeof *energy), *temperature = calloc((size_t)cells + 2, sizeof *temperature);
    if (!energy || !temperature) return 2;
    for (int at = 1; at <= cells; at++) energy[at] = energy_at_start((rank + (at - 0.5) / cells) / ranks);
    double all = 0;
    for (int step = 0; step < steps; step++) {
        evaluate(energy, temperature, cells);
        exchange(temperature, cells, rank, ranks);
        double moved = diffuse(energy, temperature, cells);
        MPI_Allreduce(&moved, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    if (rank == 0) printf("moved %.6f in the last of %d steps\n", all, steps);
    free(energy);
    free(temperature);
    return 0;
}
