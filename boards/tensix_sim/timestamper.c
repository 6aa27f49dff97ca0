/* The tiles' timestampers (proto/device/stamp.h), as the public page of the debug timestamper describes them.
 *
 * Their registers are words of the tile's register page. Cores write them through timestamper_write(). The host
 * stores into the page; the tile's worker looks at what it finds there. A value of STATUS that the simulator has
 * put there has SHOWN set, a bit without a meaning, so that what the host writes is always seen. */
#include "boards/tensix_sim/sim.h"
#include "proto/device/stamp.h"

#include <string.h>

#define SHOWN (1u << 13)

static uint32_t *register_at(const struct tile *tile, uint32_t offset)
{
    return &tile->stamps.registers[offset / 4];
}

static uint32_t register_value(const struct tile *tile, uint32_t offset)
{
    return __atomic_load_n(register_at(tile, offset), __ATOMIC_ACQUIRE);
}

static bool has_timestamper(const struct sim *sim, const struct tile *tile, uint64_t address)
{
    return tile->stamps.registers && address >= sim->board.stamp_register && address % 4 == 0 &&
           address - sim->board.stamp_register < TD_STAMP_BYTES;
}

static uint32_t status(const struct timestamper *s)
{
    const uint32_t words = s->event_words;
    uint32_t value = s->position[0] << TD_STAMP_POSITION;
    for (int i = 0; i < 2; i++)
        value |= (s->full[i] ? TD_STAMP_FULL(i) : 0) | (s->overflow[i] ? TD_STAMP_OVERFLOW(i) : 0);
    if (words == 2)
        value |= s->count / 2 << TD_STAMP_ACCUM_64;
    else if (words == 1)
        value |= s->count << TD_STAMP_ACCUM_32;
    else if (words == 3)
        value |= ((TD_STAMP_UNIT_WORDS - s->count) & 3) << TD_STAMP_ACCUM_96;
    return value;
}

static void clear_sticky(struct timestamper *s, uint32_t bits)
{
    for (int i = 0; i < 2; i++) {
        if (bits & TD_STAMP_FULL(i))
            s->full[i] = s->position[i] = 0;
        if (bits & TD_STAMP_OVERFLOW(i))
            s->overflow[i] = 0;
    }
}

static void follow_control(struct timestamper *s, uint32_t control)
{
    if (control & TD_STAMP_RESET) {
        memset(s->full, 0, sizeof s->full);
        memset(s->overflow, 0, sizeof s->overflow);
        s->count = s->event_words = 0;
    }
    s->control = control;
}

/* Shows the status, unless the host has written bits meanwhile: these are cleared first. */
static void show_status(struct tile *tile)
{
    struct timestamper *s = &tile->stamps;
    uint32_t *place = register_at(tile, TD_STAMP_STATUS), found = s->shown;
    do {
        if (found != s->shown)
            clear_sticky(s, found);
        s->shown = found;
    } while (!__atomic_compare_exchange_n(place, &found, status(s) | SHOWN, 0, __ATOMIC_SEQ_CST,
                                          __ATOMIC_SEQ_CST));
    s->shown = status(s) | SHOWN;
}

void timestamper_follow(const struct sim *sim, struct tile *tile)
{
    if (!sim->board.stamp_register || !tile->stamps.registers)
        return;
    const uint32_t control = register_value(tile, TD_STAMP_CONTROL);
    if (control != tile->stamps.control)
        follow_control(&tile->stamps, control);
    if (register_value(tile, TD_STAMP_STATUS) != tile->stamps.shown)
        show_status(tile);
}

/* The place in L1 of a buffer's next piece; NULL: the buffer is not in use, or full, or not in L1. */
static uint8_t *next_piece(const struct sim *sim, const struct tile *tile, int i)
{
    static const uint32_t starts[] = {TD_STAMP_START0, TD_STAMP_START1},
                          ends[] = {TD_STAMP_END0, TD_STAMP_END1};
    const struct timestamper *s = &tile->stamps;
    const uint64_t at = (uint64_t)register_value(tile, starts[i]) + s->position[i];
    const uint64_t offset = at * TD_STAMP_UNIT_BYTES - sim->board.l1_base;
    if (!(s->control >> i & 1) || at > register_value(tile, ends[i]) ||
        at * TD_STAMP_UNIT_BYTES < sim->board.l1_base || offset > sim->board.l1_bytes - TD_STAMP_UNIT_BYTES)
        return NULL;
    return tile->memory + offset;
}

