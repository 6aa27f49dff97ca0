/* Where a model's data lives: in memory up to a limit, beyond it in a mapped temporary file that has no name,
 * in $TMPDIR or else /var/tmp, whose cold pages the system may take away; a thread of the store sees to it
 * that pages of the file that were used do not pile up in memory either. What is allocated stays where it is
 * until the store goes, except raw buffers, which are given back and reused. Thread-safe. */
#ifndef TD_HOST_TRACE_STORE_H
#define TD_HOST_TRACE_STORE_H
#include <stddef.h>
#include <stdint.h>

struct td_store;

/* `memory_bytes` 0: no limit. NULL: no memory. */
struct td_store *td_store_create(uint64_t memory_bytes);
void td_store_destroy(struct td_store *store); /* NULL is allowed */
/* What the file has no room for then stays in memory. */
void td_store_may_exceed(struct td_store *store);
/* 8-byte aligned, all zero. NULL: neither memory nor room for the file. */
void *td_store_alloc(struct td_store *store, size_t bytes);
/* One line on why the last allocation failed. */
const char *td_store_problem(const struct td_store *store);

/* Buffers for rows that are still being written: so many 64-bit integers or a few more, 64-byte aligned,
 * cleared or not. Always in memory. Readers may look into one that has been given back (they find out
 * afterwards), so the memory of these stays mapped. Give back with the same number. */
int64_t *td_store_raw(struct td_store *store, size_t integers);
void td_store_give_back(struct td_store *store, int64_t *raw, size_t integers);

/* Before a raw buffer is written that others may still look into: what was stored before is seen before what
 * will be. Whoever keeps a buffer to reuse it calls this; td_store_raw() has done it. */
static inline void td_store_fence_(void)
{
#ifndef TD_THREAD_SANITIZER /* which does not know fences */
    __atomic_thread_fence(__ATOMIC_RELEASE);
#endif
}

/* Gives the system what is not needed now: raw memory if all buffers have been given back, and pages of the
 * file. Worth calling when a model has been filled; nothing is lost by not calling it. */
void td_store_trim(struct td_store *store);

/* A pass over the data has come to so many further bytes: then pages of the file do not pile up in memory. */
void td_store_touch_(struct td_store *store, size_t bytes);

/* Bytes in memory and in the file. */
void td_store_usage(const struct td_store *store, uint64_t *memory_bytes, uint64_t *file_bytes);
#endif
