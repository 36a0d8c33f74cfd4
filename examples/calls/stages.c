/* Two stages on each rank, with messages before, between and after them: tasks of the first are all `assemble`, those of the second all `factor`.
 * What ran in a task, and in the time of a stage, is known.
 *
 *     mpicc -fopenmp stages.c -o stages && mpirun -n 2 ./stages
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

#define KEPT __attribute__((noinline))

#define WORK(name, number)                             \
    static KEPT uint64_t name(uint64_t x)              \
    {                                                  \
        for (long i = 0; i < 30000000; i++)            \
            x = (x ^ x >> 29) * 0xff51afd7ed558ccdu + number; \
        return x;                                      \
    }
WORK(assemble, 3)
WORK(factor, 5)

static uint64_t sum;

static KEPT void stage(int first)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 4; i++)
        if (first) {
#pragma omp task
            {
                uint64_t x = assemble(i);
#pragma omp atomic
                sum += x;
            }
        } else {
#pragma omp task
            {
                uint64_t x = factor(i);
#pragma omp atomic
                sum += x;
            }
        }
}

/* With the neighbours in a ring. */
static int exchange(int rank, int ranks)
{
    int got = -1;
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % ranks, 0, &got, 1, MPI_INT, (rank + ranks - 1) % ranks, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return got == (rank + ranks - 1) % ranks;
}

int main(int count, char **arguments)
{
    int rank, ranks, right = 1;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    right &= exchange(rank, ranks);
    stage(1);
    right &= exchange(rank, ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    stage(0);
    right &= exchange(rank, ranks);
    if (rank == 0)
        printf("%s\n", sum != 0 && right ? "done" : "nothing");
    MPI_Finalize();
    return 0;
}
