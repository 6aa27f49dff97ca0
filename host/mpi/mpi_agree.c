#include "host/mpi/mpi_agree.h"

#include <mpi.h>
#include <string.h>

int mpi_agree(int rc, struct td_err *err)
{
    int rank, ranks, lowest;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int none = 2 * ranks, failed = rc == 0 ? none : rc == TD_E_STOPPED ? ranks + rank : rank;
    MPI_Allreduce(&failed, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
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
