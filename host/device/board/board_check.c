/* Contradictions within a tile: cores, L1, registers. */
#include "host/device/board/board_parse.h"
#include "proto/device/lane.h"
#include "proto/device/noc.h"
#include "proto/device/packet.h"
#include "proto/device/stamp.h"

#include <stdbool.h>
#include <string.h>

/* A part of L1 and who needs it. */
struct region {
    uint64_t base, end;
    int mark;
    const char *what, *core; /* core: "" for the tile's own */
};

static int check_lanes(const struct td_board_text *t, struct td_err *err)
{
    const struct td_board *b = &t->board;
    if (b->ring_slots & (b->ring_slots - 1))
        return td_board_refuse(t, t->at[TD_KEY_RING_SLOTS], err, "ring_slots is not a power of two");
    if (b->lane_base % 16)
        return td_board_refuse(t, t->at[TD_KEY_LANE_BASE], err, "lane_base is not a multiple of 16");
    if (!t->at[TD_KEY_OPEN_BASE] != !t->at[TD_KEY_OPEN_BYTES] || b->open_base % 16)
        return td_board_refuse(t, t->at[t->at[TD_KEY_OPEN_BASE] ? TD_KEY_OPEN_BASE : TD_KEY_OPEN_BYTES], err,
                               "open_base and open_bytes belong together, and open_base is a multiple of 16");
    if (b->l1_base % 4096)
        return td_board_refuse(t, t->at[TD_KEY_L1_BASE], err, "l1_base is not a multiple of 4096");
    if (b->l1_bytes % 4096 || (uint64_t)b->l1_base + b->l1_bytes > UINT64_C(1) << 32)
        return td_board_refuse(t, t->at[TD_KEY_L1_BYTES], err,
                               "l1_bytes is not a multiple of 4096, or L1 passes the end of the address "
                               "space");
    return 0;
}

static bool in_l1(const struct td_board *b, uint64_t base, uint64_t end)
{
    return base < (uint64_t)b->l1_base + b->l1_bytes && end > b->l1_base;
}

static int check_core(const struct td_board_text *t, uint32_t number, struct td_err *err)
{
    const struct td_board *b = &t->board;
    const struct td_core_desc *core = &b->cores[number];
    const int *at = t->core_at[number];
    for (uint32_t other = 0; other < number; other++)
        if (b->cores[other].reset_bit == core->reset_bit)
            return td_board_refuse(t, at[TD_CORE_KEY_RESET_BIT], err,
                                   "reset_bit %u belongs to core %s already", core->reset_bit,
                                   b->cores[other].name);
    if (core->start % 4 || core->code_base % 16)
        return td_board_refuse(t, at[core->start % 4 ? TD_CORE_KEY_START : TD_CORE_KEY_CODE_BASE], err,
                               "start is not a multiple of 4, or code_base not of 16");
    if (core->local_base % 16 || core->local_bytes % 16)
        return td_board_refuse(t, at[TD_CORE_KEY_LOCAL_BASE], err,
                               "local_base or local_bytes is not a multiple of 16");
    uint64_t local_end = (uint64_t)core->local_base + core->local_bytes;
    if (local_end > UINT64_C(1) << 32)
        return td_board_refuse(t, at[TD_CORE_KEY_LOCAL_BYTES], err,
                               "local RAM passes the end of the address space");
    if (in_l1(b, core->local_base, local_end))
        return td_board_refuse(t, at[TD_CORE_KEY_LOCAL_BASE], err, "local RAM overlaps L1");
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
            return td_board_refuse(t, r->mark, err, "%s%s (0x%llx to 0x%llx) is outside L1", r->core, r->what,
                                   (unsigned long long)r->base, (unsigned long long)r->end);
        for (int j = 0; j < i; j++) {
            const struct region *o = &regions[j];
            /* A core whose code begins at its start address needs no jump there. */
            if (r->core == o->core && *r->core && r->base == o->base)
                continue;
            int elsewhere = TD_MARK_LAYER(r->mark) != TD_MARK_LAYER(o->mark);
            if (r->base < o->end && o->base < r->end)
                return td_board_refuse(t, r->mark, err, "%s%s (0x%llx to 0x%llx) overlaps %s%s (%s%s%d)",
                                       r->core, r->what, (unsigned long long)r->base,
                                       (unsigned long long)r->end, o->core, o->what,
                                       elsewhere ? t->layer[TD_MARK_LAYER(o->mark)].origin : "line",
                                       elsewhere ? ":" : " ", TD_MARK_LINE(o->mark));
        }
    }
    return 0;
}

