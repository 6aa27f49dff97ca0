#include "host/agent/import/json_events.h"
#include "host/base/grow.h"

#include <stdlib.h>
#include <string.h>

/* The part of the input that the next byte belongs to. The object outside of the list of events: before a KEY, in
 * one, before its COLON, in the VALUE. The list: EVENTS between events, EVENT, ITEM another item, SEARCH for the
 * next event after a damaged one. */
enum { BEGIN, KEY, IN_KEY, COLON, VALUE, EVENTS, EVENT, ITEM, SEARCH, END };

#define NO_BEGIN SIZE_MAX
/* Bytes that are read again for each byte of the input, at most: a hostile file cannot make the search slow. */
#define AGAIN_MAX 32

static int fail_format(struct td_err *err)
{
    return td_fail(err, TD_E_FORMAT, "this is not a Chrome trace: the list of events is missing or damaged");
}

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static bool is_mark(char c) /* part of a byte order mark */
{
    return c == '\xef' || c == '\xbb' || c == '\xbf';
}

static int add_char(struct td_json_events *e, char c, struct td_err *err)
{
    if (e->bytes == e->room && td_grow(&e->text, &e->room, e->bytes + 1, 1))
        return td_fail_no_memory(err, "for an event of the Chrome trace");
    e->text[e->bytes++] = c;
    return 0;
}

/* ---- outside of the list */

static int end_member(struct td_json_events *e, struct td_err *err)
{
    const bool fits = e->value_bytes <= TD_JSON_MEMBER_MAX;
    e->key[e->key_bytes] = 0;
    const size_t bytes = e->value_bytes;
    e->value_bytes = 0;
    if (!e->member)
        return 0;
    return e->member(e->self, e->key, fits ? e->value : NULL, fits ? bytes : 0, err);
}

static int take_key(struct td_json_events *e, char c)
{
    if (e->state == KEY) {
        e->key_bytes = 0;
        e->escaped = false;
        e->state = c == '"' ? IN_KEY : c == '}' ? END : KEY;
    } else if (e->state == IN_KEY && c == '"' && !e->escaped) {
        e->state = COLON;
    } else if (e->state == IN_KEY) {
        e->escaped = !e->escaped && c == '\\';
        if (e->key_bytes + 1 < sizeof e->key)
            e->key[e->key_bytes++] = c;
    } else if (c == ':') {
        e->state = VALUE;
        e->value_bytes = 0;
        e->depth = 0;
        e->in_string = e->escaped = false;
    }
    return 0;
}

static int add_to_value(struct td_json_events *e, char c, struct td_err *err)
{
    if (e->value_bytes > TD_JSON_MEMBER_MAX)
        return 0;
    if (td_grow(&e->value, &e->value_room, e->value_bytes + 1, 1))
        return td_fail_no_memory(err, "for a member of the Chrome trace");
    e->value[e->value_bytes++] = c;
    return 0;
}

static int take_value(struct td_json_events *e, char c, struct td_err *err)
{
    static const char list[] = "traceEvents";
    if (!e->value_bytes && is_space(c))
        return 0;
    if (!e->value_bytes && c == '[' && e->key_bytes == sizeof list - 1 &&
        !memcmp(e->key, list, sizeof list - 1)) {
        e->state = EVENTS;
        e->found = 1;
        return 0;
    }
    if (e->in_string) {
        e->in_string = e->escaped || c != '"';
        e->escaped = !e->escaped && c == '\\';
    } else if (c == '"') {
        e->in_string = true;
    } else if (c == '{' || c == '[') {
        e->depth++;
    } else if ((c == '}' || c == ',') && !e->depth) {
        e->state = c == '}' ? END : KEY;
        return end_member(e, err);
    } else if (c == '}' || c == ']') {
        e->depth -= e->depth != 0;
    }
    return add_to_value(e, c, err);
}

/* ---- the list */

static int begin_event(struct td_json_events *e, char c, struct td_err *err)
{
    e->state = EVENT;
    e->bytes = 0;
    e->check = (struct td_json_check){0};
    td_json_check_byte(&e->check, c);
    e->text_begin = e->again_at < e->again_bytes ? e->again_at : NO_BEGIN;
    return add_char(e, c, err);
}

static void begin_search(struct td_json_events *e)
{
    e->state = SEARCH;
    e->opened = false;
}

static void end_list(struct td_json_events *e)
{
    e->state = e->in_object ? KEY : END;
}

/* An item that is no object: as if a list began with it, which ends where the list of events does. */
static int take_item(struct td_json_events *e, char c)
{
    const enum td_json_step step = td_json_check_byte(&e->check, c);
    if (step == TD_JSON_DONE)
        end_list(e);
    else if (step != TD_JSON_MORE)
        begin_search(e);
    else if (td_json_is_between(&e->check))
        e->state = EVENTS;
    return 0;
}

static int begin_item(struct td_json_events *e, char c)
{
    e->other++;
    e->state = ITEM;
    e->check = (struct td_json_check){0};
    td_json_check_byte(&e->check, '[');
    return take_item(e, c);
}

