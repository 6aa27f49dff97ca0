/* The temporary file of a store: segments of it are mapped, shared, so that the system may write them out and
 * take their memory. Pages that have been used are let go when they are more than the budget: passes over the
 * data tell what they touch, and for all else a thread looks now and then how much of the process's mapped
 * files is resident. Inside of store.c; callers serialise segment(). */
#ifndef TD_HOST_TRACE_SPILL_H
#define TD_HOST_TRACE_SPILL_H
#include <stddef.h>
#include <stdint.h>

struct td_spill;

/* `resident_bytes`: of the file, kept in memory. NULL and a line in `problem`: cannot be. */
struct td_spill *td_spill_create(uint64_t resident_bytes, char *problem, size_t problem_bytes);
void td_spill_destroy(struct td_spill *spill); /* NULL is allowed */
/* A new segment of at least `least` bytes, all zero; `*bytes` is its size. The disk has room for all of it.
 * NULL and a line in `problem`: it has not. */
void *td_spill_segment(struct td_spill *spill, size_t least, size_t *bytes, char *problem,
                       size_t problem_bytes);
/* Lets go all resident pages; what they hold stays. From any thread. */
void td_spill_trim(struct td_spill *spill);
/* So many bytes of it were used. From any thread. */
void td_spill_touch(struct td_spill *spill, size_t bytes);
uint64_t td_spill_bytes(const struct td_spill *spill);
#endif
