// All ranks meet at a barrier after each step; the last rank computes too long.
#include "work.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, ranks, steps = asked(argc, argv, 20);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    number sum = 0;
    for (int step = 0; step < steps; step++) {
        int now = step;
        MPI_Bcast(&now, 1, MPI_INT, 0, MPI_COMM_WORLD);
        sum += work((number)now, 1 * MILLISECOND);
        if (rank == ranks - 1)
            sum += work(sum, 8 * MILLISECOND); // planted: late-rank
        MPI_Barrier(MPI_COMM_WORLD); // the others wait here
    }
    return told("late_rank", rank, sum);
}
