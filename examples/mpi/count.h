// What a program sent, counted by itself: the last line says how many messages and bytes there were in all.
#ifndef CROSSCUT_EXAMPLES_MPI_COUNT_H
#define CROSSCUT_EXAMPLES_MPI_COUNT_H

#include <mpi.h>
#include <stdio.h>

static long long sent_messages, sent_bytes;

// Another message of so many bytes.
static void sent(long long bytes)
{
    sent_messages++;
    sent_bytes += bytes;
}

static int counted(const char *name)
{
    long long own[2] = {sent_messages, sent_bytes}, all[2] = {0, 0};
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Reduce(own, all, 2, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank == 0)
        printf("%s: %lld messages, %lld bytes\n", name, all[0], all[1]);
    return 0;
}

#endif
