// Regions in regions in regions, with tasks in each of the inmost, again and again.
#include <omp.h>
#include <stdio.h>

int main(void)
{
    int ran = 0, lanes = 0;
    omp_set_max_active_levels(3);
    for (int turn = 0; turn < 10; turn++) {
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
        {
#pragma omp atomic
            lanes++;
#pragma omp single
#pragma omp task shared(ran)
            {
#pragma omp atomic
                ran++;
            }
        }
    }
    printf("lanes %d, tasks %d\n", lanes, ran);
    return lanes == 80 && ran == 40 ? 0 : 1;
}
