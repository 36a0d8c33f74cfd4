// Two threads that create tiny tasks until they are killed, and count them in a file.
//
// What it shows: what is left of a recording after `kill -9`. The counters are in a file that is mapped shared: the
// kernel keeps it when the program dies, so a test can compare them with what the recorder has written.
//
//     killable FILE [TASKS]     makes FILE, or empties it; ends by itself after TASKS tasks (0, the default: never)
//
// FILE has 128 bytes: two lines of 64, one for each thread, so that they share no cache line. A line begins with a
// 64-bit counter in the machine's byte order; the rest of it is 0. A thread adds 1 to its counter after each
// creation of a task has returned. The sum is the number of tasks: a thread that was killed can have created one
// more than it counted.

#include <fcntl.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { THREADS = 2, BATCH = 64 };

struct line {
    _Alignas(64) _Atomic uint64_t created;
};

static void usage(void)
{
    fprintf(stderr, "usage: killable FILE [TASKS]   TASKS: 0 (for ever) to 1000000000\n");
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

static struct line *map_lines(const char *path)
{
    size_t bytes = THREADS * sizeof(struct line);
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (file < 0 || ftruncate(file, bytes) != 0) {
        perror(path);
        exit(1);
    }
    void *lines = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (lines == MAP_FAILED) {
        perror(path);
        exit(1);
    }
    close(file);
    return lines;
}

// Creates tasks, waiting after each batch, and returns how many have run.
static uint64_t create(struct line *line, uint64_t tasks)
{
    uint64_t ran = 0;
    for (uint64_t made = 0; made < tasks;) {
        uint64_t results[BATCH] = {0};
        for (int i = 0; i < BATCH && made < tasks; i++) {
#pragma omp task shared(results)
            results[i] = 1;
            made++;
            // Only this thread writes its line; the order is for whoever reads the file.
            atomic_store_explicit(&line->created, made, memory_order_release);
        }
#pragma omp taskwait
        for (int i = 0; i < BATCH; i++)
            ran += results[i];
    }
    return ran;
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3)
        usage();
    uint64_t tasks = argc > 2 ? number(argv[2], 0, 1000000000) : 0;
    struct line *lines = map_lines(argv[1]);

    uint64_t ran = 0;
#pragma omp parallel num_threads(THREADS) reduction(+ : ran)
    {
        int thread = omp_get_thread_num(), threads = omp_get_num_threads();
        uint64_t share = tasks * (thread + 1) / threads - tasks * thread / threads;
        ran = create(&lines[thread], tasks == 0 ? UINT64_MAX : share);
    }

    uint64_t created = lines[0].created + lines[1].created;
    printf("ran %lu, tasks %lu\n", (unsigned long)ran, (unsigned long)created);
    return ran == tasks && created == tasks ? 0 : 1;
}
