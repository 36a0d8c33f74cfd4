// Communicators made of communicators, and a message to the next rank in each: `mpirun -n 6 groups`, an even number of ranks.
#include "count.h"

// One message to the next rank of a communicator, of as many bytes as the rank there plus one.
static void around(MPI_Comm comm)
{
    char out[64] = {0}, in[64];
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    MPI_Sendrecv(out, rank + 1, MPI_CHAR, (rank + 1) % ranks, 1, in, 64, MPI_CHAR, (rank + ranks - 1) % ranks, 1, comm,
                 MPI_STATUS_IGNORE);
    sent(rank + 1);
    MPI_Barrier(comm);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm copy, again, half, shared, grid, row, subset, pair, between, both;
    around(MPI_COMM_WORLD);
    around(MPI_COMM_SELF);

    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_dup(copy, &again);
    around(copy);
    around(again);

    // In reverse order of ranks.
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    around(half);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
    around(shared);

    int dims[2] = {2, ranks / 2}, periods[2] = {1, 1}, remain[2] = {0, 1};
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
    around(grid);
    MPI_Cart_sub(grid, remain, &row);
    around(row);

    // The first and the last rank, the last one first.
    MPI_Group all, ends;
    int list[2] = {ranks - 1, 0};
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 2, list, &ends);
    MPI_Comm_create(MPI_COMM_WORLD, ends, &subset);
    if (subset != MPI_COMM_NULL) {
        around(subset);
        MPI_Comm_create_group(MPI_COMM_WORLD, ends, 3, &pair);
        around(pair);
        MPI_Comm_free(&pair);
        MPI_Comm_free(&subset);
    }

    // Even ranks and odd ranks: each sends to the one beside it on the other side.
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? ranks - 2 : ranks - 1, 9, &between);
    int own;
    char out[3] = {0}, in[3];
    MPI_Comm_rank(between, &own);
    MPI_Sendrecv(out, 3, MPI_CHAR, own, 2, in, 3, MPI_CHAR, own, 2, between, MPI_STATUS_IGNORE);
    sent(3);
    MPI_Intercomm_merge(between, rank % 2, &both);
    around(both);

    MPI_Comm_free(&both);
    MPI_Comm_free(&between);
    MPI_Comm_free(&again);
    MPI_Comm_dup(MPI_COMM_WORLD, &again);
    around(again);
    return counted("groups");
}
