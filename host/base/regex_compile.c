/* From the text of a regular expression to nodes. */
#include "host/base/grow.h"
#include "host/base/regex_nodes.h"

#include <ctype.h>
#include <string.h>

#define DEPTH_MAX 100

struct part {
    uint32_t first, last; /* nodes; the last one's `next` is free */
};
struct compiler {
    struct td_regex *regex;
    const char *pattern, *at;
    struct td_err *err;
    unsigned depth;
    uint32_t back; /* highest group that is referred to */
};

static int wrong(struct compiler *c, const char *what)
{
    return td_fail(c->err, TD_E_USAGE, "'%s' is no regular expression: %s at place %d", c->pattern, what,
                   (int)(c->at - c->pattern) + 1);
}

static int add_node(struct compiler *c, struct td_regex_node node, uint32_t *index)
{
    struct td_regex *regex = c->regex;
    if (td_grow(&regex->nodes, &regex->node_room, regex->node_count + 1, sizeof node) < 0)
        return td_fail(c->err, TD_E_NOMEM, "out of memory for a regular expression");
    *index = (uint32_t)regex->node_count;
    regex->nodes[regex->node_count++] = node;
    return 0;
}

static int add_one(struct compiler *c, struct td_regex_node node, struct part *part)
{
    int rc = add_node(c, node, &part->first);
    part->last = part->first;
    return rc;
}

static void join(struct compiler *c, struct part *to, struct part more)
{
    c->regex->nodes[to->last].next = more.first;
    to->last = more.last;
}

/* ---- sets of bytes ---- */

static void set_add(struct td_regex_set *set, unsigned char byte)
{
    set->bits[byte >> 5] |= UINT32_C(1) << (byte & 31);
}

static void set_invert(struct td_regex_set *set)
{
    for (size_t i = 0; i < 8; i++)
        set->bits[i] = ~set->bits[i];
}

static int is_word(int byte)
{
    return isalnum(byte) || byte == '_';
}

/* \d \w \s and their opposites; 0: the letter is none of them. */
static int set_of_class(char letter, struct td_regex_set *set)
{
    struct td_regex_set found = {{0}};
    int low = tolower((unsigned char)letter);
    if (low != 'd' && low != 'w' && low != 's')
        return 0;
    for (int byte = 0; byte < 256; byte++)
        if (low == 'd' ? isdigit(byte) : low == 'w' ? is_word(byte) : isspace(byte))
            set_add(&found, (unsigned char)byte);
    if (low != letter)
        set_invert(&found);
    for (size_t i = 0; i < 8; i++)
        set->bits[i] |= found.bits[i];
    return 1;
}

