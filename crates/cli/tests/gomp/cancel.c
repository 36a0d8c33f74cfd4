// A group of tasks that one of them cancels, and a loop. Which tasks still run is up to the runtime.
#include <omp.h>
#include <stdio.h>

int main(void)
{
    int created = 0, ran = 0, found = -1;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup
    for (int i = 0; i < 100; i++) {
        created++;
#pragma omp task shared(ran)
        {
#pragma omp atomic
            ran++;
#pragma omp cancel taskgroup
        }
    }
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < 1000; i++) {
            if (i == 10) {
#pragma omp atomic write
                found = i;
#pragma omp cancel for
            }
#pragma omp cancellation point for
        }
#pragma omp barrier
    }
    printf("cancels %d, found %d, tasks %d\n", omp_get_cancellation(), found, created);
    if (omp_get_cancellation())
        return ran < created && found == 10 ? 0 : 1;
    return ran == created && found == 10 ? 0 : 1;
}