static int take_between(struct td_json_events *e, char c, struct td_err *err)
{
    if (is_space(c) || c == ',')
        return 0;
    if (c == ']') {
        end_list(e);
        return 0;
    }
    if (c == '{') {
        e->tentative = false;
        return begin_event(e, c, err);
    }
    if (c != '}' && c != ':')
        return begin_item(e, c);
    if (!e->damaged)
        return fail_format(err);
    begin_search(e); /* it is what is left of a damaged event */
    return 0;
}

static bool has_word(const struct td_json_events *e, const char *word)
{
    return memmem(e->text, e->bytes, word, strlen(word)) != NULL;
}

/* Reads the damaged event again, from its second byte on, to find where the next one begins. */
static int read_again(struct td_json_events *e, struct td_err *err)
{
    const bool again = e->text_begin != NO_BEGIN;
    e->again_steps += e->bytes;
    if (e->again_steps > AGAIN_MAX * (e->taken + TD_JSON_EVENT_MAX / 256))
        return 0;
    if (again) {
        e->again_at = e->text_begin;
        return 0;
    }
    if (td_grow(&e->again, &e->again_room, e->bytes, 1))
        return td_fail_no_memory(err, "for an event of the Chrome trace");
    memcpy(e->again, e->text, e->bytes);
    e->again_bytes = e->bytes;
    e->again_at = 1;
    return 0;
}

/* A search that begins inside a damaged event may find parts of it: a part that is damaged, too, is an event of its
 * own if it has what events have. */
static int end_damaged(struct td_json_events *e, bool deep, struct td_err *err)
{
    if (!e->tentative || has_word(e, "\"ph\"") || has_word(e, "\"ts\"")) {
        e->deep += deep;
        e->damaged += !deep;
        e->first_lost = e->first_lost ? e->first_lost : e->whole + 1;
    }
    begin_search(e);
    return read_again(e, err);
}

static int take_inside(struct td_json_events *e, char c, struct td_err *err)
{
    const enum td_json_step step =
        e->bytes < TD_JSON_EVENT_MAX ? td_json_check_byte(&e->check, c) : TD_JSON_BAD;
    const int bad = add_char(e, c, err);
    if (bad || step == TD_JSON_MORE)
        return bad;
    if (step != TD_JSON_DONE)
        return end_damaged(e, step == TD_JSON_DEEP, err);
    if (e->tentative && !has_word(e, "\"ph\"")) {
        begin_search(e);
        return 0;
    }
    e->state = EVENTS;
    e->whole++;
    return e->event(e->self, e->text, e->bytes, err);
}

/* Looks for `{` and a quote. */
static int take_search(struct td_json_events *e, char c, struct td_err *err)
{
    if (is_space(c))
        return 0;
    const bool opened = e->opened;
    e->opened = c == '{';
    if (!opened || c != '"')
        return 0;
    e->tentative = true;
    const int bad = begin_event(e, '{', err);
    return bad ? bad : take_inside(e, c, err);
}

static int take_first(struct td_json_events *e, char c, struct td_err *err)
{
    if (is_space(c) || is_mark(c))
        return 0;
    if (c != '{' && c != '[')
        return fail_format(err);
    e->in_object = c == '{';
    e->found = !e->in_object;
    e->state = e->found ? EVENTS : KEY;
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

static int take_byte(struct td_json_events *e, char c, struct td_err *err)
{
    switch (e->state) {
    case BEGIN:
        return take_first(e, c, err);
    case KEY:
    case IN_KEY:
    case COLON:
        return take_key(e, c);
    case VALUE:
        return take_value(e, c, err);
    case EVENTS:
        return take_between(e, c, err);
    case EVENT:
        return take_inside(e, c, err);
    case ITEM:
        return take_item(e, c);
    case SEARCH:
        return take_search(e, c, err);
    default:
        return take_after(e, c, err);
    }
}

int td_json_events_feed(struct td_json_events *events, const char *bytes, size_t count, struct td_err *err)
{
    int bad = 0;
    for (size_t i = 0; i < count && !bad; i++) {
        events->taken++;
        bad = take_byte(events, bytes[i], err);
        while (!bad && events->again_at < events->again_bytes)
            bad = take_byte(events, events->again[events->again_at++], err);
        if (events->again_bytes && events->again_at >= events->again_bytes) {
            events->again_at = events->again_bytes = 0;
            events->text_begin = NO_BEGIN; /* an event that began there continues in the input */
        }
    }
    return bad;
}

int td_json_events_end_stream(struct td_json_events *events, bool *cut, struct td_err *err)
{
    *cut = events->state == EVENT || (events->state == EVENTS && events->in_object);
    /* A missing bracket at the end of a list is allowed: a program that writes its own trace may end
     * before. */
    if (events->state == EVENT && events->tentative && !has_word(events, "\"ph\""))
        *cut = false;
    return events->found ? 0 : fail_format(err);
}

void td_json_events_free(struct td_json_events *events)
{
    free(events->text);
    free(events->value);
    free(events->again);
}
