#include "host/base/err.h"
#include "host/device/board/board_parse.h"

#include <ctype.h>
#include <ini.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum value_kind {
    KIND_NAME,  /* a word of letters, digits, '_' and '-' */
    KIND_NAMES, /* several, with commas between; to board.transports */
    KIND_U32,
    KIND_U64,
    KIND_U32S, /* several, with commas between; to board.pci_device */
    KIND_DOUBLE,
    KIND_LIST,   /* 1-4,6-9: may be given several times */
    KIND_PLACES, /* 0,0 0,1: may be given several times */
    KIND_GRID,
    KIND_CHOICE
};

enum need {
    ALWAYS,     /* must be there */
    OPTIONAL,   /* may be missing */
    IN_SECTION, /* must be there when the section is */
};

struct field {
    const char *section, *name;
    enum value_kind kind;
    size_t offset, bytes;
    uint64_t min, max;
    enum need need;
    const char *choices;
};

#define AT(member)      offsetof(struct td_board_text, member), sizeof(((struct td_board_text *)0)->member)
#define CORE_AT(member) offsetof(struct td_core_desc, member), sizeof(((struct td_core_desc *)0)->member)
#define CHIP_AT(member) offsetof(struct td_chip_text, member), sizeof(((struct td_chip_text *)0)->member)
#define WINDOW_AT(member)                                                                                    \
    offsetof(struct td_window_desc, member), sizeof(((struct td_window_desc *)0)->member)
#define ANY32 0, UINT32_MAX

