/* The table of tracks. */
#include "host/base/wrap.h"
#include "host/query/table/tables.h"
#include "host/query/rows/track_sum.h"
#include "host/query/table/forms.h"
#include "host/query/table/track_name.h"
#include "host/trace/tables.h"
#include "host/trace/track_line.h"

#include <stdlib.h>

struct track_rows {
    struct td_query_rows rows;
    struct td_track_sum *sums;
};
#define ROWS struct track_rows

static const struct td_track *track_at(const struct td_query_rows *rows, uint64_t track)
{
    return td_dict_get_track(rows->dict, (uint32_t)track);
}

static bool is_core(const struct td_query_rows *rows, uint64_t track)
{
    return track_at(rows, track)->kind == TD_TRACK_CORE;
}

static const char *track_kind(const struct td_track *track)
{
    return track->kind == TD_TRACK_CORE ? "core"
           : track->context             ? "gpu"
           : td_track_line(track)       ? "line"
                                        : "thread";
}

static bool has_zones(const struct track_rows *r, uint64_t track)
{
    return r->sums[track].first_ns <= r->sums[track].last_ns;
}

static uint64_t track_samples(const struct td_query_rows *rows, uint64_t track)
{
    return td_series_count(td_trace_list(rows->of.trace, TD_TABLE_SAMPLE, track));
}

/* clang-format off */
#define TRACK_COLUMNS(X)                                                                                                 \
    X(id,         "Id",         ID,       60,  td_is_uint(i))                                                            \
    X(thread,     "Thread",     ID,       92,  td_is_uint(track_at(rows, i)->thread))                                    \
    X(name,       "Track",      TEXT,     0,   td_is_text(td_track_long_name(rows->of.trace, (uint32_t)i, room)))        \
    X(kind,       "Kind",       TEXT,     66,  td_is_text(track_kind(track_at(rows, i))))                                \
    X(context,    "Context",    ID,       66,                                                                            \
      td_is_known(track_at(rows, i)->context != 0, td_is_uint(track_at(rows, i)->context - 1)))                          \
    X(line,       "Line",       ID,       60,  td_is_uint(track_at(rows, i)->line))                                      \
    X(chip,       "Chip",       ID,       60,  td_is_part(is_core(rows, i), td_is_uint(track_at(rows, i)->chip)))        \
    X(x,          "X",          ID,       60,  td_is_part(is_core(rows, i), td_is_uint(track_at(rows, i)->x)))           \
    X(y,          "Y",          ID,       60,  td_is_part(is_core(rows, i), td_is_uint(track_at(rows, i)->y)))           \
    X(core,       "Core",       ID,       60,  td_is_part(is_core(rows, i), td_is_uint(track_at(rows, i)->core)))        \
    X(synced,     "Synced",     BOOL,     66,  td_is_part(is_core(rows, i), td_is_bool(!track_at(rows, i)->unsynced)))   \
    X(fiber,      "Fiber",      BOOL,     66,  td_is_bool(track_at(rows, i)->fiber))                                     \
    X(group_hint, "Group hint", INTEGER,  84,  td_is_int(track_at(rows, i)->group_hint))                                 \
    X(zones,      "Zones",      COUNT,    84,  td_is_uint(r->sums[i].zones))                                             \
    X(open_zones, "Open",       COUNT,    66,  td_is_uint(r->sums[i].open))                                              \
    X(depth,      "Depth",      COUNT,    66,  td_is_uint(td_trace_rows(rows->of.trace, (uint32_t)i)))                   \
    X(messages,   "Messages",   COUNT,    84,  td_is_uint(td_trace_track_messages(rows->of.trace, (uint32_t)i)))         \
    X(samples,    "Samples",    COUNT,    84,  td_is_uint(track_samples(rows, i)))                                       \
    X(busy_ns,    "Busy",       DURATION, 92,  td_is_int(r->sums[i].busy_ns))                                            \
    X(first_ns,   "First",      TIME,     106, td_is_known(has_zones(r, i), td_is_int(r->sums[i].first_ns)))             \
    X(last_ns,    "Last",       TIME,     106, td_is_known(has_zones(r, i), td_is_int(r->sums[i].last_ns)))              \
    X(note,       "",           TEXT,     120, td_is_text(track_at(rows, i)->unsynced ? "clock not synced" : ""))
/* clang-format on */
TD_QUERY_COLUMNS(TRACK_COLUMNS)

static int make_tracks(struct td_query_rows *rows)
{
    struct track_rows *r = (void *)rows;
    rows->count = td_dict_track_count(rows->dict);
    r->sums = calloc(rows->count + 1, sizeof *r->sums);
    for (uint32_t t = 0; r->sums && t < rows->count; t++)
        r->sums[t] = td_track_sum_of(rows->of.trace, t);
    return r->sums ? 0 : TD_E_NOMEM;
}

TD_QUERY_FREES(free_tracks, free(r->sums))

static int json_zones(struct td_json *j, const struct td_query_rows *rows, uint64_t track)
{
    struct td_query_request request = rows->of;
    request.only = track + 1;
    return td_query_json_table(j, "names", &td_table_track_zones, &request);
}

const struct td_query_table td_table_tracks = {
    .name = "tracks",
    .about = "a thread, a core or a row of a GPU context",
    TD_QUERY_WITH_COLUMNS,
    .make = make_tracks,
    .free = free_tracks,
    .json =
        "thread name kind context line chip x y core synced fiber group_hint zones open_zones depth messages "
        "samples busy_ns first_ns last_ns",
    .rises = "id",
    .text = "track=name:36 zones:10 messages:10 busy=busy_ns:12 =note",
    .json_more = json_zones,
};
