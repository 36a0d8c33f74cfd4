// A parallel loop whose iterations cost more and more.
//
// What it shows: chunks of a loop, and how its schedule shares them out. Chunks late in the loop cost many times
// what the early ones do: with `static` and large chunks one thread gets most of the work, with `dynamic` they all
// end together.
//
//     loop [N [CHUNK [static|dynamic|guided]]]     N is 1 to 100000
//
// `loop 2000 16 dynamic` is the default: 125 chunks.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PRIME = 1000003, STEPS = 40 };

static void usage(void)
{
    fprintf(stderr, "usage: loop [N [CHUNK [static|dynamic|guided]]]   N: 1 to 100000, CHUNK: 1 to N\n");
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

// 3 to the power of n, modulo a prime: the slow way, which is the work of an iteration.
static long slow_power(long n)
{
    long value = 1;
    for (long i = 0; i < n; i++)
        value = value * 3 % PRIME;
    return value;
}

// The same by repeated squaring.
static long quick_power(long n)
{
    long value = 1;
    for (long base = 3; n > 0; n /= 2, base = base * base % PRIME)
        if (n % 2 == 1)
            value = value * base % PRIME;
    return value;
}

int main(int argc, char **argv)
{
    if (argc > 4)
        usage();
    long n = argc > 1 ? number(argv[1], 1, 100000) : 2000;
    long chunk = argc > 2 ? number(argv[2], 1, n) : n < 16 ? n : 16;
    const char *schedule = argc > 3 ? argv[3] : "dynamic";

    long sum = 0;
    if (strcmp(schedule, "static") == 0) {
#pragma omp parallel for schedule(static, chunk) reduction(+ : sum)
        for (long i = 0; i < n; i++)
            sum += slow_power(i * STEPS);
    } else if (strcmp(schedule, "dynamic") == 0) {
#pragma omp parallel for schedule(dynamic, chunk) reduction(+ : sum)
        for (long i = 0; i < n; i++)
            sum += slow_power(i * STEPS);
    } else if (strcmp(schedule, "guided") == 0) {
#pragma omp parallel for schedule(guided, chunk) reduction(+ : sum)
        for (long i = 0; i < n; i++)
            sum += slow_power(i * STEPS);
    } else {
        usage();
    }

    long expected = 0;
    for (long i = 0; i < n; i++)
        expected += quick_power(i * STEPS);
    // The runtime chooses the chunks of a guided loop: CHUNK is only the smallest.
    if (strcmp(schedule, "guided") == 0)
        printf("sum %ld, guided\n", sum);
    else
        printf("sum %ld, %s, chunks %ld\n", sum, schedule, (n + chunk - 1) / chunk);
    return sum == expected ? 0 : 1;
}
