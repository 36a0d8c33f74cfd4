// Every lock of OpenMP, taken a known number of times.
#include <omp.h>
#include <stdio.h>

enum { TURNS = 50 };

int main(void)
{
    omp_lock_t lock;
    omp_nest_lock_t nest;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
    int a = 0, b = 0, c = 0, d = 0;
    long double e = 0;
#pragma omp parallel num_threads(2)
    for (int i = 0; i < TURNS; i++) {
#pragma omp critical
        a++;
#pragma omp critical(named)
        b++;
        omp_set_lock(&lock);
        c++;
        omp_unset_lock(&lock);
        while (!omp_test_lock(&lock)) {
        }
        c++;
        omp_unset_lock(&lock);
        omp_set_nest_lock(&nest);
        omp_set_nest_lock(&nest);
        d++;
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
#pragma omp atomic
        e += 1;
    }
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
    printf("%d %d %d %d %.0Lf, tasks 0\n", a, b, c, d, e);
    return a == 2 * TURNS && b == a && c == 2 * a && d == a && e == a ? 0 : 1;
}
