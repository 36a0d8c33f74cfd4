// Ranks with threads: each computes with tasks, then passes its result on around a ring. `mpirun -n 2 hybrid`.
#include "work.h"

int main(int argc, char **argv)
{
    int given, rank, ranks, steps = 4;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    number sum = 0, got = 0;
    for (int step = 0; step < steps; step++) {
#pragma omp parallel
#pragma omp single
        for (int i = 0; i < 8; i++) {
#pragma omp task shared(sum)
            {
                number part = work((number)i, 300 * MICROSECOND);
#pragma omp atomic
                sum += part;
            }
        }
        MPI_Sendrecv(&sum, 1, MPI_UNSIGNED_LONG_LONG, (rank + 1) % ranks, step, &got, 1, MPI_UNSIGNED_LONG_LONG,
                     (rank + ranks - 1) % ranks, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return told("hybrid", rank, sum + got);
}