static const struct {
    const char *name;
    int (*has)(int byte);
} named[] = {{"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank}, {"cntrl", iscntrl},
             {"digit", isdigit}, {"graph", isgraph}, {"lower", islower}, {"print", isprint},
             {"punct", ispunct}, {"space", isspace}, {"upper", isupper}, {"xdigit", isxdigit}};

/* [:alpha:] inside of a set, behind its "[:". */
static int set_of_name(struct compiler *c, struct td_regex_set *set)
{
    const char *end = strstr(c->at, ":]");
    for (size_t i = 0; end && i < sizeof named / sizeof *named; i++)
        if (strlen(named[i].name) == (size_t)(end - c->at) &&
            !strncmp(named[i].name, c->at, (size_t)(end - c->at))) {
            for (int byte = 0; byte < 256; byte++)
                if (named[i].has(byte))
                    set_add(set, (unsigned char)byte);
            c->at = end + 2;
            return 0;
        }
    return wrong(c, "no such class of characters");
}

static int hex_digits(struct compiler *c, int count, unsigned char *byte)
{
    unsigned value = 0;
    for (int i = 0; i < count; i++, c->at++) {
        if (!isxdigit((unsigned char)*c->at))
            return wrong(c, "no hexadecimal digit");
        value =
            value * 16 + (unsigned)(isdigit((unsigned char)*c->at) ? *c->at - '0' : (*c->at | 32) - 'a' + 10);
    }
    if (value > 255)
        return wrong(c, "no character of one byte");
    *byte = (unsigned char)value;
    return 0;
}

/* The byte that is meant by what stands behind a backslash. */
static int escaped(struct compiler *c, unsigned char *byte)
{
    static const char letters[] = "nrtfv0", bytes[] = "\n\r\t\f\v\0";
    const char *place = *c->at ? strchr(letters, *c->at) : NULL;
    if (!*c->at)
        return wrong(c, "nothing behind a backslash");
    char letter = *c->at++;
    if (letter == 'x' || letter == 'u')
        return hex_digits(c, letter == 'x' ? 2 : 4, byte);
    if (letter == 'c' && isalpha((unsigned char)*c->at)) {
        *byte = (unsigned char)*c->at++ & 31;
        return 0;
    }
    if (!place && isalnum((unsigned char)letter))
        return wrong(c, "no such escape");
    *byte = (unsigned char)(place ? bytes[place - letters] : letter);
    return 0;
}

/* One member of a set; *single: it is `byte`, which may begin a range. */
static int set_member(struct compiler *c, struct td_regex_set *set, unsigned char *byte, int *single)
{
    *single = 0;
    if (!strncmp(c->at, "[:", 2)) {
        c->at += 2;
        return set_of_name(c, set);
    }
    if (*c->at == '\\' && set_of_class(c->at[1], set)) {
        c->at += 2;
        return 0;
    }
    *single = 1;
    if (!strncmp(c->at, "\\b", 2)) {
        c->at += 2;
        *byte = '\b';
        return 0;
    }
    if (*c->at == '\\') {
        c->at++;
        return escaped(c, byte);
    }
    *byte = (unsigned char)*c->at++;
    return 0;
}

static int set_range(struct compiler *c, struct td_regex_set *set)
{
    unsigned char low, high;
    int single;
    if (set_member(c, set, &low, &single) < 0)
        return TD_E_USAGE;
    if (!single)
        return 0;
    high = low;
    if (*c->at == '-' && c->at[1] && c->at[1] != ']') {
        c->at++;
        if (set_member(c, set, &high, &single) < 0)
            return TD_E_USAGE;
        if (!single || high < low)
            return wrong(c, "a range that ends before it begins");
    }
    for (unsigned byte = low; byte <= high; byte++)
        set_add(set, (unsigned char)byte);
    return 0;
}

static int add_set(struct compiler *c, const struct td_regex_set *set, struct part *part)
{
    struct td_regex *regex = c->regex;
    if (td_grow(&regex->sets, &regex->set_room, regex->set_count + 1, sizeof *set) < 0)
        return td_fail(c->err, TD_E_NOMEM, "out of memory for a regular expression");
    regex->sets[regex->set_count] = *set;
    return add_one(c, (struct td_regex_node){.kind = TD_REGEX_SET, .set = (uint32_t)regex->set_count++},
                   part);
}

/* Behind its "[". */
static int parse_set(struct compiler *c, struct part *part)
{
    struct td_regex_set set = {{0}};
    int inverted = *c->at == '^';
    c->at += inverted;
    while (*c->at && *c->at != ']')
        if (set_range(c, &set) < 0)
            return TD_E_USAGE;
    if (!*c->at)
        return wrong(c, "a [ without a ]");
    c->at++;
    if (inverted)
        set_invert(&set);
    return add_set(c, &set, part);
}

/* ---- what may be repeated ---- */

static int parse_either(struct compiler *c, struct part *part);

static int add_literal(struct compiler *c, unsigned char byte, struct part *part)
{
    struct td_regex_set set = {{0}};
    set_add(&set, byte);
    return add_set(c, &set, part);
}

/* Behind its backslash. */
static int parse_escape(struct compiler *c, struct part *part)
{
    struct td_regex_set set = {{0}};
    unsigned char byte;
    if (*c->at == 'b' || *c->at == 'B')
        return add_one(c, (struct td_regex_node){.kind = TD_REGEX_WORD, .number = *c->at++ == 'B'}, part);
    if (*c->at >= '1' && *c->at <= '9') {
        uint32_t group = (uint32_t)(*c->at++ - '0');
        if (isdigit((unsigned char)*c->at))
            group = group * 10 + (uint32_t)(*c->at++ - '0');
        c->back = group > c->back ? group : c->back;
        return add_one(c, (struct td_regex_node){.kind = TD_REGEX_BACK, .number = group}, part);
    }
    if (*c->at && set_of_class(*c->at, &set)) {
        c->at++;
        return add_set(c, &set, part);
    }
    int rc = escaped(c, &byte);
    return rc < 0 ? rc : add_literal(c, byte, part);
}

/* Behind its "(". */
static int parse_group(struct compiler *c, struct part *part)
{
    struct part inner, end;
    int look = !strncmp(c->at, "?=", 2) || !strncmp(c->at, "?!", 2), plain = !strncmp(c->at, "?:", 2);
    uint32_t group = 0, negative = look && c->at[1] == '!';
    if (*c->at == '?' && !look && !plain)
        return wrong(c, "no such group");
    c->at += look || plain ? 2 : 0;
    if (!look && !plain && (group = ++c->regex->groups) >= TD_REGEX_GROUPS)
        return wrong(c, "too many groups");
    int rc = parse_either(c, &inner);
    if (rc < 0)
        return rc;
    if (*c->at != ')')
        return wrong(c, "a ( without a )");
    c->at++;
    if (look) {
        rc = add_one(c, (struct td_regex_node){.kind = TD_REGEX_DONE}, &end);
        join(c, &inner, end);
        return rc < 0 ? rc
                      : add_one(c,
                                (struct td_regex_node){
                                    .kind = TD_REGEX_LOOK, .number = negative, .body = inner.first},
                                part);
    }
    *part = inner;
    if (plain)
        return 0;
    if ((rc = add_one(c, (struct td_regex_node){.kind = TD_REGEX_OPEN, .number = group}, part)) < 0 ||
        (rc = add_one(c, (struct td_regex_node){.kind = TD_REGEX_CLOSE, .number = group}, &end)) < 0)
        return rc;
    join(c, part, inner);
    join(c, part, end);
    return 0;
}

static int parse_atom(struct compiler *c, struct part *part)
{
    struct td_regex_set set = {{0}};
    switch (*c->at++) {
    case '^':
        return add_one(c, (struct td_regex_node){.kind = TD_REGEX_BEGIN}, part);
    case '$':
        return add_one(c, (struct td_regex_node){.kind = TD_REGEX_END}, part);
    case '(':
        return parse_group(c, part);
    case '[':
        return parse_set(c, part);
    case '\\':
        return parse_escape(c, part);
    case '.':
        set_add(&set, '\n');
        set_add(&set, '\r');
        set_invert(&set);
        return add_set(c, &set, part);
    case '*':
    case '+':
    case '?':
    case '{':
        c->at--;
        return wrong(c, "nothing to repeat");
    default:
        return add_literal(c, (unsigned char)c->at[-1], part);
    }
}

/* ---- repeating ---- */

static int parse_number(struct compiler *c, uint32_t *number)
{
    if (!isdigit((unsigned char)*c->at))
        return wrong(c, "no number");
    for (*number = 0; isdigit((unsigned char)*c->at); c->at++)
        if ((*number = *number * 10 + (uint32_t)(*c->at - '0')) > 100000)
            return wrong(c, "too large a number");
    return 0;
}

/* How often; 1: as often as it says, 0: there is nothing of the kind. */
static int parse_times(struct compiler *c, struct td_regex_node *loop)
{
    char sign = *c->at;
    if (sign != '*' && sign != '+' && sign != '?' && sign != '{')
        return 0;
    c->at++;
    loop->least = sign == '+';
    loop->most = sign == '?' ? 1 : TD_REGEX_ENDLESS;
    if (sign == '{') {
        if (parse_number(c, &loop->least) < 0)
            return TD_E_USAGE;
        loop->most = loop->least;
        if (*c->at == ',') {
            c->at++;
            loop->most = TD_REGEX_ENDLESS;
            if (*c->at != '}' && parse_number(c, &loop->most) < 0)
                return TD_E_USAGE;
        }
        if (*c->at++ != '}' || loop->most < loop->least) {
            c->at--;
            return wrong(c, "no range of numbers");
        }
    }
    loop->lazy = *c->at == '?';
    c->at += loop->lazy;
    return 1;
}

static int repeat(struct compiler *c, struct part *part, struct td_regex_node loop)
{
    struct part enter, again;
    const struct td_regex_node *body = &c->regex->nodes[part->first];
    if (part->first == part->last && body->kind == TD_REGEX_SET) {
        loop.kind = TD_REGEX_MANY;
        loop.set = body->set;
        return add_one(c, loop, part);
    }
    if (c->regex->loops == TD_REGEX_LOOPS)
        return wrong(c, "too many loops");
    loop.kind = TD_REGEX_AGAIN;
    loop.number = c->regex->loops++;
    loop.body = part->first;
    int rc = add_one(c, loop, &again);
    if (rc == 0)
        rc = add_one(c, (struct td_regex_node){.kind = TD_REGEX_LOOP, .number = loop.number}, &enter);
    if (rc < 0)
        return rc;
    c->regex->nodes[part->last].next = again.first;
    join(c, &enter, again);
    *part = enter;
    return 0;
}

static int takes_nothing(const struct compiler *c, const struct part *part)
{
    enum td_regex_kind kind = c->regex->nodes[part->first].kind;
    return part->first == part->last &&
           (kind == TD_REGEX_BEGIN || kind == TD_REGEX_END || kind == TD_REGEX_WORD || kind == TD_REGEX_LOOK);
}

static int parse_sequence(struct compiler *c, struct part *part)
{
    int rc = add_one(c, (struct td_regex_node){.kind = TD_REGEX_NOTHING}, part);
    while (rc == 0 && *c->at && *c->at != '|' && *c->at != ')') {
        struct part more;
        struct td_regex_node loop = {.kind = TD_REGEX_NOTHING};
        rc = parse_atom(c, &more);
        int times = rc < 0 ? rc : parse_times(c, &loop);
        if (times > 0 && takes_nothing(c, &more))
            times = wrong(c, "nothing to repeat");
        if (times > 0)
            times = repeat(c, &more, loop);
        rc = times < 0 ? times : 0;
        if (rc == 0)
            join(c, part, more);
    }
    return rc;
}

static int parse_either(struct compiler *c, struct part *part)
{
    struct part other, end, branch;
    if (c->depth++ == DEPTH_MAX)
        return wrong(c, "too many groups in one another");
    int rc = parse_sequence(c, part);
    if (rc == 0 && *c->at == '|') {
        c->at++;
        if ((rc = parse_either(c, &other)) < 0 ||
            (rc = add_one(c, (struct td_regex_node){.kind = TD_REGEX_NOTHING}, &end)) < 0 ||
            (rc = add_one(
                 c,
                 (struct td_regex_node){.kind = TD_REGEX_BRANCH, .body = part->first, .other = other.first},
                 &branch)) < 0)
            return rc;
        join(c, part, end);
        join(c, &other, end);
        *part = (struct part){branch.first, end.last};
    }
    c->depth--;
    return rc;
}

int td_regex_compile(const char *pattern, struct td_regex **regex, struct td_err *err)
{
    struct compiler c = {.pattern = pattern, .at = pattern, .err = err, .regex = calloc(1, sizeof *c.regex)};
    struct part part, done;
    *regex = NULL;
    if (!c.regex)
        return td_fail(err, TD_E_NOMEM, "out of memory for a regular expression");
    int rc = parse_either(&c, &part);
    if (rc == 0 && *c.at)
        rc = wrong(&c, "a ) without a (");
    if (rc == 0 && c.back > c.regex->groups)
        rc = wrong(&c, "a reference to a group that is not there");
    if (rc == 0 && (rc = add_one(&c, (struct td_regex_node){.kind = TD_REGEX_DONE}, &done)) == 0)
        join(&c, &part, done);
    if (rc < 0) {
        td_regex_free(c.regex);
        return rc;
    }
    c.regex->first = part.first;
    *regex = c.regex;
    return 0;
}

void td_regex_free(struct td_regex *regex)
{
    if (!regex)
        return;
    free(regex->nodes);
    free(regex->sets);
    free(regex);
}
