#include "host/device/board_parse.h"

#include <ctype.h>
#include <ini.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind {
    KIND_NAME, /* a word of letters, digits, '_' and '-' */
    KIND_U32,
    KIND_U64,
    KIND_DOUBLE,
    KIND_LIST,   /* 1-4,6-9: may be given several times */
    KIND_PLACES, /* 0,0 0,1: may be given several times */
    KIND_GRID
};

struct field {
    const char *section, *name;
    enum kind kind;
    size_t offset, bytes;
    uint64_t min, max;
    int optional;
};

#define AT(member)      offsetof(struct td_board_text, member), sizeof(((struct td_board_text *)0)->member)
#define CORE_AT(member) offsetof(struct td_core_desc, member), sizeof(((struct td_core_desc *)0)->member)

/* clang-format off */
static const struct field board_fields[TD_KEY_COUNT] = {
    [TD_KEY_NAME]              = {"board", "name", KIND_NAME, AT(board.name), 0, 0, 0},
    [TD_KEY_TRANSPORT]         = {"board", "transport", KIND_NAME, AT(board.transport), 0, 0, 0},
    [TD_KEY_CHIPS]             = {"board", "chips", KIND_U32, AT(board.chips), 1, 64, 0},
    [TD_KEY_FREQUENCY]         = {"clock", "frequency_mhz", KIND_DOUBLE, AT(frequency_mhz), 1, 100000, 0},
    [TD_KEY_LOW]               = {"clock", "low", KIND_U32, AT(board.clock_low), 0, UINT32_MAX, 0},
    [TD_KEY_LIVE_HIGH]         = {"clock", "live_high", KIND_U32, AT(board.clock_live_high), 0, UINT32_MAX, 0},
    [TD_KEY_LATCHED_HIGH]      = {"clock", "latched_high", KIND_U32, AT(board.clock_latched_high), 0, UINT32_MAX, 0},
    [TD_KEY_SOFT_RESET]        = {"reset", "soft_reset", KIND_U32, AT(board.soft_reset), 0, UINT32_MAX, 0},
    [TD_KEY_NOC_WIDTH]         = {"noc", "width", KIND_U32, AT(board.noc_width), 1, TD_MAX_GRID, 0},
    [TD_KEY_NOC_HEIGHT]        = {"noc", "height", KIND_U32, AT(board.noc_height), 1, TD_MAX_GRID, 0},
    [TD_KEY_NOC_REGS]          = {"noc", "regs", KIND_U32, AT(board.noc_regs), 0, UINT32_MAX, 0},
    [TD_KEY_COLUMNS]           = {"grid", "columns", KIND_LIST, AT(columns), 0, 0, 0},
    [TD_KEY_ROWS]              = {"grid", "rows", KIND_LIST, AT(rows), 0, 0, 0},
    [TD_KEY_HARVESTED_COLUMNS] = {"grid", "harvested_columns", KIND_LIST, AT(harvested_columns), 0, 0, 1},
    [TD_KEY_HARVESTED_ROWS]    = {"grid", "harvested_rows", KIND_LIST, AT(harvested_rows), 0, 0, 1},
    [TD_KEY_GRID]              = {"grid", "default", KIND_GRID, AT(grid), 0, 0, 0},
    [TD_KEY_L1_BASE]           = {"tensix", "l1_base", KIND_U32, AT(board.l1_base), 0, UINT32_MAX, 0},
    [TD_KEY_L1_BYTES]          = {"tensix", "l1_bytes", KIND_U32, AT(board.l1_bytes), 4096, 1u << 30, 0},
    [TD_KEY_LANE_BASE]         = {"tensix", "lane_base", KIND_U32, AT(board.lane_base), 0, UINT32_MAX, 0},
    [TD_KEY_RING_SLOTS]        = {"tensix", "ring_slots", KIND_U32, AT(board.ring_slots), 64, 1u << 20, 0},
    [TD_KEY_DATA_BASE]         = {"tensix", "data_base", KIND_U32, AT(board.data_base), 0, UINT32_MAX, 0},
    [TD_KEY_BANKS]             = {"dram", "banks", KIND_U32, AT(board.dram_banks), 0, TD_MAX_BANKS, 1},
    [TD_KEY_BANK_BYTES]        = {"dram", "bank_bytes", KIND_U64, AT(board.dram_bank_bytes), 4096, UINT64_C(1) << 40, 1},
    [TD_KEY_POSITIONS]         = {"dram", "positions", KIND_PLACES, AT(places), 0, 0, 1},
};

