// A field is passed to the next rank number by number: nearly all of the time goes into the messages themselves.
#include "work.h"

enum { VALUES = 5000 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, ranks, steps = asked(argc, argv, 20);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    static double values[VALUES];
    number sum = 0;
    for (int step = 0; step < steps; step++) {
        sum += work((number)step, 200 * MICROSECOND);
        for (int i = 0; i < VALUES; i++) {
            if (rank % 2 == 0 && rank + 1 < ranks)
                MPI_Send(&values[i], 1, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD); // planted: small-messages
            if (rank % 2 == 1)
                MPI_Recv(&values[i], 1, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    return told("small_messages", rank, sum);
}
