// A loop of short iterations that are handed out one by one.
#include "work.h"

int main(void)
{
    number sum = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : sum) // planted: fine-chunks
    for (long i = 0; i < 1500000; i++)
        sum += work((number)i, 30);
    return told("fine_chunks", sum);
}
