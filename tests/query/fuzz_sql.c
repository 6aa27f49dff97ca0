/* Any statement over a small trace, in little time and memory. */
#include "host/query/sql/sql.h"
#include "tests/query/demo_trace.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int take_names(void *self, const char *const *names, size_t count, struct td_err *err)
{
    return 0;
}

static int take_row(void *self, const struct td_query_value *values, size_t count, struct td_err *err)
{
    for (size_t c = 0; c < count; c++)
        if (values[c].kind == TD_IS_TEXT && values[c].bytes > strlen(values[c].text) && !values[c].text)
            abort();
    return 0;
}

static int end_rows(void *self, struct td_err *err)
{
    return 0;
}

/* The trace is as it was: nothing was written. */
static uint64_t zones_of(const struct td_trace *trace)
{
    uint64_t zones = 0;
    for (uint32_t t = 0; t < td_dict_track_count(td_trace_dict(trace)); t++)
        zones += td_trace_track_zones(trace, t);
    return zones;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct td_trace *trace;
    static struct td_sql *sql;
    static uint64_t zones;
    const struct td_sql_sink sink = {take_names, take_row, end_rows, NULL};
    char *text = malloc(size + 1);
    if (!trace) {
        trace = demo_trace(1);
        sql = td_sql_open(32 << 20, NULL);
        zones = zones_of(trace);
        if (!sql || td_sql_add(sql, NULL, trace, NULL) < 0)
            abort();
    }
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    const struct td_sql_parameter n = {"n", "3"};
    const struct td_sql_question question = {
        .text = text, .parameters = &n, .parameter_count = 1, .seconds = 0.2, .rows = 1000};
    td_sql_run(sql, &question, &sink, NULL, NULL);
    if (zones_of(trace) != zones)
        abort();
    free(text);
    return 0;
}
