/* Registers of NIUs, as the cores of their tile see them (proto/device/noc.h). */
#include "boards/tensix_sim/niu.h"
#include "boards/tensix_sim/reorder.h"

/* Where each register is, by chip. */
static const uint16_t initiator_at[2][NIU_INITIATOR_REGISTERS] = {
#define TD_X(name, wormhole, blackhole, what) wormhole,
    {TD_NIU_INITIATOR_REGS(TD_X)},
#undef TD_X
#define TD_X(name, wormhole, blackhole, what) blackhole,
    {TD_NIU_INITIATOR_REGS(TD_X)},
#undef TD_X
};

enum niu_register {
    NIU_NOTHING,
#define TD_X(name, wormhole, blackhole, what) NIU_REG_##name,
    TD_NIU_REGS(TD_X)
#undef TD_X
};

/* Where they are. */
enum {
#define TD_X(name, wormhole, blackhole, what) WORMHOLE_##name = (wormhole), BLACKHOLE_##name = (blackhole),
    TD_NIU_REGS(TD_X)
#undef TD_X
};

/* Of those that are no arrays. */
static enum niu_register register_at(bool is_wormhole, uint32_t offset)
{
#define TD_X(name, wormhole, blackhole, what)                                                                \
    if (offset == (is_wormhole ? (wormhole) : (blackhole)))                                                  \
        return NIU_REG_##name;
    TD_NIU_REGS(TD_X)
#undef TD_X
    return NIU_NOTHING;
}

static bool is_wormhole(const struct core *core)
{
    return core->sim->board.niu == TD_NIU_WORMHOLE;
}

static uint32_t word_of(const struct core *core, enum niu_initiator_register r)
{
    return initiator_at[!is_wormhole(core)][r] / 4u;
}

/* Is there a register of an initiator at this offset? */
static bool is_initiator_word(const struct core *core, uint32_t offset)
{
#define TD_X(name, wormhole, blackhole, what) | UINT32_C(1) << (wormhole) / 4
    static const uint32_t of_wormhole = 0 TD_NIU_INITIATOR_REGS(TD_X);
#undef TD_X
#define TD_X(name, wormhole, blackhole, what) | UINT32_C(1) << (blackhole) / 4
    static const uint32_t of_blackhole = 0 TD_NIU_INITIATOR_REGS(TD_X);
#undef TD_X
    return offset < 4 * NIU_INITIATOR_WORDS &&
           ((is_wormhole(core) ? of_wormhole : of_blackhole) >> offset / 4 & 1);
}

static void run_noc(struct core *core, struct niu *niu, uint64_t now)
{
    reorder_hide(core);
    noc_run_niu(niu, now);
    reorder_show(core);
}

/* Is the initiator waiting for its request to leave? Its clock is looked at only if it was given one. */
static bool is_busy(struct niu *niu, uint32_t initiator, uint64_t now)
{
    if (niu->busy_until[initiator] > now)
        return true;
    niu->busy_until[initiator] = 0;
    return false;
}

/* ---- reading */

/* Columns (or rows) that receive no multicast, in the coordinates of the NIU's NoC. */
static uint32_t opted_out(const struct core *core, const struct niu *niu, bool is_rows)
{
    const struct td_board *b = &core->sim->board;
    const struct td_chip_desc *c = &b->chip[core->tile->entry->chip];
    const uint32_t side = is_rows ? b->noc_height : b->noc_width, count = is_rows ? c->rows : c->columns;
    const uint16_t *list = is_rows ? c->row_y : c->column_x;
    uint32_t mask = side < 32 ? (UINT32_C(1) << side) - 1 : UINT32_MAX;
    for (uint32_t i = 0; i < count; i++)
        mask &= ~(UINT32_C(1) << ((niu->noc ? side - 1 - list[i] : list[i]) & 31));
    return mask;
}

static uint32_t node_id(const struct core *core, const struct niu *niu)
{
    const struct td_board *b = &core->sim->board;
    const struct noc_place own = noc_mirror(core->sim, niu->noc, noc_map_of_tile(core->sim, core->tile));
    return own.x | (uint32_t)own.y << 6 | b->noc_width << 12 | b->noc_height << 19 |
           (niu->noc ? 0 : UINT32_C(1) << 28);
}

static int read_counter(const struct niu *niu, uint32_t index, uint32_t *value)
{
    if (index < TD_NIU_COUNTER_COUNT)
        *value = niu->counters[index];
    else if (index < TD_NIU_COUNTER_COUNT + TD_NIU_IDS)
        *value = niu->outstanding[index - TD_NIU_COUNTER_COUNT];
    else if (index < TD_NIU_COUNTER_COUNT + 2 * TD_NIU_IDS)
        *value = niu->outgoing[index - TD_NIU_COUNTER_COUNT - TD_NIU_IDS];
    else
        return TD_E_NOTFOUND;
    return 0;
}

