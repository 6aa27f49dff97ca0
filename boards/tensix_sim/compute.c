/* The compute engine in time. Each of the three units does its core's commands one after the other. A
 * command begins when it was given, its unit is free, and the banks of SrcA and SrcB that it fills or
 * reads are ready. Commands are completed when a core looks at a register, with the times that follow from
 * that; so it does not matter when it looks. */
#include "boards/tensix_sim/compute.h"
#include "boards/tensix_sim/compute_math.h"
#include "proto/device/compute.h"
#include "proto/device/perf_counters.h"

#include <stdlib.h>
#include <string.h>

enum {
    UNITS = 3,
    UNPACK = 0,
    MATH = 1,
    PACK = 2,
    HALF_TILES = 8,
    ONE_UNPACKER_BYTES = 64, /* a tick */
    BOTH_UNPACKERS_BYTES = 80,
    PACKERS_BYTES = 64
};

struct command {
    uint64_t issued; /* ticks */
    uint32_t kind, a, b, formats, dst, options;
};

struct compute_unit {
    struct command queue[TD_COMPUTE_QUEUE]; /* the oldest first */
    unsigned count;
    uint64_t free; /* ticks when it has done what it has completed */
    uint32_t regs[5];
};

/* SrcA or SrcB. */
struct source {
    struct {
        struct compute_tile tile;
        int is_full;
        uint64_t since; /* ticks when it was filled or read */
    } banks[2];
    unsigned fill, read; /* the bank that comes next */
};

struct compute {
    struct compute_unit units[UNITS];
    struct source a, b;
    struct compute_tile dst[2][HALF_TILES];
    unsigned math_half, pack_half, full; /* of Dst: who is where, committed and not released */
    uint64_t counts[TD_PERF_COUNTER_COUNT];
};

static int unit_of(const struct core *core)
{
    const char *name = core->desc->name;
    const int is_trisc =
        strncmp(name, "TRISC", 5) == 0 && name[5] >= '0' && name[5] < '0' + UNITS && !name[6];
    return is_trisc ? name[5] - '0' : -1;
}

static const struct {
    uint8_t unit, ticks;
} commands[] = {
#define TD_X(value, name, unit, ticks, what) [value] = {unit, ticks},
    TD_COMPUTE_COMMANDS(TD_X)
#undef TD_X
};

/* ---- time */

static uint32_t phases(uint32_t options)
{
    const uint32_t n = options >> TD_COMPUTE_PHASES_SHIFT & 15;
    return n ? n : 1;
}

static uint64_t ticks_of(const struct command *c)
{
    const uint32_t a = compute_format_bytes(c->formats & 0xff),
                   b = compute_format_bytes(c->formats >> 8 & 0xff);
    const uint64_t ticks = commands[c->kind].ticks;
    switch (c->kind) {
    case TD_COMPUTE_UNPACK_A:
        return ticks + a / ONE_UNPACKER_BYTES;
    case TD_COMPUTE_UNPACK_AB:
        return ticks + (a + b) / BOTH_UNPACKERS_BYTES;
    case TD_COMPUTE_PACK:
        return ticks + a / PACKERS_BYTES;
    case TD_COMPUTE_MUL:
    case TD_COMPUTE_MATMUL:
        return ticks * phases(c->options);
    case TD_COMPUTE_REDUCE:
        return c->options & TD_COMPUTE_REDUCE_MAX ? ticks : ticks * phases(c->options);
    }
    return ticks;
}

static bool reads_sources(uint32_t kind)
{
    return (kind >= TD_COMPUTE_COPY && kind <= TD_COMPUTE_MATMUL) || kind == TD_COMPUTE_REDUCE;
}

static bool uses_b(const struct command *c)
{
    return c->kind == TD_COMPUTE_UNPACK_AB || (reads_sources(c->kind) && c->kind != TD_COMPUTE_COPY &&
                                               !(c->options & (TD_COMPUTE_DST_IS_A | TD_COMPUTE_DST_IS_B)));
}

/* Is the bank ready for this? If it is, *start is not before that. */
static bool bank_is_ready(const struct source *source, int to_fill, uint64_t *start)
{
    const unsigned n = to_fill ? source->fill : source->read;
    if (source->banks[n].is_full == to_fill)
        return false;
    if (source->banks[n].since > *start)
        *start = source->banks[n].since;
    return true;
}

