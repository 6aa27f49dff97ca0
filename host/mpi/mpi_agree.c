#include "host/mpi/mpi_agree.h"

#include <time.h>

static void pause_a_moment(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
}

void mpi_wait_idle(MPI_Request *request)
{
    int done = 0;
    for (MPI_Test(request, &done, MPI_STATUS_IGNORE); !done; MPI_Test(request, &done, MPI_STATUS_IGNORE))
        pause_a_moment();
}

void mpi_probe_idle(int from, int tag)
{
    int there = 0;
    for (MPI_Iprobe(from, tag, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE); !there;
         MPI_Iprobe(from, tag, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE))
        pause_a_moment();
}

int mpi_agree(int rc, struct td_err *err)
{
    int rank, ranks, lowest;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int none = 2 * ranks, failed = rc == 0 ? none : rc == TD_E_STOPPED ? ranks + rank : rank;
    MPI_Request request;
    MPI_Iallreduce(&failed, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request);
    mpi_wait_idle(&request);
    if (lowest == none)
        return 0;
    lowest %= ranks;
    struct td_err first = {0};
    if (lowest == rank) {
        first = *err;
        first.code = first.code ? first.code : rc;
    }
    MPI_Bcast(&first, sizeof first, MPI_BYTE, lowest, MPI_COMM_WORLD);
    *err = first;
    return err->code;
}
