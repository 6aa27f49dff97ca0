#include "host/query/table/value_text.h"
#include "host/query/table/format.h"
#include "host/query/table/forms.h"
#include "host/query/table/track_name.h"

#include <inttypes.h>

static double real_of(const struct td_query_value *value)
{
    return value->kind == TD_IS_REAL  ? value->real
           : value->kind == TD_IS_INT ? (double)value->i
                                      : (double)value->u;
}

const char *td_query_value_text(const struct td_query_rows *rows, const struct td_query_column *column,
                                const struct td_query_value *value, char room[TD_QUERY_ROOM])
{
    _Static_assert(TD_QUERY_ROOM >= TD_FORMAT_BYTES && TD_QUERY_ROOM >= TD_TRACK_NAME_BYTES, "there is room");
    if (value->kind == TD_IS_LEFT_OUT)
        return "";
    if (value->kind == TD_IS_NONE || value->format == TD_NO_NUMBER)
        return value->kind == TD_IS_NONE && value->text ? value->text : "none";
    switch (column->type) {
    case TD_AS_TEXT:
        return value->text;
    case TD_AS_DURATION:
    case TD_AS_MEAN:
        return td_format_ns(room, real_of(value));
    case TD_AS_TIME:
        return td_format_time(room, real_of(value), 1);
    case TD_AS_COUNT:
        return td_format_count(room, value->u);
    case TD_AS_BYTES:
        return td_format_value(room, real_of(value), 1);
    case TD_AS_INTEGER:
    case TD_AS_NUMBER:
        return td_format_value(room, real_of(value), value->format);
    case TD_AS_SHARE:
        snprintf(room, TD_QUERY_ROOM, "%.2f %%", value->real * 100);
        return room;
    case TD_AS_BOOL:
        return value->u ? "yes" : "no";
    case TD_AS_TRACK:
        return td_track_name(rows->dict, (uint32_t)value->u, room);
    case TD_AS_ID:
        break;
    }
    snprintf(room, TD_QUERY_ROOM, value->kind == TD_IS_INT ? "%" PRId64 : "%" PRIu64, value->i);
    return room;
}

int64_t td_query_int(const struct td_query_rows *rows, uint64_t row, const char *key)
{
    const struct td_query_column *column = td_query_column_named(rows->table, key);
    char room[TD_QUERY_ROOM];
    return column ? td_query_get(rows, row, column, room).i : 0;
}
