/* What programs do under limits and to their descriptors, environment and children. Each mode prints what it found, so
   that a recorder that changes anything changes the output.

     limits MODE [NUMBER]                                                                                            */
#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static long total;

/* Tasks enough to fill windows of events. */
static void work(int tasks)
{
    long sum = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < tasks; i++) {
#pragma omp task firstprivate(i) shared(sum)
#pragma omp atomic
        sum += i;
    }
    total += sum;
}

static void limit(int resource, unsigned long value)
{
    struct rlimit limit = {value, value};
    if (setrlimit(resource, &limit))
        perror("setrlimit");
}

/* How many files can be opened: the recorder must take none of them. */
static int open_all(int *files, int most)
{
    int count = 0;
    while (count < most && (files[count] = open("/dev/null", O_RDONLY)) >= 0)
        count++;
    return count;
}

static void descriptors(int most)
{
    int files[4096];
    limit(RLIMIT_NOFILE, most);
    work(1000);
    int count = open_all(files, 4096);
    printf("opened %d, first %d\n", count, files[0]);
    work(100000);
    for (int i = 0; i < count; i++)
        close(files[i]);
    work(1000);
}

static unsigned long address_space(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lu", &pages) != 1)
        abort();
    fclose(file);
    return pages * 4096;
}

static void *region(void *arg)
{
    (void)arg;
    long sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += omp_get_thread_num() + 1;
    __atomic_add_fetch(&total, sum, __ATOMIC_RELAXED);
    return NULL;
}

/* Threads that run one region and end, some at a time. */
static void threads(int count)
{
    enum { AT_ONCE = 4 };
    for (int begun = 0; begun < count; begun += AT_ONCE) {
        pthread_t thread[AT_ONCE];
        for (int i = 0; i < AT_ONCE; i++)
            if (pthread_create(&thread[i], NULL, region, NULL))
                abort();
        for (int i = 0; i < AT_ONCE; i++)
            pthread_join(thread[i], NULL);
    }
}

/* Room for a few more stacks, but little of what there is in all. */
static void memory(void)
{
    if (mmap(NULL, 4ul << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED)
        abort();
    work(1000);
    limit(RLIMIT_AS, address_space() + (200ul << 20));
    threads(4);
    work(1000);
}

/* As daemons do: all descriptors are closed, and the numbers are used again. */
static void closed(void)
{
    enum { FILES = 1200 };
    static int files[FILES];
    char name[64];
    work(1000);
    for (int fd = 3; fd < 1024; fd++)
        close(fd);
    mkdir("own", 0700);
    int count = 0;
    for (; count < FILES; count++) {
        snprintf(name, sizeof name, "own/%d", count);
        files[count] = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
        if (files[count] < 0)
            break;
        if (write(files[count], "mine", 4) != 4)
            abort();
    }
    work(200000);
    int wrong = 0;
    for (int i = 0; i < count; i++) {
        struct stat status;
        char text[8];
        if (fstat(files[i], &status) || status.st_size != 4 || pread(files[i], text, 8, 0) != 4
            || memcmp(text, "mine", 4))
            wrong++;
        close(files[i]);
        snprintf(name, sizeof name, "own/%d", i);
        unlink(name);
    }
    rmdir("own");
    printf("%d files, first %d, %d with something else in them\n", count, files[0], wrong);
}

/* A child that runs on without starting another program. */
static void forked(void)
{
    work(1000);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        omp_set_num_threads(1);
        total = 0;
        work(50000);
        printf("child %ld\n", total);
        exit(7);
    }
    int status = 0;
    waitpid(child, &status, 0);
    printf("child ended with %d\n", WEXITSTATUS(status));
    work(1000);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    int number = argc > 2 ? atoi(argv[2]) : 0;
    if (!strcmp(mode, "file-size")) {
        limit(RLIMIT_FSIZE, number);
        work(200000);
    } else if (!strcmp(mode, "work")) {
        work(number);
    } else if (!strcmp(mode, "descriptors")) {
        descriptors(number);
    } else if (!strcmp(mode, "memory")) {
        memory();
    } else if (!strcmp(mode, "threads")) {
        threads(number);
    } else if (!strcmp(mode, "clearenv")) {
        clearenv();
        setenv("OMP_NUM_THREADS", "2", 1); /* libomp does not survive an environment that is none */
        work(1000);
    } else if (!strcmp(mode, "closed")) {
        closed();
    } else if (!strcmp(mode, "fork")) {
        forked();
    } else {
        return 1;
    }
    printf("total %ld\n", total);
    return 3;
}
