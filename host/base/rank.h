/* The rank of this process in a parallel job, as the launcher's environment says it: OpenMPI, any launcher
 * with PMIx, MPICH and others with PMI, Slurm. Uses getenv(); call it before other threads change the
 * environment. */
#pragma once
#include "host/base/err.h"

/* Returns 0; TD_E_NOTFOUND: no launcher; TD_E_USAGE: a variable that is not a number from 0. */
int td_rank_find(long *rank, struct td_err *err);
