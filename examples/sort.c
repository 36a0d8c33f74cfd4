// Merge sort of N records: both halves are sorted by tasks, merged by tasks into a buffer, and copied back.
//
// What it shows: a serial part that is easy to overlook. Sorting and merging are parallel, but in the flawed
// variant each copy is one `memcpy` on one worker. The last copy moves the whole array while every other worker has
// nothing to do, so the critical path grows with N. The fixed variant copies by tasks too. (The copy of a merge
// whose other side is empty is the flaw that the DAGViz paper finds in its Sort.)
//
//     sort [N [flawed|fixed]]     N is 1 to 10000000
//
// `sort 400000 flawed` is the default. A record is one cache line: moving records costs more than comparing them.

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SORT_LEAF = 2048, MERGE_LEAF = 2048, COPY_LEAF = 4096 };

struct record {
    uint64_t key;
    uint64_t payload[7];
};

static bool parallel_copy;

static void usage(void)
{
    fprintf(stderr, "usage: sort [N [flawed|fixed]]   N: 1 to 10000000\n");
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

static bool fixed(const char *variant)
{
    if (strcmp(variant, "flawed") != 0 && strcmp(variant, "fixed") != 0)
        usage();
    return strcmp(variant, "fixed") == 0;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = ((const struct record *)a)->key;
    uint64_t y = ((const struct record *)b)->key;
    return (x > y) - (x < y);
}

static void copy(struct record *to, const struct record *from, long n)
{
    if (!parallel_copy || n <= COPY_LEAF) {
        memcpy(to, from, n * sizeof *to);
        return;
    }
    long half = n / 2;
#pragma omp task
    copy(to, from, half);
#pragma omp task
    copy(to + half, from + half, n - half);
#pragma omp taskwait
}

static void merge_serial(const struct record *a, long n, const struct record *b, long m, struct record *to)
{
    while (n > 0 && m > 0) {
        if (a->key <= b->key) {
            *to++ = *a++;
            n--;
        } else {
            *to++ = *b++;
            m--;
        }
    }
    memcpy(to, a, n * sizeof *to);
    memcpy(to + n, b, m * sizeof *to);
}

// How many of the n records have a smaller key.
static long rank(const struct record *records, long n, uint64_t key)
{
    long low = 0;
    while (low < n) {
        long middle = low + (n - low) / 2;
        if (records[middle].key < key)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

// Merges the n records of a and the m records of b: the middle key of the longer one divides both.
static void merge(const struct record *a, long n, const struct record *b, long m, struct record *to)
{
    if (n < m) {
        merge(b, m, a, n, to);
    } else if (m == 0) {
        copy(to, a, n);
    } else if (n + m <= MERGE_LEAF) {
        merge_serial(a, n, b, m, to);
    } else {
        long i = n / 2;
        long j = rank(b, m, a[i].key);
#pragma omp task
        merge(a, i, b, j, to);
#pragma omp task
        merge(a + i, n - i, b + j, m - j, to + i + j);
#pragma omp taskwait
    }
}

static void sort(struct record *records, struct record *buffer, long n)
{
    if (n <= SORT_LEAF) {
        qsort(records, n, sizeof *records, compare);
        return;
    }
    long half = n / 2;
#pragma omp task
    sort(records, buffer, half);
#pragma omp task
    sort(records + half, buffer + half, n - half);
#pragma omp taskwait
    merge(records, half, records + half, n - half, buffer);
    copy(records, buffer, n);
}

// A number that looks random and is the same in every run: i, multiplied and shifted until its bits are mixed.
static uint64_t key(uint64_t i)
{
    i = (i + 1) * 0x9e3779b97f4a7c15u;
    i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9u;
    return i ^ i >> 31;
}

// Fills the records, each with its key in all eight places, so that a torn record is noticed. The buffer is touched
// too: its pages are there before the sort begins.
static void fill(struct record *records, struct record *buffer, long n)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        records[i].key = key(i);
        for (int k = 0; k < 7; k++)
            records[i].payload[k] = records[i].key;
        buffer[i] = records[i];
    }
}

// In order, each record whole, and together the same as before.
static bool sorted(const struct record *records, long n)
{
    long wrong = 0;
    uint64_t sum = 0;
#pragma omp parallel for reduction(+ : wrong, sum)
    for (long i = 0; i < n; i++) {
        wrong += i > 0 && records[i - 1].key > records[i].key;
        for (int k = 0; k < 7; k++)
            wrong += records[i].payload[k] != records[i].key;
        sum += records[i].key - key(i);
    }
    return wrong == 0 && sum == 0;
}

int main(int argc, char **argv)
{
    if (argc > 3)
        usage();
    long n = argc > 1 ? number(argv[1], 1, 10000000) : 400000;
    parallel_copy = fixed(argc > 2 ? argv[2] : "flawed");

    struct record *records = malloc(n * sizeof *records);
    struct record *buffer = malloc(n * sizeof *buffer);
    if (records == NULL || buffer == NULL) {
        fprintf(stderr, "sort: no memory for %ld records\n", n);
        return 1;
    }
    fill(records, buffer, n);

#pragma omp parallel
#pragma omp single
    sort(records, buffer, n);

    bool right = sorted(records, n);
    printf("%ld records %s, copies %s\n", n, right ? "sorted" : "NOT SORTED", parallel_copy ? "by tasks" : "serial");
    free(records);
    free(buffer);
    return right ? 0 : 1;
}