/* clang-format off */
static const struct field board_fields[TD_KEY_COUNT] = {
    [TD_KEY_NAME]              = {"board", "name", KIND_NAME, AT(board.name), 0, 0, ALWAYS, 0},
    [TD_KEY_BASE]              = {"board", "base", KIND_NAME, AT(base), 0, 0, OPTIONAL, 0},
    [TD_KEY_TRANSPORTS]        = {"board", "transports", KIND_NAMES, AT(board.transports), 0, 0, ALWAYS, 0},
    [TD_KEY_SIMULATED]         = {"board", "simulated", KIND_CHOICE, AT(board.simulated), 0, 0, OPTIONAL, "no|yes"},
    [TD_KEY_CHIPS]             = {"board", "chips", KIND_U32, AT(board.chips), 1, TD_MAX_CHIPS, ALWAYS, 0},
    [TD_KEY_FREQUENCY]         = {"clock", "frequency_mhz", KIND_DOUBLE, AT(frequency_mhz), 1, 100000, ALWAYS, 0},
    [TD_KEY_LOW]               = {"clock", "low", KIND_U32, AT(board.clock_low), ANY32, ALWAYS, 0},
    [TD_KEY_LIVE_HIGH]         = {"clock", "live_high", KIND_U32, AT(board.clock_live_high), ANY32, ALWAYS, 0},
    [TD_KEY_LATCHED_HIGH]      = {"clock", "latched_high", KIND_U32, AT(board.clock_latched_high), 1, UINT32_MAX, OPTIONAL, 0},
    [TD_KEY_SOFT_RESET]        = {"reset", "soft_reset", KIND_U32, AT(board.soft_reset), ANY32, ALWAYS, 0},
    [TD_KEY_RESET_KIND]        = {"reset", "kind", KIND_CHOICE, AT(board.reset_kind), 0, 0, OPTIONAL, "register|word"},
    [TD_KEY_DEBUG_CONTROL]     = {"debug_bus", "control", KIND_U32, AT(board.debug_control), 1, UINT32_MAX, IN_SECTION, 0},
    [TD_KEY_DEBUG_DATA]        = {"debug_bus", "data", KIND_U32, AT(board.debug_data), 1, UINT32_MAX, IN_SECTION, 0},
    [TD_KEY_DEBUG_PC_MASK]     = {"debug_bus", "pc_mask", KIND_U32, AT(board.debug_pc_mask), 1, UINT32_MAX, IN_SECTION, 0},
    [TD_KEY_STAMP_REGISTER]    = {"timestamper", "register", KIND_U32, AT(board.stamp_register), 1, UINT32_MAX, IN_SECTION, 0},
    [TD_KEY_STAMP_BASE]        = {"timestamper", "base", KIND_U32, AT(board.stamp_base), ANY32, IN_SECTION, 0},
    [TD_KEY_STAMP_BUFFER_BYTES] = {"timestamper", "buffer_bytes", KIND_U32, AT(board.stamp_buffer_bytes), 1024, 1u << 20, IN_SECTION, 0},
    [TD_KEY_NOC_WIDTH]         = {"noc", "width", KIND_U32, AT(board.noc_width), 1, TD_MAX_GRID, ALWAYS, 0},
    [TD_KEY_NOC_HEIGHT]        = {"noc", "height", KIND_U32, AT(board.noc_height), 1, TD_MAX_GRID, ALWAYS, 0},
    [TD_KEY_NOC_REGS]          = {"noc", "regs", KIND_U32, AT(board.noc_regs), 1, UINT32_MAX, OPTIONAL, 0},
    [TD_KEY_NIU]               = {"noc", "niu", KIND_CHOICE, AT(board.niu), 0, 0, OPTIONAL, "wormhole|blackhole|core"},
    [TD_KEY_ADDRESSES]         = {"noc", "addresses", KIND_CHOICE, AT(board.translated_addresses), 0, 0, OPTIONAL, "noc0|translated"},
    [TD_KEY_COLUMNS]           = {"grid", "columns", KIND_LIST, AT(columns), 0, 0, ALWAYS, 0},
    [TD_KEY_ROWS]              = {"grid", "rows", KIND_LIST, AT(rows), 0, 0, ALWAYS, 0},
    [TD_KEY_HARVESTED_COLUMNS] = {"grid", "harvested_columns", KIND_LIST, AT(harvested_columns), 0, 0, OPTIONAL, 0},
    [TD_KEY_HARVESTED_ROWS]    = {"grid", "harvested_rows", KIND_LIST, AT(harvested_rows), 0, 0, OPTIONAL, 0},
    [TD_KEY_HARVEST_AXIS]      = {"grid", "harvest_axis", KIND_CHOICE, AT(harvest_axis), 0, 0, OPTIONAL, "columns|rows"},
    [TD_KEY_HARVEST_ORDER]     = {"grid", "harvest_order", KIND_LIST, AT(harvest_order), 0, 0, OPTIONAL, 0},
    [TD_KEY_HARVESTED_LAST]    = {"grid", "harvested_last", KIND_CHOICE, AT(harvested_last), 0, 0, OPTIONAL, "by_position|by_fuses"},
    [TD_KEY_GRID]              = {"grid", "default", KIND_GRID, AT(grid), 0, 0, ALWAYS, 0},
    [TD_KEY_TRANSLATED_COLUMNS] = {"grid", "translated_columns", KIND_LIST, AT(translated_columns), 0, 0, OPTIONAL, 0},
    [TD_KEY_TRANSLATED_ROWS]   = {"grid", "translated_rows", KIND_LIST, AT(translated_rows), 0, 0, OPTIONAL, 0},
    [TD_KEY_L1_BASE]           = {"tensix", "l1_base", KIND_U32, AT(board.l1_base), ANY32, ALWAYS, 0},
    [TD_KEY_L1_BYTES]          = {"tensix", "l1_bytes", KIND_U32, AT(board.l1_bytes), 4096, 1u << 30, ALWAYS, 0},
    [TD_KEY_LANE_BASE]         = {"tensix", "lane_base", KIND_U32, AT(board.lane_base), ANY32, ALWAYS, 0},
    [TD_KEY_RING_SLOTS]        = {"tensix", "ring_slots", KIND_U32, AT(board.ring_slots), 64, 1u << 20, ALWAYS, 0},
    [TD_KEY_OPEN_BASE]         = {"tensix", "open_base", KIND_U32, AT(board.open_base), ANY32, OPTIONAL, 0},
    [TD_KEY_OPEN_BYTES]        = {"tensix", "open_bytes", KIND_U32, AT(board.open_bytes), 16, 1u << 20, OPTIONAL, 0},
    [TD_KEY_DATA_BASE]         = {"tensix", "data_base", KIND_U32, AT(board.data_base), ANY32, ALWAYS, 0},
    [TD_KEY_MISALIGNED]        = {"tensix", "misaligned", KIND_CHOICE, AT(board.misaligned), 0, 0, OPTIONAL, "fault|works"},
    [TD_KEY_COUNTERS]          = {"tensix", "counters", KIND_CHOICE, AT(board.no_counters), 0, 0, OPTIONAL, "some|none"},
    [TD_KEY_FENCE]             = {"tensix", "fence", KIND_CHOICE, AT(board.no_fence), 0, 0, OPTIONAL, "orders|nothing"},
    [TD_KEY_BANKS]             = {"dram", "banks", KIND_U32, AT(board.dram_banks), 0, TD_MAX_PLACES, OPTIONAL, 0},
    [TD_KEY_BANK_BYTES]        = {"dram", "bank_bytes", KIND_U64, AT(board.dram_bank_bytes), 4096, UINT64_C(1) << 40, OPTIONAL, 0},
    [TD_KEY_POSITIONS]         = {"dram", "positions", KIND_PLACES, AT(positions), 0, 0, OPTIONAL, 0},
    [TD_KEY_PORTS]             = {"dram", "other_ports", KIND_PLACES, AT(ports), 0, 0, OPTIONAL, 0},
    [TD_KEY_DRAM_TRANSLATED]   = {"dram", "translated", KIND_PLACES, AT(board.dram.translated), 0, 0, OPTIONAL, 0},
    [TD_KEY_DRAM_HARVESTED]    = {"dram", "harvested", KIND_LIST, AT(dram_harvested), 0, 0, OPTIONAL, 0},
    [TD_KEY_ETHERNET]          = {"ethernet", "positions", KIND_PLACES, AT(board.ethernet.at), 0, 0, IN_SECTION, 0},
    [TD_KEY_ETHERNET_TRANSLATED] = {"ethernet", "translated", KIND_PLACES, AT(board.ethernet.translated), 0, 0, OPTIONAL, 0},
    [TD_KEY_ETHERNET_HARVESTED] = {"ethernet", "harvested", KIND_LIST, AT(ethernet_harvested), 0, 0, OPTIONAL, 0},
    [TD_KEY_ARC]               = {"arc", "positions", KIND_PLACES, AT(board.arc.at), 0, 0, IN_SECTION, 0},
    [TD_KEY_ARC_TRANSLATED]    = {"arc", "translated", KIND_PLACES, AT(board.arc.translated), 0, 0, OPTIONAL, 0},
    [TD_KEY_ARC_MESSAGES]      = {"arc", "messages", KIND_U64, AT(board.arc_messages), 1, UINT64_MAX, OPTIONAL, 0},
    [TD_KEY_TELEMETRY_TABLE]   = {"telemetry", "table", KIND_U64, AT(board.telemetry_table), 1, UINT64_MAX, IN_SECTION, 0},
    [TD_KEY_TELEMETRY_VALUES]  = {"telemetry", "values", KIND_U64, AT(board.telemetry_values), 1, UINT64_MAX, IN_SECTION, 0},
    [TD_KEY_TELEMETRY_BASE]    = {"telemetry", "base", KIND_U64, AT(board.telemetry_base), 0, UINT64_MAX, IN_SECTION, 0},
    [TD_KEY_NODE_ID]           = {"noc", "node_id", KIND_U32, AT(board.node_id), 1, UINT32_MAX, OPTIONAL, 0},
    [TD_KEY_LOGICAL_ID]        = {"noc", "logical_id", KIND_U32, AT(board.logical_id), 1, UINT32_MAX, OPTIONAL, 0},
    [TD_KEY_PCIE]              = {"pcie", "positions", KIND_PLACES, AT(board.pcie.at), 0, 0, IN_SECTION, 0},
    [TD_KEY_PCIE_TRANSLATED]   = {"pcie", "translated", KIND_PLACES, AT(board.pcie.translated), 0, 0, OPTIONAL, 0},
    [TD_KEY_PCIE_HARVESTED]    = {"pcie", "harvested", KIND_LIST, AT(pcie_harvested), 0, 0, OPTIONAL, 0},
    [TD_KEY_HOST_BYTES]        = {"pcie", "host_bytes", KIND_U64, AT(board.host_bytes), 4096, 1u << 30, OPTIONAL, 0},
    [TD_KEY_RELAYS]            = {"relay", "positions", KIND_PLACES, AT(relays), 0, 0, IN_SECTION, 0},
    [TD_KEY_RELAY_CORE]        = {"relay", "core", KIND_NAME, AT(relay_core), 0, 0, IN_SECTION, 0},
    [TD_KEY_RELAY_FIRMWARE]    = {"relay", "firmware", KIND_NAME, AT(board.relay_firmware), 0, 0, OPTIONAL, 0},
    [TD_KEY_PROBE_CORE]        = {"probe", "core", KIND_NAME, AT(probe_core), 0, 0, IN_SECTION, 0},
    [TD_KEY_UART_BASE]         = {"uart", "base", KIND_U32, AT(board.uart_base), ANY32, IN_SECTION, 0},
    [TD_KEY_UART_CLOCK]        = {"uart", "clock_hz", KIND_U32, AT(board.uart_clock_hz), 1, UINT32_MAX, IN_SECTION, 0},
    [TD_KEY_UART_BAUD]         = {"uart", "baud", KIND_U32, AT(board.uart_baud), 1, UINT32_MAX, IN_SECTION, 0},
    [TD_KEY_PCI_VENDOR]        = {"pci", "vendor", KIND_U32, AT(board.pci_vendor), 1, 0xffff, IN_SECTION, 0},
    [TD_KEY_PCI_DEVICE]        = {"pci", "device", KIND_U32S, AT(board.pci_device), 1, 0xffff, IN_SECTION, 0},
};

