// Nothing planted: a wave of blocks, each of which needs the one above and the one beside; the wave is wide.
#include "work.h"

enum { SIDE = 48 };

int main(void)
{
    static number block[SIDE + 1][SIDE + 1];
#pragma omp parallel
#pragma omp single
    for (int i = 1; i <= SIDE; i++)
        for (int j = 1; j <= SIDE; j++) {
#pragma omp task depend(in : block[i - 1][j], block[i][j - 1]) depend(out : block[i][j]) shared(block)
            block[i][j] = work(block[i - 1][j] + block[i][j - 1], 180L * MICROSECOND);
        }
    return told("healthy_blocks", block[SIDE][SIDE]);
}
