// Two threads of the program's own, which no runtime knows, take the processors from the workers.
#include "work.h"

#include <pthread.h>
#include <stdatomic.h>

static atomic_int stop;

static void *poll(void *unused)
{
    while (!atomic_load(&stop)) // planted: preempted
        work(1, MICROSECOND);
    return unused;
}

int main(void)
{
    pthread_t threads[4];
    number sum = 0;
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, poll, NULL);
#pragma omp parallel for schedule(dynamic, 2) reduction(+ : sum)
    for (long i = 0; i < 3200; i++)
        sum += work((number)i, 250L * MICROSECOND);
    atomic_store(&stop, 1);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return told("preempted", sum);
}