static int check_l1(const struct td_board_text *t, struct td_err *err)
{
    const struct td_board *b = &t->board;
    struct region regions[5 + 2 * TD_MAX_CORES];
    int count = 0;
    uint64_t lanes_end =
        (uint64_t)b->lane_base + TD_TILE_CTRL_BYTES +
        (uint64_t)b->core_count * (TD_LANE_CTRL_BYTES + (uint64_t)b->ring_slots * TD_SLOT_BYTES);
    regions[count++] = (struct region){b->lane_base, lanes_end, t->at[TD_KEY_RING_SLOTS], "the lanes", ""};
    regions[count++] = (struct region){b->data_base, (uint64_t)b->l1_base + b->l1_bytes,
                                       t->at[TD_KEY_DATA_BASE], "program data from data_base on", ""};
    if (b->open_bytes)
        regions[count++] = (struct region){b->open_base, (uint64_t)b->open_base + b->open_bytes,
                                           t->at[TD_KEY_OPEN_BYTES], "the place for open zones", ""};
    if (b->stamp_register)
        regions[count++] = (struct region){b->stamp_base, b->stamp_base + 2 * (uint64_t)b->stamp_buffer_bytes,
                                           t->at[TD_KEY_STAMP_BASE], "the timestamper's buffers", ""};
    if (b->reset_kind == TD_RESET_WORD)
        regions[count++] = (struct region){b->soft_reset, (uint64_t)b->soft_reset + 4,
                                           t->at[TD_KEY_SOFT_RESET], "the soft reset word", ""};
    for (uint32_t i = 0; i < b->core_count; i++) {
        const struct td_core_desc *core = &b->cores[i];
        regions[count++] = (struct region){core->code_base, (uint64_t)core->code_base + core->code_bytes,
                                           t->core_at[i][TD_CORE_KEY_CODE_BASE], "'s code", core->name};
        regions[count++] = (struct region){core->start, (uint64_t)core->start + TD_START_BYTES,
                                           t->core_at[i][TD_CORE_KEY_START], "'s start", core->name};
    }
    return check_regions(t, regions, count, err);
}

struct reg {
    uint32_t at;
    enum td_board_key key;
};

static int check_register(const struct td_board_text *t, const struct reg *regs, int number,
                          struct td_err *err)
{
    const struct td_board *b = &t->board;
    uint32_t at = regs[number].at;
    int mark = t->at[regs[number].key];
    if (at % 4)
        return td_board_refuse(t, mark, err, "register address is not a multiple of 4");
    for (int j = 0; j < number; j++)
        if (t->at[regs[j].key] && at == regs[j].at)
            return td_board_refuse(t, mark, err, "register address is used for another register already");
    if (regs[number].key == TD_KEY_SOFT_RESET && b->reset_kind == TD_RESET_WORD)
        return 0; /* lies in L1, see check_l1() */
    if (in_l1(b, at, (uint64_t)at + 4))
        return td_board_refuse(t, mark, err, "register lies in L1");
    for (uint32_t c = 0; c < b->core_count; c++)
        if (at >= b->cores[c].local_base && at - b->cores[c].local_base < b->cores[c].local_bytes)
            return td_board_refuse(t, mark, err, "register lies in a core's local RAM");
    return 0;
}

static int check_registers(const struct td_board_text *t, struct td_err *err)
{
    const struct td_board *b = &t->board;
    const struct reg regs[] = {{b->clock_low, TD_KEY_LOW},
                               {b->clock_live_high, TD_KEY_LIVE_HIGH},
                               {b->clock_latched_high, TD_KEY_LATCHED_HIGH},
                               {b->soft_reset, TD_KEY_SOFT_RESET},
                               {b->noc_regs, TD_KEY_NOC_REGS},
                               {b->debug_control, TD_KEY_DEBUG_CONTROL},
                               {b->debug_data, TD_KEY_DEBUG_DATA},
                               {b->stamp_register, TD_KEY_STAMP_REGISTER},
                               {b->uart_base, TD_KEY_UART_BASE}};
    for (int i = 0; i < (int)(sizeof regs / sizeof regs[0]); i++) {
        int rc = t->at[regs[i].key] ? check_register(t, regs, i, err) : 0;
        if (rc)
            return rc;
    }
    enum { MOST_CORES = 6 }; /* each has an initiator of its own */
    if (b->noc_regs && b->niu != TD_NIU_CORE && b->core_count > MOST_CORES)
        return td_board_refuse(t, t->at[TD_KEY_NOC_REGS], err,
                               "the NIUs of a tile serve up to %d cores; [noc] niu=core gives each its own",
                               MOST_CORES);
    if (!b->simulated)
        return 0;
    if (!b->clock_latched_high || !b->noc_regs || b->reset_kind != TD_RESET_REGISTER)
        return td_board_refuse(t, t->at[TD_KEY_SIMULATED], err,
                               "a simulated board needs [clock] latched_high, [noc] regs and a register for "
                               "[reset]");
    return 0;
}

