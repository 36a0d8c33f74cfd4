/* A program whose constructs stand in lines with a name: LINE: name. The test looks these up. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static double spin(long n) {
    volatile double x = 0;
    for (long i = 0; i < n; i++) {
        x += (double)i;
    }
    return x;
}

static void setup(double *a, int n) {
    spin(20000);
#pragma omp parallel for schedule(dynamic, 64) /* LINE: setup region, setup loop */
    for (int i = 0; i < n; i++) {
        a[i] = spin(400);
    }
}

static double solve(double *a, int n) {
    double sum = 0;
    spin(20000);
#pragma omp parallel /* LINE: solve region */
    {
        spin(10000);
#pragma omp barrier /* LINE: barrier */
        spin(10000); /* LINE: behind */
#pragma omp for schedule(dynamic, 16) /* LINE: solve loop */
        for (int i = 0; i < n; i++) {
            a[i] += spin(200);
        }
#pragma omp single
        {
            for (int i = 0; i < 4; i++) {
#pragma omp task /* LINE: task */
                spin(20000);
            }
#pragma omp taskwait /* LINE: taskwait */
            spin(100);
        }
    }
#pragma omp parallel /* LINE: lock region */
    {
        for (int i = 0; i < 50; i++) {
#pragma omp critical(total) /* LINE: critical */
            sum += spin(2000);
        }
    }
    return sum;
}

int main(void) {
    const int n = 1000;
    double *const a = calloc((size_t)n, sizeof *a);
    if (a == NULL) {
        return 1;
    }
    setup(a, n);
    const double sum = solve(a, n);
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel /* LINE: last region */
    {
        for (int i = 0; i < 50; i++) {
            omp_set_lock(&lock); /* LINE: set_lock */
            spin(2000);
            omp_unset_lock(&lock);
        }
    }
    omp_destroy_lock(&lock);
#pragma omp parallel /* LINE: tail region */
    {
        spin(100000);
#pragma omp barrier /* LINE: tail barrier */
        spin(3000000); /* LINE: tail behind */
    }
    printf("sum %g\n", sum);
    free(a);
    return 0;
}
