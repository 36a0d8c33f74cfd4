// What a call costs that does nothing: messages to nobody and from nobody. `mpirun -n 1 nobody CALLS` prints nanoseconds of
// processor time for each.
#include "work.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int calls = asked(argc, argv, 1000000);
    char byte[8] = {0};
    double start = processor_seconds();
    for (int i = 0; i < calls; i++)
        MPI_Send(byte, 8, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    double middle = processor_seconds();
    for (int i = 0; i < calls; i++)
        MPI_Recv(byte, 8, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    double end = processor_seconds();
    MPI_Finalize();
    printf("nobody: send %.1f ns, receive %.1f ns\n", (middle - start) * 1e9 / calls, (end - middle) * 1e9 / calls);
    return 0;
}
