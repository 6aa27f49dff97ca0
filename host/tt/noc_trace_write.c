#include "host/tt/noc_trace_write.h"
#include "host/base/json_text.h"
#include "host/base/plain_text.h"
#include "host/tt/noc_trace_internal.h"

#include <inttypes.h>

void td_tt_noc_write_begin(struct td_tt_noc_writer *writer, FILE *to)
{
    *writer = (struct td_tt_noc_writer){.to = to};
    putc('[', to);
}

/* Texts that come from JSON have their escapes. Quotes, control characters and bytes that are not UTF-8 of
 * others are left out. */
static void write_string(FILE *to, struct td_tt_text text)
{
    putc('"', to);
    for (size_t i = 0, step; i < text.bytes; i += step ? step : 1) {
        const bool plain = text.at[i] != '"' && text.at[i] != '\\' && (uint8_t)text.at[i] >= ' ';
        step = td_json_escape_bytes(text.at + i, text.bytes - i);
        if (!step && plain)
            step = td_utf8_bytes(text.at + i, text.bytes - i);
        fwrite(text.at + i, 1, step, to);
    }
    putc('"', to);
}

static void write_value(FILE *to, const struct td_tt_noc_event *event, unsigned field)
{
    const int64_t value = event->value[field];
    switch (td_tt_noc_fields[field].kind) {
    case TD_TT_NOC_IS_NUM:
        fprintf(to, "%" PRId64, value);
        break;
    case TD_TT_NOC_IS_NOC:
        fputs(value ? "\"NOC_1\"" : "\"NOC_0\"", to);
        break;
    case TD_TT_NOC_IS_BOOL:
        fputs(value ? "true" : "false", to);
        break;
    case TD_TT_NOC_IS_PHASE:
        fputs(value ? "\"" TD_TT_NOC_END "\"" : "\"" TD_TT_NOC_BEGIN "\"", to);
        break;
    case TD_TT_NOC_IS_TYPE:
        write_string(to, event->type);
        break;
    default:
        write_string(to, field == TD_TT_NOC_PROC   ? event->proc
                         : field == TD_TT_NOC_ZONE ? event->zone
                                                   : event->op_name);
    }
}

/* Begins a member: a comma after the one before it, and a new line. */
static void write_key(FILE *to, bool *first, unsigned indent, const char *key)
{
    fprintf(to, "%s\n%*s\"%s\": ", *first ? "" : ",", (int)indent, "", key);
    *first = false;
}

void td_tt_noc_write_event(struct td_tt_noc_writer *writer, const struct td_tt_noc_event *event)
{
    FILE *to = writer->to;
    enum td_tt_noc_where where = TD_TT_NOC_IN_EVENT; /* `first` is of the innermost object */
    bool first = true;
    fputs(writer->count++ ? ",\n  {" : "\n  {", to);
    for (unsigned i = 0; i <= TD_TT_NOC_FIELD_COUNT; i++) {
        const bool end = i == TD_TT_NOC_FIELD_COUNT;
        if (!end && !td_tt_noc_has(event, (enum td_tt_noc_field)i))
            continue;
        const bool object = end || td_tt_noc_fields[i].where < TD_TT_NOC_IN_SEND;
        const enum td_tt_noc_where next = object ? TD_TT_NOC_IN_EVENT : td_tt_noc_fields[i].where;
        for (; where > next; where--, first = false)
            fprintf(to, "\n%*s}", where == TD_TT_NOC_IN_MUX ? 6 : 4, "");
        for (; where < next; where++, first = true) {
            write_key(to, &first, where == TD_TT_NOC_IN_SEND ? 6 : 4,
                      where == TD_TT_NOC_IN_SEND ? TD_TT_NOC_MUX : TD_TT_NOC_SEND);
            putc('{', to);
        }
        if (end)
            break;
        write_key(to, &first, 4 + 2 * (unsigned)(where - TD_TT_NOC_IN_EVENT), td_tt_noc_fields[i].name);
        write_value(to, event, i);
    }
    fputs("\n  }", to);
}

void td_tt_noc_write_end(struct td_tt_noc_writer *writer)
{
    fputs(writer->count ? "\n]" : "]", writer->to);
}

int td_tt_noc_file_name(char *name, size_t room, const struct td_tt_noc_file *file)
{
    char op[128], trace[32] = "";
    size_t bytes = 0;
    for (size_t i = 0; i < file->op_name.bytes && bytes + 2 < sizeof op; i++) {
        const char c = file->op_name.at[i];
        if (!bytes)
            op[bytes++] = '_';
        if (c != '/' && (uint8_t)c > ' ')
            op[bytes++] = c;
    }
    op[bytes] = 0;
    if (file->trace_id != UINT32_MAX)
        snprintf(trace, sizeof trace, "_traceID%" PRIu32, file->trace_id);
    return snprintf(name, room, TD_TT_NOC_PREFIX "%" PRIu32 "%s_ID%" PRIu32 "%s.json", file->device, op,
                    file->run_host_id, trace);
}
