#include "host/query/code/stack_text.h"
#include "host/query/rows/message_table.h"

#include <stdlib.h>

#define STACK_FRAMES 4

#define ROWS    struct td_query_rows
#define MESSAGE (td_trace_message(rows->of.trace, i))

static const char *severity_name(uint8_t severity)
{
    static const char *const names[] = {"trace", "debug", "info", "warning", "error", "fatal"};
    return severity < sizeof names / sizeof *names ? names[severity] : "?";
}

static struct td_query_value stack_of(const struct td_query_rows *rows, uint32_t stack, char *room)
{
    return td_is_part(stack != 0, td_is_text(td_stack_text(rows->of.trace, stack, " \xe2\x86\x90 ",
                                                           STACK_FRAMES, room, TD_QUERY_ROOM)));
}

/* clang-format off */
#define MESSAGE_COLUMNS(X)                                                                              \
    X(time_ns,  "Time",       TIME,  120, td_is_int(MESSAGE.time_ns))                                   \
    X(message,  "Message",    TEXT,  0,   td_is_string(rows->dict, MESSAGE.text))                       \
    X(thread,   "Thread",     TRACK, 190, td_is_uint(MESSAGE.track))                                    \
    X(severity, "Severity",   TEXT,  76,  td_is_text(severity_name(MESSAGE.severity)))               \
    X(source,   "Source",     TEXT,  76,  td_is_text(MESSAGE.source ? "profiler" : "program"))          \
    X(stack,    "Call stack", TEXT,  240, stack_of(rows, MESSAGE.stack, room))
/* clang-format on */
TD_QUERY_COLUMNS(MESSAGE_COLUMNS)

static int make_messages(struct td_query_rows *rows)
{
    rows->count = td_trace_messages(rows->of.trace);
    return 0;
}

bool td_message_is_wanted(const struct td_query_rows *rows, uint64_t i)
{
    const struct td_messages_wanted *wanted = rows->of.with;
    const struct td_message m = MESSAGE;
    return !wanted ||
           (m.severity >= wanted->severity &&
            (wanted->source == TD_FROM_ALL || (wanted->source == TD_FROM_PROFILER) == (m.source != 0)) &&
            (m.track >= wanted->tracks || !wanted->left_out[m.track]));
}

static struct td_query_place place_of_message(const struct td_query_rows *rows, uint64_t i)
{
    const struct td_message m = MESSAGE;
    return td_at_range(m.track, m.time_ns, m.time_ns);
}

const struct td_query_table td_table_messages = {
    .name = "messages",
    .about = "a message",
    TD_QUERY_WITH_COLUMNS,
    .make = make_messages,
    .free_with = free,
    .place_of_row = place_of_message,
    .rises = "time_ns",
    .lines = "time_ns thread severity source message",
};
