/* Merges the traces of a folder with all ranks of this MPI program. */
#pragma once
#include "host/mpi/mpi_clock.h"
#include "host/mpi/mpi_tree.h"
#include "host/tools/files/output.h"

struct mpi_merge {
    const char *dir;
    struct output output; /* on rank 0, and with `shards` not used */
    const char *shards;   /* NULL, or the folder for a file of each rank, and their index */
    struct td_file_options options;
    int quiet;
    struct mpi_tree tree;
    uint64_t memory_bytes; /* of one rank; 0: no limit */
    /* Set by the functions. Sources are in the order of their paths, on all ranks. */
    char (*paths)[512];
    struct merge_source *sources;
    size_t count;
    struct mpi_clock *clocks;
    struct td_clock_origin origin;
    bool has_origin;
};

/* Collective. Returns the same on every rank. */
int mpi_merge_run(struct mpi_merge *merge, struct td_err *err);
