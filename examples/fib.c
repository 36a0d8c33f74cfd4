// Fibonacci numbers by recursion: a task for each of the two calls, and a wait for both.
//
// What it shows: the classic task tree. With a cut-off every task above the cut is alike, and the number of tasks
// is known; without one, nearly all of the time goes into making tasks.
//
//     fib [N [DEPTH]]     N is 0 to 45; below DEPTH calls the rest is serial, DEPTH 0 is no cut-off
//
// `fib 27 8` (the default) makes 2 + 4 + … + 256 = 510 tasks.

#include <stdio.h>
#include <stdlib.h>

static void usage(void)
{
    fprintf(stderr, "usage: fib [N [DEPTH]]   N: 0 to 45, DEPTH: 0 (no cut-off) to 45\n");
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

static long serial(long n)
{
    return n < 2 ? n : serial(n - 1) + serial(n - 2);
}

static long fib(long n, long depth)
{
    if (n < 2)
        return n;
    if (depth == 0)
        return serial(n);

    long a, b;
#pragma omp task shared(a)
    a = fib(n - 1, depth - 1);
#pragma omp task shared(b)
    b = fib(n - 2, depth - 1);
#pragma omp taskwait
    return a + b;
}

// How many tasks `fib` makes.
static long tasks(long n, long depth)
{
    if (n < 2 || depth == 0)
        return 0;
    return 2 + tasks(n - 1, depth - 1) + tasks(n - 2, depth - 1);
}

// The same number by counting up.
static long expected(long n)
{
    long a = 0, b = 1;
    for (long i = 0; i < n; i++) {
        long next = a + b;
        a = b;
        b = next;
    }
    return a;
}

int main(int argc, char **argv)
{
    if (argc > 3)
        usage();
    long n = argc > 1 ? number(argv[1], 0, 45) : 27;
    long depth = argc > 2 ? number(argv[2], 0, 45) : 8;
    if (depth == 0)
        depth = n; // no call is ever that deep

    long value = 0;
#pragma omp parallel
#pragma omp single
    value = fib(n, depth);

    printf("fib(%ld) = %ld, tasks %ld\n", n, value, tasks(n, depth));
    return value == expected(n) ? 0 : 1;
}
