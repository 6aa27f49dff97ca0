#include "host/trace/packed_slabs.h"

#include "host/base/err.h"
#include "host/trace/spill.h"

#include <stdlib.h>
#include <sys/mman.h>

#define PARTED_SLAB ((size_t)1 << 20) /* the smallest slab whose pages are asked for in parts */

static void free_list(struct td_packed_slab *slab)
{
    while (slab) {
        struct td_packed_slab *next = slab->next;
        if (!slab->in_file)
            munmap(slab->bytes, slab->room);
        free(slab);
        slab = next;
    }
}

void td_packed_free(struct td_packed_slabs *slabs)
{
    free_list(slabs->current);
    free_list(slabs->first);
    free_list(slabs->done);
}

void td_slab_ask_for_pages_(unsigned char *bytes, size_t room, size_t end)
{
#ifdef MADV_POPULATE_WRITE
    const size_t part = end & ~(TD_SLAB_PART_BYTES_ - 1);
    if (room >= PARTED_SLAB && part < room)
        madvise(bytes + part, room - part < TD_SLAB_PART_BYTES_ ? room - part : TD_SLAB_PART_BYTES_,
                MADV_POPULATE_WRITE);
#endif
}

void *td_packed_take(struct td_packed_slabs *slabs, size_t bytes, struct td_packed_slab **taken)
{
    struct td_packed_slab *slab = __atomic_load_n(&slabs->current, __ATOMIC_ACQUIRE);
    if (!slab)
        return NULL;
    /* Counted first: once `used` is beyond the room, no chunk that is not counted can be taken any more. */
    __atomic_fetch_add(&slab->filling, 1, __ATOMIC_RELAXED);
    const size_t at = __atomic_fetch_add(&slab->used, bytes, __ATOMIC_ACQ_REL), end = at + bytes;
    if (at > slab->room || bytes > slab->room - at) {
        td_packed_filled(slab);
        return NULL;
    }
    if (at / TD_SLAB_PART_BYTES_ != end / TD_SLAB_PART_BYTES_)
        td_slab_ask_for_pages_(slab->bytes, slab->room, end);
    *taken = slab;
    return slab->bytes + at;
}

/* Does not ask for large pages. Virtual machines give free ones back to their host, which then takes ten times
 * as long to provide one again as the page faults that it saves. */
int td_packed_add(struct td_packed_slabs *slabs, size_t room)
{
    struct td_packed_slab *slab = calloc(1, sizeof *slab), *full = slabs->current;
    void *at =
        slab ? mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
    if (at == MAP_FAILED) {
        free(slab);
        return TD_E_NOMEM;
    }
    slab->bytes = at;
    slab->room = room;
    __atomic_store_n(&slabs->current, slab, __ATOMIC_RELEASE);
    if (!full)
        return 0;
    if (slabs->last)
        slabs->last->next = full;
    else
        slabs->first = full;
    slabs->last = full;
    return 0;
}

struct td_packed_slab *td_packed_next(struct td_packed_slabs *slabs)
{
    struct td_packed_slab *slab = slabs->first;
    if (!slab || __atomic_load_n(&slab->filling, __ATOMIC_ACQUIRE))
        return NULL;
    slabs->first = slab->next;
    slabs->last = slabs->first ? slabs->last : NULL;
    slab->next = slabs->done;
    slabs->done = slab;
    return slab;
}

int td_packed_move(struct td_packed_slab *slab, struct td_spill *spill, char *problem, size_t problem_bytes)
{
    int rc = td_spill_replace(spill, slab->bytes, slab->room, problem, problem_bytes);
    if (rc == 0)
        slab->in_file = true;
    return rc;
}

void td_packed_return(struct td_packed_slabs *slabs, struct td_packed_slab *slab)
{
    struct td_packed_slab **at = &slabs->done;
    while (*at != slab)
        at = &(*at)->next;
    *at = slab->next;
    slab->next = slabs->first;
    slabs->first = slab;
    slabs->last = slabs->last ? slabs->last : slab;
}
