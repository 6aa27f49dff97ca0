#include "host/agent/import/json_walk.h"
#include "host/base/grow.h"

#include <stdlib.h>

/* What the next byte is part of. BEGIN: before the outermost value. ITEM: before a value of a list, KEY: before a key;
 * AFTER: after a value. SEARCH: for the next object of the list, after a damaged one. */
enum { BEGIN, ITEM, KEY, IN_KEY, COLON, MEMBER, AFTER, IN_STRING, IN_WORD, IN_TEXT, SEARCH, END };
enum { SEEN_NOTHING, SEEN_END, SEEN_COMMA };

#define NO_BEGIN SIZE_MAX
/* Bytes that are read again for each byte of the input, at most: a hostile file cannot make the search slow. */
#define AGAIN_MAX 32

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static struct td_json_place *place(struct td_json_walk *walk)
{
    return &walk->at[walk->depth - 1];
}

static bool in_list(struct td_json_walk *walk)
{
    return walk->depth && place(walk)->in_list;
}

bool td_json_walk_in(const struct td_json_walk *walk, unsigned up, const char *key)
{
    return walk->depth > up && !strcmp(walk->at[walk->depth - 1 - up].key, key);
}

static int add_char(struct td_json_walk *walk, char c, struct td_err *err)
{
    if (walk->bytes >= TD_JSON_WALK_TEXT) {
        walk->too_long = true;
        return 0;
    }
    if (walk->bytes == walk->room && td_grow(&walk->text, &walk->room, walk->bytes + 1, 1) < 0)
        return td_fail_no_memory(err, "for a part of a text in JSON");
    walk->text[walk->bytes++] = c;
    return 0;
}

static void begin_text(struct td_json_walk *walk, int state, char kind)
{
    walk->state = state;
    walk->kind = kind;
    walk->bytes = 0;
    walk->too_long = walk->escaped = false;
}

/* After a value of the list or object. */
static void end_value(struct td_json_walk *walk)
{
    walk->state = walk->depth ? AFTER : END;
    walk->tentative = false;
    if (walk->depth)
        place(walk)->number++;
}

static int pass_value(struct td_json_walk *walk, char kind, struct td_err *err)
{
    const int bad = walk->value(walk->self, walk->too_long ? '!' : kind,
                                (struct td_tt_text){walk->bytes ? walk->text : "", walk->bytes}, err);
    end_value(walk);
    return bad;
}

/* ---- lists and objects */

static void enter(struct td_json_walk *walk, char kind)
{
    walk->at[walk->depth++] = (struct td_json_place){.in_list = kind == '['};
    walk->state = kind == '[' ? ITEM : KEY;
}

static int leave(struct td_json_walk *walk, struct td_err *err)
{
    walk->depth--;
    walk->items = 0;
    const int bad = walk->leave ? walk->leave(walk->self, err) : 0;
    end_value(walk);
    return bad;
}

static int begin_container(struct td_json_walk *walk, char c, struct td_err *err)
{
    const char items = walk->items;
    walk->items = 0;
    enum td_json_choice choice = walk->choose(walk->self, c);
    if (choice == TD_JSON_ENTER && walk->depth < TD_JSON_WALK_DEPTH) {
        enter(walk, c);
        return 0;
    }
    begin_text(walk, IN_TEXT, choice == TD_JSON_TEXT ? c : 0);
    walk->check = (struct td_json_check){0};
    td_json_check_byte(&walk->check, c);
    walk->text_begin = walk->again_at < walk->again_bytes ? walk->again_at : NO_BEGIN;
    walk->items = walk->kind ? walk->kind : items;
    return walk->kind ? add_char(walk, c, err) : 0;
}

/* In a list of objects or lists, what follows a value without a comma, an end of one, or a colon, is what is left of a
 * damaged one, which was counted as a word or text. Between other values, a colon is no more than a comma. */
