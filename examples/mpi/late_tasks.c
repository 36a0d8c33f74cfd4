// Ranks compute with tasks and meet at a barrier after each step; the tasks of the last rank take too long.
#include "work.h"

int main(int argc, char **argv)
{
    int given, rank, ranks, steps = asked(argc, argv, 20);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    number sum = 0;
    for (int step = 0; step < steps; step++) {
        sum += work((number)step, 1 * MILLISECOND);
#pragma omp parallel num_threads(1)
#pragma omp single
        for (int i = 0; i < 4; i++) {
#pragma omp task shared(sum) // planted: late-rank
            sum += work((number)i, (rank == ranks - 1 ? 4 : 1) * MILLISECOND);
        }
        MPI_Barrier(MPI_COMM_WORLD); // the others wait here
    }
    return told("late_tasks", rank, sum);
}