/* Writes the accumulated words to the first buffer with room. The word that says that they are there is last. */
static void flush(const struct sim *sim, struct tile *tile)
{
    struct timestamper *s = &tile->stamps;
    uint8_t *to = NULL;
    int i = 0;
    while (i < 2 && !(to = next_piece(sim, tile, i)))
        i++;
    while (s->count < TD_STAMP_UNIT_WORDS)
        s->data[s->count++] = 0;
    s->count = s->event_words = 0;
    if (!to) {
        for (i = 0; i < 2; i++)
            s->overflow[i] |= s->control >> i & 1;
        return;
    }
    for (int k = TD_STAMP_UNIT_WORDS - 1; k > 0; k--)
        put_word(to + 4 * k, s->data[k]);
    __atomic_store_n((uint32_t *)to, s->data[0], __ATOMIC_RELEASE);
    s->position[i]++;
    s->full[i] = next_piece(sim, tile, i) == NULL;
}

/* The length of an event in words; 0: none, it is a flush. -1: the hardware does what it likes. */
static int event_words(uint32_t value)
{
    switch (value & 7) {
#define TD_X(kind, name, words, what)                                                                        \
    case kind:                                                                                               \
        return words;
        TD_STAMP_KINDS(TD_X)
#undef TD_X
    default:
        return TD_E_FORMAT;
    }
}

/* Events of different lengths must not be mixed without a flush. */
static int append(const struct sim *sim, struct tile *tile, uint64_t now, uint32_t value)
{
    struct timestamper *s = &tile->stamps;
    const int words = event_words(value);
    const uint32_t length = words > 0 ? (uint32_t)words : (value & 7) == TD_STAMP_FLUSH_64 ? 2 : 3;
    const uint32_t event[] = {value, (uint32_t)now, (uint32_t)(now >> 32), 0};
    if (words < 0 || (s->event_words && s->event_words != length))
        return TD_E_FORMAT;
    s->event_words = length;
    if (words == 0)
        flush(sim, tile);
    for (int i = 0; i < words; i++) {
        s->data[s->count++] = words == 1 ? (value & 0xffff) | ((uint32_t)now & 0x1fffe0) << 11 : event[i];
        if (s->count == TD_STAMP_UNIT_WORDS)
            flush(sim, tile);
    }
    return 0;
}

void timestamper_init(struct sim *sim)
{
    for (uint32_t i = 0; sim->board.stamp_register && i < sim->tensix_count; i++) {
        struct tile *tile = &sim->tiles[i];
        tile->stamps.registers =
            (void *)(sim->map + tile->entry->regs_offset + sim->board.stamp_register % PAGE_BYTES);
        tile->stamps.control = 3;
        *register_at(tile, TD_STAMP_CONTROL) = 3;
        show_status(tile);
    }
}

int timestamper_read(const struct sim *sim, const struct tile *tile, uint64_t address, uint32_t *value)
{
    if (!has_timestamper(sim, tile, address))
        return TD_E_NOTFOUND;
    const uint32_t offset = (uint32_t)address - sim->board.stamp_register;
    *value = offset == TD_STAMP_APPEND ? 0 : register_value(tile, offset);
    if (offset == TD_STAMP_STATUS)
        *value &= ~SHOWN;
    return 0;
}

int timestamper_post(const struct sim *sim, struct tile *tile, uint64_t address, uint32_t value)
{
    if (!has_timestamper(sim, tile, address) || address == sim->board.stamp_register)
        return TD_E_NOTFOUND;
    __atomic_store_n(register_at(tile, (uint32_t)address - sim->board.stamp_register), value,
                     __ATOMIC_SEQ_CST);
    return 0;
}

int timestamper_write(struct core *core, uint32_t address, uint64_t now, uint32_t value)
{
    struct tile *tile = core->tile;
    int rc = 0;
    if (!has_timestamper(core->sim, tile, address))
        return TD_E_NOTFOUND;
    timestamper_follow(core->sim, tile);
    if (address == core->sim->board.stamp_register)
        rc = append(core->sim, tile, now, value);
    else
        rc = timestamper_post(core->sim, tile, address, value);
    if (rc == 0 && address != core->sim->board.stamp_register)
        timestamper_follow(core->sim, tile);
    else if (rc == 0)
        show_status(tile);
    return rc;
}