static void misplace(struct td_json_walk *walk, char c)
{
    if (in_list(walk) && (walk->items || c == '}')) {
        walk->items = walk->items ? walk->items : '{';
        walk->state = SEARCH;
        walk->searched = c == '}' ? SEEN_END : SEEN_NOTHING;
    } else {
        walk->is_broken = c != ':' || !in_list(walk);
    }
}

static int begin_value(struct td_json_walk *walk, char c, struct td_err *err)
{
    if (c == '{' || c == '[')
        return begin_container(walk, c, err);
    if (!walk->depth || c == '}' || c == ':') {
        misplace(walk, c);
        return 0;
    }
    begin_text(walk, c == '"' ? IN_STRING : IN_WORD, 0);
    walk->check = (struct td_json_check){0};
    td_json_check_byte(&walk->check, '[');
    if (c == '"') {
        td_json_check_byte(&walk->check, c);
        walk->kind = '"';
        return 0;
    }
    return add_char(walk, c, err);
}

/* Strings end at the first quote that is not escaped, also if an escape is damaged. */
static int take_string(struct td_json_walk *walk, char c, struct td_err *err)
{
    const bool ends = c == '"' && !walk->escaped;
    if (walk->kind == '"' && td_json_check_byte(&walk->check, c) == TD_JSON_BAD)
        walk->kind = '!';
    walk->escaped = c == '\\' && !walk->escaped;
    return ends ? pass_value(walk, walk->kind, err) : add_char(walk, c, err);
}

static int take_key(struct td_json_walk *walk, char c)
{
    char *key = place(walk)->key;
    if (c == '"' && !walk->escaped) {
        key[walk->bytes] = 0;
        walk->state = COLON;
        return 0;
    }
    walk->escaped = c == '\\' && !walk->escaped;
    if (walk->bytes + 1 < TD_JSON_WALK_KEY)
        key[walk->bytes++] = c;
    return 0;
}

/* ---- texts, and what is read after damaged ones */

/* Reads the damaged text again, from its second byte on, to find where the next object begins. */
static int read_again(struct td_json_walk *walk, struct td_err *err)
{
    const bool again = walk->text_begin != NO_BEGIN;
    walk->again_steps += walk->bytes;
    if (walk->again_steps > AGAIN_MAX * (walk->taken + TD_JSON_WALK_TEXT / 256))
        return 0;
    if (again) {
        walk->again_at = walk->text_begin;
        return 0;
    }
    if (td_grow(&walk->again, &walk->again_room, walk->bytes, 1) < 0)
        return td_fail_no_memory(err, "for a part of a text in JSON");
    memcpy(walk->again, walk->text + 1, walk->bytes - 1);
    walk->again_bytes = walk->bytes - 1;
    walk->again_at = 0;
    return 0;
}

static int end_damaged(struct td_json_walk *walk, struct td_err *err)
{
    const bool counts = !walk->tentative;
    if (!walk->kind || !in_list(walk)) { /* of what is skipped, and of members, no next one is known */
        walk->is_broken = true;
        return 0;
    }
    int bad = read_again(walk, err);
    if (!bad && counts)
        bad = pass_value(walk, '!', err);
    walk->state = SEARCH;
    walk->searched = SEEN_NOTHING;
    return bad;
}

static int take_text(struct td_json_walk *walk, char c, struct td_err *err)
{
    const enum td_json_step step = td_json_check_byte(&walk->check, c);
    const int bad = walk->kind ? add_char(walk, c, err) : 0;
    if (bad || step == TD_JSON_MORE)
        return bad;
    if (step != TD_JSON_DONE)
        return end_damaged(walk, err);
    if (walk->kind)
        return pass_value(walk, walk->kind, err);
    end_value(walk);
    return 0;
}