static const struct field core_fields[TD_CORE_KEY_COUNT] = {
    [TD_CORE_KEY_RESET_BIT]   = {"core", "reset_bit", KIND_U32, CORE_AT(reset_bit), 0, 31, ALWAYS, 0},
    [TD_CORE_KEY_START]       = {"core", "start", KIND_U32, CORE_AT(start), ANY32, ALWAYS, 0},
    [TD_CORE_KEY_CODE_BASE]   = {"core", "code_base", KIND_U32, CORE_AT(code_base), ANY32, ALWAYS, 0},
    [TD_CORE_KEY_CODE_BYTES]  = {"core", "code_bytes", KIND_U32, CORE_AT(code_bytes), 16, 1u << 30, ALWAYS, 0},
    [TD_CORE_KEY_LOCAL_BASE]  = {"core", "local_base", KIND_U32, CORE_AT(local_base), ANY32, ALWAYS, 0},
    [TD_CORE_KEY_LOCAL_BYTES] = {"core", "local_bytes", KIND_U32, CORE_AT(local_bytes), 64, 1u << 24, ALWAYS, 0},
    [TD_CORE_KEY_PC_SELECT]   = {"core", "pc_select", KIND_U32, CORE_AT(pc_select), 1, UINT32_MAX, OPTIONAL, 0},
};

