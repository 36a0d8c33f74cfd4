// A library with tasks of its own.
#include <omp.h>

int plugin(int n)
{
    int ran = 0;
#pragma omp parallel num_threads(omp_get_max_threads())
    {
#pragma omp single
        for (int i = 0; i < n; i++) {
#pragma omp task shared(ran)
            {
#pragma omp atomic
                ran++;
            }
        }
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < n; i++) {
        }
#pragma omp critical
        ran += 0;
#pragma omp barrier
    }
    return ran;
}
