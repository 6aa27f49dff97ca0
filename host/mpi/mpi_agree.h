/* Errors of a program of many ranks: all ranks learn of them at the same place, so that none waits for one
 * that has given up. */
#pragma once
#include "host/base/err.h"
#include <mpi.h>

/* Every rank calls it with the result of its own work. Returns 0 on every rank if it was 0 on every rank.
 * Otherwise all ranks get the error of the lowest rank that failed. TD_E_STOPPED is for a rank that stopped
 * because of another one's failure. */
int mpi_agree(int rc, struct td_err *err);
/* Waits for a request, or for a message, with pauses: MPI's own waiting takes a processor, which another rank
 * of the machine may need for its work. */
void mpi_wait_idle(MPI_Request *request);
void mpi_probe_idle(int from, int tag);
