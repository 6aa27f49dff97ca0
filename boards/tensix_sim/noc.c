/* The NoC: requests of NIUs, completed after a time that grows with distance and length.
 *
 * The timing, in ticks of the board's clock: an NIU sends WIDTH bytes a tick, one request after the other; a hop
 * (Manhattan distance) takes HOP; entering and leaving takes BASE; reads and atomics go both ways. A write is
 * counted as acknowledged when it arrives. */
#include "host/base/grow.h"

#include "boards/tensix_sim/niu.h"
#include "boards/tensix_sim/reorder.h"

#include <stdlib.h>
#include <string.h>

enum { BASE_TICKS = 60, HOP_TICKS = 9, WIDTH_BYTES = 32, REGISTERS_FROM = 0xff000000 };

#define KNOWN_CONTROL                                                                                        \
    (TD_NIU_KIND | TD_NIU_BYTE_MASK | TD_NIU_INLINE | TD_NIU_RESPONSE | TD_NIU_MULTICAST | TD_NIU_LINKED |   \
     TD_NIU_STATIC | TD_NIU_RESERVE | TD_NIU_CHANNEL(7) | TD_NIU_Y_FIRST | TD_NIU_TO_SELF)

/* Atomics: the operation in bits 12 to 14 of AT_LEN_BE, its operands in others. */
enum atomic { INCREMENT = 1, SWAP_MASK = 3, COMPARE_AND_SWAP = 4, SWAP_AT = 6, SWAP_AT_HIGH = 7 };

static uint32_t field(uint32_t word, unsigned from, unsigned bits)
{
    return word >> from & ((UINT32_C(1) << bits) - 1);
}

struct niu *niu_of(const struct core *core, uint32_t noc)
{
    const uint32_t pair = core->sim->board.niu == TD_NIU_CORE ? core->number : 0;
    return &core->tile->nius[2 * pair + noc];
}

static bool is_multicast(const struct noc_request *r)
{
    return (r->control & TD_NIU_MULTICAST) != 0;
}

static uint32_t kind_of(const struct noc_request *r)
{
    return r->control & TD_NIU_KIND;
}

/* ---- which requests there are */

/* What a place in a target and one in the own L1 have to have in common, as a mask of their low bits. */
static uint64_t alignment(const struct niu *niu, const struct noc_request *r, const struct tile *there)
{
    if (r->remote >= REGISTERS_FROM && !(there && there->entry->kind != TD_BAR_TENSIX))
        return 3;
    if (kind_of(r) == TD_NIU_READ && there && there->entry->kind == TD_BAR_DRAM)
        return TD_NIU_DRAM_ALIGN(niu->tile->cores[0].sim->board.niu) - 1;
    if (there && there->entry->kind == TD_BAR_HOST)
        return 0;
    return TD_NIU_ALIGN - 1;
}

static enum td_fault check_alignment(const struct niu *niu, const struct noc_request *r,
                                     const struct tile *there)
{
    const uint64_t mask = alignment(niu, r, there);
    if (kind_of(r) == TD_NIU_ATOMIC || r->control & TD_NIU_INLINE) {
        if (r->remote & 3 || (kind_of(r) == TD_NIU_ATOMIC && r->local & 3))
            return TD_FAULT_ALIGN;
        return TD_FAULT_NONE;
    }
    if (!(r->control & TD_NIU_BYTE_MASK) && ((r->remote ^ r->local) & mask))
        return TD_FAULT_ALIGN;
    /* Packets that the NIU splits off itself. */
    return r->packets > 1 && ((r->remote | r->local) & (TD_NIU_ALIGN - 1)) ? TD_FAULT_ALIGN : TD_FAULT_NONE;
}

/* Registers are accessed word by word. */
static bool is_register(const struct niu *niu, const struct noc_request *r, const struct tile *there)
{
    const struct sim *sim = niu->tile->cores[0].sim;
    return there && there->entry->kind == TD_BAR_TENSIX && kind_of(r) != TD_NIU_ATOMIC && r->bytes == 4 &&
           tile_has_register(sim, r->remote);
}

