/* Memory for packed chunks, which are written once and then only read: slabs. A slab that is full may be moved to a
 * file, at the same address, while readers use it.
 *
 * td_packed_take() and td_packed_filled() are thread-safe; the caller serialises the other functions. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_spill;

struct td_packed_slab {
    struct td_packed_slab *next;
    unsigned char *bytes;
    size_t used; /* atomic; greater than `room` when the slab is full */
    size_t room;
    size_t filling; /* atomic: chunks that were taken and are not filled yet */
    bool in_file;
};

struct td_packed_slabs {
    struct td_packed_slab *current;      /* atomic; NULL: none */
    struct td_packed_slab *first, *last; /* full ones that are in memory, the oldest first */
    struct td_packed_slab *done;         /* those that were moved, or are being moved */
};

void td_packed_free(struct td_packed_slabs *slabs);
/* Memory that the caller fills, then calls td_packed_filled() with *slab. NULL: a new slab is needed. */
void *td_packed_take(struct td_packed_slabs *slabs, size_t bytes, struct td_packed_slab **slab);
static inline void td_packed_filled(struct td_packed_slab *slab)
{
    __atomic_fetch_sub(&slab->filling, 1, __ATOMIC_RELEASE);
}
/* Adds a slab of `room` bytes, whole pages, and makes the current one a full one. 0 or TD_E_NOMEM. */
int td_packed_add(struct td_packed_slabs *slabs, size_t room);
/* The oldest full slab whose chunks are filled, for td_packed_move(); NULL: there is none. */
struct td_packed_slab *td_packed_next(struct td_packed_slabs *slabs);
/* Moves the slab to the file; without the caller's lock. 0, or TD_E_IO: it is still in memory, and goes back by
 * td_packed_return(). */
int td_packed_move(struct td_packed_slab *slab, struct td_spill *spill, char *problem, size_t problem_bytes);
void td_packed_return(struct td_packed_slabs *slabs, struct td_packed_slab *slab);

/* Asks for the pages of the part of a range in which `end` is, at once: that takes less time than a page fault for
 * each. A part is small enough to stay in the processor's cache until it is used. Where the system cannot do that,
 * page faults follow. */
void td_slab_ask_for_pages_(unsigned char *bytes, size_t room, size_t end);
#define TD_SLAB_PART_BYTES_ ((size_t)128 << 10)
