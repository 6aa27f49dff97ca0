/* The temporary file of a store. Its segments are mapped shared, so that the system may write them out and
 * reuse their memory. When the resident pages exceed the budget, they are dropped from memory: passes over
 * the data report the bytes they read, and a thread polls how much of the process's mapped files is resident.
 * Used by store.c only; callers serialise td_spill_segment(). */
#ifndef TD_HOST_TRACE_SPILL_H
#define TD_HOST_TRACE_SPILL_H
#include <stddef.h>
#include <stdint.h>

struct td_spill;

/* `resident_bytes`: the budget, how much of the file may stay in memory. On failure returns NULL and writes a
 * line to `problem`. */
struct td_spill *td_spill_create(uint64_t resident_bytes, char *problem, size_t problem_bytes);
void td_spill_destroy(struct td_spill *spill); /* NULL is allowed */
/* A new segment of at least `least` bytes, all zero, for which disk space is reserved; *bytes gets its size.
 * On failure returns NULL and writes a line to `problem`. */
void *td_spill_segment(struct td_spill *spill, size_t least, size_t *bytes, char *problem,
                       size_t problem_bytes);
/* Drops all resident pages from memory; their content stays in the file. From any thread. */
void td_spill_trim(struct td_spill *spill);
/* Reports that a pass read `bytes` of the file. From any thread. */
void td_spill_touch(struct td_spill *spill, size_t bytes);
/* Size of the file; 0 for NULL. */
uint64_t td_spill_bytes(const struct td_spill *spill);
#endif
