/* The numbers by which items name things. A name is an address in Tracy; here it is the dictionary's number and a
 * base, so that a query's key says what it asks for. */
#pragma once
#include "host/serve/viewer.h"

/* Below 2^48, because messages shift addresses up by 8 bits and servers pack them. */
#define TD_KEY_STRING (UINT64_C(1) << 40)
#define TD_KEY_SRCLOC (UINT64_C(2) << 40)
#define TD_KEY_PLOT   (UINT64_C(3) << 40)
#define TD_KEY_FRAME  (UINT64_C(4) << 40)
#define TD_KEY_FIBER  (UINT64_C(5) << 40)
#define TD_KEY_MASK   (UINT64_MAX << 40)

static inline uint64_t td_key(uint64_t base, uint32_t number)
{
    return base | number;
}
/* Sets *number if the key has this base. */
static inline bool td_key_is(uint64_t key, uint64_t base, uint32_t *number)
{
    *number = (uint32_t)key;
    return (key & TD_KEY_MASK) == base && key >> 32 == base >> 32;
}

/* The 32-bit id of a thread for items: its own, or one above those of operating systems. 0: no memory. */
uint32_t td_key_thread(struct td_viewer *v, uint64_t thread);
/* The thread of such an id. */
uint64_t td_thread_of_key(const struct td_viewer *v, uint32_t key);
/* The thread id for items of a track. A fiber's is of a thread that runs only this fiber. 0: no memory. */
uint32_t td_key_track(struct td_viewer *v, uint32_t track);

/* The first row whose `column` has this value; -1: none yet. -2: no memory. */
int64_t td_key_row(struct td_key_index *index, const struct td_series *table, unsigned column,
                   uint64_t value);
/* The track of a thread, else one of its tracks in GPU contexts; -1: none. -2: no memory. */
int64_t td_key_track_of(struct td_viewer *v, uint64_t thread);

/* Whether the text is that of a promise that was not kept yet. */
bool td_key_is_unknown(const struct td_viewer *v, uint32_t string);

/* Locations up to this number are announced; servers have 15 bits for them. Later ones that are identified by
 * their contents are sent with each zone. */
#define TD_KEY_SRCLOCS 32000u
bool td_key_srcloc_is_sent(const struct td_viewer *v, uint32_t srcloc);
