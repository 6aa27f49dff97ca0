/* What the files of the store share; only they include it. */
#pragma once
#include "host/base/err.h"
#include "host/trace/chunk_blocks.h"
#include "host/trace/packed_slabs.h"
#include "host/trace/spill.h"
#include "host/trace/store.h"

#include <pthread.h>

#define TD_RAW_CLASSES_ 256u /* sizes of raw buffers */

struct slab {
    struct slab *previous;
    unsigned char *bytes;
    size_t used; /* atomic; greater than `room` when the slab is full */
    size_t room;
    int in_file; /* 1: its memory belongs to the spill */
};

/* Memory that no reader finds any more, but that a reader may still use. */
struct retired_chunk {
    void *chunk;
    size_t bytes;
};
struct retired {
    struct retired_chunk *list;
    size_t count, capacity;
};

struct free_chunk {
    struct free_chunk *next; /* of the same size class */
};

struct td_store {
    struct slab *data; /* atomic: the slab for small allocations; changed under the lock */
    pthread_mutex_t lock;
    struct slab *large, *raw;
    struct slab *idle_raw;              /* raw slabs whose memory was returned to the system */
    int64_t *free_raw[TD_RAW_CLASSES_]; /* lists: a free buffer begins with the address of the next one */
    uint64_t raw_taken;
    uint64_t memory_limit, file_budget, memory_bytes;
    uint64_t kept_bytes; /* more than that goes to the file although the limit allows more; 0: nothing does */
    int may_exceed, recycles;
    const char *folder; /* of the file, if it can be there; NULL: any */
    struct td_packed_slabs packed;
    pthread_t mover;
    bool has_mover, stop;
    bool is_moving, held;                            /* the mover moves a slab; it must not */
    pthread_cond_t wake;                             /* of the mover, and of the thread that waits for it */
    bool file_failed;                                /* atomic */
    struct free_chunk *free_chunks[TD_RAW_CLASSES_]; /* of sizes that are too large for `blocks` */
    struct td_chunk_blocks blocks;
    uint64_t chunk_bytes;      /* atomic */
    struct retired retired[2]; /* since the last turn, and before it */
    struct td_spill *spill;    /* atomic */
    char problem[320];
};

/* All are called with the lock held. */

/* The file, made if missing. NULL: it cannot be made. */
struct td_spill *td_store_spill_(struct td_store *store);
/* Notes that the file has failed. Returns TD_E_IO. */
int td_store_fail_file_(struct td_store *store);
void td_store_out_of_memory_(struct td_store *store);
void td_store_count_memory_(struct td_store *store, int64_t change);
/* The size of a slab: slabs grow with the memory in use, so that a small model stays small. */
size_t td_store_slab_size_(const struct td_store *store, size_t least);
/* Whether `more` bytes are to go to the file. */
bool td_store_is_for_file_(const struct td_store *store, size_t more);
