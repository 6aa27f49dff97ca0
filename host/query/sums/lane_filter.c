#include "host/query/sums/lane_filter.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_DEPTH 32
#define ANY       UINT16_MAX

enum lane_step_kind {
    STEP_AND,
    STEP_OR,
    STEP_NOT,
    STEP_NAME,
    STEP_CORE_NAME,
    STEP_KERNEL,
    STEP_CHIP,
    STEP_TILE,
    STEP_CORE,
    STEP_BUSY,
    STEP_WORK,
    STEP_WAIT,
    STEP_LOST,
    STEP_ZONES,
    STEP_LONGEST
};

enum lane_compare { LESS, AT_MOST, MORE, AT_LEAST, EQUAL, UNEQUAL };

static const struct {
    const char *word;
    enum lane_step_kind kind;
    const char *unit; /* of numbers, in messages */
} measures[] = {{"busy", STEP_BUSY, "50 %"},   {"work", STEP_WORK, "50 %"},
                {"wait", STEP_WAIT, "10 %"},   {"lost", STEP_LOST, "0 %"},
                {"zones", STEP_ZONES, "1000"}, {"longest", STEP_LONGEST, "1.5 ms"}};

struct lane_parser {
    struct td_lane_filter *filter;
    struct td_lane_mistake *mistake;
    const char *text, *at;
    int depth;
};

/* ---- reading ---- */

static bool fail(struct lane_parser *p, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool fail(struct lane_parser *p, const char *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    p->mistake->at = (size_t)(at - p->text);
    vsnprintf(p->mistake->text, sizeof p->mistake->text, format, args);
    va_end(args);
    return false;
}

static void skip_spaces(struct lane_parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
}

/* Length of the word at `at`. */
static size_t word_length(const char *at)
{
    size_t n = 0;
    while (at[n] && !isspace((unsigned char)at[n]) && !strchr("()<>=!\"&|", at[n]))
        n++;
    return n;
}

static bool is_word(const char *at, const char *word)
{
    size_t n = word_length(at);
    return n == strlen(word) && !strncasecmp(at, word, n);
}

/* Skips the sign or the word if it is next. */
static bool take(struct lane_parser *p, const char *sign, const char *word)
{
    skip_spaces(p);
    size_t n = strlen(sign);
    if (!strncmp(p->at, sign, n)) {
        p->at += n + (*sign != '!' && p->at[n] == *sign); /* && as & */
        return true;
    }
    if (!is_word(p->at, word))
        return false;
    p->at += strlen(word);
    return true;
}

static bool add_step(struct lane_parser *p, struct td_lane_step step)
{
    struct td_lane_filter *f = p->filter;
    if (f->count == TD_LANE_FILTER_STEPS)
        return fail(p, p->at, "the filter has too many parts");
    f->step[f->count++] = step;
    return true;
}

static bool read_number(struct lane_parser *p, uint16_t *number)
{
    if (!isdigit((unsigned char)*p->at))
        return false;
    unsigned long value = strtoul(p->at, (char **)&p->at, 10);
    *number = (uint16_t)(value < ANY ? value : ANY - 1);
    return true;
}

/* "3", "2-5" or "*". */
static bool read_range(struct lane_parser *p, uint16_t *low, uint16_t *high)
{
    *low = 0;
    *high = ANY;
    if (*p->at == '*') {
        p->at++;
        return true;
    }
    if (!read_number(p, low))
        return false;
    *high = *low;
    if (*p->at != '-')
        return true;
    p->at++;
    return read_number(p, high);
}

static bool ends_place(const char *at)
{
    return !*at || isspace((unsigned char)*at) || strchr("()!&|", *at);
}

/* ---- terms ---- */

static bool read_chip(struct lane_parser *p, const char *start)
{
    struct td_lane_step step = {.kind = STEP_CHIP};
    skip_spaces(p);
    if (!read_range(p, &step.low, &step.high) || !ends_place(p->at))
        return fail(p, *p->at ? p->at : start, "a chip is a number: chip 1, or chip 0-3");
    return add_step(p, step);
}

static bool read_tile(struct lane_parser *p, const char *start)
{
    struct td_lane_step step = {.kind = STEP_TILE};
    skip_spaces(p);
    bool good = read_range(p, &step.low, &step.high) && *p->at == ',';
    if (good) {
        p->at++;
        good = read_range(p, &step.low_y, &step.high_y) && ends_place(p->at);
    }
    if (!good)
        return fail(p, *p->at ? p->at : start, "a tile is X,Y: tile 3,5 or tile 3,* or tile 0-3,2-5");
    return add_step(p, step);
}

/* A name, in quotes or not. */
static bool read_name(struct lane_parser *p, enum lane_step_kind kind)
{
    const char *start = p->at, *from = start;
    size_t n = word_length(from);
    if (*start == '"') {
        from++;
        n = strcspn(from, "\"");
        if (!from[n])
            return fail(p, start, "the quote is not closed");
    }
    if (!n)
        return fail(p, start, "a name is expected here");
    p->at = from + n + (*start == '"');
    return add_step(p, (struct td_lane_step){
                           .kind = (uint8_t)kind, .low = (uint16_t)(from - p->text), .high = (uint16_t)n});
}

static bool read_core(struct lane_parser *p)
{
    struct td_lane_step step = {.kind = STEP_CORE};
    skip_spaces(p);
    const char *start = p->at;
    if (read_range(p, &step.low, &step.high) && ends_place(p->at) && *start != '*')
        return add_step(p, step);
    p->at = start;
    return read_name(p, STEP_CORE_NAME);
}

static bool read_unit(struct lane_parser *p, struct td_lane_step *step)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"\xc2\xb5s", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    skip_spaces(p);
    if (step->kind == STEP_LONGEST) {
        for (size_t i = 0; i < sizeof units / sizeof *units; i++)
            if (is_word(p->at, units[i].unit)) {
                p->at += strlen(units[i].unit);
                step->number *= units[i].ns;
                return true;
            }
        return fail(p, p->at, "a time needs a unit: ns, us, ms or s");
    }
    if (step->kind == STEP_ZONES)
        return *p->at != '%' || fail(p, p->at, "zones are a number, without %%");
    step->number /= 100;
    p->at += *p->at == '%';
    return true;
}