/* Each core that can be sampled has its own signal of the debug bus. */
static int check_debug_bus(const struct td_board_text *t, struct td_err *err)
{
    const struct td_board *b = &t->board;
    for (uint32_t i = 0; i < b->core_count; i++) {
        const int mark = t->core_at[i][TD_CORE_KEY_PC_SELECT];
        if (mark && !b->debug_control)
            return td_board_refuse(t, mark, err, "pc_select needs a section [debug_bus]");
        for (uint32_t other = 0; mark && other < i; other++)
            if (b->cores[other].pc_select == b->cores[i].pc_select)
                return td_board_refuse(t, mark, err, "pc_select 0x%x belongs to core %s already",
                                       b->cores[i].pc_select, b->cores[other].name);
    }
    if (b->simulated && b->debug_control && (b->debug_control ^ b->soft_reset) >> 12)
        return td_board_refuse(t, t->at[TD_KEY_DEBUG_CONTROL], err,
                               "the simulator has the debug bus in the page of [reset] soft_reset only");
    if (b->simulated && b->debug_data && (b->debug_data ^ b->soft_reset) >> 12)
        return td_board_refuse(t, t->at[TD_KEY_DEBUG_DATA], err,
                               "the simulator has the debug bus in the page of [reset] soft_reset only");
    return 0;
}

static int check_timestamper(const struct td_board_text *t, struct td_err *err)
{
    const struct td_board *b = &t->board;
    const int mark = t->at[TD_KEY_STAMP_REGISTER];
    if (!b->stamp_register)
        return 0;
    if ((b->stamp_base | b->stamp_buffer_bytes) % TD_STAMP_UNIT_BYTES)
        return td_board_refuse(t, mark, err, "[timestamper] base and buffer_bytes must be multiples of 16");
    if (b->core_count > TD_STAMP_MAX_CORES)
        return td_board_refuse(t, mark, err, "a timestamper can tell at most 16 cores of a tile apart");
    if (b->simulated && ((b->stamp_register ^ b->soft_reset) >> 12 ||
                         (b->stamp_register + TD_STAMP_BYTES - 1) >> 12 != b->soft_reset >> 12))
        return td_board_refuse(t, mark, err,
                               "the simulator has the timestamper in the page of [reset] soft_reset only");
    return 0;
}

static int core_named(const struct td_board_text *t, enum td_board_key key, const char *name, int *number,
                      struct td_err *err)
{
    *number = -1;
    for (uint32_t i = 0; t->at[key] && i < t->board.core_count; i++)
        if (strcmp(t->board.cores[i].name, name) == 0)
            *number = (int)i;
    if (t->at[key] && *number < 0)
        return td_board_refuse(t, t->at[key], err, "there is no core %s", name);
    return 0;
}

static int check_roles(struct td_board_text *t, struct td_err *err)
{
    int relay, probe;
    int rc = core_named(t, TD_KEY_RELAY_CORE, t->relay_core, &relay, err);
    rc = rc ? rc : core_named(t, TD_KEY_PROBE_CORE, t->probe_core, &probe, err);
    if (rc)
        return rc;
    t->board.relay_core = relay < 0 ? 0 : (uint32_t)relay;
    if (!t->at[TD_KEY_RELAY_FIRMWARE])
        memcpy(t->board.relay_firmware, t->board.name, sizeof t->board.relay_firmware);
    t->board.probe_core = probe;
    return 0;
}

int td_board_check(struct td_board_text *t, struct td_err *err)
{
    t->board.frequency_hz = t->frequency_mhz * 1e6;
    int rc = check_lanes(t, err);
    for (uint32_t i = 0; rc == 0 && i < t->board.core_count; i++)
        rc = check_core(t, i, err);
    rc = rc ? rc : check_l1(t, err);
    rc = rc ? rc : check_registers(t, err);
    rc = rc ? rc : check_debug_bus(t, err);
    rc = rc ? rc : check_timestamper(t, err);
    rc = rc ? rc : check_roles(t, err);
    rc = rc ? rc : td_board_check_grid(t, err);
    return rc ? rc : td_board_check_windows(t, err);
}