static const struct field chip_fields[TD_CHIP_KEY_COUNT] = {
    [TD_CHIP_KEY_HARVESTED_COLUMNS] = {"chip", "harvested_columns", KIND_LIST, CHIP_AT(harvested_columns), 0, 0, OPTIONAL, 0},
    [TD_CHIP_KEY_HARVESTED_ROWS]    = {"chip", "harvested_rows", KIND_LIST, CHIP_AT(harvested_rows), 0, 0, OPTIONAL, 0},
    [TD_CHIP_KEY_MASK]              = {"chip", "harvest_mask", KIND_U64, CHIP_AT(mask), 0, UINT64_MAX, OPTIONAL, 0},
    [TD_CHIP_KEY_FUSES]             = {"chip", "harvest_fuses", KIND_U64, CHIP_AT(fuses), 0, UINT64_MAX, OPTIONAL, 0},
    [TD_CHIP_KEY_RELAYS]            = {"chip", "relays", KIND_PLACES, CHIP_AT(relays), 0, 0, OPTIONAL, 0},
};

static const struct field window_fields[TD_WINDOW_KEY_COUNT] = {
    [TD_WINDOW_KEY_BYTES]          = {"window", "bytes", KIND_U64, WINDOW_AT(bytes), 4096, UINT64_C(1) << 40, ALWAYS, 0},
    [TD_WINDOW_KEY_COUNT_]         = {"window", "count", KIND_U32, WINDOW_AT(count), 1, 4096, ALWAYS, 0},
    [TD_WINDOW_KEY_RESERVED]       = {"window", "reserved", KIND_U32, WINDOW_AT(reserved), 0, 4096, OPTIONAL, 0},
    [TD_WINDOW_KEY_BAR]            = {"window", "bar", KIND_U32, WINDOW_AT(bar), 0, 5, ALWAYS, 0},
    [TD_WINDOW_KEY_BAR_OFFSET]     = {"window", "bar_offset", KIND_U64, WINDOW_AT(bar_offset), 0, UINT64_C(1) << 48, ALWAYS, 0},
    [TD_WINDOW_KEY_REGISTERS]      = {"window", "registers", KIND_U64, WINDOW_AT(registers), 0, UINT64_C(1) << 48, ALWAYS, 0},
    [TD_WINDOW_KEY_REGISTER_BYTES] = {"window", "register_bytes", KIND_U32, WINDOW_AT(register_bytes), 4, 64, ALWAYS, 0},
    [TD_WINDOW_KEY_FIRST_INDEX]    = {"window", "first_index", KIND_U32, WINDOW_AT(first_index), 0, 65535, ALWAYS, 0},
#define SHIFT(key, member) [TD_WINDOW_KEY_##key] = {"window", #member, KIND_U32, WINDOW_AT(shift.member), 1, 511, ALWAYS, 0}
    SHIFT(X_END, x_end), SHIFT(Y_END, y_end), SHIFT(X_START, x_start), SHIFT(Y_START, y_start), SHIFT(NOC, noc),
    SHIFT(MCAST, mcast), SHIFT(ORDERING, ordering), SHIFT(LINKED, linked), SHIFT(VC, vc),
};
/* clang-format on */

