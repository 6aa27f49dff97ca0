#include "host/agent/board/core_look.h"
#include "host/agent/board/debug_bus.h"
#include "host/transport/transport.h"

#include <stdlib.h>
#include <string.h>

#define JUST_BEGUN 0x1000000u /* zones may begin after the clock was read */

const char *td_look_state_name(enum td_look_state state)
{
    static const char *const names[] = {
#define TD_X(name, what) what,
        TD_LOOK_STATES(TD_X)
#undef TD_X
    };
    return (unsigned)state < TD_LOOK_STATE_COUNT ? names[state] : "unknown";
}

const char *td_look_fault(const struct td_core_look *core)
{
    static const char *const names[] = {
#define TD_X(value, name, what) [value] = what,
        TD_FAULTS(TD_X)
#undef TD_X
    };
    const uint32_t cause = core->words[TD_LANE_fault_cause / 4];
    return cause < sizeof names / sizeof *names ? names[cause] : "unknown fault";
}

uint64_t td_look_age(const struct td_core_look *core, const struct td_look_zone *zone)
{
    const uint32_t age = (uint32_t)core->ticks - zone->start;
    return age > UINT32_MAX - JUST_BEGUN ? 0 : age;
}

int td_board_look_init(struct td_board_look *look, struct td_transport *t, const struct td_board *board,
                       struct td_images *images, struct td_err *err)
{
    const size_t tiles = (size_t)board->chips * board->grid_width * board->grid_height;
    *look = (struct td_board_look){.transport = t, .board = board, .images = images};
    look->cores = calloc(tiles * board->core_count, sizeof *look->cores);
    if (!look->cores)
        return td_fail_no_memory(err, "for the cores of a board");
    for (uint32_t chip = 0; chip < board->chips; chip++)
        for (uint32_t y = 0; y < board->grid_height; y++)
            for (uint32_t x = 0; x < board->grid_width; x++)
                for (uint32_t core = 0; core < board->core_count; core++)
                    look->cores[look->count++] =
                        (struct td_core_look){.tile = td_board_tile(board, chip, x, y),
                                              .x = (uint16_t)x,
                                              .y = (uint16_t)y,
                                              .core = (uint16_t)core};
    return 0;
}

void td_board_look_free(struct td_board_look *look)
{
    struct td_err ignored = {0}; /* a board that is gone needs it no more */
    for (size_t i = 0; look->buses && i < look->count; i += look->board->core_count)
        if (look->buses[i])
            td_debug_bus_switch(look->transport, look->board, look->cores[i].tile, false, &ignored);
    free(look->buses);
    free(look->cores);
    look->buses = NULL;
    look->cores = NULL;
}

int td_board_look_show_pcs(struct td_board_look *look, struct td_err *err)
{
    const struct td_board *b = look->board;
    if (!td_debug_bus_has_any(b))
        return 0;
    look->buses = calloc(look->count, sizeof *look->buses);
    if (!look->buses)
        return td_fail_no_memory(err, "for the tiles of a board");
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < look->count; i += b->core_count) {
        const struct td_tile_at at = look->cores[i].tile;
        const int used = td_debug_bus_read_state(look->transport, b, at, err);
        rc = used < 0 ? used : used ? 0 : td_debug_bus_switch(look->transport, b, at, true, err);
        look->buses[i] = used == 0 && rc == 0;
    }
    return rc;
}

/* Of the cores of one tile that run. */
static int read_pcs(struct td_board_look *look, size_t first, struct td_err *err)
{
    int rc = 0;
    for (uint32_t c = 0; rc == 0 && c < look->board->core_count; c++) {
        struct td_core_look *core = &look->cores[first + c];
        core->has_pc = look->buses && look->buses[first] && td_debug_bus_has_core(look->board, c) &&
                       (core->state == TD_LOOK_RUNNING || core->state == TD_LOOK_STUCK);
        if (core->has_pc)
            rc = td_debug_bus_read_pc(look->transport, look->board, core->tile, c, &core->pc, err);
    }
    return rc;
}

static bool is_held(const struct td_board *board, uint32_t core, uint32_t soft_reset)
{
    return board->soft_reset && board->reset_kind == TD_RESET_REGISTER &&
           (soft_reset >> board->cores[core].reset_bit & 1);
}

static enum td_look_state state_of(const struct td_core_look *core, bool held)
{
    switch (core->words[TD_LANE_state / 4]) {
    case TD_CORE_RESET:
        return TD_LOOK_NEVER;
    case TD_CORE_RUNNING:
        return held ? TD_LOOK_STOPPED : TD_LOOK_RUNNING;
    case TD_CORE_DONE:
        return TD_LOOK_DONE;
    case TD_CORE_FAULT:
        return TD_LOOK_FAULT;
    default:
        return TD_LOOK_NO_LANES;
    }
}

static int by_age(const void *a, const void *b, uint32_t now)
{
    const struct td_look_zone *x = a, *y = b;
    const uint32_t age_x = now - x->start, age_y = now - y->start;
    return age_x < age_y ? 1 : -(age_x > age_y);
}

