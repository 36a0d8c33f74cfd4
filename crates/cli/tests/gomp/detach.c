// Tasks that end when another thread says so.
#include <omp.h>
#include <stdio.h>

enum { PAIRS = 20 };

int main(void)
{
    int done = 0, ran = 0;
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < PAIRS; i++) {
            omp_event_handle_t event;
#pragma omp task detach(event) depend(out : done) shared(ran)
            {
#pragma omp atomic
                ran++;
            }
#pragma omp task shared(ran) firstprivate(event)
            {
#pragma omp atomic
                ran++;
                omp_fulfill_event(event);
            }
#pragma omp task depend(inout : done) shared(done, ran)
            {
                done++;
#pragma omp atomic
                ran++;
            }
#pragma omp taskwait
        }
    }
    printf("done %d, tasks %d\n", done, ran);
    return done == PAIRS && ran == 3 * PAIRS ? 0 : 1;
}
