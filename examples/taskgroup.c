// A taskgroup that has to wait for grandchildren.
//
// What it shows: each child creates its own tasks and ends without waiting for them. A `taskwait` of the parent
// would wait for the children only; the end of the taskgroup waits for all descendants, so the sum right after it
// is whole.
//
//     taskgroup [CHILDREN [GRANDCHILDREN]]     each 0 to 1000; GRANDCHILDREN for each child
//
// `taskgroup 4 8` is the default: 4 + 4 · 8 = 36 tasks.

#include <stdio.h>
#include <stdlib.h>

enum { PRIME = 1000003, STEPS = 100000 };

static void usage(void)
{
    fprintf(stderr, "usage: taskgroup [CHILDREN [GRANDCHILDREN]]   each: 0 to 1000\n");
    exit(2);
}

static long number(const char *text, long low, long high)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || value < low || value > high)
        usage();
    return value;
}

// 3 to the power of STEPS, modulo a prime, the slow way: the work of a grandchild. Never 0.
static long work(void)
{
    long value = 1;
    for (long i = 0; i < STEPS; i++)
        value = value * 3 % PRIME;
    return value;
}

static void child(long *results, long grandchildren)
{
    for (long i = 0; i < grandchildren; i++) {
#pragma omp task
        results[i] = work();
    }
}

int main(int argc, char **argv)
{
    if (argc > 3)
        usage();
    long children = argc > 1 ? number(argv[1], 0, 1000) : 4;
    long grandchildren = argc > 2 ? number(argv[2], 0, 1000) : 8;

    long all = children * grandchildren;
    long *results = calloc(all + 1, sizeof *results);
    if (results == NULL) {
        fprintf(stderr, "taskgroup: no memory for %ld results\n", all);
        return 1;
    }

    long finished = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup
        for (long i = 0; i < children; i++) {
#pragma omp task
            child(results + i * grandchildren, grandchildren);
        }
        for (long i = 0; i < all; i++)
            finished += results[i] != 0;
    }

    printf("finished %ld of %ld, tasks %ld\n", finished, all, children + all);
    free(results);
    return finished == all ? 0 : 1;
}
