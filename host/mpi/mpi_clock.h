/* The clocks of the machines on which the ranks run, measured against that of rank 0: the rank's clock is
 * read between two readings of rank 0's; of many tries the shortest counts. */
#pragma once
#include "host/tools/merge/merge_source.h"

struct mpi_clock {
    char boot[40];     /* of the rank's machine */
    int64_t now_ns;    /* CLOCK_MONOTONIC_RAW there, when it was measured */
    int64_t offset_ns; /* what is added to it to get rank 0's */
    int64_t error_ns;  /* bound: half of the shortest round trip */
};

/* Collective: every rank calls it. `clocks` has room for one of each rank, and is filled on rank 0. */
void mpi_clock_measure(struct mpi_clock *clocks);
/* Expresses the origin in rank 0's clock, if the trace was recorded in the present boot of a rank's machine
 * and this is more exact than its time of day. Clocks of two machines may drift apart by up to
 * MPI_CLOCK_DRIFT_PPM since the recording; the origin's error includes that. */
#define MPI_CLOCK_DRIFT_PPM 100
void mpi_clock_apply(const struct mpi_clock *clocks, int ranks, struct td_clock_origin *origin);
