#include "host/serve/keys.h"
#include "host/base/grow.h"

#include <string.h>

#define WIDE_THREADS UINT32_C(0x7f000000) /* ids of operating systems are below, those of cores above */
#define WIDE_MAX     UINT32_C(0x00ffffff)
/* Threads that run one fiber: the fiber's own id, which is the model's. */
#define FIBER_BIT (UINT64_C(1) << 62)
/* In the index of tracks: of a GPU context. */
#define IN_CONTEXT (UINT64_C(1) << 63)

uint32_t td_key_thread(struct td_viewer *v, uint64_t thread)
{
    if (thread <= UINT32_MAX)
        return (uint32_t)thread;
    uint32_t index = td_map_get(&v->wide_threads, thread, UINT32_MAX);
    if (index != UINT32_MAX)
        return WIDE_THREADS + index;
    if (v->wide.count > WIDE_MAX || TD_PLACES_GROW(&v->wide, v->wide.count + 1) < 0)
        return 0;
    v->wide.at[v->wide.count - 1] = thread;
    if (td_map_add(&v->wide_threads, thread, (uint32_t)v->wide.count - 1) < 0) {
        v->wide.count--;
        return 0;
    }
    return WIDE_THREADS + (uint32_t)v->wide.count - 1;
}

uint64_t td_thread_of_key(const struct td_viewer *v, uint32_t key)
{
    if (key >= WIDE_THREADS && key - WIDE_THREADS < v->wide.count)
        return v->wide.at[key - WIDE_THREADS] & ~FIBER_BIT;
    return key;
}

uint32_t td_key_track(struct td_viewer *v, uint32_t number)
{
    const struct td_track *track = td_dict_get_track(v->dict, number);
    return td_key_thread(v, track->fiber ? track->thread | FIBER_BIT : track->thread);
}

int64_t td_key_row(struct td_key_index *index, const struct td_series *table, unsigned column, uint64_t value)
{
    uint64_t count = td_series_count(table);
    for (; index->rows < count && index->rows < UINT32_MAX; index->rows++)
        if (td_map_add(&index->map, (uint64_t)td_series_get(table, index->rows, column),
                       (uint32_t)index->rows) < 0)
            return -2;
    uint32_t row = td_map_get(&index->map, value, UINT32_MAX);
    return row == UINT32_MAX ? -1 : (int64_t)row;
}

int64_t td_key_track_of(struct td_viewer *v, uint64_t thread)
{
    struct td_key_index *index = &v->track_of_thread;
    uint32_t count = td_dict_track_count(v->dict);
    for (; index->rows < count; index->rows++) {
        const struct td_track *track = td_dict_get_track(v->dict, (uint32_t)index->rows);
        uint64_t key = track->context ? track->thread | IN_CONTEXT : track->thread;
        if (td_map_add(&index->map, key, (uint32_t)index->rows) < 0)
            return -2;
    }
    uint32_t track = td_map_get(&index->map, thread, UINT32_MAX);
    if (track == UINT32_MAX)
        track = td_map_get(&index->map, thread | IN_CONTEXT, UINT32_MAX);
    return track == UINT32_MAX ? -1 : (int64_t)track;
}

bool td_key_is_unknown(const struct td_viewer *v, uint32_t string)
{
    return td_dict_text_bytes(v->dict, string) == sizeof TD_DICT_UNKNOWN - 1 &&
           !memcmp(td_dict_text(v->dict, string), TD_DICT_UNKNOWN, sizeof TD_DICT_UNKNOWN - 1);
}

bool td_key_srcloc_is_sent(const struct td_viewer *v, uint32_t srcloc)
{
    return srcloc >= TD_KEY_SRCLOCS && td_dict_get_srcloc(v->dict, srcloc)->flags >> TD_SRCLOC_OWN_SHIFT == 0;
}