static bool target_is_there(const struct niu *niu, const struct noc_request *r, const struct tile *there)
{
    if (is_multicast(r)) /* all Tensix tiles have the same */
        return tile_memory(niu->tile, r->remote, r->bytes);
    if (!there || (kind_of(r) == TD_NIU_ATOMIC && there->entry->kind != TD_BAR_TENSIX))
        return false;
    return tile_memory(there, r->remote, r->bytes) || is_register(niu, r, there);
}

static bool local_is_there(const struct niu *niu, const struct noc_request *r)
{
    if (r->control & TD_NIU_INLINE || (kind_of(r) == TD_NIU_ATOMIC && !(r->control & TD_NIU_RESPONSE)))
        return true;
    return r->bytes > 0 && tile_memory(niu->tile, r->local, r->bytes);
}

static bool is_known(const struct noc_request *r)
{
    const bool is_write = kind_of(r) == TD_NIU_WRITE;
    if (r->control & ~KNOWN_CONTROL || kind_of(r) == TD_NIU_KIND ||
        (is_multicast(r) && kind_of(r) == TD_NIU_READ))
        return false;
    if (!is_write && r->control & (TD_NIU_BYTE_MASK | TD_NIU_INLINE))
        return false;
    switch (kind_of(r) == TD_NIU_ATOMIC ? field(r->length, 12, 3) : INCREMENT) {
    case INCREMENT:
    case SWAP_MASK:
    case COMPARE_AND_SWAP:
    case SWAP_AT:
    case SWAP_AT_HIGH:
        return true;
    }
    return false;
}

enum td_fault noc_check(const struct niu *niu, const struct noc_request *r, uint64_t *address)
{
    const struct sim *sim = niu->tile->cores[0].sim;
    const enum td_fault cause = kind_of(r) == TD_NIU_READ ? TD_FAULT_READ : TD_FAULT_WRITE;
    const struct tile *there = is_multicast(r) ? NULL : noc_map_tile(sim, niu->tile->entry->chip, r->first);
    *address = r->local;
    if (!is_known(r) || !local_is_there(niu, r))
        return cause;
    *address = r->remote;
    if (!target_is_there(niu, r, there))
        return cause;
    return check_alignment(niu, r, there);
}

/* ---- who receives a multicast */

/* Does `visit` for each recipient that is simulated; returns how many recipients there are. Spans wrap round. */
static unsigned for_each_target(const struct niu *niu, const struct noc_request *r,
                                void (*visit)(const struct niu *niu, struct tile *tile,
                                              struct noc_place place, const struct noc_request *r,
                                              void *user),
                                void *user)
{
    const struct sim *sim = niu->tile->cores[0].sim;
    const struct td_board *b = &sim->board;
    const uint32_t chip = niu->tile->entry->chip, width = b->noc_width, height = b->noc_height;
    const uint32_t columns = (r->last.x + width - r->first.x) % width + 1;
    const uint32_t rows = (r->last.y + height - r->first.y) % height + 1;
    unsigned found = 0;
    for (uint32_t j = 0; j < rows; j++)
        for (uint32_t i = 0; i < columns; i++) {
            const struct noc_place own = {(uint8_t)((r->first.x + i) % width),
                                          (uint8_t)((r->first.y + j) % height)};
            const struct noc_place place = noc_mirror(sim, niu->noc, own);
            struct tile *tile = noc_map_tile(sim, chip, place);
            if (!noc_map_receives(sim, chip, place) || (tile == niu->tile && !(r->control & TD_NIU_TO_SELF)))
                continue;
            found++; /* also a tile of the chip that is not in use */
            if (tile)
                visit(niu, tile, place, r, user);
        }
    return found;
}

/* ---- time */

static uint64_t hops(const struct niu *niu, struct noc_place to)
{
    const struct noc_place me = noc_map_of_tile(niu->tile->cores[0].sim, niu->tile);
    return (uint64_t)(abs((int)me.x - (int)to.x) + abs((int)me.y - (int)to.y));
}

