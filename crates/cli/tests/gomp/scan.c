// Sums up to each element, by a loop with `scan`.
#include <stdio.h>

int main(void)
{
    enum { N = 1000 };
    static long from[N], to[N];
    long sum = 0, wrong = 0;
    for (int i = 0; i < N; i++)
        from[i] = i % 7;
#pragma omp parallel for reduction(inscan, + : sum)
    for (int i = 0; i < N; i++) {
        sum += from[i];
#pragma omp scan inclusive(sum)
        to[i] = sum;
    }
    long expected = 0;
    for (int i = 0; i < N; i++) {
        expected += from[i];
        wrong += to[i] != expected;
    }
    printf("sum %ld, wrong %ld, tasks 0\n", sum, wrong);
    return wrong != 0;
}
