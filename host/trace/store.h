/* The storage of a model: memory up to a limit, beyond it a mapped temporary file without a name. The system may
 * drop cold pages of the file from memory; a thread of the store drops pages when too many of them are resident.
 * Packed chunks are made in memory, and moved to the file later, in pieces of some megabytes; other data that is
 * for the file is made there. Allocations stay at their address until the store is destroyed, except raw buffers,
 * which are given back and reused. Thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_packed_slab;
struct td_store;

/* `memory_bytes` 0: no limit. NULL: no memory. */
struct td_store *td_store_create(uint64_t memory_bytes);
void td_store_destroy(struct td_store *store); /* NULL is allowed */
/* Where the file is to be; the caller's, as long as the store. Where that is in memory or cannot be written, or is
 * NULL, the file is in $TMPDIR, else in /var/tmp. Before the first allocation. */
void td_store_set_folder(struct td_store *store, const char *folder);
/* For a store with a limit, before the first allocation: a thread moves packed chunks to the file, so that about
 * `kept_bytes` stay in memory although the limit allows more. Who adds chunks waits for the file only at the limit. */
void td_store_spill_early(struct td_store *store, uint64_t kept_bytes);
bool td_store_spills_early(const struct td_store *store);
/* Until td_store_release_packed(), the thread moves no packed chunks, so that the caller may change them in
 * place: the thread may have copied to the file what is changed before the copy takes its place. Meanwhile only
 * the caller adds chunks, and moves others where the thread would. */
void td_store_hold_packed(struct td_store *store);
void td_store_release_packed(struct td_store *store);
/* The file could not be made, or had no room. */
bool td_store_file_failed(const struct td_store *store);
/* When the file has no room left, data stays in memory; without this call the allocation fails. */
void td_store_may_exceed(struct td_store *store);
/* 8-byte aligned, all zero. NULL: no room, neither in memory nor in the file. */
void *td_store_alloc(struct td_store *store, size_t bytes);
/* The same for a large range of which only a small part is in use at any time: its user returns pages to the system
 * (madvise()). In stores that recycle it counts neither as memory nor against the limit. */
void *td_store_alloc_sparse(struct td_store *store, size_t bytes);
/* Memory that can be given back one allocation at a time, for stores of which td_store_recycle() was called
 * before the first allocation; possibly not cleared. In other stores it is td_store_alloc(). */
void *td_store_alloc_chunk(struct td_store *store, size_t bytes);
void td_store_recycle(struct td_store *store);
bool td_store_recycles(const struct td_store *store);
/* Memory for a packed chunk, which is filled once, at once, and then only read. Unless *slab is NULL, the caller
 * calls td_packed_filled() with it afterwards (packed_slabs.h). In stores that recycle it is
 * td_store_alloc_chunk(). */
void *td_store_take_packed(struct td_store *store, size_t bytes, struct td_packed_slab **slab);
/* Gives back what td_store_alloc_chunk() returned for as many bytes, when no reader can still use it: after
 * the second next td_store_turn(). Does nothing in stores that do not recycle. One thread at a time. */
void td_store_retire(struct td_store *store, void *chunk, size_t bytes);
/* Makes the memory that was retired before the last turn available. One thread at a time. */
void td_store_turn(struct td_store *store);
/* One line on why the last allocation failed. */
const char *td_store_problem(const struct td_store *store);

/* Buffers for rows that are still being written: at least `integers` 64-bit integers, 64-byte aligned,
 * possibly not cleared. Always in memory. A reader may still look into a buffer after it was given back (it
 * checks afterwards and retries), so this memory stays mapped. Give back with the same `integers`. NULL: no
 * memory. */
int64_t *td_store_raw(struct td_store *store, size_t integers);
void td_store_give_back(struct td_store *store, int64_t *raw, size_t integers);

/* Orders all earlier stores before the stores into a reused raw buffer, which readers may still look into. A
 * caller that reuses its own buffer calls this; td_store_raw() has called it already. */
static inline void td_store_fence_(void)
{
#ifndef TD_THREAD_SANITIZER /* which does not know fences */
    __atomic_thread_fence(__ATOMIC_RELEASE);
#endif
}

/* Returns unneeded memory to the system: the pages of the file, and raw memory if all buffers were given
 * back. Useful when a model has been filled; optional. */
void td_store_trim(struct td_store *store);

/* A pass over the data reports that it read `bytes` more, so that the store drops resident pages of the file
 * in time. */
void td_store_touch_(struct td_store *store, size_t bytes);

/* Bytes of td_store_alloc_chunk() that were not given back, retired ones included. */
uint64_t td_store_chunk_bytes(const struct td_store *store);
/* Bytes of the file that may be in memory. */
uint64_t td_store_resident_most(const struct td_store *store);
/* As td_trace_disk_free(). */
uint64_t td_store_disk_free(const struct td_store *store, const char **folder);
/* Bytes in memory and in the file. */
void td_store_usage(const struct td_store *store, uint64_t *memory_bytes, uint64_t *file_bytes);
