#include "host/agent/import/json_text.h"
#include "host/base/grow.h"

#include <stdio.h>

#define PARTS         INT64_C(1000000000000)
#define PART_DIGITS   12
#define RANGE_US      INT64_C(4500000000000000)
#define MAX_EXPONENT  100000
#define SCALED_NS_MAX (INT64_C(1) << 62)
#define SIZE_MOST     ((unsigned __int128)(TD_JSON_NUMBER_MAX + 1) * (unsigned __int128)PARTS)

void td_text_free(struct td_text *text)
{
    free(text->at);
    *text = (struct td_text){0};
}

int td_text_add(struct td_text *text, const char *bytes, size_t count)
{
    if (!count)
        return 0;
    if (td_grow(&text->at, &text->room, text->bytes + count, 1))
        return TD_E_NOMEM;
    memcpy(text->at + text->bytes, bytes, count);
    text->bytes += count;
    return 0;
}

/* ---- strings */

static uint32_t hex_of(const char *digits)
{
    uint32_t code = 0;
    for (int i = 0; i < 4; i++) {
        const char c = digits[i];
        code = code << 4 | (uint32_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
    }
    return code;
}

static int add_code(struct td_text *text, uint32_t code)
{
    char utf8[4];
    if (!code)
        code = 0xfffd;
    if (code < 0x80) {
        utf8[0] = (char)code;
        return td_text_add(text, utf8, 1);
    }
    const unsigned more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const uint8_t first[] = {0, 0xc0, 0xe0, 0xf0};
    utf8[0] = (char)(first[more] | code >> 6 * more);
    for (unsigned i = 1; i <= more; i++)
        utf8[i] = (char)(0x80 | (code >> 6 * (more - i) & 63));
    return td_text_add(text, utf8, more + 1);
}

/* Adds the escape after the backslash at string[*at]; *at: its last byte afterwards. */
static int add_escape(struct td_text *text, struct td_tt_text string, size_t *at)
{
    static const char names[] = "bfnrt", codes[] = "\b\f\n\r\t";
    const char c = string.at[++*at];
    if (c != 'u') {
        const char *found = strchr(names, c);
        return td_text_add(text, found && c ? &codes[found - names] : &c, 1);
    }
    uint32_t code = hex_of(string.at + *at + 1);
    *at += 4;
    if (code >= 0xd800 && code < 0xdc00) {
        code = 0x10000 + ((code & 0x3ff) << 10) + (hex_of(string.at + *at + 3) & 0x3ff);
        *at += 6;
    }
    return add_code(text, code);
}

int td_text_add_json(struct td_text *text, struct td_tt_text string)
{
    int bad = 0;
    for (size_t i = 0; i < string.bytes && !bad; i++) {
        const char *end = memchr(string.at + i, '\\', string.bytes - i);
        const size_t plain = end ? (size_t)(end - string.at) - i : string.bytes - i;
        bad = td_text_add(text, string.at + i, plain);
        i += plain;
        if (!bad && i < string.bytes)
            bad = add_escape(text, string, &i);
    }
    return bad;
}

/* Adds a string inside a list or object: between quotes, with the escapes that it needs. */
static int add_quoted(struct td_text *text, struct td_tt_text string)
{
    static const char codes[] = "\"\\\b\f\n\r\t", names[] = "\"\\bfnrt";
    struct td_text plain = {0};
    int bad = td_text_add_json(&plain, string);
    bad = bad ? bad : td_text_add(text, "\"", 1);
    for (size_t i = 0; i < plain.bytes && !bad; i++) {
        const char c = plain.at[i], *found = c ? strchr(codes, c) : NULL;
        char escape[8] = {c};
        if (found)
            snprintf(escape, sizeof escape, "\\%c", names[found - codes]);
        else if ((uint8_t)c < ' ')
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned)c);
        bad = td_text_add(text, escape, strlen(escape));
    }
    td_text_free(&plain);
    return bad ? bad : td_text_add(text, "\"", 1);
}

static size_t string_bytes(struct td_tt_text json, size_t at)
{
    size_t i = at;
    while (i < json.bytes && json.at[i] != '"')
        i += json.at[i] == '\\' ? 2 : 1;
    return i - at;
}

