#include "host/device/drain/lanes.h"
#include "host/base/debug_log.h"
#include "proto/device/packet.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void tile_words(const struct td_board *board, uint32_t words[TD_TILE_CTRL_BYTES / 4])
{
    memset(words, 0, TD_TILE_CTRL_BYTES);
    words[TD_TILE_magic / 4] = TD_LANE_MAGIC;
    words[TD_TILE_version / 4] = TD_DEVICE_PROTO_VERSION;
    words[TD_TILE_lanes / 4] = board->core_count;
    words[TD_TILE_ring_slots / 4] = board->ring_slots;
    words[TD_TILE_ring_offset / 4] = td_board_ring(board, 0) - board->lane_base;
}

int td_lanes_prepare(struct td_transport *t, const struct td_board *board, struct td_tile_at at, int *fresh,
                     struct td_err *err)
{
    uint32_t now[TD_TILE_CTRL_BYTES / 4], words[TD_TILE_CTRL_BYTES / 4];
    int rc = t->ops->read(t, at, board->lane_base, now, sizeof now, err);
    if (rc)
        return rc;
    if (now[TD_TILE_magic / 4] == UINT32_MAX && now[TD_TILE_ring_slots / 4] == UINT32_MAX)
        return td_fail(err, TD_E_GONE, "the device does not answer (all ones)");
    tile_words(board, words);
    int is_ready = now[TD_TILE_magic / 4] == TD_LANE_MAGIC;
    if (fresh)
        *fresh = !is_ready;
    if (is_ready && memcmp(now, words, TD_TILE_agent) != 0)
        return td_fail(
            err, TD_E_VERSION,
            "the lanes of tile %u,%u were set up by another version or board description; restart the board",
            at.x, at.y);
    if (is_ready)
        return 0;
    td_debug(drain, "chip %u, tile (%u,%u): setting up %u lanes at 0x%x", at.chip, at.x, at.y,
             board->core_count, board->lane_base);
    /* Everything else first: with the magic word in place it is all valid. */
    size_t bytes = td_board_ring(board, board->core_count) - board->lane_base;
    uint32_t *all = calloc(1, bytes);
    if (!all)
        return td_fail(err, TD_E_NOMEM, "no memory for the lanes of a tile");
    memcpy(all, words, sizeof words);
    all[TD_TILE_magic / 4] = 0;
    rc = t->ops->write(t, at, board->lane_base, all, bytes, err);
    free(all);
    rc = rc ? rc : t->ops->write(t, at, board->lane_base, words, 4, err);
    rc = rc ? rc : t->ops->read(t, at, board->lane_base, now, 4, err);
    if (rc == 0 && now[0] != TD_LANE_MAGIC)
        return td_fail(err, TD_E_IO, "tile %u,%u of chip %u does not keep what is written to it", at.x, at.y,
                       at.chip);
    return rc;
}

bool td_lanes_are_set_up(const struct td_board *board, const uint32_t *now)
{
    uint32_t words[TD_TILE_CTRL_BYTES / 4];
    tile_words(board, words);
    return memcmp(now, words, TD_TILE_agent) == 0;
}

int td_lanes_restore(struct td_transport *t, const struct td_board *board, struct td_tile_at at,
                     struct td_err *err)
{
    uint32_t words[TD_TILE_CTRL_BYTES / 4];
    tile_words(board, words);
    return t->ops->write(t, at, board->lane_base, words, TD_TILE_agent, err);
}

int td_lane_set_word(struct td_transport *t, const struct td_board *board, struct td_tile_at at,
                     uint32_t core, uint32_t offset, uint32_t value, struct td_err *err)
{
    return t->ops->write(t, at, td_board_lane_ctrl(board, core) + offset, &value, 4, err);
}

int td_lane_clear_slots(struct td_transport *t, struct td_tile_at at, uint64_t ring_address,
                        uint32_t ring_slots, uint32_t first, uint32_t slots, struct td_err *err)
{
    static const uint32_t zeros[2 * 256];
    int rc = 0;
    for (uint32_t done = 0, n; rc == 0 && done < slots; done += n) {
        const uint32_t slot = (first + done) & (ring_slots - 1);
        n = slots - done < 256 ? slots - done : 256;
        n = n < ring_slots - slot ? n : ring_slots - slot;
        rc = t->ops->write(t, at, ring_address + (uint64_t)slot * TD_SLOT_BYTES, zeros,
                           (size_t)n * TD_SLOT_BYTES, err);
    }
    return rc;
}
