#include "host/query/table/tables.h"

#define ROWS struct td_query_rows

static const char *line_at(const struct td_query_rows *rows, uint64_t i)
{
    return td_dict_text(rows->dict, td_trace_app_info(rows->of.trace, i));
}

/* The bytes of the key in "KEY: VALUE"; 0: the line has none. */
static size_t key_bytes(const char *line)
{
    const char *end = strstr(line, ": ");
    return !strncmp(line, "tendril.", 8) && end ? (size_t)(end - line) : 0;
}

static struct td_query_value key_at(const struct td_query_rows *rows, uint64_t i, char *room)
{
    const char *line = line_at(rows, i);
    snprintf(room, TD_QUERY_ROOM, "%.*s", (int)key_bytes(line), line);
    return td_is_part(*room, td_is_text(room));
}

static struct td_query_value value_at(const struct td_query_rows *rows, uint64_t i)
{
    const char *line = line_at(rows, i);
    const size_t key = key_bytes(line);
    return td_is_text(line + (key ? key + 2 : 0));
}

/* clang-format off */
#define FACT_COLUMNS(X)                                    \
    X(key,   "Key",   TEXT, 190, key_at(rows, i, room))    \
    X(value, "Value", TEXT, 0,   value_at(rows, i))
/* clang-format on */
TD_QUERY_COLUMNS(FACT_COLUMNS)

static int make_facts(struct td_query_rows *rows)
{
    rows->count = td_trace_app_infos(rows->of.trace);
    return 0;
}

const struct td_query_table td_table_facts = {
    .name = "facts",
    .about = "a fact about the recording: what the program or the recorder said of it",
    TD_QUERY_WITH_COLUMNS,
    .make = make_facts,
};
