#include "host/device/drain_lane.h"
#include "host/device/lanes.h"

#include "proto/device/packet.h"

#include <string.h>

/* Slots of a block: in overwrite mode a core gives up that many at once. */
#define BLOCK_SLOTS 32

static int is_valid(const uint32_t *slot)
{
    return (slot[0] & TD_SLOT_VALID) != 0;
}

static int read_ring(struct td_drain_io *io, const struct td_drain_lane *lane, uint32_t first, uint32_t slots,
                     uint32_t *to, struct td_err *err)
{
    io->stats.bytes_read += (uint64_t)slots * TD_SLOT_BYTES;
    uint32_t at = first % io->ring_slots;
    for (uint32_t done = 0, n; done < slots; done += n, at = 0) {
        n = io->ring_slots - at < slots - done ? io->ring_slots - at : slots - done;
        int rc = io->t->ops->read(io->t, lane->at.tile, lane->ring_address + at * TD_SLOT_BYTES,
                                  to + 2 * done, (size_t)n * TD_SLOT_BYTES, err);
        if (rc)
            return rc;
    }
    return 0;
}

static int write_ctrl(struct td_drain_io *io, struct td_drain_lane *lane, uint32_t offset, uint32_t value,
                      struct td_err *err)
{
    io->stats.bytes_written += 4;
    if (!lane->ctrl)
        return io->t->ops->write(io->t, lane->at.tile, lane->ctrl_address + offset, &value, 4, err);
    __atomic_store_n(&lane->ctrl[offset / 4], value, __ATOMIC_RELEASE);
    return 0;
}

static int copy_mapped(struct td_drain_io *io, const struct td_drain_lane *lane)
{
    const uint32_t mask = io->ring_slots - 1;
    uint32_t n = 0;
    for (; n < io->ring_slots; n++) {
        /* A slot is written second word first, so one load that shows the valid flag shows all of it. */
        uint64_t slot = __atomic_load_n(&lane->ring[(lane->head + n) & mask], __ATOMIC_ACQUIRE);
        if (!((uint32_t)slot & TD_SLOT_VALID))
            break;
        memcpy(io->buffer + 2 * n, &slot, sizeof slot);
    }
    io->stats.bytes_read += (uint64_t)n * TD_SLOT_BYTES;
    return (int)n;
}

int td_drain_lane_copy(struct td_drain_io *io, const struct td_drain_lane *lane, uint32_t tail, int beyond,
                       struct td_err *err)
{
    if (lane->ring)
        return copy_mapped(io, lane);
    /* The hint may be behind what was found by looking beyond it before. */
    const int32_t told = (int32_t)(tail - lane->head);
    uint32_t n = 0, want = told > 0 ? (uint32_t)told : 0;
    if (want > io->ring_slots)
        want = io->ring_slots;
    if (beyond) {
        /* One slot tells whether there is more; then all are read twice, so that the second words are no
         * older than the first ones. */
        int rc = want < io->ring_slots ? read_ring(io, lane, lane->head + want, 1, io->buffer, err) : 0;
        if (rc)
            return rc;
        if (want < io->ring_slots && is_valid(io->buffer)) {
            want = io->ring_slots;
            if ((rc = read_ring(io, lane, lane->head, want, io->buffer, err)))
                return rc;
            while (n < want && is_valid(io->buffer + 2 * n))
                n++;
            want = n;
        }
    }
    int rc = read_ring(io, lane, lane->head, want, io->buffer, err);
    if (rc)
        return rc;
    for (n = 0; n < want && is_valid(io->buffer + 2 * n);)
        n++;
    return (int)n;
}

static int clear_ring(struct td_drain_io *io, struct td_drain_lane *lane, uint32_t slots, struct td_err *err)
{
    const uint32_t mask = io->ring_slots - 1;
    io->stats.bytes_written += (uint64_t)slots * TD_SLOT_BYTES;
    if (!lane->ring)
        return td_lane_clear_slots(io->t, lane->at.tile, lane->ring_address, io->ring_slots, lane->head,
                                   slots, err);
    for (uint32_t i = 0; i < slots; i++)
        __atomic_store_n(&lane->ring[(lane->head + i) & mask], 0, __ATOMIC_RELAXED);
    return 0;
}

int td_drain_lane_release(struct td_drain_io *io, struct td_drain_lane *lane, uint32_t slots,
                          struct td_err *err)
{
    int rc = clear_ring(io, lane, slots, err);
    if (rc)
        return rc;
    lane->head += slots;
    return write_ctrl(io, lane, TD_LANE_head, lane->head, err);
}

int td_drain_lane_newest(struct td_drain_io *io, struct td_drain_lane *lane, uint32_t tail, int exact,
                         int *gap, struct td_err *err)
{
    /* The block that the tail is in ends here; what lies a ring before that end has been overwritten. */
    uint32_t end = (tail + BLOCK_SLOTS - (exact ? 1 : 0)) / BLOCK_SLOTS * BLOCK_SLOTS;
    uint32_t first = lane->head, kept = 0;
    *gap = end - lane->head > io->ring_slots;
    if (*gap)
        first = end - io->ring_slots;
    int rc = read_ring(io, lane, first, end - first, io->buffer, err);
    for (uint32_t i = 0; rc == 0 && i < end - first; i++)
        if (is_valid(io->buffer + 2 * i))
            memmove(io->buffer + 2 * kept++, io->buffer + 2 * i, TD_SLOT_BYTES);
    return rc ? rc : (int)kept;
}

int td_drain_lane_hand_on(struct td_drain_io *io, const struct td_drain_lane *lane, const uint32_t *from,
                          uint32_t slots, td_drain_words *words, void *self, struct td_err *err)
{
    io->stats.slots += slots;
    return slots ? words(self, &lane->at, from, slots, err) : 0;
}

int td_drain_lane_rewind(struct td_drain_io *io, struct td_drain_lane *lane, uint32_t tail,
                         struct td_err *err)
{
    int rc = clear_ring(io, lane, io->ring_slots, err);
    lane->head = tail;
    return rc ? rc : write_ctrl(io, lane, TD_LANE_head, tail, err);
}

int td_drain_lane_policy(struct td_drain_io *io, struct td_drain_lane *lane, enum td_policy policy,
                         struct td_err *err)
{
    return write_ctrl(io, lane, TD_LANE_policy, policy, err);
}