static int read_once(struct core *core, struct niu *niu, uint32_t offset, uint64_t now, uint32_t *value)
{
    const struct td_bar_tile *e = core->tile->entry;
    const enum niu_register which = register_at(is_wormhole(core), offset);
    switch (which) {
    case NIU_REG_NODE_ID:
        *value = node_id(core, niu);
        return 0;
    case NIU_REG_ID_LOGICAL:
        *value = (uint32_t)e->x | (uint32_t)e->y << 6;
        return 0;
    case NIU_REG_BUSY:
        *value = 0;
        for (uint32_t i = 0; i < TD_NIU_INITIATORS; i++)
            *value |= (uint32_t)is_busy(niu, i, now) << i;
        return 0;
    case NIU_REG_NIU_CFG_0:
        *value = core->sim->board.translated_addresses ? TD_NIU_TRANSLATED : 0;
        return 0;
    case NIU_REG_ROUTER_CFG_1:
    case NIU_REG_ROUTER_CFG_3:
        *value = opted_out(core, niu, which == NIU_REG_ROUTER_CFG_3);
        return 0;
    default:
        return TD_E_NOTFOUND;
    }
}

/* ---- writing */

static uint64_t address_of(const uint32_t *words, uint32_t low, uint32_t mid, uint32_t mask)
{
    return words[low] | (uint64_t)(words[mid] & mask) << 32;
}

static struct noc_request read_request(const struct core *core, const struct niu *niu, uint32_t initiator)
{
    const uint32_t kind = core->sim->board.niu, shift = TD_NIU_PLACE_SHIFT(kind);
    const uint32_t *w = niu->initiator[initiator];
    const uint32_t mid_mask = is_wormhole(core) ? 0xf : UINT32_MAX;
    const uint64_t target = address_of(w, word_of(core, NIU_TARG_LO), word_of(core, NIU_TARG_MID), mid_mask);
    const uint64_t other = address_of(w, word_of(core, NIU_RET_LO), word_of(core, NIU_RET_MID), mid_mask);
    const uint32_t target_place = w[word_of(core, NIU_TARG_PLACE)] >> shift;
    const uint32_t other_place = w[word_of(core, NIU_RET_PLACE)] >> shift;
    struct noc_request r = {.control = w[word_of(core, NIU_CTRL)],
                            .length = w[word_of(core, NIU_AT_LEN_BE)],
                            .value = w[word_of(core, NIU_AT_DATA)],
                            .id = w[word_of(core, NIU_PACKET_TAG)] >> TD_NIU_ID_SHIFT & (TD_NIU_IDS - 1)};
    const bool is_plain_write = (r.control & (TD_NIU_KIND | TD_NIU_INLINE)) == TD_NIU_WRITE;
    r.remote = is_plain_write ? other : target;
    r.local = (uint32_t)(is_plain_write ? target : other);
    r.key = is_plain_write ? other_place : target_place;
    r.bytes = (r.control & TD_NIU_KIND) == TD_NIU_ATOMIC || r.control & TD_NIU_INLINE ? 4
              : r.control & TD_NIU_BYTE_MASK                                          ? 32
                                                                                      : r.length;
    r.packets = r.bytes / TD_NIU_PACKET(kind) + (r.bytes % TD_NIU_PACKET(kind) != 0);
    r.packets = r.packets ? r.packets : 1;
    /* The own tile, whose place software has to name, too. */
    struct noc_place me = noc_map_of_tile(core->sim, core->tile), own;
    const uint32_t own_bits = is_plain_write ? target_place : other_place;
    if (!(r.control & TD_NIU_INLINE) &&
        (!noc_map_place(core->sim, core->tile->entry->chip, niu->noc, own_bits & NIU_PLACE_MASK, &own) ||
         own.x != me.x || own.y != me.y))
        r.packets = 0;
    return r;
}

/* The target's place or rectangle from its bits. */
static bool find_targets(const struct core *core, const struct niu *niu, struct noc_request *r)
{
    const uint32_t chip = core->tile->entry->chip;
    if (!noc_map_place(core->sim, chip, niu->noc, r->key & NIU_PLACE_MASK, &r->last))
        return false;
    r->first = r->last;
    if (!(r->control & TD_NIU_MULTICAST)) {
        r->key &= NIU_PLACE_MASK;
        return true;
    }
    if (!noc_map_place(core->sim, chip, niu->noc, r->key >> 12 & NIU_PLACE_MASK, &r->first))
        return false;
    r->key &= 0xffffff;
    r->key |= (uint64_t)1 << 32;
    r->first = noc_mirror(core->sim, niu->noc, r->first);
    r->last = noc_mirror(core->sim, niu->noc, r->last);
    return true;
}