/* A comparison; `which` is an index of the measures. */
static bool read_measure(struct lane_parser *p, const char *start, size_t which)
{
    static const struct {
        const char *sign;
        enum lane_compare compare;
    } signs[] = {{"<=", AT_MOST}, {">=", AT_LEAST}, {"!=", UNEQUAL}, {"==", EQUAL},
                 {"<", LESS},     {">", MORE},      {"=", EQUAL}};
    struct td_lane_step step = {.kind = (uint8_t)measures[which].kind};
    skip_spaces(p);
    size_t s = 0, count = sizeof signs / sizeof *signs;
    while (s < count && strncmp(p->at, signs[s].sign, strlen(signs[s].sign)))
        s++;
    if (s == count)
        return fail(p, *p->at ? p->at : start, "%s needs a comparison: %s > %s", measures[which].word,
                    measures[which].word, measures[which].unit);
    p->at += strlen(signs[s].sign);
    step.compare = (uint8_t)signs[s].compare;
    skip_spaces(p);
    char *end;
    /* strtod() would take "inf", "nan" and hexadecimal numbers, too. */
    step.number = strspn(p->at, "0123456789.") ? strtod(p->at, &end) : 0;
    if (!strspn(p->at, "0123456789.") || end == p->at)
        return fail(p, p->at, "a number is expected here: %s > %s", measures[which].word,
                    measures[which].unit);
    p->at = end;
    p->filter->needs_sums = true;
    return read_unit(p, &step) && add_step(p, step);
}

static bool read_term(struct lane_parser *p)
{
    const char *start = p->at;
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
        if (is_word(start, measures[i].word)) {
            p->at += strlen(measures[i].word);
            return read_measure(p, start, i);
        }
    if (is_word(start, "and") || is_word(start, "or") || !*start || strchr(")<>=&|", *start))
        return fail(p, start, "a name, a place or a comparison is expected here");
    if (is_word(start, "chip")) {
        p->at += 4;
        return read_chip(p, start);
    }
    if (is_word(start, "tile")) {
        p->at += 4;
        return read_tile(p, start);
    }
    if (is_word(start, "core")) {
        p->at += 4;
        return read_core(p);
    }
    if (is_word(start, "kernel")) {
        p->at += 6;
        skip_spaces(p);
        p->filter->needs_sums = true;
        return read_name(p, STEP_KERNEL);
    }
    return read_name(p, STEP_NAME);
}

/* ---- combinations ---- */

static bool read_or(struct lane_parser *p);

static bool read_not(struct lane_parser *p)
{
    if (p->depth > MAX_DEPTH)
        return fail(p, p->at, "the filter is nested too deeply");
    p->depth++;
    bool good;
    if (take(p, "!", "not")) {
        good = read_not(p) && add_step(p, (struct td_lane_step){.kind = STEP_NOT});
    } else if (*p->at == '(') {
        const char *open = p->at++;
        good = read_or(p);
        skip_spaces(p);
        if (good && *p->at != ')')
            good = fail(p, open, "this parenthesis is not closed");
        p->at += good;
    } else {
        good = read_term(p);
    }
    p->depth--;
    return good;
}

static bool read_and(struct lane_parser *p)
{
    bool good = read_not(p);
    while (good) {
        bool said = take(p, "&", "and");
        if (!said && (!*p->at || *p->at == ')' || *p->at == '|' || is_word(p->at, "or")))
            return true;
        good = read_not(p) && add_step(p, (struct td_lane_step){.kind = STEP_AND});
    }
    return false;
}

static bool read_or(struct lane_parser *p)
{
    bool good = read_and(p);
    while (good && take(p, "|", "or"))
        good = read_and(p) && add_step(p, (struct td_lane_step){.kind = STEP_OR});
    return good;
}

