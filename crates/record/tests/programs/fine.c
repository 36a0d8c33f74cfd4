/* A loop with far too many chunks. */
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words) {
    const long n = count > 1 ? atol(words[1]) : 200000;
    double *const a = malloc((size_t)n * sizeof *a);
    if (a == NULL) {
        return 1;
    }
#pragma omp parallel for schedule(dynamic, 1)
    for (long i = 0; i < n; i++) {
        a[i] = (double)i * 1.5;
    }
    printf("last %g\n", a[n - 1]);
    free(a);
    return 0;
}