/* Looks for ",{" or, in a list of lists, ",["; and for "}]" or "]]". */
static int take_search(struct td_json_walk *walk, char c, struct td_err *err)
{
    const char opens = walk->items, closes = opens == '{' ? '}' : ']';
    if (is_space(c))
        return 0;
    if (c == opens && walk->searched == SEEN_COMMA) {
        walk->tentative = true;
        return begin_container(walk, c, err);
    }
    if (c == ']' && walk->searched == SEEN_END)
        return leave(walk, err);
    walk->searched = c == ',' ? SEEN_COMMA : c == closes ? SEEN_END : SEEN_NOTHING;
    return 0;
}

/* ---- bytes */

static int take_between(struct td_json_walk *walk, char c, struct td_err *err)
{
    const bool list = in_list(walk);
    if (is_space(c))
        return 0;
    if (c == ',') {
        walk->state = list ? ITEM : KEY;
        return 0;
    }
    if (c == (list ? ']' : '}'))
        return leave(walk, err);
    if (list && walk->state == AFTER && walk->items && c != '{' && c != '[') {
        misplace(walk, c); /* the value was a part of a damaged text */
        return 0;
    }
    if (list)
        return begin_value(walk, c, err);
    walk->is_broken = c != '"';
    begin_text(walk, IN_KEY, 0);
    return 0;
}

static int take_word(struct td_json_walk *walk, char c, struct td_err *err)
{
    if (!is_space(c) && !strchr(",]}[{\":", c))
        return add_char(walk, c, err);
    const int bad = pass_value(walk, '0', err);
    return bad ? bad : take_between(walk, c, err);
}

static int take_byte(struct td_json_walk *walk, char c, struct td_err *err)
{
    switch (walk->state) {
    case BEGIN: /* a byte order mark may be there */
        return is_space(c) || (unsigned char)c >= 0x80 ? 0 : begin_value(walk, c, err);
    case ITEM:
    case KEY:
    case AFTER:
        return take_between(walk, c, err);
    case IN_KEY:
        return take_key(walk, c);
    case COLON:
        walk->is_broken = !is_space(c) && c != ':';
        walk->state = c == ':' ? MEMBER : COLON;
        return 0;
    case MEMBER:
        return is_space(c) ? 0 : begin_value(walk, c, err);
    case IN_STRING:
        return take_string(walk, c, err);
    case IN_WORD:
        return take_word(walk, c, err);
    case IN_TEXT:
        return take_text(walk, c, err);
    case SEARCH:
        return take_search(walk, c, err);
    default:
        return 0;
    }
}

static int take_again(struct td_json_walk *walk, struct td_err *err)
{
    int bad = 0;
    while (!bad && !walk->is_broken && walk->again_at < walk->again_bytes)
        bad = take_byte(walk, walk->again[walk->again_at++], err);
    if (walk->again_bytes && walk->again_at >= walk->again_bytes) {
        walk->again_at = walk->again_bytes = 0;
        walk->text_begin = NO_BEGIN; /* a text that began there continues in the input */
    }
    return bad;
}

int td_json_walk_feed(struct td_json_walk *walk, const char *bytes, size_t count, struct td_err *err)
{
    int bad = 0;
    for (size_t i = 0; i < count && !bad && !walk->is_broken; i++) {
        walk->taken++;
        bad = take_byte(walk, bytes[i], err);
        bad = bad ? bad : take_again(walk, err);
    }
    return bad;
}

/* A text that has no end may be one with a quote too many: then others follow in it. */
int td_json_walk_end_stream(struct td_json_walk *walk, bool *cut, struct td_err *err)
{
    int bad = 0;
    while (!bad && walk->state == IN_TEXT && walk->kind && in_list(walk) && !walk->is_broken) {
        bad = end_damaged(walk, err);
        bad = bad ? bad : take_again(walk, err);
    }
    *cut = walk->is_broken || walk->state != END;
    while (walk->depth && !bad)
        bad = leave(walk, err);
    return bad;
}

void td_json_walk_free(struct td_json_walk *walk)
{
    free(walk->text);
    free(walk->again);
    walk->text = walk->again = NULL;
    walk->room = walk->again_room = 0;
}
