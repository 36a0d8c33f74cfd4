// A league of teams on the host; each team has a region with tasks.
#include <omp.h>
#include <stdio.h>

static void count(int *number)
{
#pragma omp atomic
    ++*number;
}

int main(void)
{
    int ran = 0, teams = 0;
#pragma omp teams num_teams(3) thread_limit(2) shared(ran, teams)
    {
#pragma omp parallel num_threads(1)
        count(&teams);
#pragma omp parallel num_threads(2) shared(ran)
#pragma omp single
        for (int i = 0; i < 4; i++) {
#pragma omp task shared(ran)
            count(&ran);
        }
    }
    printf("teams %d, tasks %d\n", teams, ran);
    return ran == 4 * teams && teams > 0 ? 0 : 1;
}
