// The work of the planted programs: a chain of steps that no compiler can join, about 1.7 ns each.
#ifndef PLANTED_WORK_H
#define PLANTED_WORK_H

#include <stdio.h>

typedef unsigned long number;

// Numbers that depend on all steps before them.
static inline number work(number seed, long steps)
{
    number x = seed + 1;
    for (long i = 0; i < steps; i++)
        x = (x ^ (x >> 29)) * 6364136223846793005UL;
    return x;
}

// Steps of about a microsecond.
enum { MICROSECOND = 600 };

// The last line of every program: the sum depends on all work, so none of it is left out.
static inline int told(const char *name, number sum)
{
    printf("%s: sum %lu\n", name, sum);
    return 0;
}

#endif
