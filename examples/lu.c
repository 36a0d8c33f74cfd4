// LU factorisation of a matrix of BLOCKS by BLOCKS blocks of SIZE by SIZE numbers, in place, without pivoting.
//
// What it shows: a serial loop that creates all tasks of a step. One worker makes every task, so the parallelism
// grows by one with each turn of the loop, and the others wait for it; and each step ends in a wait for its slowest
// task.
//
//     lu [BLOCKS [SIZE]]     BLOCKS is 1 to 64, SIZE is 1 to 256
//
// `lu 16 64` is the default. A step with m blocks left beside the diagonal makes 2 m + m² tasks: 1480 for 16
// blocks.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long blocks, size;

static void usage(void)
{
    fprintf(stderr, "usage: lu [BLOCKS [SIZE]]   BLOCKS: 1 to 64, SIZE: 1 to 256\n");
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

// Each block is stored row by row, and the blocks one after the other.
static double *block(double *matrix, long i, long j)
{
    return matrix + (i * blocks + j) * size * size;
}

static double *element(double *matrix, long row, long column)
{
    return block(matrix, row / size, column / size) + row % size * size + column % size;
}

// a = L U, in place; L has ones on its diagonal.
static void factor(double *a)
{
    for (long k = 0; k < size; k++)
        for (long i = k + 1; i < size; i++) {
            a[i * size + k] /= a[k * size + k];
            for (long j = k + 1; j < size; j++)
                a[i * size + j] -= a[i * size + k] * a[k * size + j];
        }
}

// a = L⁻¹ a, for a block to the right of the diagonal.
static void solve_right(const double *diagonal, double *a)
{
    for (long k = 0; k < size; k++)
        for (long i = k + 1; i < size; i++)
            for (long j = 0; j < size; j++)
                a[i * size + j] -= diagonal[i * size + k] * a[k * size + j];
}

// a = a U⁻¹, for a block below the diagonal.
static void solve_below(const double *diagonal, double *a)
{
    for (long i = 0; i < size; i++)
        for (long k = 0; k < size; k++) {
            a[i * size + k] /= diagonal[k * size + k];
            for (long j = k + 1; j < size; j++)
                a[i * size + j] -= a[i * size + k] * diagonal[k * size + j];
        }
}

// a = a - below right
static void update(const double *below, const double *right, double *a)
{
    for (long i = 0; i < size; i++)
        for (long k = 0; k < size; k++)
            for (long j = 0; j < size; j++)
                a[i * size + j] -= below[i * size + k] * right[k * size + j];
}

static void lu(double *matrix)
{
    for (long k = 0; k < blocks; k++) {
        double *diagonal = block(matrix, k, k);
        factor(diagonal);

        for (long i = k + 1; i < blocks; i++) {
#pragma omp task
            solve_right(diagonal, block(matrix, k, i));
#pragma omp task
            solve_below(diagonal, block(matrix, i, k));
        }
#pragma omp taskwait

        for (long i = k + 1; i < blocks; i++)
            for (long j = k + 1; j < blocks; j++) {
#pragma omp task
                update(block(matrix, i, k), block(matrix, k, j), block(matrix, i, j));
            }
#pragma omp taskwait
    }
}

static long tasks(void)
{
    long made = 0;
    for (long m = 0; m < blocks; m++)
        made += 2 * m + m * m;
    return made;
}

// Numbers between 0 and 1 from a fixed seed; a heavy diagonal makes pivoting unnecessary.
static void fill(double *matrix)
{
    unsigned state = 1;
    long n = blocks * size;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            state = state * 1664525u + 1013904223u;
            *element(matrix, i, j) = state / 4294967296.0 + (i == j ? n : 0);
        }
}

// The largest row of |A x - L (U x)|, for x of ones, in parts of the largest of |A x|.
static double residual(double *original, double *factors)
{
    long n = blocks * size;
    double *ux = calloc(n, sizeof *ux);
    double worst = 0, largest = 0;
    if (ux == NULL)
        return INFINITY;
    for (long i = 0; i < n; i++)
        for (long j = i; j < n; j++)
            ux[i] += *element(factors, i, j);
    for (long i = 0; i < n; i++) {
        double ax = 0, lux = ux[i];
        for (long j = 0; j < n; j++)
            ax += *element(original, i, j);
        for (long j = 0; j < i; j++)
            lux += *element(factors, i, j) * ux[j];
        worst = fmax(worst, fabs(ax - lux));
        largest = fmax(largest, fabs(ax));
    }
    free(ux);
    return worst / largest;
}

int main(int argc, char **argv)
{
    if (argc > 3)
        usage();
    blocks = argc > 1 ? number(argv[1], 1, 64) : 16;
    size = argc > 2 ? number(argv[2], 1, 256) : 64;

    size_t bytes = blocks * blocks * size * size * sizeof(double);
    double *original = malloc(bytes);
    double *matrix = malloc(bytes);
    if (original == NULL || matrix == NULL) {
        fprintf(stderr, "lu: no memory for two matrices of %zu bytes\n", bytes);
        return 1;
    }
    fill(original);
    memcpy(matrix, original, bytes);

#pragma omp parallel
#pragma omp single
    lu(matrix);

    double error = residual(original, matrix);
    printf("lu of %ld x %ld, residual %.1e, tasks %ld\n", blocks * size, blocks * size, error, tasks());
    free(original);
    free(matrix);
    return error < 1e-12 ? 0 : 1;
}