static bool is_ready(const struct compute *compute, const struct command *c, uint64_t *start)
{
    const int fills = commands[c->kind].unit == UNPACK;
    if (!fills && !reads_sources(c->kind))
        return true;
    return bank_is_ready(&compute->a, fills, start) &&
           (!uses_b(c) || bank_is_ready(&compute->b, fills, start));
}

/* ---- what commands do */

static uint8_t *tile_in_l1(const struct core *core, uint32_t address)
{
    return core->tile->memory + (address - core->sim->board.l1_base);
}

static void fill(const struct core *core, struct source *source, uint32_t address, uint32_t format,
                 uint32_t row_bytes, int transpose, uint64_t now)
{
    const unsigned n = source->fill;
    compute_unpack(&source->banks[n].tile, tile_in_l1(core, address), format, row_bytes, transpose);
    source->banks[n].is_full = 1;
    source->banks[n].since = now;
    source->fill = !n;
}

static const struct compute_tile *read_source(struct source *source, uint64_t now)
{
    const unsigned n = source->read;
    source->banks[n].is_full = 0;
    source->banks[n].since = now;
    source->read = !n;
    return &source->banks[n].tile;
}

/* 0: the tile in L1 is four faces. */
static uint32_t row_bytes_of(const struct command *c)
{
    return c->options & TD_COMPUTE_ROWS && c->kind != TD_COMPUTE_UNPACK_AB ? c->b : 0;
}

static void unpack(const struct core *core, struct compute *compute, const struct command *c, uint64_t now)
{
    const int transpose = (c->options & TD_COMPUTE_TRANSPOSE) != 0, both = uses_b(c);
    fill(core, &compute->a, c->a, c->formats & 0xff, row_bytes_of(c), transpose && !both, now);
    if (both)
        fill(core, &compute->b, c->b, c->formats >> 8 & 0xff, 0, transpose, now);
}

static void release_half(struct compute *compute)
{
    memset(compute->dst[compute->pack_half], 0, sizeof compute->dst[0]);
    compute->pack_half = !compute->pack_half;
    compute->full--;
}

static void compute_sources(struct compute *compute, const struct command *c, uint64_t now)
{
    struct compute_tile *to = &compute->dst[compute->math_half][c->dst];
    const struct compute_tile *a = read_source(&compute->a, now);
    const struct compute_tile *b = uses_b(c) ? read_source(&compute->b, now) : NULL;
    struct compute_tile before;
    if (c->kind == TD_COMPUTE_REDUCE) {
        compute_reduce(to, a, b, c->options);
    } else if (c->options & (TD_COMPUTE_DST_IS_A | TD_COMPUTE_DST_IS_B)) {
        before = *to;
        compute_make_kind(&before, a->is_integer);
        compute_binary(to, c->options & TD_COMPUTE_DST_IS_A ? &before : a,
                       c->options & TD_COMPUTE_DST_IS_A ? a : &before, c->kind, c->options, 0);
    } else {
        compute_binary(to, a, b, c->kind, c->options, c->b % 32);
    }
}

static uint32_t function_of(const struct command *c)
{
    return c->options >> TD_COMPUTE_FUNCTION_SHIFT & 0xff;
}

/* Dst stays as it is. */
static void pack(const struct core *core, const struct compute *compute, const struct command *c)
{
    const struct compute_tile *from = &compute->dst[compute->pack_half][c->dst];
    struct compute_tile changed;
    if (c->options & TD_COMPUTE_PACK_RELU) {
        changed = *from;
        compute_relu(&changed);
        from = &changed;
    }
    compute_pack(tile_in_l1(core, c->a), from, c->formats & 0xff, row_bytes_of(c),
                 (c->options & TD_COMPUTE_ADD_TO_L1) != 0);
}

static void perform(const struct core *core, struct compute *compute, const struct command *c, uint64_t now)
{
    struct compute_tile *half = compute->dst[compute->math_half];
    switch (c->kind) {
    case TD_COMPUTE_UNPACK_A:
    case TD_COMPUTE_UNPACK_AB:
        unpack(core, compute, c, now);
        break;
    case TD_COMPUTE_UNARY:
        compute_unary(&half[c->dst], function_of(c), (const uint32_t[]){c->a, c->b, c->formats}, c->options);
        break;
    case TD_COMPUTE_TERNARY:
        compute_ternary_function(&half[c->dst], &half[c->a], &half[c->b & 0xff], &half[c->b >> 8],
                                 function_of(c), c->formats, c->options);
        break;
    case TD_COMPUTE_BINARY:
        compute_binary_function(&half[c->dst], &half[c->a], &half[c->b], function_of(c), c->options);
        break;
    case TD_COMPUTE_COMMIT:
        compute->math_half = !compute->math_half;
        compute->full++;
        break;
    case TD_COMPUTE_PACK:
        pack(core, compute, c);
        break;
    case TD_COMPUTE_RELEASE:
        release_half(compute);
        break;
    default:
        compute_sources(compute, c, now);
    }
}

