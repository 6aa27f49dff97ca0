#include "host/query/rows/zones.h"
#include "host/base/grow.h"
#include "host/base/sorted.h"
#include "host/base/wrap.h"
#include "host/query/table/track_name.h"
#include "host/trace/fill.h"
#include "host/trace/self_time.h"
#include "host/trace/tables.h"

#include <stdlib.h>

struct zones_rows {
    struct td_query_rows rows;
    struct td_zones_part *part;
    size_t parts, capacity;
    uint32_t last;        /* atomic: the part that was found last */
    uint64_t last_parent; /* atomic: the zone that was found last by a child, in its part */
};
#define ROWS struct zones_rows

const struct td_zones_part *td_zones_parts(const struct td_query_rows *zones, size_t *count)
{
    const struct zones_rows *r = (const void *)zones;
    *count = r->parts;
    return r->part;
}

const struct td_zones_part *td_zones_part_of(const struct td_query_rows *zones, uint64_t row)
{
    struct zones_rows *r = (void *)(uintptr_t)zones;
    const struct td_zones_part *last = &r->part[__atomic_load_n(&r->last, __ATOMIC_RELAXED)];
    if (row - last->first < last->count)
        return last;
    size_t low = 0, high = r->parts;
    TD_BISECT(low, high, i, r->part[i].first <= row);
    __atomic_store_n(&r->last, (uint32_t)(low - 1), __ATOMIC_RELAXED);
    return &r->part[low - 1];
}

static int64_t cell(const struct zones_rows *r, uint64_t i, unsigned column)
{
    const struct td_zones_part *part = td_zones_part_of(&r->rows, i);
    return td_series_get(part->series, i - part->first, column);
}

/* The zones below a part, NULL: there are none. */
static const struct td_zones_part *below(const struct zones_rows *r, const struct td_zones_part *part)
{
    const struct td_zones_part *next = part + 1;
    return next < r->part + r->parts && next->track == part->track ? next : NULL;
}

void td_zones_children(const struct td_query_rows *zones, uint64_t row, uint64_t *first, uint64_t *end)
{
    const struct zones_rows *r = (const void *)zones;
    const struct td_zones_part *part = td_zones_part_of(zones, row), *next = below(r, part);
    const uint64_t i = row - part->first;
    *first = *end = 0;
    if (!next)
        return;
    const uint64_t begins = i ? (uint64_t)td_series_get(part->series, i - 1, TD_ZONE_CHILD_END) : 0;
    const bool is_last = i + 1 >= td_series_count(part->series); /* it may not have ended */
    const uint64_t ends = is_last ? next->count : (uint64_t)td_series_get(part->series, i, TD_ZONE_CHILD_END);
    *first = next->first + (begins < next->count ? begins : next->count);
    *end = next->first + (ends < next->count ? ends : next->count);
    *end = *end < *first ? *first : *end;
}

static const struct td_srcloc *location_at(const struct zones_rows *r, uint64_t i)
{
    return td_dict_get_srcloc(r->rows.dict, (uint32_t)cell(r, i, TD_ZONE_SRCLOC));
}

static const struct td_track *track_at(const struct zones_rows *r, uint64_t i)
{
    return td_dict_get_track(r->rows.dict, td_zones_part_of(&r->rows, i)->track);
}

static bool is_core(const struct zones_rows *r, uint64_t i)
{
    return track_at(r, i)->kind == TD_TRACK_CORE;
}

static uint32_t extra_at(const struct zones_rows *r, uint64_t i, unsigned column)
{
    const int64_t extra = cell(r, i, TD_ZONE_EXTRA);
    const struct td_series *table = td_trace_table(r->rows.of.trace, TD_TABLE_EXTRA);
    return extra > 0 && (uint64_t)extra < td_series_count(table)
               ? (uint32_t)td_series_get(table, (uint64_t)extra, column)
               : 0;
}

static struct td_query_value name_at(const struct zones_rows *r, uint64_t i)
{
    const uint32_t own = extra_at(r, i, TD_EXTRA_NAME);
    return own ? td_is_string(r->rows.dict, own)
               : td_is_text(td_dict_zone_name(r->rows.dict, (uint32_t)cell(r, i, TD_ZONE_SRCLOC)));
}

