// Nothing planted: a tree of tasks that stops where a task would be too small.
#include "work.h"

static number sum_tree(number seed, int depth)
{
    if (depth == 0)
        return work(seed, 350L * MICROSECOND);
    number a, b;
#pragma omp task shared(a)
    a = sum_tree(2 * seed, depth - 1);
#pragma omp task shared(b)
    b = sum_tree(2 * seed + 1, depth - 1);
#pragma omp taskwait
    return a + b;
}

int main(void)
{
    number sum = 0;
#pragma omp parallel
#pragma omp single
    sum = sum_tree(1, 10);
    return told("healthy_tasks", sum);
}
