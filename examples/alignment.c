// Pairs of sequences: a loop whose chunks create a task for each pair, which the end of the loop waits for.
//
//     alignment [SEQUENCES]
//
// As in the alignment of the Barcelona OpenMP Task Suite, `for` version: chunk i aligns sequence i with all behind it.

#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 64, MOST = 2000 };

static unsigned char sequences[MOST][LENGTH];
static int scores[MOST];

// The longest common part of two sequences, in any order.
static int align(const unsigned char *a, const unsigned char *b) {
    int row[LENGTH + 1] = {0};
    for (int i = 0; i < LENGTH; i++) {
        int diagonal = 0;
        for (int j = 0; j < LENGTH; j++) {
            int above = row[j + 1];
            int best = above > row[j] ? above : row[j];
            row[j + 1] = a[i] == b[j] ? diagonal + 1 : best;
            diagonal = above;
        }
    }
    return row[LENGTH];
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 20;
    if (n < 1 || n > MOST) {
        fprintf(stderr, "alignment: 1 to %d sequences\n", MOST);
        return 2;
    }
    unsigned state = 1;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < LENGTH; k++)
            sequences[i][k] = (unsigned char)((state = state * 1664525u + 1013904223u) >> 30);
#pragma omp parallel
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++) {
#pragma omp task untied firstprivate(i, j)
                {
                    int score = align(sequences[i], sequences[j]);
#pragma omp atomic
                    scores[i] += score;
                }
            }
    }
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += scores[i];
    printf("sequences %d, tasks %d, scores %ld\n", n, n * (n - 1) / 2, sum);
    return 0;
}
