// Loops of all schedules and types, ordered ones, ones whose iterations wait for each other, sections, copyprivate.
#include <omp.h>
#include <stdio.h>

enum { N = 60 };

static int turns, sections;

static void turn(void)
{
#pragma omp atomic
    turns++;
}

int main(void)
{
    int order[N], at = 0, wrong = 0, copied = 0;
    static int grid[8][8];
    unsigned long long big = 18446744073709551615ull - N;
    omp_set_schedule(omp_sched_dynamic, 3);
#pragma omp parallel num_threads(2) reduction(+ : copied)
    {
#pragma omp for schedule(dynamic, 5)
        for (int i = 0; i < N; i++)
            turn();
#pragma omp for schedule(guided) nowait
        for (long i = N; i > 0; i -= 2)
            turn();
#pragma omp for schedule(runtime)
        for (int i = 0; i < N; i++)
            turn();
#pragma omp for schedule(monotonic : dynamic, 5)
        for (unsigned long long i = big; i < big + N; i++)
            turn();
#pragma omp for schedule(nonmonotonic : guided)
        for (unsigned long long i = big + N; i > big; i -= 3)
            turn();
#pragma omp for schedule(static, 4)
        for (int i = 0; i < N; i++)
            turn();
#pragma omp for ordered schedule(dynamic, 1)
        for (int i = 0; i < N; i++) {
#pragma omp ordered
            order[at++] = i;
        }
#pragma omp for ordered(2) schedule(dynamic, 1)
        for (int i = 0; i < 8; i++)
            for (int k = 0; k < 8; k++) {
#pragma omp ordered depend(sink : i - 1, k) depend(sink : i, k - 1)
                int above = i > 0 ? grid[i - 1][k] : 0, before = k > 0 ? grid[i][k - 1] : 0;
                grid[i][k] = (above > before ? above : before) + 1;
#pragma omp ordered depend(source)
            }
#pragma omp sections
        {
#pragma omp section
            {
#pragma omp atomic
                sections++;
            }
#pragma omp section
            {
#pragma omp atomic
                sections++;
            }
        }
        int value;
#pragma omp single copyprivate(value)
        value = 21;
        copied += value;
    }
#pragma omp parallel for schedule(dynamic, 7) num_threads(2)
    for (int i = 0; i < N; i++)
        turn();
#pragma omp parallel for schedule(runtime) num_threads(2)
    for (int i = 0; i < N; i++)
        turn();
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        {
#pragma omp atomic
            sections++;
        }
#pragma omp section
        {
#pragma omp atomic
            sections++;
        }
    }
    for (int i = 0; i < N; i++)
        wrong += order[i] != i;
    printf("turns %d, sections %d, wrong %d, corner %d, copied %d, tasks 0\n", turns, sections, wrong,
           grid[7][7], copied);
    return turns == 6 * N + N / 2 + N / 3 && sections == 4 && !wrong && grid[7][7] == 15 && copied == 42 ? 0 : 1;
}
