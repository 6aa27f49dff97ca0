/* Where a model's data lives: in memory up to a limit, beyond it in a mapped temporary file that has no name,
 * whose cold pages the system may take away. What is allocated stays until the store goes, except raw
 * buffers, which are given back and reused. Thread-safe. */
#ifndef TD_HOST_TRACE_STORE_H
#define TD_HOST_TRACE_STORE_H
#include <stddef.h>
#include <stdint.h>

struct td_store;

/* `memory_bytes` 0: no limit. NULL: no memory. */
struct td_store *td_store_create(uint64_t memory_bytes);
void td_store_destroy(struct td_store *store); /* NULL is allowed */
/* 8-byte aligned, not cleared. NULL: neither memory nor room for the file. */
void *td_store_alloc(struct td_store *store, size_t bytes);

/* Buffers for rows that are still being written: a power of two of 64-bit integers, cleared or not. Readers
 * may look into one that has been given back (they find out afterwards), so the memory of these stays mapped.
 */
int64_t *td_store_raw(struct td_store *store, unsigned log2_integers);
void td_store_give_back(struct td_store *store, int64_t *raw, unsigned log2_integers);

/* Bytes in memory and in the file. */
void td_store_usage(const struct td_store *store, uint64_t *memory_bytes, uint64_t *file_bytes);
#endif
