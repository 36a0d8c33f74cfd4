// Passes messages around a ring for ever; what is left of it when a rank is killed? The file FILE-RANK says who is who, and is
// written when the ring has turned a hundred times; FILE-RANK.turns always holds how often it has turned by the rank's own
// count, whatever happens to it: `mpirun -n 4 endless FILE`.
#include "work.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

// A number that outlives the process: a page of a file.
static volatile long *lasting(const char *name)
{
    int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || ftruncate(file, sizeof(long)) != 0)
        return NULL;
    void *page = mmap(NULL, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return page == MAP_FAILED ? NULL : page;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    static char out[1000], in[1000], name[4096];
    snprintf(name, sizeof name, "%s-%d.turns", argc > 1 ? argv[1] : "endless", rank);
    volatile long *turns = lasting(name);
    if (!turns)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (*turns = 0;;) {
        MPI_Sendrecv(out, 1000, MPI_CHAR, (rank + 1) % ranks, 1, in, 1000, MPI_CHAR, (rank + ranks - 1) % ranks, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        ++*turns;
        if (*turns == 100 && argc > 1) {
            snprintf(name, sizeof name, "%s-%d", argv[1], rank);
            FILE *file = fopen(name, "w");
            if (file) {
                fprintf(file, "%ld\n", (long)getpid());
                fclose(file);
            }
        }
    }
}