static void note_farthest(const struct niu *niu, struct tile *tile, struct noc_place place,
                          const struct noc_request *r, void *user)
{
    uint64_t *farthest = user, h = hops(niu, place);
    if (h > *farthest)
        *farthest = h;
}

/* Two requests to one target, the first one given before. The pages keep only some in order. */
static bool stays_in_order(const struct niu *niu, const struct noc_request *first,
                           const struct noc_request *next)
{
    const uint32_t channel = TD_NIU_STATIC | TD_NIU_CHANNEL(7) | TD_NIU_MULTICAST;
    if (!niu->tile->cores[0].sim->reorder)
        return true;
    if (!(first->control & TD_NIU_STATIC) || (first->control & channel) != (next->control & channel))
        return false;
    const bool is_answered = (first->control & TD_NIU_RESPONSE) != 0;
    const uint32_t a = kind_of(first), b = kind_of(next);
    if (a == TD_NIU_WRITE && b == TD_NIU_READ)
        return true;
    if (a == TD_NIU_ATOMIC && b == TD_NIU_ATOMIC)
        return is_answered;
    return a == b && first->remote >= REGISTERS_FROM && next->remote >= REGISTERS_FROM;
}

/* Some lines are copied early, others late. */
static void delay(struct sim *sim, struct noc_request *r)
{
    enum { MOST_TICKS = 1500, LINES = 16 };
    const bool has_lines =
        kind_of(r) != TD_NIU_ATOMIC && !(r->control & (TD_NIU_INLINE | TD_NIU_BYTE_MASK)) && r->bytes > LINES;
    r->due += reorder_dice(&sim->noc_random, MOST_TICKS);
    r->part =
        has_lines ? r->started + 1 + reorder_dice(&sim->noc_random, (uint32_t)(r->due - r->started)) : 0;
    r->lines = reorder_dice(&sim->noc_random, UINT32_MAX);
}

static void set_times(struct niu *niu, struct noc_request *r, uint64_t now)
{
    const uint64_t length = (r->bytes + WIDTH_BYTES - 1) / WIDTH_BYTES;
    const int both_ways =
        kind_of(r) == TD_NIU_READ || (kind_of(r) == TD_NIU_ATOMIC && r->control & TD_NIU_RESPONSE);
    uint64_t way = 0;
    r->started = now > niu->port_free ? now : niu->port_free;
    if (is_multicast(r))
        for_each_target(niu, r, note_farthest, &way);
    else
        way = hops(niu, r->first);
    niu->port_free = r->started + length;
    r->due = r->started + length + (BASE_TICKS + way * HOP_TICKS) * (both_ways ? 2 : 1);
    if (niu->tile->cores[0].sim->reorder)
        delay(niu->tile->cores[0].sim, r);
    for (unsigned i = 0; i < niu->count; i++)
        if (niu->queue[i].key == r->key && niu->queue[i].due > r->due &&
            stays_in_order(niu, &niu->queue[i], r))
            r->due = niu->queue[i].due;
}

static void count_sent(struct niu *niu, const struct noc_request *r)
{
    const bool answered = (r->control & TD_NIU_RESPONSE) != 0;
    const uint32_t flits = (r->bytes + NIU_FLIT_BYTES - 1) / NIU_FLIT_BYTES;
    uint32_t *n = niu->counters;
    n[TD_NIU_CMD_ACCEPTED] += r->packets;
    switch (kind_of(r)) {
    case TD_NIU_READ:
        n[TD_NIU_RD_REQ_STARTED] += r->packets;
        n[TD_NIU_RD_REQ_SENT] += r->packets;
        break;
    case TD_NIU_ATOMIC:
        n[TD_NIU_NONPOSTED_ATOMIC_STARTED] += answered;
        n[answered ? TD_NIU_NONPOSTED_ATOMIC_SENT : TD_NIU_POSTED_ATOMIC_SENT]++;
        break;
    default:
        n[answered ? TD_NIU_NONPOSTED_WR_REQ_STARTED : TD_NIU_POSTED_WR_REQ_STARTED] += r->packets;
        n[answered ? TD_NIU_NONPOSTED_WR_REQ_SENT : TD_NIU_POSTED_WR_REQ_SENT] += r->packets;
        if (!(r->control & TD_NIU_INLINE)) {
            n[answered ? TD_NIU_NONPOSTED_WR_DATA_WORD_SENT : TD_NIU_POSTED_WR_DATA_WORD_SENT] += flits;
            niu->outgoing[r->id] = (uint8_t)(niu->outgoing[r->id] + r->packets);
        }
    }
    if (answered || kind_of(r) == TD_NIU_READ)
        niu->outstanding[r->id] = (uint8_t)(niu->outstanding[r->id] + r->packets);
}