static const struct field core_fields[TD_CORE_KEY_COUNT] = {
    [TD_CORE_KEY_RESET_BIT]   = {"core", "reset_bit", KIND_U32, CORE_AT(reset_bit), 0, 31, 0},
    [TD_CORE_KEY_START]       = {"core", "start", KIND_U32, CORE_AT(start), 0, UINT32_MAX, 0},
    [TD_CORE_KEY_CODE_BASE]   = {"core", "code_base", KIND_U32, CORE_AT(code_base), 0, UINT32_MAX, 0},
    [TD_CORE_KEY_CODE_BYTES]  = {"core", "code_bytes", KIND_U32, CORE_AT(code_bytes), 16, 1u << 30, 0},
    [TD_CORE_KEY_LOCAL_BASE]  = {"core", "local_base", KIND_U32, CORE_AT(local_base), 0, UINT32_MAX, 0},
    [TD_CORE_KEY_LOCAL_BYTES] = {"core", "local_bytes", KIND_U32, CORE_AT(local_bytes), 64, 1u << 24, 0},
};
/* clang-format on */

struct state {
    struct td_board_text *t;
    struct td_err *err;
    int failed;
    /* reader */
    const char *next;
    int line;
};

static int refuse(struct state *s, const char *text, const char *what)
{
    if (!s->failed)
        s->failed = td_fail(s->err, TD_E_FORMAT, "%s:%d: %s%s%s", s->t->origin, s->line, text,
                            what ? ": " : "", what ? what : "");
    return 0;
}

/* inih's line buffer is fixed and long lines would be cut in two silently; and its handler is not told the
 * line. So lines come one by one from here. Leading blanks go, since inih takes indented lines as
 * continuations. */
static char *read_line(char *buffer, int size, void *self)
{
    struct state *s = self;
    if (!*s->next || s->failed)
        return NULL;
    s->line++;
    size_t length = strcspn(s->next, "\n");
    const char *from = s->next;
    s->next += length + (s->next[length] == '\n');
    while (length && isspace((unsigned char)*from)) {
        from++;
        length--;
    }
    if (length + 2 > (size_t)size) {
        refuse(s, "line is too long; a list can be given in several lines with the same key", NULL);
        return NULL;
    }
    memcpy(buffer, from, length);
    memcpy(buffer + length, "\n", 2);
    return buffer;
}

static int parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
    char *end;
    if (!isdigit((unsigned char)*text) || strlen(text) > 20)
        return -1;
    *value = strtoull(text, &end, 0);
    return *end || *value < min || *value > max ? -1 : 0;
}

static int parse_name(char *to, size_t bytes, const char *text)
{
    size_t length = strlen(text);
    if (length == 0 || length >= bytes)
        return -1;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_' && text[i] != '-')
            return -1;
    memset(to, 0, bytes);
    memcpy(to, text, length);
    return 0;
}

/* A number below TD_MAX_GRID at *text, which is moved behind it. */
static int parse_small(const char **text, uint16_t *value)
{
    const char *p = *text;
    unsigned v = 0;
    if (!isdigit((unsigned char)*p))
        return -1;
    for (; isdigit((unsigned char)*p); p++)
        if ((v = v * 10 + (unsigned)(*p - '0')) >= TD_MAX_GRID)
            return -1;
    *value = (uint16_t)v;
    *text = p;
    return 0;
}

static int list_has(const struct td_list *list, uint16_t item)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->item[i] == item)
            return 1;
    return 0;
}

static int parse_list(struct td_list *list, const char *p)
{
    while (*p) {
        uint16_t first, last;
        if (parse_small(&p, &first))
            return -1;
        last = first;
        if (*p == '-' && (p++, parse_small(&p, &last)))
            return -1;
        if (last < first)
            return -1;
        for (uint16_t i = first; i <= last; i++) {
            if (list_has(list, i))
                return -1;
            list->item[list->count++] = i;
        }
        p += strspn(p, " \t");
        if (*p == ',') {
            p++;
            p += strspn(p, " \t");
            if (!*p)
                return -1;
        } else if (*p) {
            return -1;
        }
    }
    return 0;
}

static int parse_places(struct td_places *places, const char *p)
{
    for (p += strspn(p, " \t"); *p; p += strspn(p, " \t")) {
        uint16_t x, y;
        if (places->count == TD_MAX_BANKS || parse_small(&p, &x) || *p++ != ',' || parse_small(&p, &y))
            return -1;
        if (*p && *p != ' ' && *p != '\t')
            return -1;
        places->x[places->count] = x;
        places->y[places->count++] = y;
    }
    return 0;
}

int td_grid_parse(struct td_grid_size *size, const char *text)
{
    uint16_t width, height;
    if (parse_small(&text, &width) || *text++ != 'x' || parse_small(&text, &height) || *text)
        return TD_E_FORMAT;
    size->width = width;
    size->height = height;
    return width && height ? 0 : TD_E_FORMAT;
}

static int parse_mhz(double *to, const char *text, const struct field *f)
{
    char *end;
    *to = strtod(text, &end);
    return *end || !(*to >= (double)f->min && *to <= (double)f->max) ? -1 : 0;
}

