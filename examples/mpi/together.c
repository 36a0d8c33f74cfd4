// Every collective, at once and begun, access to the memory of others and a file: `mpirun -n 4 together FILE`.
#include "count.h"

#include <stdlib.h>
#include <string.h>

enum { N = 16, MOST = 64 };

static int out[N * MOST], in[N * MOST], counts[MOST], places[MOST], one[MOST];

static void at_once(void)
{
    MPI_Bcast(out, N, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Gather(out, N, MPI_INT, in, N, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Gatherv(out, N, MPI_INT, in, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Scatter(out, N, MPI_INT, in, N, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Scatterv(out, counts, places, MPI_INT, in, N, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allgather(out, N, MPI_INT, in, N, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, N, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgatherv(out, N, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(out, N, MPI_INT, in, N, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
    MPI_Reduce(out, in, N, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Allreduce(out, in, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, in, N, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Reduce_scatter(out, in, one, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce_scatter_block(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Scan(out, in, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Exscan(out, in, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void begun(void)
{
    MPI_Request requests[4];
    MPI_Ibcast(out, N, MPI_INT, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Iallreduce(out, in, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
    MPI_Ialltoall(out, 1, MPI_INT, in + N, 1, MPI_INT, MPI_COMM_WORLD, &requests[2]);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void in_memory(int rank, int ranks)
{
    MPI_Win window;
    MPI_Win_create(in, sizeof in, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(out, N, MPI_INT, (rank + 1) % ranks, 0, N, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Get(out, 2, MPI_INT, (rank + 1) % ranks, 0, 2, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

static void in_file(const char *name, int rank)
{
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, (char *)name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at(file, (MPI_Offset)rank * N * 4, out, N, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_write_at_all(file, (MPI_Offset)rank * N * 4, out, N, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at(file, (MPI_Offset)rank * N * 4, in, N, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < ranks && i < MOST; i++)
        counts[i] = N, places[i] = i * N, one[i] = 1;
    at_once();
    begun();
    in_memory(rank, ranks);
    if (argc > 1)
        in_file(argv[1], rank);
    return counted("together");
}
