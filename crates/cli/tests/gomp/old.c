// The calls that GCC before 4.9 made: one starts a team, the program runs a lane itself, another call ends the team.
#include <stdbool.h>
#include <stdio.h>

void GOMP_parallel_start(void (*)(void *), void *, unsigned);
void GOMP_parallel_end(void);
void GOMP_parallel_loop_dynamic_start(void (*)(void *), void *, unsigned, long, long, long, long);
void GOMP_parallel_sections_start(void (*)(void *), void *, unsigned, unsigned);
unsigned GOMP_sections_next(void);
void GOMP_sections_end_nowait(void);
bool GOMP_loop_dynamic_next(long *, long *);
void GOMP_loop_end_nowait(void);
// Seven arguments: dependences, priorities and events came later.
void GOMP_task(void (*)(void *), void *, void (*)(void *, void *), long, long, bool, unsigned);

static int ran, lanes, sections;
static long sum;

static void task(void *number)
{
    __atomic_add_fetch(&ran, 1, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&sum, *(int *)number, __ATOMIC_SEQ_CST);
}

static void lane(void *data)
{
    (void)data;
    __atomic_add_fetch(&lanes, 1, __ATOMIC_SEQ_CST);
    for (int i = 0; i < 5; i++)
        GOMP_task(task, &i, 0, sizeof i, sizeof i, true, 0);
}

static void loop(void *data)
{
    (void)data;
    long from, to;
    while (GOMP_loop_dynamic_next(&from, &to))
        __atomic_add_fetch(&sum, to - from, __ATOMIC_SEQ_CST);
    GOMP_loop_end_nowait();
}

static void section(void *data)
{
    (void)data;
    while (GOMP_sections_next() != 0)
        __atomic_add_fetch(&sections, 1, __ATOMIC_SEQ_CST);
    GOMP_sections_end_nowait();
}

int main(void)
{
    GOMP_parallel_start(lane, 0, 2);
    lane(0);
    GOMP_parallel_end();
    GOMP_parallel_loop_dynamic_start(loop, 0, 2, 0, 100, 1, 10);
    loop(0);
    GOMP_parallel_end();
    GOMP_parallel_sections_start(section, 0, 2, 3);
    section(0);
    GOMP_parallel_end();
    printf("lanes %d, sum %ld, sections %d, tasks %d\n", lanes, sum, sections, ran);
    return lanes == 2 && sum == 2 * 10 + 100 && sections == 3 && ran == 10 ? 0 : 1;
}