static void count_ticks(struct compute *compute, const struct command *c)
{
    uint64_t *counts = compute->counts;
    const uint64_t ticks = ticks_of(c);
    const int to_b = c->kind == TD_COMPUTE_UNPACK_AB;
    switch (c->kind) {
    case TD_COMPUTE_UNPACK_A:
    case TD_COMPUTE_UNPACK_AB:
        counts[TD_PERF_UNPACK0_BUSY_THREAD0] += ticks;
        counts[TD_PERF_SRCA_WRITE_REQ] += ticks;
        counts[TD_PERF_UNPACK1_BUSY_THREAD0] += to_b ? ticks : 0;
        counts[TD_PERF_SRCB_WRITE_REQ] += to_b ? ticks : 0;
        break;
    case TD_COMPUTE_PACK:
        counts[TD_PERF_PACKER_BUSY] += ticks;
        break;
    case TD_COMPUTE_UNARY:
    case TD_COMPUTE_BINARY:
    case TD_COMPUTE_TERNARY:
        counts[TD_PERF_SFPU_COUNTER] += ticks;
        counts[TD_PERF_MATH_COUNTER] += ticks;
        break;
    case TD_COMPUTE_COMMIT:
    case TD_COMPUTE_RELEASE:
        break;
    default:
        counts[TD_PERF_FPU_COUNTER] += ticks;
        counts[TD_PERF_MATH_COUNTER] += ticks;
    }
}

/* Completes the unit's first command if it ends by `now`. */
static int complete_first(const struct core *core, struct compute *compute, struct compute_unit *unit,
                          uint64_t now)
{
    const struct command c = unit->queue[0];
    uint64_t start = c.issued > unit->free ? c.issued : unit->free;
    if (!unit->count || !is_ready(compute, &c, &start) || start + ticks_of(&c) > now)
        return 0;
    unit->free = start + ticks_of(&c);
    unit->count--;
    memmove(&unit->queue[0], &unit->queue[1], unit->count * sizeof c);
    perform(core, compute, &c, unit->free);
    count_ticks(compute, &c);
    return 1;
}

static void run_units(const struct core *core, struct compute *compute, uint64_t now)
{
    int more = 1;
    while (more) {
        more = 0;
        for (int i = 0; i < UNITS; i++)
            more |= complete_first(core, compute, &compute->units[i], now);
    }
}

/* ---- registers */

static struct compute *compute_of(struct core *core)
{
    if (!core->tile->compute)
        core->tile->compute = calloc(1, sizeof *core->tile->compute);
    return core->tile->compute;
}

/* `row_bytes`: 0 if it is four faces. */
static bool tile_is_there(const struct core *core, uint32_t address, uint32_t format, uint32_t row_bytes)
{
    const struct td_board *board = &core->sim->board;
    const uint32_t bytes = row_bytes ? compute_rows_bytes(format, row_bytes) : compute_format_bytes(format);
    const uint32_t at = address - board->l1_base;
    return bytes && row_bytes <= board->l1_bytes && address % 16 == 0 && at < board->l1_bytes &&
           bytes <= board->l1_bytes - at;
}

static unsigned count_commands(const struct compute_unit *unit, uint32_t kind)
{
    unsigned n = 0;
    for (unsigned i = 0; i < unit->count; i++)
        n += unit->queue[i].kind == kind;
    return n;
}

