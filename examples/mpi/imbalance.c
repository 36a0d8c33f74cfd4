// Each rank has more to compute than the one before it, and all of them add up their results after each step.
#include "work.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, steps = asked(argc, argv, 20);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double sum = 0;
    for (int step = 0; step < steps; step++) {
        int now = step;
        MPI_Bcast(&now, 1, MPI_INT, 0, MPI_COMM_WORLD);
        number own = work((number)now, (1 + 3L * rank) * MILLISECOND); // planted: rank-imbalance
        double part = (double)(own % 1000), all = 0;
        MPI_Allreduce(&part, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        sum += all;
    }
    return told("imbalance", rank, (number)sum);
}
