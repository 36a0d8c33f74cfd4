// In how many ways can N queens stand on an N by N board, none attacking another?
//
// What it shows: a search tree. A task for each safe square of a row, down to DEPTH rows; the subtrees below are of
// very different size, and how large each is only the search itself finds out.
//
//     nqueens [N [DEPTH]]     N is 1 to 15; below DEPTH rows the rest is serial, DEPTH 0 is no cut-off
//
// `nqueens 12 4` is the default.

#include <stdio.h>
#include <stdlib.h>

enum { LARGEST = 15 };

static const long KNOWN[LARGEST + 1] = {1,  1,   0,   0,    2,     10,    4,      40,
                                        92, 352, 724, 2680, 14200, 73712, 365596, 2279184};

// The rows that have a queen, and her column in each of them.
struct board {
    int rows;
    signed char column[LARGEST];
};

static int n;

static void usage(void)
{
    fprintf(stderr, "usage: nqueens [N [DEPTH]]   N: 1 to 15, DEPTH: 0 (no cut-off) to 15\n");
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

// Whether a queen may stand in this column of the next row.
static int is_safe(const struct board *board, int column)
{
    for (int row = 0; row < board->rows; row++) {
        int distance = abs(board->column[row] - column);
        if (distance == 0 || distance == board->rows - row)
            return 0;
    }
    return 1;
}

static struct board place(const struct board *board, int column)
{
    struct board next = *board;
    next.column[next.rows++] = (signed char)column;
    return next;
}

static long serial(const struct board *board)
{
    if (board->rows == n)
        return 1;
    long found = 0;
    for (int column = 0; column < n; column++) {
        if (is_safe(board, column)) {
            struct board next = place(board, column);
            found += serial(&next);
        }
    }
    return found;
}

static long search(struct board board, long depth)
{
    if (depth == 0 || board.rows == n)
        return serial(&board);

    long below[LARGEST] = {0};
    for (int column = 0; column < n; column++) {
        if (!is_safe(&board, column))
            continue;
#pragma omp task firstprivate(board, depth, column) shared(below)
        below[column] = search(place(&board, column), depth - 1);
    }
#pragma omp taskwait

    long found = 0;
    for (int column = 0; column < n; column++)
        found += below[column];
    return found;
}

// How many tasks `search` makes.
static long tasks(const struct board *board, long depth)
{
    if (depth == 0 || board->rows == n)
        return 0;
    long made = 0;
    for (int column = 0; column < n; column++) {
        if (is_safe(board, column)) {
            struct board next = place(board, column);
            made += 1 + tasks(&next, depth - 1);
        }
    }
    return made;
}

int main(int argc, char **argv)
{
    if (argc > 3)
        usage();
    n = (int)(argc > 1 ? number(argv[1], 1, LARGEST) : 12);
    long depth = argc > 2 ? number(argv[2], 0, LARGEST) : 4;
    if (depth == 0)
        depth = n;

    struct board empty = {0};
    long found = 0;
#pragma omp parallel
#pragma omp single
    found = search(empty, depth);

    printf("nqueens(%d) = %ld, tasks %ld\n", n, found, tasks(&empty, depth));
    return found == KNOWN[n] ? 0 : 1;
}
