// A chain of tasks that only `depend` puts in order.
//
// What it shows: all tasks are created at once, as siblings, and look parallel in the tree; the dependences make
// them run one after the other. The critical path is the whole work, whatever the number of workers: T1 / T∞ is
// about 1.
//
//     depend [LINKS [STEPS]]     LINKS is 1 to 100000 tasks, STEPS the work of each
//
// `depend 4 1000000` is the default; a million steps take a few milliseconds.

#include <stdio.h>
#include <stdlib.h>

enum { PRIME = 1000003 };

static void usage(void)
{
    fprintf(stderr, "usage: depend [LINKS [STEPS]]   LINKS: 1 to 100000, STEPS: 0 to 1000000000\n");
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

// The work of one link: the value times 3 to the power of STEPS, modulo a prime, the slow way. Then the number of
// the link is added, so that another order gives another value.
static long add_link(long value, long link, long steps)
{
    for (long i = 0; i < steps; i++)
        value = value * 3 % PRIME;
    return (value + link) % PRIME;
}

// The value after all links, with the power by repeated squaring.
static long expected(long links, long steps)
{
    long power = 1;
    for (long base = 3; steps > 0; steps /= 2, base = base * base % PRIME)
        if (steps % 2 == 1)
            power = power * base % PRIME;
    long value = 1;
    for (long i = 0; i < links; i++)
        value = (value * power + i) % PRIME;
    return value;
}

int main(int argc, char **argv)
{
    if (argc > 3)
        usage();
    long links = argc > 1 ? number(argv[1], 1, 100000) : 4;
    long steps = argc > 2 ? number(argv[2], 0, 1000000000) : 1000000;

    long value = 1;
#pragma omp parallel
#pragma omp single
    for (long i = 0; i < links; i++) {
#pragma omp task depend(inout : value) shared(value)
        value = add_link(value, i, steps);
    }

    printf("value %ld, tasks %ld\n", value, links);
    return value == expected(links, steps) ? 0 : 1;
}
