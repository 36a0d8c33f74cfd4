/* A mutex that one line holds for long and another line waits for, and a condition that nobody should call a lock. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t index_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static volatile int turn;

static double spin(long n) {
    volatile double x = 0;
    for (long i = 0; i < n; i++) {
        x += (double)i;
    }
    return x;
}

int main(void) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            pthread_mutex_lock(&table); /* LINE: holds */
            turn = 1;
            spin(20000000);
            pthread_mutex_unlock(&table);
        } else {
            while (!turn) {
            }
            pthread_mutex_lock(&table); /* LINE: waits */
            spin(1000);
            pthread_mutex_unlock(&table);
        }
        for (int i = 0; i < 10; i++) {
            pthread_rwlock_rdlock(&index_lock); /* LINE: reads */
            spin(100);
            pthread_rwlock_unlock(&index_lock);
            pthread_rwlock_wrlock(&index_lock); /* LINE: writes */
            spin(100);
            pthread_rwlock_unlock(&index_lock);
        }
#pragma omp barrier
        pthread_mutex_lock(&table);
        if (omp_get_thread_num() == 0) {
            while (turn != 2) {
                pthread_cond_wait(&ready, &table); /* LINE: condition */
            }
        } else {
            pthread_mutex_unlock(&table);
            spin(20000000);
            pthread_mutex_lock(&table);
            turn = 2;
            pthread_cond_signal(&ready);
        }
        pthread_mutex_unlock(&table);
    }
    printf("turn %d\n", turn);
    return 0;
}
