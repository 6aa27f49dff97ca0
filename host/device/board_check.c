#include "host/device/board_parse.h"

#include "proto/device/lane.h"
#include "proto/device/packet.h"

#include <stdio.h>
#include <string.h>

/* A part of L1 and who needs it. */
struct region {
    uint64_t base, end;
    int line;
    const char *what, *core; /* core: "" for the tile's own */
};

static int bad(const struct td_board_text *t, int line, struct td_err *err, const char *text)
{
    return td_fail(err, TD_E_FORMAT, "%s:%d: %s", t->origin, line, text);
}

static int check_lanes(const struct td_board_text *t, struct td_err *err)
{
    const struct td_board *b = &t->board;
    if (b->ring_slots & (b->ring_slots - 1))
        return bad(t, t->line[TD_KEY_RING_SLOTS], err, "ring_slots is not a power of two");
    if (b->lane_base % 16)
        return bad(t, t->line[TD_KEY_LANE_BASE], err, "lane_base is not a multiple of 16");
    if (b->l1_base % 4096)
        return bad(t, t->line[TD_KEY_L1_BASE], err, "l1_base is not a multiple of 4096");
    if (b->l1_bytes % 4096 || (uint64_t)b->l1_base + b->l1_bytes > UINT64_C(1) << 32)
        return bad(t, t->line[TD_KEY_L1_BYTES], err,
                   "l1_bytes is not a multiple of 4096, or L1 passes the end of the address space");
    return 0;
}

static int in_l1(const struct td_board *b, uint64_t base, uint64_t end)
{
    return base < (uint64_t)b->l1_base + b->l1_bytes && end > b->l1_base;
}

static int check_core(const struct td_board_text *t, uint32_t number, struct td_err *err)
{
    const struct td_board *b = &t->board;
    const struct td_core_desc *core = &b->cores[number];
    const int *line = t->core_line[number];
    for (uint32_t other = 0; other < number; other++)
        if (b->cores[other].reset_bit == core->reset_bit)
            return td_fail(err, TD_E_FORMAT, "%s:%d: reset_bit %u belongs to core %s already", t->origin,
                           line[TD_CORE_KEY_RESET_BIT], core->reset_bit, b->cores[other].name);
    if (core->start % 4 || core->code_base % 16)
        return bad(t, line[core->start % 4 ? TD_CORE_KEY_START : TD_CORE_KEY_CODE_BASE], err,
                   "start is not a multiple of 4, or code_base not of 16");
    if (core->local_base % 16 || core->local_bytes % 16)
        return bad(t, line[TD_CORE_KEY_LOCAL_BASE], err, "local_base or local_bytes is not a multiple of 16");
    uint64_t local_end = (uint64_t)core->local_base + core->local_bytes;
    if (local_end > UINT64_C(1) << 32)
        return bad(t, line[TD_CORE_KEY_LOCAL_BYTES], err, "local RAM passes the end of the address space");
    if (in_l1(b, core->local_base, local_end))
        return bad(t, line[TD_CORE_KEY_LOCAL_BASE], err, "local RAM overlaps L1");
    return 0;
}

static int check_regions(const struct td_board_text *t, const struct region *regions, int count,
                         struct td_err *err)
{
    const struct td_board *b = &t->board;
    uint64_t l1_end = (uint64_t)b->l1_base + b->l1_bytes;
    for (int i = 0; i < count; i++) {
        const struct region *r = &regions[i];
        if (r->base < b->l1_base || r->end > l1_end)
            return td_fail(err, TD_E_FORMAT, "%s:%d: %s%s (0x%llx to 0x%llx) is outside L1", t->origin,
                           r->line, r->core, r->what, (unsigned long long)r->base,
                           (unsigned long long)r->end);
        for (int j = 0; j < i; j++) {
            const struct region *o = &regions[j];
            /* A core whose code begins at its start address needs no jump there. */
            if (r->core == o->core && *r->core && r->base == o->base)
                continue;
            if (r->base < o->end && o->base < r->end)
                return td_fail(err, TD_E_FORMAT, "%s:%d: %s%s (0x%llx to 0x%llx) overlaps %s%s (line %d)",
                               t->origin, r->line, r->core, r->what, (unsigned long long)r->base,
                               (unsigned long long)r->end, o->core, o->what, o->line);
        }
    }
    return 0;
}

static int check_l1(const struct td_board_text *t, struct td_err *err)
{
    const struct td_board *b = &t->board;
    struct region regions[2 + 2 * TD_MAX_CORES];
    int count = 0;
    uint64_t lanes_end =
        (uint64_t)b->lane_base + TD_TILE_CTRL_BYTES +
        (uint64_t)b->core_count * (TD_LANE_CTRL_BYTES + (uint64_t)b->ring_slots * TD_SLOT_BYTES);
    regions[count++] = (struct region){b->lane_base, lanes_end, t->line[TD_KEY_RING_SLOTS], "the lanes", ""};
    regions[count++] = (struct region){b->data_base, (uint64_t)b->l1_base + b->l1_bytes,
                                       t->line[TD_KEY_DATA_BASE], "program data from data_base on", ""};
    for (uint32_t i = 0; i < b->core_count; i++) {
        const struct td_core_desc *core = &b->cores[i];
        regions[count++] = (struct region){core->code_base, (uint64_t)core->code_base + core->code_bytes,
                                           t->core_line[i][TD_CORE_KEY_CODE_BASE], "'s code", core->name};
        regions[count++] = (struct region){core->start, (uint64_t)core->start + TD_START_BYTES,
                                           t->core_line[i][TD_CORE_KEY_START], "'s start", core->name};
    }
    return check_regions(t, regions, count, err);
}

