// Fibonacci numbers with a task for every call, down to the last.
#include "work.h"

static number fib(int n)
{
    if (n < 2)
        return (number)n;
    number a, b;
#pragma omp task shared(a) // planted: small-tasks
    a = fib(n - 1);
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

int main(void)
{
    number sum = 0;
#pragma omp parallel
#pragma omp single
    sum = fib(21);
    return told("small_tasks", sum);
}
