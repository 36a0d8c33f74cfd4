// Work that takes a known time on any machine, and what the planted programs of MPI share.
#ifndef CROSSCUT_EXAMPLES_MPI_WORK_H
#define CROSSCUT_EXAMPLES_MPI_WORK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef unsigned long long number;

enum { MICROSECOND = 1000, MILLISECOND = 1000 * MICROSECOND };

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Computes for so many nanoseconds of processor time: what it takes does not depend on how many others share the core.
static __attribute__((noinline, unused)) number work(number seed, long nanoseconds)
{
    double end = processor_seconds() + 1e-9 * (double)nanoseconds;
    do
        for (int i = 0; i < 200; i++)
            seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    while (processor_seconds() < end);
    return seed;
}

// The number after the program's name, or what is usual.
static inline int asked(int argc, char **argv, int usual)
{
    return argc > 1 ? atoi(argv[1]) : usual;
}

// Rank 0 tells the result, so that no compiler leaves the work out.
static inline int told(const char *name, int rank, number sum)
{
    MPI_Finalize();
    if (rank == 0)
        printf("%s: %llx\n", name, sum);
    return 0;
}

#endif