static struct td_query_value string_at(const struct zones_rows *r, uint32_t string)
{
    return td_is_string(r->rows.dict, string);
}

/* Only of zones that have ended. */
static struct td_query_value end_at(const struct zones_rows *r, uint64_t i)
{
    const int64_t duration_ns = cell(r, i, TD_ZONE_DURATION);
    if (duration_ns < 0)
        return td_is_known(false, td_is_int(0));
    return td_is_int(td_wrap_add(cell(r, i, TD_ZONE_START), duration_ns));
}

static struct td_query_value duration_at(const struct zones_rows *r, uint64_t i)
{
    const int64_t duration_ns = cell(r, i, TD_ZONE_DURATION);
    return td_is_known(duration_ns >= 0, td_is_int(duration_ns));
}

static struct td_query_value self_at(const struct zones_rows *r, uint64_t i)
{
    int64_t durations[TD_SERIES_ROWS], children_ns = 0;
    uint64_t child, end;
    const int64_t duration_ns = cell(r, i, TD_ZONE_DURATION);
    if (duration_ns < 0)
        return td_is_known(false, td_is_int(0));
    td_zones_children(&r->rows, i, &child, &end);
    while (child < end) {
        const struct td_zones_part *part = td_zones_part_of(&r->rows, child);
        const uint64_t n = end - child < TD_SERIES_ROWS ? end - child : TD_SERIES_ROWS;
        td_series_read(part->series, TD_ZONE_DURATION, child - part->first, n, durations);
        for (uint64_t k = 0; k < n; k++)
            children_ns = td_wrap_add(children_ns, durations[k] < 0 ? 0 : durations[k]);
        child += n;
    }
    return td_is_int(td_self_time(duration_ns, children_ns));
}

static struct td_query_value text_at(const struct zones_rows *r, uint64_t i)
{
    const uint32_t string = extra_at(r, i, TD_EXTRA_TEXT);
    return string ? string_at(r, string) : td_is_part(false, td_is_int(0));
}

static struct td_query_value stack_at(const struct zones_rows *r, uint64_t i)
{
    const uint32_t stack = extra_at(r, i, TD_EXTRA_STACK);
    return td_is_part(stack != 0, td_is_uint(stack));
}

/* A number that the program gave the zone, as text: "12", or "12 [0xc]". */
static struct td_query_value value_at(const struct zones_rows *r, uint64_t i)
{
    const uint32_t string = extra_at(r, i, TD_EXTRA_TEXT);
    if (!string)
        return td_is_part(false, td_is_int(0));
    const char *text = td_dict_text(r->rows.dict, string);
    const size_t digits = strspn(text, "0123456789");
    const bool is_number = digits && digits < 20 && (!text[digits] || !strncmp(text + digits, " [0x", 4));
    return td_is_part(is_number, td_is_int((int64_t)strtoull(text, NULL, 10)));
}

/* The zone above with the child `i`: mostly the one that was found last, or one of the next. */
static uint64_t find_parent(const struct zones_rows *r, const struct td_zones_part *above, uint64_t i)
{
    uint64_t *last = (uint64_t *)(uintptr_t)&r->last_parent, at = __atomic_load_n(last, __ATOMIC_RELAXED);
    if (at >= above->count || (at && td_series_get(above->series, at - 1, TD_ZONE_CHILD_END) > (int64_t)i))
        at = 0;
    TD_BISECT_NEAR(at, above->count, zone,
                   td_series_get(above->series, zone, TD_ZONE_CHILD_END) <= (int64_t)i);
    at = at < above->count ? at : above->count - 1;
    __atomic_store_n(last, at, __ATOMIC_RELAXED);
    return at;
}

static struct td_query_value parent_at(const struct zones_rows *r, uint64_t i)
{
    const struct td_zones_part *part = td_zones_part_of(&r->rows, i), *above = part - 1;
    if (!part->row)
        return td_is_part(false, td_is_uint(0));
    return td_is_uint(above->first + find_parent(r, above, i - part->first));
}

