// A program with tasks that starts two other processes in the middle.
//
// What it shows: what belongs to a recording and what does not. The first child is a copy of this process with one
// thread; it allocates, writes, and leaves with `_exit`. The second is this program anew, through `exec`, with
// tasks of its own. Neither may disturb what the parent records.
//
//     forks [TASKS]     TASKS is 1 to 100000
//     forks child       what the second child does: 4 tasks, nothing printed
//
// `forks 32` is the default: the parent makes 32 tasks, half of them after the forks.

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PRIME = 1000003, STEPS = 100000, CHILD_TASKS = 4, CHILD_BYTES = 1 << 20 };

static void usage(void)
{
    fprintf(stderr, "usage: forks [TASKS | child]   TASKS: 1 to 100000\n");
    exit(2);
}

static long number(const char *text, long low, long high)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || value < low || value > high)
        usage();
    return value;
}

// 3 to the power of STEPS, modulo a prime, the slow way. Never 0.
static long work(void)
{
    long value = 1;
    for (long i = 0; i < STEPS; i++)
        value = value * 3 % PRIME;
    return value;
}

// A copy of this process that goes its own way: memory, but no OpenMP.
static pid_t start_copy(void)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    char *bytes = malloc(CHILD_BYTES);
    if (bytes == NULL)
        _exit(1);
    memset(bytes, 7, CHILD_BYTES);
    long sum = 0;
    for (long i = 0; i < CHILD_BYTES; i++)
        sum += bytes[i];
    free(bytes);
    _exit(sum == 7L * CHILD_BYTES ? 0 : 1);
}

// This program once more, from its beginning, by the name it was started with.
static pid_t start_program(const char *self)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    execlp(self, self, "child", (char *)NULL);
    _exit(127);
}

static bool succeeded(pid_t child)
{
    int status;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Runs the tasks, with the forks in the middle if this is not a child itself; true when everything went right.
static bool run(const char *self, long tasks, bool forks)
{
    long *results = calloc(tasks, sizeof *results);
    if (results == NULL)
        return false;

    pid_t copy = 0, program = 0;
#pragma omp parallel
#pragma omp single
    for (long i = 0; i < tasks; i++) {
        if (forks && i == tasks / 2) {
            copy = start_copy();
            program = start_program(self);
        }
#pragma omp task
        results[i] = work();
    }

    bool right = true;
    for (long i = 0; i < tasks; i++)
        right &= results[i] != 0;
    free(results);
    if (forks) {
        right &= succeeded(copy);
        right &= succeeded(program);
    }
    return right;
}

int main(int argc, char **argv)
{
    if (argc > 2)
        usage();
    if (argc == 2 && strcmp(argv[1], "child") == 0)
        return run(argv[0], CHILD_TASKS, false) ? 0 : 1;

    long tasks = argc > 1 ? number(argv[1], 1, 100000) : 32;
    bool right = run(argv[0], tasks, true);
    printf("children %s, tasks %ld\n", right ? "done" : "FAILED", tasks);
    return right ? 0 : 1;
}
