/* The room that a model takes, and an estimate of what finishing and writing it will take. */
#include "host/trace/room.h"
#include "host/trace/forget.h"
#include "host/trace/model.h"

#define SORT_BYTES    (2 * sizeof(struct sort_item)) /* for a row while its table is sorted */
#define PACKED_BYTES  3u                             /* for a column of a packed row, typically at most */
#define ROW_BYTES     14u                 /* for a nested zone, with the working memory of nesting it */
#define TAIL_BYTES    8u                  /* for a zone */
#define LIST_BYTES    4u                  /* for a message in its track's list */
#define SPILLED_BYTES (UINT64_C(2) << 20) /* what finishing takes at most where the rest goes to the file */
#define STRING_BYTES  10u /* for a string's number in the file and its place in the list of strings */

static uint64_t table_needs(const struct td_trace *trace, enum td_table table)
{
    const struct td_table_shape *shape = td_table_get_shape(table);
    uint64_t rows = td_trace_kept_rows_(trace, table), bytes = 0;
    if (trace->disordered >> table & 1)
        bytes += rows * (SORT_BYTES + shape->columns * PACKED_BYTES);
    if (shape->loose && table != TD_TABLE_MESSAGE)
        bytes += rows * shape->columns * PACKED_BYTES;
    return bytes;
}

static uint64_t waiting_zones(const struct td_trace *trace)
{
    uint64_t zones = 0;
    for (uint32_t t = 0; t < trace->tracks.count; t++) {
        const struct track *track = td_trace_find_track_(trace, t);
        zones += track ? track->arrived : 0;
    }
    return zones;
}

static void add_store(const struct td_store *store, struct td_trace_needs *room)
{
    uint64_t memory, in_file;
    td_store_usage(store, &memory, &in_file);
    room->file_bytes += in_file;
    room->resident_bytes += td_store_resident_most(store);
    room->file_failed |= td_store_file_failed(store);
}

/* What goes to the file as it is made needs no memory. */
static uint64_t in_memory_until(const struct td_trace *trace, uint64_t bytes)
{
    return td_store_spills_early(trace->store) && bytes > SPILLED_BYTES ? SPILLED_BYTES : bytes;
}

static uint64_t rows_needed(const struct td_trace *trace)
{
    uint64_t rows = waiting_zones(trace) * ROW_BYTES +
                    td_trace_kept_rows_(trace, TD_TABLE_MESSAGE) * LIST_BYTES +
                    (uint64_t)td_dict_string_count(trace->dict) * STRING_BYTES;
    for (int table = 0; table < TD_TABLE_COUNT; table++)
        rows += table_needs(trace, (enum td_table)table);
    return rows;
}

void td_trace_room(const struct td_trace *trace, struct td_trace_needs *room)
{
    *room = (struct td_trace_needs){0};
    add_store(trace->store, room);
    if (trace->scratch)
        add_store(trace->scratch, room);
    room->needed_bytes = in_memory_until(trace, rows_needed(trace)) + td_map_growth(&trace->stacks.map);
}

uint64_t td_trace_space_needed(const struct td_trace *trace)
{
    return rows_needed(trace) + td_map_growth(&trace->stacks.map);
}

uint64_t td_trace_disk_free(const struct td_trace *trace, const char **folder)
{
    return td_store_disk_free(trace->store, folder);
}

/* Of rows that are not packed yet: those of loose tables, and the last ones of each row of zones. */
static uint64_t raw_weight(const struct td_trace *trace)
{
    uint64_t bytes = 0;
    for (int table = 0; table < TD_TABLE_COUNT; table++) {
        const struct td_table_shape *shape = td_table_get_shape((enum td_table)table);
        if (shape->loose && table != TD_TABLE_MESSAGE)
            bytes += td_trace_kept_rows_(trace, (enum td_table)table) * shape->columns * PACKED_BYTES;
    }
    for (uint32_t t = 0; t < trace->tracks.count; t++) {
        const struct track *track = td_trace_find_track_(trace, t);
        const struct rows *rows = track ? track->rows : NULL;
        for (uint32_t r = 0; rows && r < rows->count; r++)
            bytes += rows->at[r]->tail ? (uint64_t)rows->at[r]->tail_rows * TAIL_BYTES : 0;
    }
    return bytes;
}

uint64_t td_trace_weight(const struct td_trace *trace)
{
    struct td_trace *t = (struct td_trace *)(uintptr_t)trace;
    uint32_t strings = td_dict_string_count(trace->dict);
    for (; t->weighed.count < strings; t->weighed.count++)
        t->weighed.bytes += td_dict_text_bytes(trace->dict, t->weighed.count) + STRING_BYTES;
    return td_trace_row_bytes(trace) + raw_weight(trace) + t->weighed.bytes;
}

void td_trace_may_exceed(struct td_trace *trace)
{
    td_store_may_exceed(trace->store);
    td_store_may_exceed(trace->scratch);
}
