/* A known hot path. Of every 100 parts of work `relax` does 60, `residual` 30 and `setup` 10:
 * main > solve > sweep > relax, main > solve > residual, main > setup. The functions are not inlined, so that
 * each of them is on the stack; `mix` is, into all three.
 *
 *     hot [PARTS [THREADS]]
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define KEPT __attribute__((noinline))

static inline __attribute__((always_inline)) uint64_t mix(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdu;
    return x ^ x >> 29;
}

/* All three take the same time for a part. They differ in a number, so that no compiler makes one of them. */
#define PART(name, number)                            \
    static KEPT uint64_t name(uint64_t x, long parts) \
    {                                                 \
        for (long i = 0; i < parts * 2000; i++)       \
            x = mix(x + (uint64_t)i + number);        \
        return x;                                     \
    }
PART(relax, 3)
PART(residual, 5)
PART(setup, 7)

static KEPT uint64_t sweep(uint64_t x)
{
    x = relax(x, 20);
    x = relax(x, 20);
    return relax(x, 20) + 1;
}

static KEPT uint64_t solve(uint64_t x)
{
    x = sweep(x);
    return residual(x, 30) + 1;
}

static void *work(void *argument)
{
    uint64_t x = 1;
    for (long i = 0; i < *(long *)argument; i++) {
        x = setup(x, 10);
        x = solve(x);
    }
    return (void *)(uintptr_t)(x | 1);
}

int main(int count, char **arguments)
{
    long parts = count > 1 ? atol(arguments[1]) : 2000;
    long threads = count > 2 ? atol(arguments[2]) : 1;
    pthread_t others[64];
    if (threads < 1 || threads > 64)
        return 1;
    for (long i = 1; i < threads; i++)
        if (pthread_create(&others[i], NULL, work, &parts) != 0)
            return 1;
    int done = work(&parts) != NULL;
    for (long i = 1; i < threads; i++)
        pthread_join(others[i], NULL);
    printf("%s\n", done ? "done" : "nothing");
    return 0;
}