static int command_is_possible(const struct core *core, const struct compute *compute,
                               const struct command *c)
{
    const uint32_t tiles = c->options & TD_COMPUTE_DST32 ? HALF_TILES / 2 : HALF_TILES;
    const struct compute_unit *packers = &compute->units[PACK];
    switch (c->kind) {
    case TD_COMPUTE_UNPACK_AB:
        if (!tile_is_there(core, c->b, c->formats >> 8 & 0xff, 0))
            return 0; /* fall through */
    case TD_COMPUTE_UNPACK_A:
        return tile_is_there(core, c->a, c->formats & 0xff, row_bytes_of(c));
    case TD_COMPUTE_COMMIT:
        return compute->full + count_commands(&compute->units[MATH], c->kind) < 2;
    case TD_COMPUTE_RELEASE:
        return compute->full > count_commands(packers, c->kind);
    case TD_COMPUTE_PACK:
        return compute->full > count_commands(packers, TD_COMPUTE_RELEASE) && c->dst < tiles &&
               tile_is_there(core, c->a, c->formats & 0xff, row_bytes_of(c));
    case TD_COMPUTE_TERNARY:
        return c->a < tiles && (c->b & 0xff) < tiles && c->b >> 8 < tiles && c->dst < tiles &&
               compute_has_function(c->kind, function_of(c));
    case TD_COMPUTE_BINARY:
        if (c->a >= tiles || c->b >= tiles)
            return 0; /* fall through */
    case TD_COMPUTE_UNARY:
        return c->dst < tiles && compute_has_function(c->kind, function_of(c));
    }
    return c->dst < tiles;
}

static void start_command(struct core *core, struct compute *compute, struct compute_unit *unit,
                          uint32_t kind, uint64_t now)
{
    const uint32_t *r = unit->regs, number = (uint32_t)(unit - compute->units);
    const struct command c = {now,
                              kind,
                              r[TD_COMPUTE_REG_A / 4],
                              r[TD_COMPUTE_REG_B / 4],
                              r[TD_COMPUTE_REG_FORMATS / 4],
                              r[TD_COMPUTE_REG_DST / 4],
                              r[TD_COMPUTE_REG_OPTIONS / 4]};
    const int known = kind && kind < sizeof commands / sizeof *commands && commands[kind].unit == number;
    if (known && unit->count < TD_COMPUTE_QUEUE && command_is_possible(core, compute, &c))
        unit->queue[unit->count++] = c;
    else
        core_fault_here(core, TD_FAULT_WRITE, TD_COMPUTE_BASE + TD_COMPUTE_REG_COMMAND, 1);
}

int compute_register_read(struct core *core, uint32_t offset, uint64_t now, uint32_t *value)
{
    struct compute *compute = compute_of(core);
    const int number = unit_of(core);
    if (!compute || number < 0)
        return TD_E_NOTFOUND;
    const struct compute_unit *unit = &compute->units[number];
    run_units(core, compute, now);
    switch (offset) {
    case TD_COMPUTE_REG_COMMAND:
        *value = unit->count >= TD_COMPUTE_QUEUE;
        return 0;
    case TD_COMPUTE_REG_OUTSTANDING:
        *value = unit->count;
        return 0;
    case TD_COMPUTE_REG_DST_FREE:
        *value = 2 - compute->full - count_commands(&compute->units[MATH], TD_COMPUTE_COMMIT);
        return 0;
    case TD_COMPUTE_REG_DST_FULL:
        *value = compute->full - count_commands(&compute->units[PACK], TD_COMPUTE_RELEASE);
        return 0;
    }
    if (offset > TD_COMPUTE_REG_OPTIONS)
        return TD_E_NOTFOUND;
    *value = unit->regs[offset / 4];
    return 0;
}

int compute_register_write(struct core *core, uint32_t offset, uint64_t now, uint32_t value)
{
    struct compute *compute = compute_of(core);
    const int number = unit_of(core);
    if (!compute || number < 0 || offset > TD_COMPUTE_REG_COMMAND)
        return TD_E_NOTFOUND;
    if (offset == TD_COMPUTE_REG_COMMAND) {
        run_units(core, compute, now);
        start_command(core, compute, &compute->units[number], value, now);
    } else {
        compute->units[number].regs[offset / 4] = value;
    }
    return 0;
}

void compute_counts(struct core *core, uint64_t now, uint64_t *counts)
{
    struct compute *compute = compute_of(core);
    if (compute)
        run_units(core, compute, now);
    for (int i = 0; i < TD_PERF_COUNTER_COUNT; i++)
        counts[i] = compute ? compute->counts[i] : 0;
}

void compute_release(struct core *core)
{
    struct compute *compute = core->tile->compute;
    const int number = unit_of(core);
    if (!compute || number < 0)
        return;
    memset(&compute->units[number], 0, sizeof compute->units[number]);
    if (number == UNPACK) {
        memset(&compute->a, 0, sizeof compute->a);
        memset(&compute->b, 0, sizeof compute->b);
    } else if (number == MATH) {
        memset(compute->dst, 0, sizeof compute->dst);
        compute->math_half = compute->pack_half = compute->full = 0;
    }
}

void compute_finish(struct tile *tile)
{
    free(tile->compute);
}
