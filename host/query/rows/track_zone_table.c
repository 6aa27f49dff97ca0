#include "host/query/table/tables.h"
#include "host/base/grow.h"
#include "host/base/wrap.h"
#include "host/query/table/track_name.h"
#include "host/trace/fill.h"

#include <stdlib.h>

#define BLOCK TD_SERIES_ROWS

struct location_count {
    uint64_t finished, open;
    int64_t total_ns;
};

struct track_zone_rows {
    struct td_query_rows rows;
    struct track_zone {
        uint32_t track, srcloc;
        struct location_count zones;
    } * at;
    size_t capacity;
};
#define ROWS struct track_zone_rows

static const struct td_srcloc *location_at(const struct track_zone_rows *r, uint64_t i)
{
    return td_dict_get_srcloc(r->rows.dict, r->at[i].srcloc);
}

/* clang-format off */
#define TRACK_ZONE_COLUMNS(X)                                                                                            \
    X(track,    "Track", TRACK,    190, td_is_uint(r->at[i].track))                                                      \
    X(name,     "Zone",  TEXT,     0,   td_is_text(td_dict_zone_name(rows->dict, r->at[i].srcloc)))                      \
    X(file,     "File",  TEXT,     190, td_is_text(td_dict_text(rows->dict, location_at(r, i)->file)))                   \
    X(line,     "Line",  ID,       60,  td_is_uint(location_at(r, i)->line))                                             \
    X(count,    "Count", COUNT,    84,  td_is_uint(r->at[i].zones.finished))                                             \
    X(open,     "Open",  COUNT,    66,  td_is_uint(r->at[i].zones.open))                                                 \
    X(total_ns, "Total", DURATION, 92,  td_is_int(r->at[i].zones.total_ns))
/* clang-format on */
TD_QUERY_COLUMNS(TRACK_ZONE_COLUMNS)

static void count_row(const struct td_series *row, struct location_count *counts)
{
    int64_t durations[BLOCK], srclocs[BLOCK];
    for (uint64_t i = 0; i < td_series_count(row); i += BLOCK) {
        const uint64_t n = td_series_count(row) - i < BLOCK ? td_series_count(row) - i : BLOCK;
        td_series_read(row, TD_ZONE_DURATION, i, n, durations);
        td_series_read(row, TD_ZONE_SRCLOC, i, n, srclocs);
        for (uint64_t k = 0; k < n; k++) {
            struct location_count *c = &counts[srclocs[k]];
            c->open += durations[k] < 0;
            c->finished += durations[k] >= 0;
            c->total_ns = td_wrap_add(c->total_ns, durations[k] < 0 ? 0 : durations[k]);
        }
    }
}

/* `counts` has an element for each location, all zero before and afterwards. */
static int add_track(struct track_zone_rows *r, uint32_t track, struct location_count *counts)
{
    for (uint32_t row = 0; row < td_trace_rows(r->rows.of.trace, track); row++)
        count_row(td_trace_row(r->rows.of.trace, track, row), counts);
    for (uint32_t s = 0; s < td_dict_srcloc_count(r->rows.dict); s++) {
        if (!counts[s].finished && !counts[s].open)
            continue;
        if (TD_APPEND(r->at, r->rows.count, r->capacity, (struct track_zone){track, s, counts[s]}) < 0)
            return TD_E_NOMEM;
        counts[s] = (struct location_count){0};
    }
    return 0;
}

static int make_track_zones(struct td_query_rows *rows)
{
    struct location_count *counts = calloc((size_t)td_dict_srcloc_count(rows->dict) + 1, sizeof *counts);
    int rc = counts ? 0 : TD_E_NOMEM;
    const uint64_t only = rows->of.only, tracks = td_dict_track_count(rows->dict);
    const uint64_t end = only && only < tracks ? only : tracks;
    for (uint64_t t = only ? only - 1 : 0; rc == 0 && t < end; t++)
        rc = add_track((struct track_zone_rows *)rows, (uint32_t)t, counts);
    free(counts);
    return rc;
}

TD_QUERY_FREES(free_track_zones, free(r->at))

const struct td_query_table td_table_track_zones = {
    .name = "track_zones",
    .about = "the zones of a track that have the same location",
    TD_QUERY_WITH_COLUMNS,
    .make = make_track_zones,
    .free = free_track_zones,
    .json = "name file line count open total_ns",
};