static int check_registers(const struct td_board_text *t, struct td_err *err)
{
    const struct td_board *b = &t->board;
    static const enum td_board_key keys[] = {TD_KEY_LOW, TD_KEY_LIVE_HIGH, TD_KEY_LATCHED_HIGH,
                                             TD_KEY_SOFT_RESET, TD_KEY_NOC_REGS};
    const uint32_t at[] = {b->clock_low, b->clock_live_high, b->clock_latched_high, b->soft_reset,
                           b->noc_regs};
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        int line = t->line[keys[i]];
        if (at[i] % 4)
            return bad(t, line, err, "register address is not a multiple of 4");
        if (in_l1(b, at[i], (uint64_t)at[i] + 4))
            return bad(t, line, err, "register lies in L1");
        for (uint32_t c = 0; c < b->core_count; c++)
            if (at[i] >= b->cores[c].local_base && at[i] - b->cores[c].local_base < b->cores[c].local_bytes)
                return bad(t, line, err, "register lies in a core's local RAM");
        for (size_t j = 0; j < i; j++)
            if (at[i] == at[j])
                return bad(t, line, err, "register address is used for another register already");
    }
    return 0;
}

static int has(const struct td_list *list, uint16_t item)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->item[i] == item)
            return 1;
    return 0;
}

/* Leaves out of `all` what is harvested; fills `to`, returns the number left, or -1 when *line is to blame.
 */
static int leave(const struct td_list *all, const struct td_list *harvested, uint32_t limit, uint16_t *to)
{
    int left = 0;
    for (uint32_t i = 0; i < harvested->count; i++)
        if (!has(all, harvested->item[i]))
            return -1;
    for (uint32_t i = 0; i < all->count; i++) {
        if (all->item[i] >= limit)
            return -1;
        if (!has(harvested, all->item[i]))
            to[left++] = all->item[i];
    }
    return left;
}

static int check_grid(struct td_board_text *t, struct td_err *err)
{
    struct td_board *b = &t->board;
    int columns = leave(&t->columns, &t->harvested_columns, b->noc_width, b->column_x);
    if (columns <= 0)
        return bad(t, t->line[TD_KEY_COLUMNS], err,
                   "no column is left, a column is outside the NoC, or a harvested one is not in columns");
    int rows = leave(&t->rows, &t->harvested_rows, b->noc_height, b->row_y);
    if (rows <= 0)
        return bad(t, t->line[TD_KEY_ROWS], err,
                   "no row is left, a row is outside the NoC, or a harvested one is not in rows");
    if (t->grid.width > (uint32_t)columns || t->grid.height > (uint32_t)rows)
        return td_fail(err, TD_E_FORMAT, "%s:%d: grid %ux%u is larger than the %dx%d tiles that board %s has",
                       t->origin, t->line[TD_KEY_GRID], t->grid.width, t->grid.height, columns, rows,
                       b->name);
    b->grid_width = t->grid.width;
    b->grid_height = t->grid.height;
    return 0;
}

static int check_dram(struct td_board_text *t, struct td_err *err)
{
    struct td_board *b = &t->board;
    const struct td_places *p = &t->places;
    int line = t->line[TD_KEY_POSITIONS] ? t->line[TD_KEY_POSITIONS] : t->line[TD_KEY_BANKS];
    if (p->count != b->dram_banks)
        return td_fail(err, TD_E_FORMAT, "%s:%d: %u DRAM positions for %u banks", t->origin, line, p->count,
                       b->dram_banks);
    if (b->dram_banks && (!b->dram_bank_bytes || b->dram_bank_bytes % 4096))
        return bad(t, t->line[TD_KEY_BANKS], err, "bank_bytes is missing or not a multiple of 4096");
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->x[i] >= b->noc_width || p->y[i] >= b->noc_height)
            return bad(t, line, err, "a DRAM bank is outside the NoC");
        if (has(&t->columns, p->x[i]) && has(&t->rows, p->y[i]))
            return bad(t, line, err, "a DRAM bank is where a Tensix tile is");
        for (uint32_t j = 0; j < i; j++)
            if (p->x[i] == p->x[j] && p->y[i] == p->y[j])
                return bad(t, line, err, "two DRAM banks have one position");
        b->dram_x[i] = p->x[i];
        b->dram_y[i] = p->y[i];
    }
    return 0;
}

int td_board_check(struct td_board_text *t, struct td_err *err)
{
    t->board.frequency_hz = t->frequency_mhz * 1e6;
    int rc = check_lanes(t, err);
    for (uint32_t i = 0; rc == 0 && i < t->board.core_count; i++)
        rc = check_core(t, i, err);
    if (rc == 0)
        rc = check_l1(t, err);
    if (rc == 0)
        rc = check_registers(t, err);
    if (rc == 0)
        rc = check_grid(t, err);
    return rc ? rc : check_dram(t, err);
}