static int store(struct state *s, const struct field *f, void *to, const char *text)
{
    uint64_t number;
    int bad = 0;
    switch (f->kind) {
    case KIND_NAME:
        bad = parse_name(to, f->bytes, text);
        break;
    case KIND_U32:
    case KIND_U64:
        bad = parse_u64(text, f->min, f->max, &number);
        if (!bad && f->kind == KIND_U32)
            *(uint32_t *)to = (uint32_t)number;
        else if (!bad)
            *(uint64_t *)to = number;
        break;
    case KIND_DOUBLE:
        bad = parse_mhz(to, text, f);
        break;
    case KIND_LIST:
        bad = parse_list(to, text);
        break;
    case KIND_PLACES:
        bad = parse_places(to, text);
        break;
    case KIND_GRID:
        bad = td_grid_parse(to, text);
        break;
    }
    if (!bad)
        return 1;
    char what[160];
    if (f->kind == KIND_U32 || f->kind == KIND_U64)
        snprintf(what, sizeof what, "%s=%.60s is not a number from %llu to %llu", f->name, text,
                 (unsigned long long)f->min, (unsigned long long)f->max);
    else
        snprintf(what, sizeof what, "%s=%.60s does not make sense", f->name, text);
    return refuse(s, what, NULL);
}

static int take(struct state *s, const struct field *fields, int count, int *lines, void *base,
                const char *section, const char *name, const char *value)
{
    int known = 0;
    for (int i = 0; i < count; i++) {
        if (strcmp(fields[i].section, section) != 0)
            continue;
        known = 1;
        if (strcmp(fields[i].name, name) != 0)
            continue;
        if (lines[i] && fields[i].kind != KIND_LIST && fields[i].kind != KIND_PLACES)
            return refuse(s, "key is given twice", name);
        lines[i] = s->line;
        return store(s, &fields[i], (char *)base + fields[i].offset, value);
    }
    return known ? refuse(s, "unknown key", name) : refuse(s, "unknown section", section);
}

static int core_of_section(struct state *s, const char *name)
{
    struct td_board *board = &s->t->board;
    for (uint32_t i = 0; i < board->core_count; i++)
        if (strcmp(board->cores[i].name, name) == 0)
            return (int)i;
    if (board->core_count == TD_MAX_CORES) {
        refuse(s, "more cores than a tile can have", name);
        return -1;
    }
    if (parse_name(board->cores[board->core_count].name, sizeof board->cores[0].name, name)) {
        refuse(s, "core's name must have 1 to 15 letters, digits, _ or -", name);
        return -1;
    }
    return (int)board->core_count++;
}

static int on_key(void *self, const char *section, const char *name, const char *value)
{
    struct state *s = self;
    if (s->failed)
        return 0;
    if (strncmp(section, "core", 4) == 0 && (section[4] == ' ' || section[4] == '\0')) {
        const char *core_name = section + 4 + strspn(section + 4, " ");
        int core = core_of_section(s, core_name);
        return core < 0 ? 0
                        : take(s, core_fields, TD_CORE_KEY_COUNT, s->t->core_line[core],
                               &s->t->board.cores[core], "core", name, value);
    }
    return take(s, board_fields, TD_KEY_COUNT, s->t->line, s->t, section, name, value);
}

static int check_complete(const struct td_board_text *t, struct td_err *err)
{
    for (int i = 0; i < TD_KEY_COUNT; i++)
        if (!t->line[i] && !board_fields[i].optional)
            return td_fail(err, TD_E_FORMAT, "%s: section [%s] lacks %s", t->origin, board_fields[i].section,
                           board_fields[i].name);
    if (t->board.core_count == 0)
        return td_fail(err, TD_E_FORMAT, "%s: no core; a section such as [core BRISC] describes one",
                       t->origin);
    for (uint32_t c = 0; c < t->board.core_count; c++)
        for (int i = 0; i < TD_CORE_KEY_COUNT; i++)
            if (!t->core_line[c][i])
                return td_fail(err, TD_E_FORMAT, "%s: section [core %s] lacks %s", t->origin,
                               t->board.cores[c].name, core_fields[i].name);
    return 0;
}

int td_board_text_parse(struct td_board_text *t, const char *text, const char *origin, struct td_err *err)
{
    memset(t, 0, sizeof *t);
    t->origin = origin;
    struct state s = {.t = t, .err = err, .next = text};
    int line = ini_parse_stream(read_line, &s, on_key, &s);
    if (s.failed)
        return s.failed;
    if (line < 0)
        return td_fail(err, TD_E_NOMEM, "%s: no memory to parse it", origin);
    if (line > 0)
        return td_fail(err, TD_E_FORMAT, "%s:%d: neither [section] nor key=value nor comment", origin, line);
    return check_complete(t, err);
}
