// A little of everything else in OpenMP, a function for each.
//
// What it shows: that a recorder copes with what real programs do: regions in regions, teams of changing size,
// single, sections, barriers, taskloop, untied and undeferred tasks, tasks outside of any region. It does next to
// no work.
//
//     mixed     takes no arguments
//
// It makes 36 explicit tasks, however many threads there are; each function says how many are its own.

#include <omp.h>
#include <stdbool.h>
#include <stdio.h>

// Tasks that have run.
static int ran;

// Set when something came too early or too late.
static bool wrong;

static void count(void)
{
#pragma omp atomic
    ran++;
}

static void must(bool condition)
{
    if (!condition) {
#pragma omp atomic write
        wrong = true;
    }
}

static int tasks_so_far(void)
{
    int n;
#pragma omp atomic read
    n = ran;
    return n;
}

// Outside of any parallel region: the task runs at once. And a region in which nothing happens.
static int outside(void)
{
    int before = tasks_so_far();
#pragma omp task
    count();
    must(tasks_so_far() == before + 1);
#pragma omp taskwait
#pragma omp parallel
    {
    }
    return 1;
}

// Each of the two outer iterations opens a region of its own.
static int nested_regions(void)
{
    omp_set_max_active_levels(2);
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 2; i++) {
#pragma omp parallel num_threads(3)
#pragma omp single
        for (int k = 0; k < 3; k++) {
#pragma omp task
            count();
        }
    }
    return 2 * 3;
}

// The team grows and shrinks.
static int team_sizes(void)
{
    static const int SIZES[] = {1, 2, 4, 3, 1};
    for (int i = 0; i < 5; i++) {
#pragma omp parallel num_threads(SIZES[i])
#pragma omp single
        for (int k = 0; k < 2; k++) {
#pragma omp task
            count();
        }
    }
    return 5 * 2;
}

// A barrier is also a wait for all tasks of the team.
static int sections_and_barriers(void)
{
    int before = tasks_so_far();
#pragma omp parallel
    {
#pragma omp sections nowait
        {
#pragma omp section
            {
#pragma omp task
                count();
            }
#pragma omp section
            {
#pragma omp task
                count();
            }
#pragma omp section
            {
            }
        }
#pragma omp barrier
        must(tasks_so_far() >= before + 2);
#pragma omp barrier
#pragma omp single nowait
        {
#pragma omp task
            count();
        }
#pragma omp barrier
        must(tasks_so_far() == before + 3);
    }
    return 3;
}

// A loop cut into a fixed number of tasks, with the taskgroup that it brings along, and one without.
static int taskloops(void)
{
    int turns = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop num_tasks(4) shared(turns)
        for (int i = 0; i < 100; i++) {
#pragma omp atomic
            turns++;
            if (i % 25 == 0) // the first turn of each task
                count();
        }
        must(turns == 100);
#pragma omp taskloop num_tasks(2) nogroup
        for (int i = 0; i < 2; i++)
            count();
    }
    return 4 + 2;
}

// The kinds of task that are not simply put into a queue.
static int kinds_of_task(void)
{
#pragma omp parallel
#pragma omp single
    {
#pragma omp task untied
        {
            count();
#pragma omp taskyield
#pragma omp task untied
            count();
#pragma omp taskwait
        }

        bool done = false;
#pragma omp task if (0) shared(done)
        {
            count();
            done = true;
        }
        must(done);

        // Tasks inside a final task run at once.
#pragma omp task final(1)
        {
            bool done = false;
            count();
#pragma omp task shared(done)
            {
                count();
                done = true;
            }
            must(done && omp_in_final());
        }

#pragma omp task mergeable
        count();
#pragma omp task priority(5)
        count();
    }
    return 2 + 1 + 2 + 1 + 1;
}

// A wait for some of the tasks only; and dependences that fan out and in again.
static int waits_with_depend(void)
{
    int a = 0, b = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : a) shared(a)
        {
            count();
            a = 1;
        }
#pragma omp task depend(in : a) depend(out : b) shared(a, b)
        {
            count();
            b = a + 1;
        }
#pragma omp task depend(in : a) shared(a)
        {
            count();
            must(a == 1);
        }
#pragma omp taskwait depend(in : b)
        must(b == 2);
    }
    return 3;
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        fprintf(stderr, "usage: mixed\n");
        return 2;
    }
    int tasks = 0;
    tasks += outside();
    tasks += nested_regions();
    tasks += team_sizes();
    tasks += sections_and_barriers();
    tasks += taskloops();
    tasks += kinds_of_task();
    tasks += waits_with_depend();

    printf("ran %d, order %s, tasks %d\n", ran, wrong ? "WRONG" : "right", tasks);
    return ran == tasks && !wrong ? 0 : 1;
}