struct parse_state {
    struct td_board_text *t;
    struct td_err *err;
    struct td_flat *flat; /* NULL: not wanted */
    int failed;
    int only_base; /* looks for base= and nothing else */
    int base_mark;
    /* reader */
    const char *next;
    int layer, line;
};

int td_board_refuse(const struct td_board_text *t, int mark, struct td_err *err, const char *format, ...)
{
    char text[sizeof err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *origin = t->layer[TD_MARK_LAYER(mark)].origin;
    if (TD_MARK_LINE(mark) == 0)
        return td_fail(err, TD_E_FORMAT, "%s: %s", origin, text);
    return td_fail(err, TD_E_FORMAT, "%s:%d: %s", origin, TD_MARK_LINE(mark), text);
}

static int refuse(struct parse_state *s, const char *text, const char *what)
{
    if (!s->failed)
        s->failed = td_board_refuse(s->t, TD_MARK(s->layer, s->line), s->err, "%s%s%s", text,
                                    what ? ": " : "", what ? what : "");
    return 0;
}

/* Feeds inih one line at a time: its line buffer is fixed, so it would cut a long line in two silently, and
 * its handler does not get the line number. Leading blanks are removed, since inih takes indented lines as
 * continuations. */
static char *read_line(char *buffer, int size, void *self)
{
    struct parse_state *s = self;
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

/* The next of several values with commas between; NULL: there is none any more. */
static char *next_item(char **rest)
{
    char *item = *rest;
    if (!item)
        return NULL;
    item += strspn(item, " \t");
    size_t length = strcspn(item, ",");
    *rest = item[length] ? item + length + 1 : NULL;
    while (length && isspace((unsigned char)item[length - 1]))
        length--;
    item[length] = 0;
    return item;
}

static int store_transports(struct td_board *b, const char *text)
{
    char copy[256], *rest = copy, *item;
    if (strlen(text) >= sizeof copy)
        return TD_E_FORMAT;
    strcpy(copy, text);
    for (b->transport_count = 0; (item = next_item(&rest)); b->transport_count++) {
        if (b->transport_count == TD_MAX_TRANSPORTS || td_board_has_transport(b, item) ||
            td_value_name(b->transports[b->transport_count], sizeof b->transports[0], item))
            return TD_E_FORMAT;
    }
    return 0;
}

static int store_devices(struct td_board *b, const char *text, const struct field *f)
{
    char copy[256], *rest = copy, *item;
    if (strlen(text) >= sizeof copy)
        return TD_E_FORMAT;
    strcpy(copy, text);
    for (b->pci_device_count = 0; (item = next_item(&rest)); b->pci_device_count++) {
        uint64_t number;
        if (b->pci_device_count == TD_MAX_PCI_DEVICES || td_value_number(item, f->min, f->max, &number))
            return TD_E_FORMAT;
        b->pci_device[b->pci_device_count] = (uint32_t)number;
    }
    return 0;
}

static int store_number(const struct field *f, void *to, const char *text)
{
    uint64_t number;
    if (td_value_number(text, f->min, f->max, &number))
        return TD_E_FORMAT;
    if (f->kind == KIND_U32)
        *(uint32_t *)to = (uint32_t)number;
    else
        *(uint64_t *)to = number;
    return 0;
}

static int parse_value(struct parse_state *s, const struct field *f, void *to, const char *text)
{
    switch (f->kind) {
    case KIND_NAME:
        return td_value_name(to, f->bytes, text);
    case KIND_NAMES:
        return store_transports(&s->t->board, text);
    case KIND_U32S:
        return store_devices(&s->t->board, text, f);
    case KIND_U32:
    case KIND_U64:
        return store_number(f, to, text);
    case KIND_DOUBLE:
        return td_value_double(to, text, (double)f->min, (double)f->max);
    case KIND_LIST:
        return td_value_number_list(to, text);
    case KIND_PLACES:
        return td_value_places(to, text);
    case KIND_GRID:
        return td_grid_parse(to, text);
    case KIND_CHOICE:
        return td_value_choice(f->choices, text, to);
    }
    return TD_E_FORMAT;
}

static int store(struct parse_state *s, const struct field *f, void *to, const char *text)
{
    if (parse_value(s, f, to, text) == 0)
        return 1;
    char what[200];
    if (f->kind == KIND_U32 || f->kind == KIND_U64)
        snprintf(what, sizeof what, "%s=%.60s is not a number from %llu to %llu", f->name, text,
                 (unsigned long long)f->min, (unsigned long long)f->max);
    else if (f->kind == KIND_CHOICE)
        snprintf(what, sizeof what, "%s=%.60s is not one of %s", f->name, text, f->choices);
    else
        snprintf(what, sizeof what, "%s=%.60s does not make sense", f->name, text);
    return refuse(s, what, NULL);
}

static int take_field(struct parse_state *s, const struct field *fields, int count, int *marks, void *base,
                      const char *section, const char *name, const char *value)
{
    int known = 0;
    for (int i = 0; i < count; i++) {
        if (strcmp(fields[i].section, section) != 0)
            continue;
        known = 1;
        if (strcmp(fields[i].name, name) != 0)
            continue;
        char *to = (char *)base + fields[i].offset;
        int is_list = fields[i].kind == KIND_LIST || fields[i].kind == KIND_PLACES;
        int is_new = !marks[i] || TD_MARK_LAYER(marks[i]) != s->layer;
        if (!is_new && !is_list)
            return refuse(s, "key is given twice", name);
        if (is_new)
            memset(to, 0, fields[i].bytes);
        marks[i] = TD_MARK(s->layer, s->line);
        return store(s, &fields[i], to, value);
    }
    return known ? refuse(s, "unknown key", name) : refuse(s, "unknown section", section);
}

static int core_of_section(struct parse_state *s, const char *name)
{
    struct td_board *board = &s->t->board;
    for (uint32_t i = 0; i < board->core_count; i++)
        if (strcmp(board->cores[i].name, name) == 0)
            return (int)i;
    if (board->core_count == TD_MAX_CORES) {
        refuse(s, "more cores than a tile can have", name);
        return TD_E_FORMAT;
    }
    if (td_value_name(board->cores[board->core_count].name, sizeof board->cores[0].name, name)) {
        refuse(s, "core's name must have 1 to 15 letters, digits, _ or -", name);
        return TD_E_FORMAT;
    }
    return (int)board->core_count++;
}

static int window_of_section(struct parse_state *s, const char *name)
{
    struct td_board *board = &s->t->board;
    for (uint32_t i = 0; i < board->window_count; i++)
        if (strcmp(board->windows[i].name, name) == 0)
            return (int)i;
    if (board->window_count == TD_MAX_WINDOWS) {
        refuse(s, "more kinds of windows than a board can have", name);
        return TD_E_FORMAT;
    }
    if (td_value_name(board->windows[board->window_count].name, sizeof board->windows[0].name, name)) {
        refuse(s, "window's name must have 1 to 15 letters, digits, _ or -", name);
        return TD_E_FORMAT;
    }
    return (int)board->window_count++;
}

static int chip_of_section(struct parse_state *s, const char *name)
{
    uint64_t number;
    if (td_value_number(name, 0, TD_MAX_CHIPS - 1, &number)) {
        refuse(s, "[chip N] wants the number of a chip", name);
        return TD_E_FORMAT;
    }
    return (int)number;
}

/* "core BRISC" -> "BRISC", when the section is of this kind; else NULL. */
static const char *named(const char *section, const char *kind)
{
    size_t length = strlen(kind);
    if (strncmp(section, kind, length) != 0 || (section[length] != ' ' && section[length] != 0))
        return NULL;
    return section + length + (section[length] == ' ');
}

static int dispatch(struct parse_state *s, const char *section, const char *name, const char *value)
{
    struct td_board_text *t = s->t;
    const char *which;
    int n;
    if ((which = named(section, "core")))
        return (n = core_of_section(s, which)) < 0
                   ? 0
                   : take_field(s, core_fields, TD_CORE_KEY_COUNT, t->core_at[n], &t->board.cores[n], "core",
                                name, value);
    if ((which = named(section, "window")))
        return (n = window_of_section(s, which)) < 0
                   ? 0
                   : take_field(s, window_fields, TD_WINDOW_KEY_COUNT, t->window_at[n], &t->board.windows[n],
                                "window", name, value);
    if ((which = named(section, "chip")))
        return (n = chip_of_section(s, which)) < 0
                   ? 0
                   : take_field(s, chip_fields, TD_CHIP_KEY_COUNT, t->chip_at[n], &t->chip[n], "chip", name,
                                value);
    return take_field(s, board_fields, TD_KEY_COUNT, t->at, t, section, name, value);
}

static int on_key(void *self, const char *section, const char *name, const char *value)
{
    struct parse_state *s = self;
    if (s->failed)
        return 0;
    int is_base = strcmp(section, "board") == 0 && strcmp(name, "base") == 0;
    if (s->only_base) {
        if (is_base) {
            s->base_mark = TD_MARK(s->layer, s->line);
            return store(s, &board_fields[TD_KEY_BASE], s->t->base, value);
        }
        return 1;
    }
    if (s->flat && !is_base && td_flat_add(s->flat, s->layer, section, name, value)) {
        s->failed = td_fail(s->err, TD_E_NOMEM, "no memory for a board description");
        return 0;
    }
    return dispatch(s, section, name, value);
}

static int parse_layer(struct parse_state *s, int layer)
{
    s->layer = layer;
    s->line = 0;
    s->next = s->t->layer[layer].text;
    int line = ini_parse_stream(read_line, s, on_key, s);
    if (s->failed)
        return s->failed;
    const char *origin = s->t->layer[layer].origin;
    if (line < 0)
        return td_fail(s->err, TD_E_NOMEM, "%s: no memory to parse it", origin);
    if (line > 0)
        return td_fail(s->err, TD_E_FORMAT, "%s:%d: neither [section] nor key=value nor comment", origin,
                       line);
    return 0;
}

/* Reads the base that the uppermost layer so far asks for: 1, or 0 when it asks for none. */
static int add_base(struct parse_state *s, const struct td_board_bases *bases)
{
    struct td_board_text *t = s->t;
    uint32_t top = t->layers - 1, next = t->layers;
    s->only_base = 1;
    s->base_mark = 0;
    int rc = parse_layer(s, (int)top);
    s->only_base = 0;
    if (rc || !s->base_mark)
        return rc;
    if (!bases)
        return td_board_refuse(t, s->base_mark, s->err, "base=%s cannot be followed from here", t->base);
    if (next == TD_MAX_LAYERS)
        return td_board_refuse(t, s->base_mark, s->err, "more than %d descriptions stand on each other",
                               TD_MAX_LAYERS);
    struct td_err why = {0};
    t->layer[next].owned = bases->read(bases->self, t->base, t->layer[top].origin, t->layer[next].origin,
                                       sizeof t->layer[next].origin, &why);
    if (!t->layer[next].owned)
        return td_board_refuse(t, s->base_mark, s->err, "base=%s: %.300s", t->base, why.text);
    t->layer[next].text = t->layer[next].owned;
    t->layers++;
    for (uint32_t i = 0; i < next; i++)
        if (strcmp(t->layer[i].origin, t->layer[next].origin) == 0)
            return td_board_refuse(t, s->base_mark, s->err, "base=%s makes a circle", t->base);
    return 1;
}

static bool section_is_there(const struct td_board_text *t, const char *section)
{
    for (int i = 0; i < TD_KEY_COUNT; i++)
        if (t->at[i] && strcmp(board_fields[i].section, section) == 0)
            return true;
    return false;
}

static int check_section(const struct td_board_text *t, const struct field *fields, int count,
                         const int *marks, const char *name, struct td_err *err)
{
    for (int i = 0; i < count; i++)
        if (!marks[i] && fields[i].need == ALWAYS)
            return td_board_refuse(t, 0, err, "section [%s %s] lacks %s", fields[i].section, name,
                                   fields[i].name);
    return 0;
}

static int check_complete(const struct td_board_text *t, struct td_err *err)
{
    int rc = 0;
    for (int i = 0; i < TD_KEY_COUNT; i++)
        if (!t->at[i] && (board_fields[i].need == ALWAYS || (board_fields[i].need == IN_SECTION &&
                                                             section_is_there(t, board_fields[i].section))))
            return td_board_refuse(t, 0, err, "section [%s] lacks %s", board_fields[i].section,
                                   board_fields[i].name);
    if (TD_MARK_LAYER(t->at[TD_KEY_NAME]) != 0)
        return td_board_refuse(t, 0, err, "section [board] lacks name; the base's own is taken");
    if (t->board.core_count == 0)
        return td_board_refuse(t, 0, err, "no core; a section such as [core BRISC] describes one");
    for (uint32_t c = 0; c < t->board.core_count && rc == 0; c++)
        rc = check_section(t, core_fields, TD_CORE_KEY_COUNT, t->core_at[c], t->board.cores[c].name, err);
    for (uint32_t w = 0; w < t->board.window_count && rc == 0; w++)
        rc = check_section(t, window_fields, TD_WINDOW_KEY_COUNT, t->window_at[w], t->board.windows[w].name,
                           err);
    return rc;
}

int td_board_text_parse(struct td_board_text *t, const char *text, const char *origin,
                        const struct td_board_bases *bases, char **flat, struct td_err *err)
{
    memset(t, 0, sizeof *t);
    t->layers = 1;
    t->layer[0].text = text;
    snprintf(t->layer[0].origin, sizeof t->layer[0].origin, "%s", origin);
    struct parse_state s = {.t = t, .err = err};
    int rc;
    do
        rc = add_base(&s, bases);
    while (rc > 0);
    int is_whole = t->layers == 1;
    if (rc == 0 && flat && !is_whole && !(s.flat = td_flat_create()))
        rc = td_fail(err, TD_E_NOMEM, "no memory for a board description");
    for (uint32_t layer = t->layers; rc == 0 && layer-- > 0;)
        rc = parse_layer(&s, (int)layer);
    rc = rc ? rc : check_complete(t, err);
    if (rc == 0 && flat && !(*flat = is_whole ? strdup(text) : td_flat_text(s.flat)))
        rc = td_fail(err, TD_E_NOMEM, "no memory for a board description");
    td_flat_destroy(s.flat);
    return rc;
}

void td_board_text_finish(struct td_board_text *t)
{
    for (uint32_t i = 0; i < TD_MAX_LAYERS; i++)
        free(t->layer[i].owned);
}
