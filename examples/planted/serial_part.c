// Between two parallel loops one thread prepares what the second one needs.
#include "work.h"

static number prepare(number seed)
{
    return work(seed, 50000L * MICROSECOND);
}

int main(void)
{
    number sum = 0;
    for (int step = 0; step < 3; step++) {
#pragma omp parallel for schedule(dynamic, 4) reduction(+ : sum)
        for (long i = 0; i < 160; i++)
            sum += work((number)i, 250L * MICROSECOND);
        sum += prepare(sum); // planted: serial-part
#pragma omp parallel for schedule(dynamic, 4) reduction(+ : sum)
        for (long i = 0; i < 160; i++)
            sum += work((number)i, 250L * MICROSECOND);
    }
    return told("serial_part", sum);
}