static int add_compact(struct td_text *text, struct td_tt_text json)
{
    int bad = 0;
    for (size_t i = 0; i < json.bytes && !bad; i++) {
        const char c = json.at[i];
        if (c == '"') {
            const size_t bytes = string_bytes(json, i + 1);
            bad = add_quoted(text, (struct td_tt_text){json.at + i + 1, bytes});
            i += bytes + 1;
        } else if (!(c == ' ' || c == '\n' || c == '\r' || c == '\t')) {
            bad = td_text_add(text, &c, 1);
        }
    }
    return bad;
}

int td_text_add_value(struct td_text *text, const struct td_tt_json_member *value)
{
    return value->kind == '"' ? td_text_add_json(text, value->value) : add_compact(text, value->value);
}

int td_text_add_members(struct td_text *text, struct td_tt_text object)
{
    struct td_tt_json_member member;
    size_t at = 0;
    int bad = 0;
    while (!bad && td_tt_json_next(object, &at, &member) > 0) {
        bad = td_text_add_json(text, member.key);
        bad = bad ? bad : td_text_add(text, ": ", 2);
        bad = bad ? bad : td_text_add_value(text, &member);
        bad = bad ? bad : td_text_add(text, "\n", 1);
    }
    return bad;
}

/* ---- decimal numbers */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads the exponent after `e`. */
static bool read_exponent(struct td_tt_text text, size_t at, int *exponent)
{
    const bool minus = at < text.bytes && text.at[at] == '-';
    at += at < text.bytes && (minus || text.at[at] == '+');
    const size_t first = at;
    int sum = 0;
    for (; at < text.bytes && is_digit(text.at[at]); at++)
        sum = sum < MAX_EXPONENT ? sum * 10 + (text.at[at] - '0') : sum;
    *exponent = minus ? -sum : sum;
    return at > first && at == text.bytes;
}

bool td_json_number_read(struct td_tt_text text, struct td_json_number *number)
{
    const bool negative = text.bytes && *text.at == '-';
    const size_t first = negative;
    unsigned __int128 size = 0; /* of the number, times 10^(PART_DIGITS - scale) */
    int scale = PART_DIGITS, exponent = 0;
    bool point = false, rest = false; /* rest: there are digits other than 0 below `size` */
    size_t at = first;
    for (; at < text.bytes && (is_digit(text.at[at]) || (text.at[at] == '.' && !point && at > first)); at++) {
        const unsigned digit = (unsigned)(text.at[at] - '0');
        if (text.at[at] == '.') {
            point = true;
        } else if (size < SIZE_MOST) {
            size = size * 10 + digit;
            scale -= point;
        } else {
            rest |= digit != 0;
            scale += !point;
        }
    }
    if (at == first ||
        (at < text.bytes && ((text.at[at] | 32) != 'e' || !read_exponent(text, at + 1, &exponent))))
        return false;
    for (scale += exponent; scale > 0 && size && size < SIZE_MOST; scale--)
        size *= 10;
    for (; scale < 0 && size; scale++, size /= 10)
        rest |= size % 10 != 0;
    if (size >= SIZE_MOST)
        return false;
    size += negative && rest;
    *number = (struct td_json_number){(int64_t)(size / PARTS), (int64_t)(size % PARTS)};
    if (negative)
        *number = (struct td_json_number){-number->whole - (number->parts != 0),
                                          number->parts ? PARTS - number->parts : 0};
    return true;
}

struct td_json_number td_json_number_add(struct td_json_number a, struct td_json_number b)
{
    const int64_t parts = a.parts + b.parts;
    return (struct td_json_number){a.whole + b.whole + (parts >= PARTS), parts % PARTS};
}

bool td_json_number_ns(struct td_json_number number, int64_t zero_us, int64_t *ns)
{
    int64_t us;
    if (__builtin_sub_overflow(number.whole, zero_us, &us) || us > RANGE_US || us < -RANGE_US)
        return false;
    *ns = us * 1000 + (number.parts + PARTS / 2000) / (PARTS / 1000);
    return true;
}

bool td_json_number_scaled_ns(struct td_json_number number, int64_t unit_ns, int64_t *ns)
{
    const __int128 parts = ((__int128)number.whole * PARTS + number.parts) * unit_ns + PARTS / 2;
    const __int128 rounded = parts / PARTS - (parts % PARTS < 0);
    *ns = (int64_t)rounded;
    return rounded > -SCALED_NS_MAX && rounded < SCALED_NS_MAX;
}
