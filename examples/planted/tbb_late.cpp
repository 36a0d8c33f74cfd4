// oneTBB through crosscut.hpp: what takes longest is created last.
//
//     tbb_late [WORKERS]
#include <cstdlib>

#include "crosscut.hpp"
#include "work.h"

int main(int count, char **arguments)
{
    const int workers = count > 1 ? std::atoi(arguments[1]) : 2;
    number sum = 0;
    crosscut::run_on(workers, [&] {
        number parts[161];
        crosscut::section section;
        for (long i = 0; i < 160; i++) {
            CROSSCUT_CREATE(section, [&parts, i] { parts[i] = work(static_cast<number>(i), 1500L * MICROSECOND); });
        }
        CROSSCUT_CREATE(section, [&parts] { parts[160] = work(1000, 90000L * MICROSECOND); }); // planted: late-task
        CROSSCUT_WAIT(section);
        for (number part : parts) {
            sum += part;
        }
    });
    return told("tbb_late", sum);
}
