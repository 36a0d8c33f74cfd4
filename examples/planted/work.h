// The work of the planted programs: a chain of multiplications that no compiler shortens, about 1.5 ns a step.
#ifndef PLANTED_WORK_H
#define PLANTED_WORK_H

#include <stdio.h>

typedef unsigned long number;

// Numbers that depend on all steps before them.
static inline number work(number seed, long steps)
{
    number x = seed + 1;
    for (long i = 0; i < steps; i++)
        x = x * 6364136223846793005UL + 1442695040888963407UL;
    return x;
}

// Steps of about a microsecond.
enum { MICROSECOND = 700 };

// The last line of every program: the sum depends on all work, so none of it is left out.
static inline int told(const char *name, number sum)
{
    printf("%s: sum %lu\n", name, sum);
    return 0;
}

#endif
