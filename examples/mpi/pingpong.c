// How long a message takes there and back: `mpirun -n 2 pingpong ROUNDS BYTES` prints nanoseconds for each round.
#include "work.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, rounds = asked(argc, argv, 100000), bytes = argc > 2 ? atoi(argv[2]) : 8;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *buffer = calloc(1, (size_t)bytes + 1);
    double start = 0;
    for (int round = -rounds / 10; round < rounds; round++) {
        if (round == 0) {
            MPI_Barrier(MPI_COMM_WORLD);
            start = MPI_Wtime();
        }
        if (rank == 0) {
            MPI_Send(buffer, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(buffer, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == 1) {
            MPI_Recv(buffer, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(buffer, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        }
    }
    double took = MPI_Wtime() - start;
    MPI_Finalize();
    if (rank == 0)
        printf("pingpong: %.0f ns\n", took * 1e9 / rounds);
    return 0;
}
