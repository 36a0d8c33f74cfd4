// Loops cut into tasks, in all ways. A task counts itself with its first turn.
#include <omp.h>
#include <stdio.h>

static int ran, turns;

static void turn(long first, long *last)
{
#pragma omp atomic
    turns++;
    if (*last == first)
        return;
    *last = first;
#pragma omp atomic
    ran++;
}

#define LOOP(CLAUSES, HEAD)                                                                                    \
    do {                                                                                                       \
        long seen = -1;                                                                                        \
        _Pragma(CLAUSES) for (HEAD) turn(1, &seen);                                                            \
        _Pragma("omp taskwait")                                                                                \
    } while (0)
#define INTS int i = 0; i < 100; i++

static void all(void)
{
    unsigned long long big = 18446744073709551600ull;
    LOOP("omp taskloop firstprivate(seen)", INTS);
    LOOP("omp taskloop firstprivate(seen) num_tasks(7)", INTS);
    LOOP("omp taskloop firstprivate(seen) grainsize(9)", INTS);
    LOOP("omp taskloop firstprivate(seen) grainsize(30)", int i = 100; i > 0; i--);
    LOOP("omp taskloop firstprivate(seen) grainsize(3)", long i = 5; i < 200; i += 3);
    LOOP("omp taskloop firstprivate(seen) nogroup num_tasks(5)", INTS);
    LOOP("omp taskloop firstprivate(seen) if(0) num_tasks(5)", INTS);
    LOOP("omp taskloop firstprivate(seen) final(1) num_tasks(4)", INTS);
    LOOP("omp taskloop firstprivate(seen) num_tasks(200)", int i = 0; i < 300; i++); // more than are queued
    LOOP("omp taskloop firstprivate(seen) num_tasks(6)", unsigned long long i = big; i < big + 14; i++);
    LOOP("omp taskloop firstprivate(seen) num_tasks(6)", unsigned long long i = big + 14; i > big; i -= 3);
    LOOP("omp taskloop firstprivate(seen) grainsize(strict: 7)", INTS);
    LOOP("omp taskloop firstprivate(seen) num_tasks(6)", int i = 0; i < 0; i++);
}

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    all();
    int inside = ran;
    all();
    printf("turns %d, inside %d, tasks %d\n", turns, inside, ran);
    return 0;
}