uint64_t noc_give(struct niu *niu, const struct noc_request *request, uint64_t now)
{
    struct noc_request r = *request;
    if (td_grow(&niu->queue, &niu->room, niu->count + 1, sizeof *niu->queue))
        return 0;
    set_times(niu, &r, now);
    count_sent(niu, &r);
    niu->queue[niu->count++] = r;
    niu->tile->under_way++;
    return r.started ? r.started : 1;
}

/* ---- completing */

/* memcpy in whole words, as long as both sides are aligned. */
static void copy_words(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    if ((((uintptr_t)to | (uintptr_t)from) & 3) == 0 && to != from)
        for (; bytes >= 4; bytes -= 4, to += 4, from += 4)
            put_word(to, get_word(from));
    memmove(to, from, bytes);
}

static void swap_halves(uint8_t *line, const struct noc_request *r)
{
    const uint32_t mask = field(r->length, 2, 8);
    for (uint32_t i = 0; i < 8; i++)
        if (mask >> i & 1)
            memcpy(line + 2 * i, (const uint8_t *)&r->value + 2 * (i & 1), 2);
}

/* Changes a line of L1; returns the word at the request's address as it was. */
static uint32_t do_atomic(struct tile *tile, const struct noc_request *r)
{
    uint8_t *line = tile_memory(tile, r->remote & ~UINT64_C(15), 16);
    const uint32_t operation = field(r->length, 12, 3);
    if (!line)
        return 0;
    const uint32_t result = get_word(line + (r->remote & 12));
    const uint32_t offset = operation == SWAP_AT_HIGH ? field(r->length, 2, 2) : field(r->length, 0, 2);
    uint32_t *word = (uint32_t *)(void *)(line + 4 * (size_t)offset);
    const uint32_t mask = (UINT32_C(2) << field(r->length, 2, 5)) - 1;
    uint32_t old = __atomic_load_n(word, __ATOMIC_ACQUIRE), changed;
    if (operation == SWAP_MASK) {
        swap_halves(line, r);
        return result;
    }
    do {
        changed = old;
        if (operation == INCREMENT)
            changed = ((old + r->value) & mask) | (old & ~mask);
        else if (operation != COMPARE_AND_SWAP)
            changed = r->value;
        else if (old == field(r->length, 2, 4))
            changed = field(r->length, 6, 4);
    } while (!__atomic_compare_exchange_n(word, &old, changed, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    return offset == (r->remote & 12) / 4 ? old : result;
}

static void write_masked(struct tile *tile, const uint8_t *from, uint32_t mask, uint64_t at, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++) {
        uint8_t *to = mask >> i & 1 ? tile_memory(tile, at + i, 1) : NULL;
        if (to)
            *to = from[i];
    }
}

static void write_inline(struct tile *tile, const struct noc_request *r)
{
    const uint32_t mask = (r->length | r->length >> 16) & 0xffff;
    uint8_t *line = tile_memory(tile, r->remote & ~UINT64_C(15), 16);
    for (uint32_t i = 0; line && i < 4; i++)
        if (field(mask, 4 * i, 4) == 15)
            put_word(line + 4 * (size_t)i, r->value);
        else
            write_masked(tile, (const uint8_t *)&r->value, field(mask, 4 * i, 4),
                         (r->remote & ~UINT64_C(15)) + 4 * i, 4);
}

/* Aligned lines of 16 bytes: those of `lines`, or all others. */
static void copy_lines(uint8_t *to, const uint8_t *from, const struct noc_request *r, bool is_part)
{
    enum { LINE = 16 };
    const uint32_t before = r->remote % LINE;
    for (uint32_t at = 0, number = 0, bytes; at < r->bytes; at += bytes, number++) {
        bytes = number ? LINE : LINE - before;
        bytes = bytes < r->bytes - at ? bytes : r->bytes - at;
        if (((r->lines >> number % 32 & 1) != 0) == is_part)
            copy_words(to + at, from + at, bytes);
    }
}

static void copy_request(uint8_t *to, const uint8_t *from, const struct noc_request *r)
{
    if (r->has_part)
        copy_lines(to, from, r, false);
    else
        copy_words(to, from, r->bytes);
}

static void write_register(const struct niu *niu, struct tile *tile, const struct noc_request *r)
{
    struct sim *sim = niu->tile->cores[0].sim;
    const uint32_t value =
        r->control & TD_NIU_INLINE ? r->value : get_word(tile_memory(niu->tile, r->local, 4));
    if (tile_register_post(sim, tile, r->remote, value) == 0)
        __atomic_fetch_add(&sim->bar->doorbell, 1, __ATOMIC_SEQ_CST);
}

static void write_one(const struct niu *niu, struct tile *tile, struct noc_place place,
                      const struct noc_request *r, void *user)
{
    uint8_t *there = tile_memory(tile, r->remote, r->bytes);
    if (kind_of(r) == TD_NIU_ATOMIC)
        *(uint32_t *)user = do_atomic(tile, r);
    else if (!there)
        write_register(niu, tile, r);
    else if (r->control & TD_NIU_INLINE)
        write_inline(tile, r);
    else if (r->control & TD_NIU_BYTE_MASK)
        write_masked(tile, tile_memory(niu->tile, r->local & ~15u, 32), r->length, r->remote & ~UINT64_C(15),
                     32);
    else
        copy_request(there, tile_memory(niu->tile, r->local, r->bytes), r);
}

static void write_part(const struct niu *niu, struct tile *tile, struct noc_place place,
                       const struct noc_request *r, void *user)
{
    copy_lines(tile_memory(tile, r->remote, r->bytes), tile_memory(niu->tile, r->local, r->bytes), r, true);
}

static void read_one(const struct niu *niu, struct tile *tile, const struct noc_request *r)
{
    struct sim *sim = niu->tile->cores[0].sim;
    const uint8_t *there = tile_memory(tile, r->remote, r->bytes);
    uint32_t value = 0;
    if (there) {
        copy_request(tile_memory(niu->tile, r->local, r->bytes), there, r);
        return;
    }
    tile_register_read(sim, tile, r->remote, sim->insn_mode ? r->due : clock_now(sim, tile->entry->chip),
                       &value);
    memcpy(tile_memory(niu->tile, r->local, 4), &value, 4);
}

static void count_answers(struct niu *niu, const struct noc_request *r, uint32_t recipients)
{
    const bool answered = kind_of(r) == TD_NIU_READ || r->control & TD_NIU_RESPONSE;
    const uint32_t answers = answered ? r->packets * recipients : 0;
    niu->outstanding[r->id] = (uint8_t)(niu->outstanding[r->id] - answers);
    switch (kind_of(r)) {
    case TD_NIU_READ:
        niu->counters[TD_NIU_RD_RESP_RECEIVED] += answers;
        niu->counters[TD_NIU_RD_DATA_WORD_RECEIVED] += (r->bytes + NIU_FLIT_BYTES - 1) / NIU_FLIT_BYTES;
        break;
    case TD_NIU_ATOMIC:
        niu->counters[TD_NIU_ATOMIC_RESP_RECEIVED] += answers;
        break;
    default:
        niu->counters[TD_NIU_WR_ACK_RECEIVED] += answers;
        if (!(r->control & TD_NIU_INLINE))
            niu->outgoing[r->id] = (uint8_t)(niu->outgoing[r->id] - r->packets);
    }
}

static void complete(struct niu *niu, const struct noc_request *r)
{
    const struct sim *sim = niu->tile->cores[0].sim;
    struct tile *tile = is_multicast(r) ? NULL : noc_map_tile(sim, niu->tile->entry->chip, r->first);
    uint32_t old = 0, recipients = 1;
    __atomic_thread_fence(__ATOMIC_ACQ_REL);
    if (is_multicast(r))
        recipients = for_each_target(niu, r, write_one, &old);
    else if (kind_of(r) == TD_NIU_READ)
        read_one(niu, tile, r);
    else
        write_one(niu, tile, r->first, r, &old);
    if (kind_of(r) == TD_NIU_ATOMIC && r->control & TD_NIU_RESPONSE)
        put_word(tile_memory(niu->tile, r->local, 4), old);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    count_answers(niu, r, recipients);
}

static void complete_number(struct niu *niu, unsigned i)
{
    const struct noc_request r = niu->queue[i];
    niu->count--;
    niu->tile->under_way--;
    memmove(&niu->queue[i], &niu->queue[i + 1], (niu->count - i) * sizeof r);
    complete(niu, &r);
}

/* Some lines of those that are due for that. */
static void copy_parts(struct niu *niu, uint64_t now)
{
    const struct sim *sim = niu->tile->cores[0].sim;
    for (unsigned i = 0; i < niu->count; i++) {
        struct noc_request *r = &niu->queue[i];
        if (!r->part || r->has_part || r->part > now || r->due <= now)
            continue;
        struct tile *tile = noc_map_tile(sim, niu->tile->entry->chip, r->first);
        r->has_part = true;
        if (is_multicast(r))
            for_each_target(niu, r, write_part, NULL);
        else if (kind_of(r) == TD_NIU_READ && tile_memory(tile, r->remote, r->bytes))
            copy_lines(tile_memory(niu->tile, r->local, r->bytes), tile_memory(tile, r->remote, r->bytes), r,
                       true);
        else if (kind_of(r) == TD_NIU_WRITE && tile_memory(tile, r->remote, r->bytes))
            write_part(niu, tile, r->first, r, NULL);
    }
}

void noc_run_niu(struct niu *niu, uint64_t now)
{
    if (niu->tile->cores[0].sim->reorder)
        copy_parts(niu, now);
    while (niu->count) {
        unsigned first = 0;
        for (unsigned i = 1; i < niu->count; i++)
            if (niu->queue[i].due < niu->queue[first].due)
                first = i;
        if (niu->queue[first].due > now)
            break;
        complete_number(niu, first);
    }
}

/* ---- a tile's */

static uint32_t niu_count(const struct sim *sim)
{
    return sim->board.niu == TD_NIU_CORE ? 2 * sim->board.core_count : 2;
}

int noc_init(struct sim *sim)
{
    if (noc_map_init(sim))
        return TD_E_NOMEM;
    for (uint32_t t = 0; t < sim->tensix_count; t++) {
        struct tile *tile = &sim->tiles[t];
        tile->nius = calloc(niu_count(sim), sizeof *tile->nius);
        if (!tile->nius)
            return TD_E_NOMEM;
        for (uint32_t i = 0; i < niu_count(sim); i++) {
            tile->nius[i].tile = tile;
            tile->nius[i].noc = i % 2;
        }
    }
    return 0;
}

unsigned noc_run(struct sim *sim, struct tile *tile, uint64_t now)
{
    for (uint32_t i = 0; tile->under_way && i < niu_count(sim); i++)
        noc_run_niu(&tile->nius[i], now);
    return tile->under_way;
}

void noc_finish(struct sim *sim)
{
    for (uint32_t t = 0; sim->tiles && t < sim->tensix_count; t++) {
        for (uint32_t i = 0; sim->tiles[t].nius && i < niu_count(sim); i++)
            free(sim->tiles[t].nius[i].queue);
        free(sim->tiles[t].nius);
    }
    noc_map_finish(sim);
}
