/* Traces that pass from rank to rank: in each round, half of the ranks that have one give it to another. */
#pragma once
#include "host/base/run_folder.h"
#include "host/trace/copy.h"

struct mpi_tree {
    int rank, ranks;
    unsigned threads;            /* that one rank uses */
    uint64_t memory_bytes;       /* for a trace that arrives; 0: no limit */
    struct td_run_folder folder; /* for files on their way */
};

/* Adds to the copier the traces of the ranks that give theirs to this one. They are merges already. */
int mpi_tree_receive(struct mpi_tree *tree, struct td_copier *copier, struct td_err *err);
/* Gives the finished trace to the rank that waits for it; rank 0 has none. With `trace` NULL (after an
 * error), that rank learns that it gets none. */
int mpi_tree_send(struct mpi_tree *tree, const struct td_trace *trace, struct td_err *err);
