/* --reorder: what the vendor's pages on the order of memory accesses allow to happen in another order does so, by
 * numbers that follow from the seed.
 *
 * A core's stores to L1 wait in a queue of four. The core's turn writes them at once; at the end of the turn
 * some of the last ones are taken back, and written again when its next turn begins. So other cores and the NoC
 * see them late, while the core's own later loads, and its stores to registers, have been done. A load from
 * the byte where a store begins waits for that store and all before it. So does, where fences order, a fence. A
 * load of other bytes of a store may see the old value. */
#include "boards/tensix_sim/reorder.h"

#include <stdlib.h>
#include <string.h>

enum { QUEUE = 4, BEHIND = 4 /* stores after which one has been done before a load */ };

struct store {
    uint32_t address, bytes;
    uint32_t old, value;
    uint64_t number;
};

struct reorder {
    struct core *core;
    uint64_t random;
    struct store queue[QUEUE]; /* the oldest first */
    unsigned count;
    uint64_t stores; /* of this launch, to any memory */
    bool is_back;    /* the queue's stores are not in memory */
    struct store shown_old;
    bool shows_old; /* one load sees a store's old value */
};

uint32_t reorder_dice(uint64_t *random, uint32_t sides)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return (uint32_t)(*random >> 20) % sides;
}

/* The first `count` of the queue are done for good. */
static void forget(struct reorder *r, unsigned count)
{
    r->count -= count;
    memmove(r->queue, r->queue + count, r->count * sizeof *r->queue);
}

static void put_value(const struct reorder *r, const struct store *s, uint32_t value)
{
    memcpy(tile_memory(r->core->tile, s->address, s->bytes), &value, s->bytes);
}

static void end_of_old_value(struct reorder *r)
{
    if (r->shows_old)
        put_value(r, &r->shown_old, r->shown_old.value);
    r->shows_old = false;
}

static void on_store(struct reorder *r, uint32_t address, uint32_t bytes, uint32_t value)
{
    const uint8_t *at = tile_memory(r->core->tile, address, bytes);
    r->stores++;
    if (!at)
        return;
    struct store s = {.address = address, .bytes = bytes, .value = value, .number = r->stores};
    memcpy(&s.old, at, bytes);
    if (r->count == QUEUE)
        forget(r, 1);
    r->queue[r->count++] = s;
}

static void on_load(struct reorder *r, uint32_t address, uint32_t bytes)
{
    unsigned done = 0;
    if (!tile_memory(r->core->tile, address, bytes))
        return;
    for (unsigned i = 0; i < r->count; i++)
        if (r->queue[i].address == address || r->stores - r->queue[i].number >= BEHIND)
            done = i + 1;
    forget(r, done);
    if (r->count == 0)
        return;
    const struct store *last = &r->queue[r->count - 1];
    if (last->address < address + bytes && address < last->address + last->bytes &&
        reorder_dice(&r->random, 2)) {
        r->shown_old = *last;
        r->shows_old = true;
        put_value(r, last, last->old);
    }
}

static void on_memory(uc_engine *uc, uc_mem_type type, uint64_t address, int size, int64_t value, void *user)
{
    struct reorder *r = user;
    end_of_old_value(r);
    if (type == UC_MEM_WRITE)
        on_store(r, (uint32_t)address, (uint32_t)size, (uint32_t)value);
    else
        on_load(r, (uint32_t)address, (uint32_t)size);
}

static void on_instruction(uc_engine *uc, uint64_t address, uint32_t size, void *user)
{
    enum { FENCE = 0x0f, OPCODE_AND_KIND = 0x707f };
    struct reorder *r = user;
    const uint8_t *code = core_code(r->core, (uint32_t)address);
    end_of_old_value(r);
    if (code && (get_word(code) & OPCODE_AND_KIND) == FENCE && !r->core->sim->board.no_fence)
        forget(r, r->count);
}

int reorder_init(struct core *core)
{
    struct reorder *r = core->reorder;
    uc_hook hook;
    if (!core->sim->reorder)
        return 0;
    if (!r) {
        r = core->reorder = calloc(1, sizeof *r);
        if (!r)
            return TD_E_NOMEM;
        r->core = core;
        r->random = (core->sim->reorder + (uint64_t)(core->tile - core->sim->tiles) * 64 + core->number + 1) *
                    UINT64_C(0x9e3779b97f4a7c15);
    }
    return uc_hook_add(core->uc, &hook, UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, (void *)on_memory, r,
                       (uint64_t)1, (uint64_t)0) ||
           uc_hook_add(core->uc, &hook, UC_HOOK_CODE, (void *)on_instruction, r, (uint64_t)1, (uint64_t)0);
}

void reorder_hide(struct core *core)
{
    struct reorder *r = core->reorder;
    if (!r)
        return;
    end_of_old_value(r);
    for (unsigned i = r->count; i-- > 0;)
        put_value(r, &r->queue[i], r->queue[i].old);
}

void reorder_show(struct core *core)
{
    const struct reorder *r = core->reorder;
    for (unsigned i = 0; r && i < r->count; i++)
        put_value(r, &r->queue[i], r->queue[i].value);
}

void reorder_begin_turn(struct core *core)
{
    struct reorder *r = core->reorder;
    if (!r || !r->is_back)
        return;
    reorder_show(core);
    r->count = 0;
    r->is_back = false;
}

void reorder_end_turn(struct core *core)
{
    struct reorder *r = core->reorder;
    if (!r)
        return;
    end_of_old_value(r);
    if (core->state != CORE_RUNNING || core->fault) {
        r->count = 0;
        return;
    }
    forget(r, reorder_dice(&r->random, r->count + 1));
    reorder_hide(core);
    r->is_back = r->count > 0;
}

bool reorder_toss(struct core *core)
{
    return core->reorder && reorder_dice(&core->reorder->random, 2);
}
