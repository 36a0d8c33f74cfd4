/* Tasks that are still to be done when both threads have come to the barrier, and work behind it. */
#include <stdio.h>

static double spin(long n) {
    volatile double x = 0;
    for (long i = 0; i < n; i++) {
        x += (double)i;
    }
    return x;
}

int main(void) {
    double state = 0;
    double all = 0;
#pragma omp parallel
    {
#pragma omp single
        for (int i = 0; i < 20; i++) {
#pragma omp task depend(inout : state) shared(state)
            state += spin(200000);
        }
        const double own = spin(2000000);
#pragma omp atomic
        all += own;
    }
    printf("%d\n", state > 0 && all > 0);
    return 0;
}
