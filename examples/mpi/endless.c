// Passes messages around a ring for ever; what is left of it when a rank is killed? The file FILE-RANK says who is who, and is
// written when the ring has turned a hundred times: `mpirun -n 4 endless FILE`.
#include "work.h"

#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    static char out[1000], in[1000];
    for (long turn = 0;; turn++) {
        MPI_Sendrecv(out, 1000, MPI_CHAR, (rank + 1) % ranks, 1, in, 1000, MPI_CHAR, (rank + ranks - 1) % ranks, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (turn == 100 && argc > 1) {
            char name[4096];
            snprintf(name, sizeof name, "%s-%d", argv[1], rank);
            FILE *file = fopen(name, "w");
            if (file) {
                fprintf(file, "%ld\n", (long)getpid());
                fclose(file);
            }
        }
    }
}
