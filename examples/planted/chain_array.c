// A block needs the one before it: dependences through an array, from one end to the other.
#include "work.h"

enum { BLOCKS = 64 };

static number block[BLOCKS + 1];

int main(void)
{
#pragma omp parallel
#pragma omp single
    for (int b = 1; b <= BLOCKS; b++) {
#pragma omp task depend(in : block[b - 1]) depend(inout : block[b]) // planted: dependence-chain
        block[b] = block[b - 1] + work((number)b, 4000L * MICROSECOND);
    }
    return told("chain_array", block[BLOCKS]);
}
