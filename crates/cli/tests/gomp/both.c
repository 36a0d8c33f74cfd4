// A program with tasks, and a library that another compiler built.
#include <stdio.h>

int plugin(int n);

int main(void)
{
    int ran = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 5; i++) {
#pragma omp task shared(ran)
        {
#pragma omp atomic
            ran++;
        }
    }
    ran += plugin(10);
    printf("tasks %d\n", ran);
    return 0;
}
