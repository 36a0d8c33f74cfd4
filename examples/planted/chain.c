// Frames that pass through two filters: the second keeps a state, so its tasks are a chain.
#include "work.h"

enum { FRAMES = 120 };

int main(void)
{
    static number frames[FRAMES];
    number state = 1;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < FRAMES; i++) {
#pragma omp task depend(out : frames[i]) shared(frames)
        frames[i] = work((number)i, 300L * MICROSECOND);
#pragma omp task depend(in : frames[i]) depend(inout : state) shared(frames, state) // planted: dependence-chain
        state += work(frames[i] + state, 2400L * MICROSECOND);
    }
    return told("chain", state);
}
