// Where things are: every directive stands on a line of its own, and so do the lines around it.
#include <stdio.h>

static int ran;

__attribute__((noinline)) static void work(int n)
{
    for (volatile int i = 0; i < n; i++) {
    }
#pragma omp atomic
    ran++;
}

static void less(void)
{
#pragma omp atomic
    ran--;
}

static void spawn(int n)
{
    work(n);
    less();
#pragma omp task firstprivate(n)
    {
        work(n);
    }

#pragma omp task
    work(7);
#pragma omp taskwait
    work(3);
    less();
}

int main(void)
{
    int before = 3;
    work(before);
    less();
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        spawn(5);
    }
    work(before + 1);
    less();

    work(before + 2);
    less();
#pragma omp parallel num_threads(2)
    {
#pragma omp single nowait
        {
#pragma omp task
            work(9);
        }
    }
    printf("tasks %d\n", ran);
    return 0;
}
