#include "host/base/grow.h"
#include "host/query/table/tables.h"
#include "host/report/noc/op_measures.h"

#include <stdlib.h>

struct counter_rows {
    struct td_query_rows rows;
    struct core_counter {
        size_t message;
        uint64_t value, cycles;
        size_t name_bytes;
    } * at;
    size_t capacity;
};
#define ROWS struct counter_rows

static struct td_message message_at(const struct counter_rows *r, uint64_t i)
{
    return td_trace_message(r->rows.of.trace, r->at[i].message);
}

/* A copy: the text goes on behind the name. */
static struct td_query_value name_at(const struct counter_rows *r, uint64_t i, char *room)
{
    const char *text = td_dict_text(r->rows.dict, message_at(r, i).text) + strlen(TD_COUNTER_TEXT);
    snprintf(room, TD_QUERY_ROOM, "%.*s", (int)r->at[i].name_bytes, text);
    return td_is_text(room);
}

static struct td_query_value share_at(const struct counter_rows *r, uint64_t i)
{
    return td_is_known(r->at[i].cycles != 0, td_is_real((double)r->at[i].value / (double)r->at[i].cycles));
}

/* clang-format off */
#define COUNTER_COLUMNS(X)                                                       \
    X(time_ns, "Time",    TIME,  106, td_is_int(message_at(r, i).time_ns))       \
    X(track,   "Core",    TRACK, 190, td_is_uint(message_at(r, i).track))        \
    X(counter, "Counter", TEXT,  0,   name_at(r, i, room))                       \
    X(value,   "Counted", COUNT, 92,  td_is_uint(r->at[i].value))                \
    X(cycles,  "Cycles",  COUNT, 92,  td_is_uint(r->at[i].cycles))               \
    X(share,   "Share",   SHARE, 80,  share_at(r, i))
/* clang-format on */
TD_QUERY_COLUMNS(COUNTER_COLUMNS)

static int make_counters(struct td_query_rows *rows)
{
    struct counter_rows *r = (void *)rows;
    for (size_t i = 0; i < td_trace_messages(rows->of.trace); i++) {
        const struct td_message m = td_trace_message(rows->of.trace, i);
        struct core_counter counter = {.message = i};
        counter.name_bytes =
            td_track_is_core(td_dict_get_track(rows->dict, m.track))
                ? td_counter_read(td_dict_text(rows->dict, m.text), &counter.value, &counter.cycles)
                : 0;
        if (counter.name_bytes && TD_APPEND(r->at, rows->count, r->capacity, counter) < 0)
            return TD_E_NOMEM;
    }
    return 0;
}

TD_QUERY_FREES(free_counters, free(r->at))

static struct td_query_place place_of_counter(const struct td_query_rows *rows, uint64_t i)
{
    const struct td_message m = message_at((const struct counter_rows *)rows, i);
    return (struct td_query_place){
        .kind = TD_AT_RANGE, .track = m.track, .start_ns = m.time_ns, .end_ns = m.time_ns};
}

const struct td_query_table td_table_counters = {
    .name = "counters",
    .about = "what a performance counter of a core has counted in an operation",
    TD_QUERY_WITH_COLUMNS,
    .make = make_counters,
    .free = free_counters,
    .place_of_row = place_of_counter,
};
