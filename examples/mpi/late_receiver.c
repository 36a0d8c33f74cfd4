// Rank 0 sends large messages, which wait until they are received; rank 1 computes too long before it receives.
#include "work.h"

enum { VALUES = 1 << 19 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, ranks, steps = asked(argc, argv, 20);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    static double values[VALUES];
    number sum = 0;
    for (int step = 0; step < steps; step++) {
        int now = step;
        MPI_Bcast(&now, 1, MPI_INT, 0, MPI_COMM_WORLD);
        sum += work((number)now, 1 * MILLISECOND);
        if (rank == 1)
            sum += work(sum, 8 * MILLISECOND); // planted: late-receiver
        if (rank == 0)
            MPI_Ssend(values, VALUES, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD); // it waits here
        if (rank == 1)
            MPI_Recv(values, VALUES, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return told("late_receiver", rank, sum);
}
