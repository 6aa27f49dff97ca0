#include "host/base/err.h"
#include "host/tt/json_list.h"
#include "host/base/grow.h"
#include "host/tt/csv_reader.h"

enum { BEGIN, BETWEEN, INSIDE, END };

static bool is_white(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* ---- a list of objects */

static int fail_list(const struct td_tt_json_list *list, struct td_err *err)
{
    return td_csv_fail(err, list->file, list->lines + 1, "this is no list of JSON objects");
}

static int carry_bytes(struct td_tt_json_list *list, const char *bytes, size_t count, struct td_err *err)
{
    if (list->carried + count > TD_TT_JSON_OBJECT_MAX)
        return td_csv_fail(err, list->file, list->begin_line, "an object has more than %u bytes",
                           TD_TT_JSON_OBJECT_MAX);
    if (td_grow(&list->carry, &list->carry_room, list->carried + count, 1))
        return td_fail_no_memory(err, "for a JSON object");
    memcpy(list->carry + list->carried, bytes, count);
    list->carried += count;
    return 0;
}

static int pass_object(struct td_tt_json_list *list, const char *bytes, size_t count, struct td_err *err)
{
    struct td_tt_text text = {bytes, count};
    if (list->carried) {
        const int bad = carry_bytes(list, bytes, count, err);
        if (bad)
            return bad;
        text = (struct td_tt_text){list->carry, list->carried};
        list->carried = 0;
    }
    return list->object(list->self, text, list->begin_line, err);
}

/* Follows strings and nesting. True: c ends the object. */
static bool ends_object(struct td_tt_json_list *list, char c)
{
    if (list->in_string) {
        list->in_string = list->escaped || c != '"';
        list->escaped = !list->escaped && c == '\\';
    } else if (c == '"') {
        list->in_string = true;
    } else if (c == '{' || c == '[') {
        list->depth++;
    } else if (c == '}' || c == ']') {
        return --list->depth == 0;
    }
    return false;
}

static int take_between(struct td_tt_json_list *list, char c, struct td_err *err)
{
    if (is_white(c))
        return 0;
    if (list->state == BEGIN) { /* also after a byte order mark */
        if (c == '[')
            list->state = BETWEEN;
        return c == '[' || ((uint8_t)c >= 0xbb && !list->lines) ? 0 : fail_list(list, err);
    }
    if (list->state == BETWEEN && c == ']')
        list->state = END;
    else if (list->state != BETWEEN || c != ',')
        return fail_list(list, err);
    return 0;
}

int td_tt_json_list_feed(struct td_tt_json_list *list, const char *bytes, size_t count, struct td_err *err)
{
    size_t begin = 0; /* of the object's part in these bytes */
    int bad = 0;
    for (size_t i = 0; i < count && !bad; i++) {
        const char c = bytes[i];
        if (list->state == INSIDE) {
            if (ends_object(list, c)) {
                list->state = BETWEEN;
                bad = pass_object(list, bytes + begin, i + 1 - begin, err);
            }
        } else if (list->state == BETWEEN && c == '{') {
            list->state = INSIDE;
            list->depth = 1;
            list->begin_line = list->lines + 1;
            begin = i;
        } else {
            bad = take_between(list, c, err);
        }
        list->lines += c == '\n';
    }
    return bad || list->state != INSIDE ? bad : carry_bytes(list, bytes + begin, count - begin, err);
}

int td_tt_json_list_end_stream(struct td_tt_json_list *list, bool *cut, struct td_err *err)
{
    *cut = list->state != END;
    return list->state == BEGIN ? fail_list(list, err) : 0;
}

void td_tt_json_list_free(struct td_tt_json_list *list)
{
    free(list->carry);
    list->carry = NULL;
}

/* ---- members of an object */

static size_t skip_white(struct td_tt_text text, size_t at)
{
    while (at < text.bytes && is_white(text.at[at]))
        at++;
    return at;
}

/* From after the first quote to after the last one; 0: there is none. */
static size_t skip_string(struct td_tt_text text, size_t at)
{
    for (; at < text.bytes; at++) {
        if (text.at[at] == '"')
            return at + 1;
        at += text.at[at] == '\\';
    }
    return 0;
}

/* From the first bracket to after the last one; 0: there is none. */
static size_t skip_nested(struct td_tt_text text, size_t at)
{
    size_t depth = 0;
    while (at < text.bytes) {
        const char c = text.at[at++];
        if (c == '"' && (at = skip_string(text, at)) == 0)
            return 0;
        depth += c == '{' || c == '[';
        if ((c == '}' || c == ']') && --depth == 0)
            return at;
    }
    return 0;
}

static size_t skip_word(struct td_tt_text text, size_t at)
{
    while (at < text.bytes && !is_white(text.at[at]) && !strchr(",}]:{[\"", text.at[at]))
        at++;
    return at;
}

static bool take_value(struct td_tt_text object, size_t *at, struct td_tt_json_member *member)
{
    const size_t begin = *at;
    if (begin >= object.bytes)
        return false;
    const char first = object.at[begin];
    member->kind = first == '"' || first == '{' || first == '[' ? first : '0';
    *at = first == '"'          ? skip_string(object, begin + 1)
          : member->kind != '0' ? skip_nested(object, begin)
                                : skip_word(object, begin);
    if (*at <= begin)
        return false;
    const bool quoted = first == '"';
    member->value = (struct td_tt_text){object.at + begin + quoted, *at - begin - 2 * (size_t)quoted};
    return true;
}

int td_tt_json_next(struct td_tt_text object, size_t *at, struct td_tt_json_member *member)
{
    size_t i = skip_white(object, *at);
    if (i >= object.bytes || object.at[i] != (*at ? ',' : '{')) {
        *at = i;
        return i < object.bytes && object.at[i] == '}' && *at ? 0 : TD_E_FORMAT;
    }
    i = skip_white(object, i + 1);
    if (!*at && i < object.bytes && object.at[i] == '}')
        return 0;
    const size_t key = i + 1;
    if (i >= object.bytes || object.at[i] != '"' || (i = skip_string(object, key)) == 0)
        return TD_E_FORMAT;
    member->key = (struct td_tt_text){object.at + key, i - key - 1};
    i = skip_white(object, i);
    if (i >= object.bytes || object.at[i] != ':')
        return TD_E_FORMAT;
    i = skip_white(object, i + 1);
    if (!take_value(object, &i, member))
        return TD_E_FORMAT;
    *at = i;
    return 1;
}

int td_tt_json_next_item(struct td_tt_text list, size_t *at, struct td_tt_json_member *item)
{
    size_t i = skip_white(list, *at);
    if (i >= list.bytes || list.at[i] != (*at ? ',' : '[')) {
        *at = i;
        return i < list.bytes && list.at[i] == ']' && *at ? 0 : TD_E_FORMAT;
    }
    i = skip_white(list, i + 1);
    if (!*at && i < list.bytes && list.at[i] == ']')
        return 0;
    item->key = TD_TT_TEXT_NONE;
    if (!take_value(list, &i, item))
        return TD_E_FORMAT;
    *at = i;
    return 1;
}
