// oneTBB through crosscut.hpp: a task is created, and waited for before the next one is.
//
//     tbb_wait [WORKERS]
#include <cstdlib>

#include "crosscut.hpp"
#include "work.h"

int main(int count, char **arguments)
{
    const int workers = count > 1 ? std::atoi(arguments[1]) : 2;
    number sum = 0;
    crosscut::run_on(workers, [&] {
        for (long i = 0; i < 64; i++) {
            number found = 0;
            crosscut::section section;
            CROSSCUT_CREATE(section, [&found, i] { found = work(static_cast<number>(i), 3000L * MICROSECOND); });
            CROSSCUT_WAIT(section); // planted: wait-in-loop
            sum += found;
        }
    });
    return told("tbb_wait", sum);
}
