// Each rank has more to compute than the one before it, and all of them add up their results after each step.
#include "work.h"

static double share(int rank, int step)
{
    return (double)(work((number)step, (1 + 3L * rank) * MILLISECOND) % 1000); // planted: rank-imbalance
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, steps = asked(argc, argv, 20);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double sum = 0;
    for (int step = 0; step < steps; step++) {
        double own = share(rank, step), all = 0;
        MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        sum += all;
    }
    return told("imbalance", rank, (number)sum);
}