static struct td_query_value tile_at(const struct zones_rows *r, uint64_t i, char *room)
{
    if (!is_core(r, i))
        return td_is_part(false, td_is_uint(0));
    snprintf(room, TD_QUERY_ROOM, "%u,%u", track_at(r, i)->x, track_at(r, i)->y);
    return td_is_text(room);
}

/* clang-format off */
#define ZONES_COLUMNS(X)                                                                                          \
    X(id,          "Id",       ID,       76,  td_is_uint(i))                                                      \
    X(track,       "Track",    TRACK,    190, td_is_uint(td_zones_part_of(rows, i)->track))                       \
    X(chip,        "Chip",     ID,       60,  td_is_part(is_core(r, i), td_is_uint(track_at(r, i)->chip)))        \
    X(tile,        "Tile",     TEXT,     60,  tile_at(r, i, room))                                                \
    X(core,        "Core",     ID,       60,  td_is_part(is_core(r, i), td_is_uint(track_at(r, i)->core)))        \
    X(name,        "Zone",     TEXT,     0,   name_at(r, i))                                                      \
    X(function,    "Function", TEXT,     190, string_at(r, location_at(r, i)->function))                          \
    X(file,        "File",     TEXT,     190, string_at(r, location_at(r, i)->file))                              \
    X(line,        "Line",     ID,       60,  td_is_uint(location_at(r, i)->line))                                \
    X(location,    "Location", ID,       60,  td_is_int(cell(r, i, TD_ZONE_SRCLOC)))                              \
    X(start_ns,    "Start",    TIME,     106, td_is_int(cell(r, i, TD_ZONE_START)))                               \
    X(end_ns,      "End",      TIME,     106, end_at(r, i))                                                       \
    X(duration_ns, "Duration", DURATION, 92,  duration_at(r, i))                                                  \
    X(self_ns,     "Self",     DURATION, 92,  self_at(r, i))                                                      \
    X(depth,       "Depth",    COUNT,    60,  td_is_uint(td_zones_part_of(rows, i)->row))                         \
    X(text,        "Text",     TEXT,     0,   text_at(r, i))                                                      \
    X(value,       "Value",    INTEGER,  76,  value_at(r, i))                                                     \
    X(stack,       "Stack",    ID,       76,  stack_at(r, i))                                                     \
    X(parent,      "Parent",   ID,       76,  parent_at(r, i))
/* clang-format on */
TD_QUERY_COLUMNS(ZONES_COLUMNS)

static int add_track(struct zones_rows *r, uint32_t track)
{
    for (uint32_t row = 0; row < td_trace_rows(r->rows.of.trace, track); row++) {
        const struct td_series *series = td_trace_row(r->rows.of.trace, track, row);
        const struct td_zones_part part = {r->rows.count, td_series_count(series), series, track, row};
        if (TD_APPEND(r->part, r->parts, r->capacity, part) < 0)
            return TD_E_NOMEM;
        r->rows.count += part.count;
    }
    return 0;
}

static int make_zones(struct td_query_rows *rows)
{
    const uint64_t only = rows->of.only, tracks = td_dict_track_count(rows->dict);
    const uint64_t end = only && only < tracks ? only : tracks;
    int rc = 0;
    for (uint64_t t = only ? only - 1 : 0; rc == 0 && t < end; t++)
        rc = add_track((struct zones_rows *)rows, (uint32_t)t);
    return rc;
}

TD_QUERY_FREES(free_zones, free(r->part))

static struct td_query_place place_of_zone(const struct td_query_rows *rows, uint64_t i)
{
    const struct td_zones_part *part = td_zones_part_of(rows, i);
    return td_at_zone(part->track, part->row, i - part->first);
}

const struct td_query_table td_table_zones = {
    .name = "zones",
    .about = "a zone",
    TD_QUERY_WITH_COLUMNS,
    .make = make_zones,
    .free = free_zones,
    .place_of_row = place_of_zone,
    .rises = "track depth start_ns",
    .follow = "track chip tile core; location function file line",
    .text = "track:24 zone=name:30 start=start_ns:12 duration=duration_ns:12 self=self_ns:12 text",
};
