// oneTBB through crosscut.hpp: a task for each cell, and a cell takes a tenth of a microsecond.
//
//     tbb_small [WORKERS]
#include <cstdlib>

#include "crosscut.hpp"
#include "work.h"

enum { CELLS = 60000 };

static number cells[CELLS];

int main(int count, char **arguments)
{
    const int workers = count > 1 ? std::atoi(arguments[1]) : 2;
    number sum = 0;
    crosscut::run_on(workers, [&] {
        crosscut::section section;
        for (long i = 0; i < CELLS; i++)
            CROSSCUT_CREATE(section, [i] { cells[i] = work(static_cast<number>(i), MICROSECOND / 10); }); // planted: small-tasks
        CROSSCUT_WAIT(section);
    });
    for (const number cell : cells)
        sum += cell;
    return told("tbb_small", sum);
}
