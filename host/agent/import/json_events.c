#include "host/agent/import/json_events.h"
#include "host/base/grow.h"

#include <stdlib.h>
#include <stdbool.h>
#include <string.h>

/* The part of the input that the next byte belongs to: BESIDE is the object outside of the list of events,
 * EVENTS is the list, EVENT is an event. */
enum { BEGIN, BESIDE, EVENTS, EVENT, END };

static int fail_format(struct td_err *err)
{
    return td_fail(err, TD_E_FORMAT, "this is not a Chrome trace: the list of events is missing or damaged");
}

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\xef' || c == '\xbb' || c == '\xbf';
}

static int add_char(struct td_json_events *e, char c, struct td_err *err)
{
    if (e->bytes + 1 >= TD_JSON_EVENT_MAX)
        return td_fail(err, TD_E_FORMAT, "an event of the Chrome trace has more than %u bytes",
                       TD_JSON_EVENT_MAX);
    if (td_grow(&e->text, &e->capacity, e->bytes + 2, 1))
        return td_fail_no_memory(err, "for an event of the Chrome trace");
    e->text[e->bytes++] = c;
    e->text[e->bytes] = 0;
    return 0;
}

/* Tracks strings and nesting. True: c closes the outermost object. */
static bool closes_object(struct td_json_events *e, char c)
{
    if (e->in_string) {
        if (e->escaped)
            e->escaped = 0;
        else if (c == '\\')
            e->escaped = 1;
        else if (c == '"')
            e->in_string = 0;
    } else if (c == '"') {
        e->in_string = 1;
    } else if (c == '{' || c == '[') {
        e->depth++;
    } else if (c == '}' || c == ']') {
        e->depth--;
        return !e->depth;
    }
    return false;
}

static void take_beside(struct td_json_events *e, char c)
{
    static const char list[] = "traceEvents";
    int was_string = e->in_string;
    if (c == '[' && e->depth == 1 && !was_string && e->key_bytes == sizeof list - 1 &&
        !memcmp(e->key, list, sizeof list - 1)) {
        e->state = EVENTS;
        e->found = 1;
        return;
    }
    if (closes_object(e, c))
        e->state = END;
    if (!was_string && e->in_string)
        e->key_bytes = 0;
    else if (e->in_string && e->key_bytes < sizeof e->key)
        e->key[e->key_bytes++] = c;
}

static int take_between(struct td_json_events *e, char c, struct td_err *err)
{
    if (is_space(c) || c == ',')
        return 0;
    if (c == ']') {
        e->state = e->in_object ? BESIDE : END;
        e->key_bytes = 0;
        return 0;
    }
    if (c != '{')
        return fail_format(err);
    e->state = EVENT;
    e->depth = 1;
    e->bytes = 0;
    return add_char(e, c, err);
}

static int take_inside(struct td_json_events *e, char c, struct td_err *err)
{
    int bad = add_char(e, c, err);
    if (bad || !closes_object(e, c))
        return bad;
    e->state = EVENTS;
    e->depth = 1;
    return e->event(e->self, e->text, e->bytes, err);
}

static int take_first(struct td_json_events *e, char c, struct td_err *err)
{
    if (is_space(c))
        return 0;
    if (c != '{' && c != '[')
        return fail_format(err);
    e->in_object = c == '{';
    e->found = !e->in_object;
    e->state = e->found ? EVENTS : BESIDE;
    e->depth = 1;
    return 0;
}

/* Other bytes after the trace, such as a second trace or output of the program, are an error. */
static int take_after(const struct td_json_events *e, char c, struct td_err *err)
{
    return is_space(c) ? 0
                       : td_fail(err, TD_E_FORMAT,
                                 "the Chrome trace ends before byte %llu, but more text follows; "
                                 "import the parts one by one",
                                 (unsigned long long)e->taken);
}

int td_json_events_feed(struct td_json_events *events, const char *bytes, size_t count, struct td_err *err)
{
    int bad = 0;
    for (size_t i = 0; i < count && !bad; i++) {
        events->taken++;
        switch (events->state) {
        case BEGIN:
            bad = take_first(events, bytes[i], err);
            break;
        case BESIDE:
            take_beside(events, bytes[i]);
            break;
        case EVENTS:
            bad = take_between(events, bytes[i], err);
            break;
        case EVENT:
            bad = take_inside(events, bytes[i], err);
            break;
        default:
            bad = take_after(events, bytes[i], err);
            break;
        }
    }
    return bad;
}

int td_json_events_end_stream(struct td_json_events *events, int *cut, struct td_err *err)
{
    *cut = events->state == EVENT || (events->state == EVENTS && events->in_object);
    /* A missing bracket at the end of a list is allowed: a program that writes its own trace may end
     * before. */
    return events->found ? 0 : fail_format(err);
}

void td_json_events_free(struct td_json_events *events)
{
    free(events->text);
}
