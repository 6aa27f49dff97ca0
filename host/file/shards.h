/* A folder of shards: one trace in several files, as the ranks of `tendril-mpi merge --shards` write them.
 *
 * The folder has an index, a text: the line "tendril-shards 1", then the name of a file in the folder a line.
 * The shards are parts of one merge: their names and clocks fit together, but not their numbers of threads,
 * chips and addresses, which reading keeps apart. Names with '/' or a leading '.' are refused. */
#pragma once
#include "host/file/file.h"
#include <stdbool.h>

#define TD_SHARDS_INDEX "index.tendril-shards"
#define TD_SHARD_NAME   "shard-%04u.tracy"
#define TD_SHARDS_MAX   65536u

bool td_shards_is_folder(const char *path); /* a folder, with or without an index */
/* Reads all shards into one new finished model; otherwise as td_file_read_with(). A damaged shard is an
 * error. */
int td_shards_read(const char *path, struct td_file_read_options *options, struct td_trace **trace,
                   struct td_err *err);
/* Checks an index, and calls `each` with the names, which end in NUL. `each` returns 0, or a negative enum
 * td_e, which ends the call. */
int td_shards_parse(const char *text, size_t bytes,
                    int (*each)(void *self, const char *name, struct td_err *err), void *self,
                    struct td_err *err);
/* Writes the index for shards 0 .. count - 1. */
int td_shards_write_index(const char *folder, unsigned count, struct td_err *err);
int td_shards_remove_index(const char *folder, struct td_err *err);
