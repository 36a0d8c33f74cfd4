// Every way to send and to receive, between neighbours on a ring of at least two ranks: `mpirun -n 4 traffic`.
#include "count.h"

enum { N = 100 };

static double out[8][N], in[8][N];

// All requests of a list are done, whichever call says so.
static void finish(int how, int count, MPI_Request *requests)
{
    int done = 0, index, some, indices[8];
    MPI_Status status, statuses[8];
    switch (how) {
    case 0:
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
        break;
    case 1:
        for (int i = 0; i < count; i++)
            MPI_Waitany(count, requests, &index, &status);
        break;
    case 2:
        for (; done < count; done += some)
            MPI_Waitsome(count, requests, &some, indices, statuses);
        break;
    case 3:
        while (!done)
            MPI_Testall(count, requests, &done, statuses);
        break;
    case 4:
        for (int i = 0, flag = 0; i < count; i += flag)
            MPI_Testany(count, requests, &index, &flag, MPI_STATUS_IGNORE);
        break;
    case 5:
        for (; done < count; done += some)
            MPI_Testsome(count, requests, &some, indices, MPI_STATUSES_IGNORE);
        break;
    default:
        for (int i = 0; i < count; i++)
            for (int flag = 0; !flag;)
                MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
    }
}

static void at_once(int rank, int left, int right)
{
    for (int i = 0; i < 4; i++) {
        if (rank % 2 == 0)
            MPI_Send(out[i], N, MPI_DOUBLE, right, i, MPI_COMM_WORLD);
        MPI_Recv(in[i], N, MPI_DOUBLE, left, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank % 2 == 1)
            MPI_Ssend(out[i], N, MPI_DOUBLE, right, i, MPI_COMM_WORLD);
        sent(8 * N);
    }
    MPI_Sendrecv(out[0], 10, MPI_INT, right, 7, in[0], N, MPI_INT, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sent(40);
    MPI_Sendrecv_replace(out[0], 11, MPI_CHAR, right, 8, left, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sent(11);
    // Nothing is sent to nobody.
    MPI_Send(out[0], N, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Recv(in[0], N, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void begun(int left, int right)
{
    for (int how = 0; how < 7; how++) {
        MPI_Request requests[4];
        MPI_Irecv(in[0], N, MPI_FLOAT, left, 20, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(in[1], N, MPI_FLOAT, right, 21, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(out[0], how + 1, MPI_FLOAT, right, 20, MPI_COMM_WORLD, &requests[2]);
        MPI_Issend(out[1], how + 2, MPI_FLOAT, left, 21, MPI_COMM_WORLD, &requests[3]);
        sent(4 * (how + 1));
        sent(4 * (how + 2));
        finish(how, 4, requests);
    }
}

static void prepared(int left, int right)
{
    MPI_Request requests[2];
    MPI_Recv_init(in[0], N, MPI_SHORT, left, 30, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(out[0], N, MPI_SHORT, right, 30, MPI_COMM_WORLD, &requests[1]);
    for (int how = 0; how < 7; how++) {
        if (how % 2)
            MPI_Startall(2, requests);
        else {
            MPI_Start(&requests[0]);
            MPI_Start(&requests[1]);
        }
        sent(2 * N);
        finish(how, 2, requests);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

// Any rank, any tag; all send to rank 0.
static void from_anybody(int rank, int ranks)
{
    if (rank > 0) {
        MPI_Send(out[0], rank, MPI_INT, 0, 40 + rank, MPI_COMM_WORLD);
        MPI_Send(out[0], 2 * rank, MPI_INT, 0, 90 + rank, MPI_COMM_WORLD);
        sent(4 * rank);
        sent(8 * rank);
        return;
    }
    for (int i = 1; i < ranks; i++) {
        MPI_Request request;
        MPI_Irecv(in[0], N, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Recv(in[0], N, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

// Asks what is there before it is received.
static void probed(int rank, int left, int right)
{
    MPI_Status status;
    MPI_Message message;
    MPI_Request request, sending[3];
    int flag = 0, count;
    for (int i = 0; i < 3; i++) {
        MPI_Isend(out[i], 5 + i, MPI_DOUBLE, right, 50 + i, MPI_COMM_WORLD, &sending[i]);
        sent(8 * (5 + i));
    }
    MPI_Probe(left, 50, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    MPI_Recv(in[0], count, MPI_DOUBLE, left, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Mprobe(left, 51, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(in[1], 6, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
    while (!flag)
        MPI_Improbe(MPI_ANY_SOURCE, 52, MPI_COMM_WORLD, &flag, &message, &status);
    MPI_Imrecv(in[2], 7, MPI_DOUBLE, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Waitall(3, sending, MPI_STATUSES_IGNORE);
    // Nobody ever sends this.
    MPI_Irecv(in[3], N, MPI_DOUBLE, rank, 99, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// Every second column of a table, and more requests at once than fit into a few words.
static void derived(int left, int right)
{
    enum { MANY = 300 };
    static MPI_Request requests[2 * MANY];
    static char byte[2][MANY];
    MPI_Datatype columns;
    MPI_Type_vector(N / 10, 5, 10, MPI_DOUBLE, &columns);
    MPI_Type_commit(&columns);
    MPI_Sendrecv(out[0], 1, columns, right, 60, in[0], 1, columns, left, 60, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sent(8 * 5 * (N / 10));
    MPI_Type_free(&columns);
    for (int i = 0; i < MANY; i++) {
        MPI_Irecv(&byte[0][i], 1, MPI_BYTE, left, 70, MPI_COMM_WORLD, &requests[i]);
        MPI_Isend(&byte[1][i], 1, MPI_BYTE, right, 70, MPI_COMM_WORLD, &requests[MANY + i]);
        sent(1);
    }
    MPI_Waitall(2 * MANY, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    at_once(rank, left, right);
    begun(left, right);
    prepared(left, right);
    // Whoever receives from anybody must not get what is meant for later.
    MPI_Barrier(MPI_COMM_WORLD);
    from_anybody(rank, ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    probed(rank, left, right);
    derived(left, right);
    return counted("traffic");
}
