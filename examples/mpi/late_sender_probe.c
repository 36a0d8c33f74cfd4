// Rank 0 looks whether rank 1 has sent before it receives, and rank 1 computes too long before it sends.
#include "work.h"

enum { VALUES = 1024 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, ranks, steps = asked(argc, argv, 20);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    static double values[VALUES], others[VALUES];
    number sum = 0;
    for (int step = 0; step < steps; step++) {
        int now = step;
        MPI_Bcast(&now, 1, MPI_INT, 0, MPI_COMM_WORLD);
        sum += work((number)now, 1 * MILLISECOND);
        if (rank == 1)
            sum += work(sum, 8 * MILLISECOND); // planted: late-sender
        values[0] = (double)step;
        if (rank == 1)
            MPI_Send(values, VALUES, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
        if (rank == 0) {
            MPI_Status status;
            MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status); // it waits here
            MPI_Recv(others, VALUES, MPI_DOUBLE, status.MPI_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    return told("late_sender_probe", rank, sum + (number)others[0]);
}
