#include "host/agent/import/json_check.h"

enum {
    VALUE,      /* before a value */
    FIRST_ITEM, /* after [ */
    FIRST_KEY,  /* after { */
    KEY,        /* after a comma in an object */
    COLON,
    AFTER, /* after a value */
    STRING,
    ESCAPE,
    HEX,
    LOW_ESCAPE, /* after the first half of a surrogate pair: \ must follow */
    LOW_U,
    WORD,
    MINUS,
    ZERO,
    INTEGER,
    POINT,
    FRACTION,
    EXPONENT,
    EXPONENT_SIGN,
    EXPONENT_DIGITS
};

static bool is_white(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static enum td_json_step enter(struct td_json_check *check, bool list)
{
    if (check->depth == TD_JSON_DEPTH_MAX)
        return TD_JSON_DEEP;
    const uint64_t bit = UINT64_C(1) << check->depth % 64;
    uint64_t *word = &check->lists[check->depth++ / 64];
    *word = list ? *word | bit : *word & ~bit;
    check->state = list ? FIRST_ITEM : FIRST_KEY;
    return TD_JSON_MORE;
}

static bool in_list(const struct td_json_check *check)
{
    const uint32_t level = check->depth - 1;
    return check->lists[level / 64] >> level % 64 & 1;
}

static enum td_json_step leave(struct td_json_check *check)
{
    check->state = AFTER;
    return --check->depth ? TD_JSON_MORE : TD_JSON_DONE;
}

static enum td_json_step go_to(struct td_json_check *check, uint8_t state)
{
    check->state = state;
    return TD_JSON_MORE;
}

static enum td_json_step begin_value(struct td_json_check *check, char c)
{
    if (is_white(c))
        return TD_JSON_MORE;
    if (c == '[' || c == '{')
        return enter(check, c == '[');
    if (!check->depth)
        return TD_JSON_BAD;
    check->is_key = 0;
    switch (c) {
    case '"':
        return go_to(check, STRING);
    case '-':
        return go_to(check, MINUS);
    case '0':
        return go_to(check, ZERO);
    case 't':
    case 'f':
    case 'n':
        check->word = c == 't' ? "rue" : c == 'f' ? "alse" : "ull";
        return go_to(check, WORD);
    default:
        return is_digit(c) ? go_to(check, INTEGER) : TD_JSON_BAD;
    }
}

static enum td_json_step begin_key(struct td_json_check *check, char c)
{
    if (is_white(c))
        return TD_JSON_MORE;
    check->is_key = 1;
    return c == '"' ? go_to(check, STRING) : TD_JSON_BAD;
}

static enum td_json_step after_value(struct td_json_check *check, char c)
{
    if (is_white(c))
        return TD_JSON_MORE;
    if (c == ',')
        return go_to(check, in_list(check) ? VALUE : KEY);
    return c == (in_list(check) ? ']' : '}') ? leave(check) : TD_JSON_BAD;
}

static enum td_json_step in_string(struct td_json_check *check, char c)
{
    if (c == '"')
        return go_to(check, check->is_key ? COLON : AFTER);
    if (c == '\\')
        return go_to(check, ESCAPE);
    return c ? TD_JSON_MORE : TD_JSON_BAD;
}

static enum td_json_step begin_escape(struct td_json_check *check, char c)
{
    static const char simple[] = "\"\\/bfnrt";
    if (c == 'u') {
        check->hex = 0;
        check->code = 0;
        return go_to(check, HEX);
    }
    for (const char *s = simple; *s; s++)
        if (*s == c)
            return go_to(check, STRING);
    return TD_JSON_BAD;
}

static enum td_json_step in_hex(struct td_json_check *check, char c)
{
    const int digit = is_digit(c)            ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0)
        return TD_JSON_BAD;
    check->code = (uint16_t)(check->code << 4 | digit);
    if (++check->hex < 4)
        return TD_JSON_MORE;
    const bool low = check->code >= 0xdc00 && check->code < 0xe000;
    if (low != (check->high != 0))
        return TD_JSON_BAD;
    check->high = check->code >= 0xd800 && check->code < 0xdc00 ? check->code : 0;
    return go_to(check, check->high ? LOW_ESCAPE : STRING);
}

/* A number ends before a byte that is not part of it. */
static enum td_json_step in_number(struct td_json_check *check, char c)
{
    const bool digit = is_digit(c), exponent = c == 'e' || c == 'E';
    switch (check->state) {
    case MINUS:
        return digit ? go_to(check, c == '0' ? ZERO : INTEGER) : TD_JSON_BAD;
    case POINT:
        return digit ? go_to(check, FRACTION) : TD_JSON_BAD;
    case EXPONENT:
        if (c == '+' || c == '-')
            return go_to(check, EXPONENT_SIGN);
        return digit ? go_to(check, EXPONENT_DIGITS) : TD_JSON_BAD;
    case EXPONENT_SIGN:
        return digit ? go_to(check, EXPONENT_DIGITS) : TD_JSON_BAD;
    case ZERO:
    case INTEGER:
        if (c == '.')
            return go_to(check, POINT);
        if (exponent)
            return go_to(check, EXPONENT);
        return digit && check->state == INTEGER ? TD_JSON_MORE : after_value(check, c);
    case FRACTION:
        if (exponent)
            return go_to(check, EXPONENT);
        return digit ? TD_JSON_MORE : after_value(check, c);
    default: /* EXPONENT_DIGITS */
        return digit ? TD_JSON_MORE : after_value(check, c);
    }
}

/* White space and a comma after a number are only seen by after_value(), which leaves the state as it was for
 * the former. */
static enum td_json_step end_number(struct td_json_check *check, char c)
{
    const enum td_json_step step = in_number(check, c);
    if (step == TD_JSON_MORE && is_white(c))
        check->state = AFTER;
    return step;
}

enum td_json_step td_json_check_byte(struct td_json_check *check, char c)
{
    switch (check->state) {
    case VALUE:
        return begin_value(check, c);
    case FIRST_ITEM:
        return c == ']' ? leave(check) : begin_value(check, c);
    case FIRST_KEY:
        return c == '}' ? leave(check) : begin_key(check, c);
    case KEY:
        return begin_key(check, c);
    case COLON:
        return is_white(c) ? TD_JSON_MORE : c == ':' ? go_to(check, VALUE) : TD_JSON_BAD;
    case AFTER:
        return after_value(check, c);
    case STRING:
        return in_string(check, c);
    case ESCAPE:
        return begin_escape(check, c);
    case HEX:
        return in_hex(check, c);
    case LOW_ESCAPE:
        return c == '\\' ? go_to(check, LOW_U) : TD_JSON_BAD;
    case LOW_U:
        check->hex = 0;
        check->code = 0;
        return c == 'u' ? go_to(check, HEX) : TD_JSON_BAD;
    case WORD:
        if (c != *check->word)
            return TD_JSON_BAD;
        return *++check->word ? TD_JSON_MORE : go_to(check, AFTER);
    default:
        return end_number(check, c);
    }
}

bool td_json_is_between(const struct td_json_check *check)
{
    return check->depth == 1 && check->state == VALUE && in_list(check);
}
