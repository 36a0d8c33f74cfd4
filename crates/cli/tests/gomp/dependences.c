// Dependences by address, by object, in exclusion, by iterator; a task that runs at once; a wait for one of them.
#include <omp.h>
#include <stdio.h>

static int ran;

static void count(void)
{
#pragma omp atomic
    ran++;
}

int main(void)
{
    int a = 0, b = 0, sum = 0, wrong = 0, cells[8] = {0};
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        omp_depend_t object;
#pragma omp depobj(object) depend(inout : a)
        for (int i = 0; i < 10; i++) {
#pragma omp task depend(depobj : object) shared(a)
            {
                count();
                a++;
            }
        }
#pragma omp depobj(object) update(in)
#pragma omp task depend(depobj : object) depend(out : b) shared(a, b, wrong)
        {
            count();
            b = a;
            wrong += b != 10;
        }
        for (int i = 0; i < 10; i++) {
#pragma omp task depend(mutexinoutset : sum) depend(in : b) shared(sum, b)
            {
                count();
                sum += b;
            }
        }
        for (int i = 0; i < 8; i++) {
#pragma omp task depend(out : cells[i]) shared(cells)
            {
                count();
                cells[i] = i;
            }
        }
#pragma omp task depend(iterator(int k = 0 : 8), in : cells[k]) depend(inout : sum) shared(cells, sum)
        {
            count();
            for (int k = 0; k < 8; k++)
                sum += cells[k];
        }
#pragma omp taskwait depend(in : sum)
        wrong += sum != 128;
#pragma omp task if (0) depend(inout : sum) shared(sum)
        {
            count();
            sum++;
        }
        wrong += sum != 129;
#pragma omp depobj(object) destroy
    }
    printf("sum %d, wrong %d, tasks %d\n", sum, wrong, ran);
    return wrong != 0 || ran != 31;
}