/* Keeps the zones that began last, in the order of their begins. */
static void add_zone(struct td_core_look *core, struct td_look_zone zone)
{
    const uint32_t now = (uint32_t)core->ticks;
    size_t at = core->zone_count;
    while (at > 0 && by_age(&core->zones[at - 1], &zone, now) > 0)
        at--;
    if (core->zone_count == TD_LOOK_ZONES) {
        if (at == 0)
            return;
        memmove(core->zones, core->zones + 1, (at - 1) * sizeof *core->zones);
        at--;
    } else {
        memmove(core->zones + at + 1, core->zones + at, (core->zone_count - at) * sizeof *core->zones);
        core->zone_count++;
    }
    core->zones[at] = zone;
}

static int read_open_zones(struct td_board_look *look, struct td_core_look *core, struct td_err *err)
{
    uint32_t address = 0;
    const uint32_t count = core->image ? td_image_open_words(core->image, &address) : 0;
    core->zone_count = 0;
    if (!count)
        return 0;
    uint32_t *words = malloc(4 * (size_t)count);
    if (!words)
        return td_fail_no_memory(err, "for the open zones of a core");
    const int rc =
        look->transport->ops->read(look->transport, core->tile, address, words, 4 * (size_t)count, err);
    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        const struct td_site *site =
            words[i] ? td_image_site(core->image, td_image_open_site(core->image, i)) : NULL;
        if (site)
            add_zone(core, (struct td_look_zone){site, words[i]});
    }
    free(words);
    return rc;
}

static bool has_moved(const struct td_core_look *now, const struct td_core_look *before)
{
    static const int watched[] = {TD_LANE_launch, TD_LANE_done, TD_LANE_tail, TD_LANE_lost_zones,
                                  TD_LANE_lost_other};
    bool moved = now->state != before->state || now->zone_count != before->zone_count;
    for (size_t i = 0; i < sizeof watched / sizeof *watched; i++)
        moved |= now->words[watched[i] / 4] != before->words[watched[i] / 4];
    for (size_t i = 0; !moved && i < now->zone_count; i++)
        moved |= now->zones[i].start != before->zones[i].start || now->zones[i].site != before->zones[i].site;
    return moved;
}

static int look_at_core(struct td_board_look *look, struct td_core_look *core, const uint32_t *words,
                        bool held, struct td_err *err)
{
    const struct td_core_look before = *core;
    memcpy(core->words, words, sizeof core->words);
    core->state = state_of(core, held);
    core->image = NULL;
    core->build_id = (uint64_t)words[TD_LANE_build_id1 / 4] << 32 | words[TD_LANE_build_id0 / 4];
    if (core->state == TD_LOOK_NEVER || core->state == TD_LOOK_NO_LANES)
        core->build_id = 0;
    if (core->build_id)
        core->image = td_images_find(look->images, core->build_id, NULL);
    core->zone_count = 0;
    int rc = 0;
    if (core->state == TD_LOOK_RUNNING || core->state == TD_LOOK_FAULT || core->state == TD_LOOK_STOPPED)
        rc = read_open_zones(look, core, err);
    /* The state of the look before is compared before this one becomes STUCK. */
    struct td_core_look same = before;
    if (same.state == TD_LOOK_STUCK)
        same.state = TD_LOOK_RUNNING;
    core->moved = look->looks == 0 || has_moved(core, &same);
    if (core->state == TD_LOOK_RUNNING && !core->moved)
        core->state = TD_LOOK_STUCK;
    return rc;
}

int td_board_look_now(struct td_board_look *look, struct td_err *err)
{
    const struct td_board *b = look->board;
    const size_t bytes = TD_TILE_CTRL_BYTES + (size_t)b->core_count * TD_LANE_CTRL_BYTES;
    uint32_t *words = malloc(bytes);
    int rc = words ? 0 : td_fail_no_memory(err, "for the control words of a tile");
    for (size_t i = 0; rc == 0 && i < look->count; i += b->core_count) {
        struct td_core_look *cores = &look->cores[i];
        struct td_clock_sample clock = {0};
        uint32_t held = 0;
        rc = look->transport->ops->read(look->transport, cores->tile, b->lane_base, words, bytes, err);
        if (rc == 0 && b->soft_reset)
            rc = look->transport->ops->read(look->transport, cores->tile, b->soft_reset, &held, 4, err);
        rc = rc ? rc : look->transport->ops->clock(look->transport, cores->tile, &clock, err);
        const bool set_up = words[TD_TILE_magic / 4] == TD_LANE_MAGIC;
        for (uint32_t c = 0; rc == 0 && c < b->core_count; c++) {
            const uint32_t *lane = words + (TD_TILE_CTRL_BYTES + (size_t)c * TD_LANE_CTRL_BYTES) / 4;
            cores[c].ticks = clock.ticks;
            rc = look_at_core(look, &cores[c], lane, is_held(b, c, held), err);
            if (!set_up)
                cores[c].state = TD_LOOK_NEVER;
        }
        rc = rc ? rc : read_pcs(look, i, err);
    }
    free(words);
    look->looks += rc == 0;
    return rc;
}
