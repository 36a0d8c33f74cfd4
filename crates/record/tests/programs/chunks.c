/* Chunks that create tasks: one in each, in a group, waited for in the chunk, and waited for only after the loop. */
#include <stdio.h>

enum { N = 8 };

static double work(int n) {
    volatile double sum = 0;
    for (int k = 0; k < 20000 * n; k++)
        sum += k;
    return sum;
}

int main(void) {
    double sum = 0;
#pragma omp parallel
    {
#pragma omp for schedule(dynamic) nowait
        for (int i = 0; i < N; i++) {
#pragma omp task firstprivate(i) shared(sum)
            work(i + 1);
        }
#pragma omp taskwait
        work(1);
#pragma omp barrier
#pragma omp for schedule(dynamic)
        for (int i = 0; i < N; i++) {
#pragma omp task firstprivate(i)
            work(i + 1);
#pragma omp taskwait
            work(1);
        }
#pragma omp for schedule(dynamic)
        for (int i = 0; i < N; i++) {
#pragma omp taskgroup
            {
#pragma omp task firstprivate(i)
                work(i + 1);
            }
        }
    }
    printf("%g\n", sum);
    return 0;
}
