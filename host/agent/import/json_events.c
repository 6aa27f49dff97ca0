#include "host/agent/import/json_events.h"
#include "host/base/grow.h"

#include <stdlib.h>
#include <string.h>

enum { BEGIN, BESIDE, EVENTS, EVENT, END };

static int wrong(struct td_err *err)
{
    return td_fail(err, TD_E_FORMAT, "this is no Chrome trace: a list of events is missing or damaged");
}

static int is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\xef' || c == '\xbb' || c == '\xbf';
}

static int add(struct td_json_events *e, char c, struct td_err *err)
{
    if (e->bytes + 1 >= TD_JSON_EVENT_MAX)
        return td_fail(err, TD_E_FORMAT, "an event of the Chrome trace has more than %u bytes",
                       TD_JSON_EVENT_MAX);
    if (td_grow(&e->text, &e->capacity, e->bytes + 2, 1))
        return td_fail(err, TD_E_NOMEM, "no memory for an event of the Chrome trace");
    e->text[e->bytes++] = c;
    e->text[e->bytes] = 0;
    return 0;
}

/* Follows texts and nesting: 1 when c ends what was nested. */
static int follow(struct td_json_events *e, char c)
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
    return 0;
}

/* Inside of the outer object, outside of the list. */
static void beside(struct td_json_events *e, char c)
{
    static const char list[] = "traceEvents";
    int was_string = e->in_string;
    if (c == '[' && e->depth == 1 && !was_string && e->key_bytes == sizeof list - 1 &&
        !memcmp(e->key, list, sizeof list - 1)) {
        e->state = EVENTS;
        e->found = 1;
        return;
    }
    if (follow(e, c))
        e->state = END;
    if (!was_string && e->in_string)
        e->key_bytes = 0;
    else if (e->in_string && e->key_bytes < sizeof e->key)
        e->key[e->key_bytes++] = c;
}

static int between(struct td_json_events *e, char c, struct td_err *err)
{
    if (is_space(c) || c == ',')
        return 0;
    if (c == ']') {
        e->state = e->in_object ? BESIDE : END;
        e->key_bytes = 0;
        return 0;
    }
    if (c != '{')
        return wrong(err);
    e->state = EVENT;
    e->depth = 1;
    e->bytes = 0;
    return add(e, c, err);
}

static int inside(struct td_json_events *e, char c, struct td_err *err)
{
    int bad = add(e, c, err);
    if (bad || !follow(e, c))
        return bad;
    e->state = EVENTS;
    e->depth = 1;
    return e->event(e->self, e->text, e->bytes, err);
}

static int begin(struct td_json_events *e, char c, struct td_err *err)
{
    if (is_space(c))
        return 0;
    if (c != '{' && c != '[')
        return wrong(err);
    e->in_object = c == '{';
    e->found = !e->in_object;
    e->state = e->found ? EVENTS : BESIDE;
    e->depth = 1;
    return 0;
}

/* A second trace, say, or what the program printed beside it: not to be passed over in silence. */
static int after(const struct td_json_events *e, char c, struct td_err *err)
{
    return is_space(c) ? 0
                       : td_fail(err, TD_E_FORMAT,
                                 "the Chrome trace is over before byte %llu, where something else begins; "
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
            bad = begin(events, bytes[i], err);
            break;
        case BESIDE:
            beside(events, bytes[i]);
            break;
        case EVENTS:
            bad = between(events, bytes[i], err);
            break;
        case EVENT:
            bad = inside(events, bytes[i], err);
            break;
        default:
            bad = after(events, bytes[i], err);
            break;
        }
    }
    return bad;
}

int td_json_events_end(struct td_json_events *events, int *cut, struct td_err *err)
{
    *cut = events->state == EVENT || (events->state == EVENTS && events->in_object);
    /* A list without its last bracket is a whole one: programs that trace themselves may not get to write it.
     */
    return events->found ? 0 : wrong(err);
}

void td_json_events_finish(struct td_json_events *events)
{
    free(events->text);
}
