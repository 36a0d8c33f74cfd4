// Tasks that take part in reductions: of a group, a region, a loop, sections, a loop of tasks, a scope.
#include <stdio.h>

static int ran;

static void count(void)
{
#pragma omp atomic
    ran++;
}

int main(void)
{
    int group = 0, region = 0, loop = 0, shared = 0, sections = 0, tasks = 0, plain = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp taskgroup task_reduction(+ : group)
        for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : group)
            {
                count();
                group += i;
            }
        }
#pragma omp taskloop reduction(+ : tasks) num_tasks(5)
        for (int i = 0; i < 50; i++) {
            if (i % 10 == 0)
                count();
            tasks += i;
        }
    }
#pragma omp parallel num_threads(2) reduction(task, + : region)
#pragma omp single
    for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : region)
        {
            count();
            region += i;
        }
    }
#pragma omp parallel num_threads(2)
    {
#pragma omp for reduction(task, + : loop) schedule(dynamic, 2)
        for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : loop)
            {
                count();
                loop += i;
            }
        }
#pragma omp for reduction(task, + : shared) schedule(static)
        for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : shared)
            {
                count();
                shared += i;
            }
        }
#pragma omp sections reduction(task, + : sections)
        {
#pragma omp section
            {
#pragma omp task in_reduction(+ : sections)
                {
                    count();
                    sections += 1;
                }
            }
#pragma omp section
            {
#pragma omp task in_reduction(+ : sections)
                {
                    count();
                    sections += 2;
                }
            }
        }
#pragma omp scope reduction(+ : plain)
        plain += 1;
    }
    printf("%d %d %d %d %d %d %d, tasks %d\n", group, tasks, region, loop, shared, sections, plain, ran);
    return group == 45 && tasks == 1225 && region == 45 && loop == 45 && shared == 45 && sections == 3 &&
                   plain == 2 && ran == 47
               ? 0
               : 1;
}