bool td_lane_filter_parse(struct td_lane_filter *filter, const char *text, struct td_lane_mistake *mistake)
{
    *filter = (struct td_lane_filter){0};
    *mistake = (struct td_lane_mistake){0};
    struct lane_parser p = {.filter = filter, .mistake = mistake, .text = text, .at = text};
    skip_spaces(&p);
    if (!*p.at)
        return true;
    bool good = strlen(text) < sizeof filter->text || fail(&p, text, "the filter is too long");
    good = good && read_or(&p);
    if (good && *p.at)
        good = fail(&p, p.at, "there is no parenthesis to close");
    if (!good)
        *filter = (struct td_lane_filter){0};
    else
        memcpy(filter->text, text, strlen(text) + 1);
    return good;
}

/* ---- use ---- */

static bool same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Compares all of the name with a pattern, in which * is any text and ? any byte. */
static bool matches(const char *pattern, size_t bytes, const char *name)
{
    size_t p = 0, star = bytes;
    const char *resume = NULL;
    while (*name) {
        if (p < bytes && pattern[p] == '*') {
            star = p++;
            resume = name;
        } else if (p < bytes && (pattern[p] == '?' || same_letter(pattern[p], *name))) {
            p++;
            name++;
        } else if (resume) {
            p = star + 1;
            name = ++resume;
        } else {
            return false;
        }
    }
    while (p < bytes && pattern[p] == '*')
        p++;
    return p == bytes;
}

static bool contains(const char *name, const char *part, size_t bytes)
{
    for (; *name; name++)
        if (!strncasecmp(name, part, bytes))
            return true;
    return false;
}

static bool passes_name(const struct td_lane_filter *f, const struct td_lane_step *s,
                        const struct td_lane_facts *lane)
{
    const char *name = f->text + s->low;
    bool pattern = memchr(name, '*', s->high) || memchr(name, '?', s->high);
    switch ((enum lane_step_kind)s->kind) {
    case STEP_KERNEL:
        return pattern ? matches(name, s->high, lane->kernel) : contains(lane->kernel, name, s->high);
    case STEP_CORE_NAME:
        return lane->is_core && matches(name, s->high, lane->kind);
    default:
        return pattern ? matches(name, s->high, lane->kind) || matches(name, s->high, lane->name)
                       : contains(lane->kind, name, s->high) || contains(lane->name, name, s->high);
    }
}

static bool is_between(unsigned value, uint16_t low, uint16_t high)
{
    return value >= low && (high == ANY || value <= high);
}

static bool passes_place(const struct td_lane_step *s, const struct td_lane_facts *lane)
{
    if (!lane->is_core)
        return false;
    if (s->kind == STEP_TILE)
        return is_between(lane->x, s->low, s->high) && is_between(lane->y, s->low_y, s->high_y);
    return is_between(s->kind == STEP_CHIP ? lane->chip : lane->core, s->low, s->high);
}

static bool passes_number(const struct td_lane_step *s, double value)
{
    switch ((enum lane_compare)s->compare) {
    case LESS:
        return value < s->number;
    case AT_MOST:
        return value <= s->number;
    case MORE:
        return value > s->number;
    case AT_LEAST:
        return value >= s->number;
    case UNEQUAL:
        return value < s->number || value > s->number;
    case EQUAL:
        break;
    }
    return value >= s->number && value <= s->number;
}

static bool passes_step(const struct td_lane_filter *f, const struct td_lane_step *s,
                        const struct td_lane_facts *lane)
{
    switch ((enum lane_step_kind)s->kind) {
    case STEP_CHIP:
    case STEP_TILE:
    case STEP_CORE:
        return passes_place(s, lane);
    case STEP_BUSY:
        return passes_number(s, lane->busy);
    case STEP_WORK:
        return passes_number(s, lane->work);
    case STEP_WAIT:
        return passes_number(s, lane->wait);
    case STEP_LOST:
        return passes_number(s, lane->lost);
    case STEP_ZONES:
        return passes_number(s, lane->zones);
    case STEP_LONGEST:
        return passes_number(s, lane->longest_ns);
    default:
        return passes_name(f, s, lane);
    }
}

bool td_lane_filter_passes(const struct td_lane_filter *filter, const struct td_lane_facts *lane)
{
    bool stack[TD_LANE_FILTER_STEPS];
    int top = -1;
    for (int i = 0; i < filter->count; i++) {
        const struct td_lane_step *s = &filter->step[i];
        if (s->kind == STEP_NOT) {
            stack[top] = !stack[top];
        } else if (s->kind == STEP_AND || s->kind == STEP_OR) {
            top--;
            stack[top] = s->kind == STEP_AND ? stack[top] && stack[top + 1] : stack[top] || stack[top + 1];
        } else {
            stack[++top] = passes_step(filter, s, lane);
        }
    }
    return top < 0 || stack[top];
}