static void start_request(struct core *core, struct niu *niu, uint32_t initiator, uint32_t address,
                          uint64_t now)
{
    struct noc_request r = read_request(core, niu, initiator);
    const bool is_read = (r.control & TD_NIU_KIND) == TD_NIU_READ;
    uint64_t at = r.local;
    enum td_fault fault = is_read ? TD_FAULT_READ : TD_FAULT_WRITE;
    if (r.packets && find_targets(core, niu, &r))
        fault = noc_check(niu, &r, &at);
    else if (r.packets)
        at = r.remote;
    if (fault != TD_FAULT_NONE) {
        core_fault_at(core, fault, core_access_pc(core, 1, address), (uint32_t)at);
        return;
    }
    niu->busy_until[initiator] = noc_give(niu, &r, now);
    if (!niu->busy_until[initiator])
        core_fault_here(core, TD_FAULT_OTHER, address, 1);
}

/* A store that starts a request may arrive after later loads, unless they are from the same register, but before
 * later stores to the NIU. */
static void let_start_arrive(struct core *core)
{
    const uint32_t address = core->late_start;
    const uint32_t at = address - core->sim->board.noc_regs, offset = at % TD_NIU_BYTES;
    core->late_start = 0;
    if (address)
        start_request(core, niu_of(core, at / TD_NIU_BYTES), offset / TD_NIU_STRIDE(core->sim->board.niu),
                      address, core_now(core, 1, address));
}

void niu_end_turn(struct core *core)
{
    let_start_arrive(core);
}

int niu_read(struct core *core, uint32_t address, uint32_t *value)
{
    const uint32_t stride = TD_NIU_STRIDE(core->sim->board.niu);
    const uint32_t at = address - core->sim->board.noc_regs, offset = at % TD_NIU_BYTES;
    const uint32_t initiator = offset / stride, inside = offset % stride;
    struct niu *niu = niu_of(core, at / TD_NIU_BYTES);
    if (initiator >= TD_NIU_INITIATORS)
        return TD_E_NOTFOUND;
    if (core->late_start == address)
        let_start_arrive(core);
    const bool is_initiator = is_initiator_word(core, inside);
    if (is_initiator && inside / 4 != word_of(core, NIU_CMD_CTRL)) {
        *value = niu->initiator[initiator][inside / 4];
        return 0;
    }
    const uint32_t counters = is_wormhole(core) ? WORMHOLE_COUNTERS : BLACKHOLE_COUNTERS;
    const uint64_t now = core_now(core, 0, address);
    run_noc(core, niu, now);
    if (is_initiator) {
        *value = is_busy(niu, initiator, now);
        return 0;
    }
    if (initiator == 0 && offset >= counters)
        return read_counter(niu, (offset - counters) / 4, value);
    return read_once(core, niu, inside, now, value);
}

static int write_initiator(struct core *core, struct niu *niu, uint32_t initiator, uint32_t address,
                           uint32_t inside, uint32_t value)
{
    const bool starts = inside / 4 == word_of(core, NIU_CMD_CTRL);
    uint64_t now = 0;
    if (starts || niu->busy_until[initiator]) {
        now = core_now(core, 1, address);
        run_noc(core, niu, now);
        if (is_busy(niu, initiator, now))
            return TD_E_USAGE; /* its registers are in use */
    }
    niu->initiator[initiator][inside / 4] = value;
    if (starts && value == 1 && reorder_toss(core))
        core->late_start = address;
    else if (starts && value == 1)
        start_request(core, niu, initiator, address, now);
    return starts && value > 1 ? -1 : 0;
}

int niu_write(struct core *core, uint32_t address, uint32_t value)
{
    const uint32_t stride = TD_NIU_STRIDE(core->sim->board.niu);
    const uint32_t at = address - core->sim->board.noc_regs, offset = at % TD_NIU_BYTES;
    const uint32_t initiator = offset / stride, inside = offset % stride;
    struct niu *niu = niu_of(core, at / TD_NIU_BYTES);
    let_start_arrive(core);
    if (initiator < TD_NIU_INITIATORS && is_initiator_word(core, inside))
        return write_initiator(core, niu, initiator, address, inside, value);
    if (register_at(is_wormhole(core), offset) != NIU_REG_CLEAR_OUTSTANDING)
        return TD_E_NOTFOUND;
    run_noc(core, niu, core_now(core, 1, address));
    for (uint32_t i = 0; i < TD_NIU_IDS; i++)
        if (value >> i & 1)
            niu->outstanding[i] = 0;
    return 0;
}
