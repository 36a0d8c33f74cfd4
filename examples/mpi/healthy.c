// Nothing planted: all ranks compute alike, exchange the borders of their fields with both neighbours while they compute,
// and add up a number from time to time.
#include "work.h"

enum { VALUES = 4096 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, ranks, steps = asked(argc, argv, 20);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    static double border[2][VALUES], halo[2][VALUES];
    int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    number sum = 0;
    double own = 1, all = 0;
    for (int step = 0; step < steps; step++) {
        MPI_Request requests[4];
        MPI_Irecv(halo[0], VALUES, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(halo[1], VALUES, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(border[1], VALUES, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(border[0], VALUES, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[3]);
        sum += work((number)step, 5 * MILLISECOND);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        sum += work((number)step, 1 * MILLISECOND);
        if (step % 5 == 4)
            MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    return told("healthy", rank, sum + (number)all);
}
