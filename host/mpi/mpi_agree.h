/* Errors of a program of many ranks: all ranks learn of them at the same place, so that none waits for one
 * that has given up. */
#ifndef TD_HOST_MPI_MPI_AGREE_H
#define TD_HOST_MPI_MPI_AGREE_H
#include "host/base/err.h"

/* Every rank calls it with the result of its own work. Returns 0 on every rank if it was 0 on every rank.
 * Otherwise all ranks get the error of the lowest rank that failed. TD_E_STOPPED is for a rank that stopped
 * because of another one's failure. */
int mpi_agree(int rc, struct td_err *err);
#endif
