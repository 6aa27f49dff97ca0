#include "tests/device/fake_board.h"

#include "proto/device/lane.h"
#include "proto/device/packet.h"

#include <stdlib.h>
#include <string.h>

static const char description[] =
    "[board]\nname=fake\ntransports=none\nchips=1\n"
    "[clock]\nfrequency_mhz=1000\nlow=0xFFB121F0\nlive_high=0xFFB121F4\nlatched_high=0xFFB121F8\n"
    "[reset]\nsoft_reset=0xFFB121B0\n[noc]\nwidth=4\nheight=4\nregs=0xFFB20000\n"
    "[grid]\ncolumns=0-3\nrows=0-3\ndefault=2x2\n"
    "[tensix]\nl1_base=0\nl1_bytes=0x10000\nlane_base=0x400\nring_slots=64\ndata_base=0xC000\n"
    "open_base=0x1000\nopen_bytes=0x100\n"
    "[core "
    "A]\nreset_bit=3\nstart=0\ncode_base=0x4000\ncode_bytes=0x4000\nlocal_base=0xFFB00000\nlocal_bytes=4096\n"
    "[core "
    "B]\nreset_bit=4\nstart=0x3000\ncode_base=0x8000\ncode_bytes=0x4000\nlocal_base=0xFFB00000\nlocal_bytes="
    "4096\n";

static char *locate(struct fake_board *fake, struct td_tile_at at, uint64_t address, size_t bytes)
{
    uint32_t tile = at.y * 2u + at.x;
    if (at.chip || at.x > 1 || at.y > 1)
        return NULL;
    if (address == fake->board.soft_reset && bytes == 4)
        return (char *)&fake->soft_reset[tile];
    if (address > FAKE_L1_BYTES || bytes > FAKE_L1_BYTES - address)
        return NULL;
    return (char *)fake->l1[tile] + address;
}

static int fake_read(struct td_transport *t, struct td_tile_at at, uint64_t address, void *to, size_t bytes,
                     struct td_err *err)
{
    struct fake_board *fake = (struct fake_board *)t;
    const char *from = locate(fake, at, address, bytes);
    if (fake->fail_reads > 0)
        return td_fail(err, TD_E_GONE, "the board is gone");
    if (!from)
        return td_fail(err, TD_E_USAGE, "no such address");
    memcpy(to, from, bytes);
    return 0;
}

static int fake_write(struct td_transport *t, struct td_tile_at at, uint64_t address, const void *from,
                      size_t bytes, struct td_err *err)
{
    struct fake_board *fake = (struct fake_board *)t;
    char *to = locate(fake, at, address, bytes);
    if (!to)
        return td_fail(err, TD_E_USAGE, "no such address");
    memcpy(to, from, bytes);
    return 0;
}

static void *fake_map(struct td_transport *t, struct td_tile_at at, uint64_t address, size_t bytes)
{
    return locate((struct fake_board *)t, at, address, bytes);
}

static int fake_alive(struct td_transport *t, struct td_err *err)
{
    return 0;
}

static const struct td_transport_ops ops = {
    .name = "fake", .read = fake_read, .write = fake_write, .alive = fake_alive};
static const struct td_transport_ops mapped_ops = {
    .name = "fake", .read = fake_read, .write = fake_write, .map = fake_map, .alive = fake_alive};

struct fake_board *fake_board_create(int mapped)
{
    struct fake_board *fake = calloc(1, sizeof *fake);
    if (!fake || td_board_parse(&fake->board, description, "fake", NULL, NULL))
        abort();
    fake->transport.ops = mapped ? &mapped_ops : &ops;
    for (int i = 0; i < FAKE_TILES; i++)
        fake->soft_reset[i] = 1u << 3 | 1u << 4;
    return fake;
}

void fake_board_destroy(struct fake_board *fake)
{
    free(fake);
}

uint32_t *fake_words(struct fake_board *fake, uint32_t tile, uint32_t address)
{
    return (uint32_t *)(void *)((char *)fake->l1[tile] + address);
}

uint32_t *fake_ctrl(struct fake_board *fake, uint32_t tile, uint32_t core)
{
    return fake_words(fake, tile, td_board_lane_ctrl(&fake->board, core));
}

void fake_core_publish(struct fake_core *c)
{
    fake_ctrl(c->fake, c->tile, c->core)[TD_LANE_tail / 4] = c->tail;
}

static uint32_t *slot_of(struct fake_core *c, uint32_t number)
{
    return fake_words(c->fake, c->tile, td_board_ring(&c->fake->board, c->core)) + 2 * (number % FAKE_SLOTS);
}

void fake_core_join(struct fake_core *c)
{
    uint32_t *ctrl = fake_ctrl(c->fake, c->tile, c->core);
    const uint32_t joined = ctrl[TD_LANE_joined / 4], join = ctrl[TD_LANE_join / 4],
                   head = ctrl[TD_LANE_head / 4];
    const int rejoining = join & TD_JOIN_REJOIN || (joined & ~TD_JOIN_LEFT) == join;
    if (joined == join || ctrl[TD_LANE_policy / 4] == TD_POLICY_OFF)
        return;
    memset(slot_of(c, 0), 0, FAKE_SLOTS * TD_SLOT_BYTES);
    ctrl[TD_LANE_skipped / 4] = rejoining ? ctrl[TD_LANE_skipped / 4] + ctrl[TD_LANE_tail / 4] - head : 0;
    ctrl[TD_LANE_given / 4] = (head + 31) / 32 * 32 - FAKE_SLOTS;
    ctrl[TD_LANE_lost_zones / 4] = 0;
    ctrl[TD_LANE_joined / 4] = join;
    ctrl[TD_LANE_tail / 4] = c->tail = head;
}

void fake_core_leave(struct fake_core *c)
{
    fake_ctrl(c->fake, c->tile, c->core)[TD_LANE_joined / 4] |= TD_JOIN_LEFT;
}

int fake_core_put(struct fake_core *c, uint32_t w0, uint32_t w1)
{
    fake_core_join(c);
    if (c->tail - fake_ctrl(c->fake, c->tile, c->core)[TD_LANE_head / 4] >= FAKE_SLOTS)
        return 0;
    uint32_t *slot = slot_of(c, c->tail++);
    if (slot[0] | slot[1])
        c->fake->head_before_clear = 1;
    slot[1] = w1;
    slot[0] = w0;
    if (c->tail % (FAKE_SLOTS / 4) == 0) /* as cores do */
        fake_core_publish(c);
    return 1;
}

static void give_up_block(struct fake_core *c)
{
    uint32_t *ctrl = fake_ctrl(c->fake, c->tile, c->core);
    ctrl[TD_LANE_given / 4] = c->tail + TD_BLOCK_SLOTS - FAKE_SLOTS;
    for (uint32_t i = 0; i < TD_BLOCK_SLOTS; i++) {
        ctrl[TD_LANE_lost_zones / 4] += *slot_of(c, c->tail + i) >> 31;
        memset(slot_of(c, c->tail + i), 0, TD_SLOT_BYTES);
    }
}

void fake_core_overwrite(struct fake_core *c, uint32_t w0, uint32_t w1)
{
    fake_core_join(c);
    if (c->tail % TD_BLOCK_SLOTS == 0)
        give_up_block(c);
    uint32_t *slot = slot_of(c, c->tail++);
    slot[1] = w1;
    slot[0] = w0;
    if (c->tail % TD_BLOCK_SLOTS == 1)
        fake_core_publish(c);
}
