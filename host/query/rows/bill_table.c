/* The table of what profiling has cost the cores (TD_NOTE_BILL). */
#include "host/query/rows/bill_table.h"
#include "host/base/grow.h"
#include "host/event/map.h"
#include "host/query/table/track_name.h"

#include <stdlib.h>

struct bill_rows {
    struct td_query_rows rows;
    struct td_bill *at;
    size_t capacity;
    uint32_t *track; /* of each row; TD_NO_TRACK: the core has none */
};
#define ROWS struct bill_rows

static uint64_t place_key(uint32_t chip, uint32_t x, uint32_t y, uint32_t core)
{
    return (uint64_t)chip << 40 | (uint64_t)x << 24 | (uint64_t)y << 8 | core;
}

/* The tracks of all cores, by their places; of two for one place the first. */
static int index_cores(const struct td_dict *dict, struct td_map *cores)
{
    for (uint32_t t = 0; t < td_dict_track_count(dict); t++) {
        const struct td_track *track = td_dict_get_track(dict, t);
        if (td_track_is_core(track) &&
            td_map_add(cores, place_key(track->chip, track->x, track->y, track->core), t) < 0)
            return TD_E_NOMEM;
    }
    return 0;
}

static uint32_t track_of(const struct td_map *cores, const struct td_bill *b)
{
    if ((b->chip | b->x | b->y) > UINT16_MAX || b->core > UINT8_MAX) /* no track has such a place */
        return TD_NO_TRACK;
    return td_map_get(cores, place_key(b->chip, b->x, b->y, b->core), TD_NO_TRACK);
}

static const char *core_name(const struct td_query_rows *rows, uint32_t track, char *room)
{
    return track == TD_NO_TRACK ? "(a core without events)" : td_track_long_name(rows->of.trace, track, room);
}

static struct td_query_value mean_of(uint64_t ps)
{
    return td_is_known(ps != 0, td_is_real((double)ps / 1000));
}

/* clang-format off */
#define BILL_COLUMNS(X)                                                                                                  \
    X(name,         "Core",         TEXT,     0,  td_is_text(core_name(rows, r->track[i], room)))                          \
    X(chip,         "Chip",         ID,       60, td_is_uint(r->at[i].chip))                                             \
    X(x,            "X",            ID,       60, td_is_uint(r->at[i].x))                                                \
    X(y,            "Y",            ID,       60, td_is_uint(r->at[i].y))                                                \
    X(core,         "Number",       ID,       60, td_is_uint(r->at[i].core))                                             \
    X(launches,     "Launches",     COUNT,    84, td_is_uint(r->at[i].launches))                                         \
    X(markers,      "Markers",      COUNT,    84, td_is_uint(r->at[i].zones + r->at[i].messages + r->at[i].points))      \
    X(zones,        "Zones",        COUNT,    84, td_is_uint(r->at[i].zones))                                            \
    X(messages,     "Messages",     COUNT,    84, td_is_uint(r->at[i].messages))                                         \
    X(points,       "Points",       COUNT,    84, td_is_uint(r->at[i].points))                                           \
    X(instructions, "Instructions", COUNT,    92, td_is_uint(r->at[i].instructions))                                     \
    X(stores,       "Stores",       COUNT,    84, td_is_uint(r->at[i].stores))                                           \
    X(bytes,        "Bytes",        COUNT,    92, td_is_uint(r->at[i].bytes))                                            \
    X(waits,        "Waits",        COUNT,    76, td_is_uint(r->at[i].waits))                                            \
    X(wait_ns,      "Waited",       DURATION, 92, td_is_uint(r->at[i].wait_ns))                                          \
    X(zone_ns,      "A zone",       MEAN,     92, mean_of(r->at[i].zone_ps))                                             \
    X(message_ns,   "A message",    MEAN,     92, mean_of(r->at[i].message_ps))                                          \
    X(point_ns,     "A point",      MEAN,     92, mean_of(r->at[i].point_ps))
/* clang-format on */
TD_QUERY_COLUMNS(BILL_COLUMNS)

static int find_tracks(struct bill_rows *r)
{
    struct td_map cores = {0};
    r->track = malloc(((size_t)r->rows.count + 1) * sizeof *r->track);
    const int rc = r->track ? index_cores(r->rows.dict, &cores) : TD_E_NOMEM;
    for (uint64_t i = 0; i < r->rows.count && rc == 0; i++)
        r->track[i] = track_of(&cores, &r->at[i]);
    td_map_finish(&cores);
    return rc;
}

static int make_bill(struct td_query_rows *rows)
{
    struct bill_rows *r = (void *)rows;
    const char *line;
    size_t next = 0;
    while ((line = td_trace_next_note(rows->of.trace, TD_NOTE_BILL, &next))) {
        if (td_grow(&r->at, &r->capacity, rows->count + 1, sizeof *r->at) < 0)
            return TD_E_NOMEM;
        rows->count += td_bill_read(line, &r->at[rows->count]);
    }
    return find_tracks(r);
}

static void free_bill(struct td_query_rows *rows)
{
    struct bill_rows *r = (void *)rows;
    free(r->at);
    free(r->track);
}

struct td_bill td_bill_sum(const struct td_query_rows *rows)
{
    const struct bill_rows *r = (const void *)rows;
    struct td_bill sum = {0};
    for (uint64_t i = 0; i < rows->count; i++) {
#define TD_X(member, before, after) sum.member += r->at[i].member;
        TD_BILL(TD_X)
#undef TD_X
    }
    return sum;
}

const struct td_query_table td_table_bill = {
    .name = "bill",
    .about = "what profiling has cost a core",
    TD_QUERY_WITH_COLUMNS,
    .make = make_bill,
    .free = free_bill,
    .json = "chip x y core launches zones messages points instructions stores bytes waits wait_ns zone_ns "
            "message_ns "
            "point_ns",
    .text = "core=name:36 markers:10 instructions:12 stores:10 bytes:12 waits:8 waited=wait_ns:12",
};
