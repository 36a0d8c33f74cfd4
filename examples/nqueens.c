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

// The rows above the current one: a bit for each column that is taken, and for each that a queen above reaches
// along one or the other diagonal.
struct board {
    unsigned columns, rising, falling;
};

static unsigned all_columns;

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

static unsigned safe(struct board board)
{
    return all_columns & ~(board.columns | board.rising | board.falling);
}

static struct board place(struct board board, unsigned queen)
{
    board.columns |= queen;
    board.rising = (board.rising | queen) << 1;
    board.falling = (board.falling | queen) >> 1;
    return board;
}

static unsigned lowest(unsigned squares)
{
    return squares & -squares;
}

static long serial(struct board board)
{
    if (board.columns == all_columns)
        return 1;
    long found = 0;
    for (unsigned squares = safe(board); squares != 0; squares &= squares - 1)
        found += serial(place(board, lowest(squares)));
    return found;
}

static long search(struct board board, long depth)
{
    if (depth == 0 || board.columns == all_columns)
        return serial(board);

    long below[LARGEST] = {0};
    long *slot = below;
    for (unsigned squares = safe(board); squares != 0; squares &= squares - 1, slot++) {
        unsigned queen = lowest(squares);
#pragma omp task firstprivate(board, depth, queen, slot)
        *slot = search(place(board, queen), depth - 1);
    }
#pragma omp taskwait

    long found = 0;
    for (int i = 0; i < LARGEST; i++)
        found += below[i];
    return found;
}

// How many tasks `search` makes.
static long tasks(struct board board, long depth)
{
    if (depth == 0)
        return 0;
    long made = 0;
    for (unsigned squares = safe(board); squares != 0; squares &= squares - 1)
        made += 1 + tasks(place(board, lowest(squares)), depth - 1);
    return made;
}

int main(int argc, char **argv)
{
    if (argc > 3)
        usage();
    long n = argc > 1 ? number(argv[1], 1, LARGEST) : 12;
    long depth = argc > 2 ? number(argv[2], 0, LARGEST) : 4;
    if (depth == 0)
        depth = n;
    all_columns = (1u << n) - 1;

    struct board empty = {0, 0, 0};
    long found = 0;
#pragma omp parallel
#pragma omp single
    found = search(empty, depth);

    printf("nqueens(%ld) = %ld, tasks %ld\n", n, found, tasks(empty, depth));
    return found == KNOWN[n] ? 0 : 1;
}
