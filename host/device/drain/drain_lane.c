#include "host/device/drain/drain_lane.h"
#include "host/device/drain/lanes.h"
#include "proto/device/packet.h"

#include <stdbool.h>
#include <string.h>

#define GIVEN_LOOKS  8
#define MOST_SKIPPED (1u << 28) /* more can only be control words that were written over */

static bool is_valid(const uint32_t *slot)
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

int td_drain_lane_read(struct td_drain_io *io, const struct td_drain_lane *lane, uint32_t offset,
                       uint32_t *value, struct td_err *err)
{
    io->stats.bytes_read += 4;
    if (!lane->ctrl)
        return io->t->ops->read(io->t, lane->at.tile, lane->ctrl_address + offset, value, 4, err);
    *value = __atomic_load_n(&lane->ctrl[offset / 4], __ATOMIC_ACQUIRE);
    return 0;
}

int td_drain_lane_write(struct td_drain_io *io, const struct td_drain_lane *lane, uint32_t offset,
                        uint32_t value, struct td_err *err)
{
    io->stats.bytes_written += 4;
    if (!lane->ctrl)
        return io->t->ops->write(io->t, lane->at.tile, lane->ctrl_address + offset, &value, 4, err);
    __atomic_store_n(&lane->ctrl[offset / 4], value, __ATOMIC_RELEASE);
    return 0;
}

static int copy_mapped(struct td_drain_io *io, const struct td_drain_lane *lane, uint32_t first,
                       uint32_t most)
{
    const uint32_t mask = io->ring_slots - 1;
    uint32_t n = 0;
    for (; n < most; n++) {
        /* A slot is written second word first, so one load that shows the valid flag shows all of it. */
        uint64_t slot = __atomic_load_n(&lane->ring[(first + n) & mask], __ATOMIC_ACQUIRE);
        if (!((uint32_t)slot & TD_SLOT_VALID))
            break;
        memcpy(io->buffer + 2 * n, &slot, sizeof slot);
    }
    io->stats.bytes_read += (uint64_t)n * TD_SLOT_BYTES;
    return (int)n;
}

/* Valid slots that follow each other from `first` on, at most `most`. */
static int copy_slots(struct td_drain_io *io, const struct td_drain_lane *lane, uint32_t first, uint32_t most,
                      uint32_t tail, int past_hint, struct td_err *err)
{
    if (lane->ring)
        return copy_mapped(io, lane, first, most);
    /* The hint may be older than the slots that were found past it. */
    const int32_t told = (int32_t)(tail - first);
    uint32_t n = 0, want = told > 0 ? (uint32_t)told : 0;
    if (want > most)
        want = most;
    if (past_hint) {
        /* The first slot shows whether there are more. Then all are read twice, so that the second words are
         * no older than the first ones. */
        int rc = want < most ? read_ring(io, lane, first + want, 1, io->buffer, err) : 0;
        if (rc)
            return rc;
        if (want < most && is_valid(io->buffer)) {
            want = most;
            if ((rc = read_ring(io, lane, first, want, io->buffer, err)))
                return rc;
            while (n < want && is_valid(io->buffer + 2 * n))
                n++;
            want = n;
        }
    }
    int rc = read_ring(io, lane, first, want, io->buffer, err);
    if (rc)
        return rc;
    for (n = 0; n < want && is_valid(io->buffer + 2 * n);)
        n++;
    return (int)n;
}

uint32_t td_drain_lane_most(const struct td_drain_io *io, const struct td_drain_lane *lane, uint32_t tail)
{
    const int32_t behind = (int32_t)TD_TAIL_BEHIND(io->ring_slots), told = (int32_t)(tail - lane->head);
    if (told <= (int32_t)io->ring_slots && told >= -behind && told + behind < (int32_t)io->ring_slots)
        return (uint32_t)(told + behind);
    return io->ring_slots;
}

int td_drain_lane_copy(struct td_drain_io *io, const struct td_drain_lane *lane, uint32_t tail, int past_hint,
                       struct td_err *err)
{
    const uint32_t most = td_drain_lane_most(io, lane, tail);
    int slots = copy_slots(io, lane, lane->head, most, tail, past_hint, err);
    /* A core that finds its lane full may leave, and then overwrite the slots that were copied here. */
    if (slots < (int)io->ring_slots / 2)
        return slots;
    uint32_t joined;
    int rc = td_drain_lane_read(io, lane, TD_LANE_joined, &joined, err);
    return rc ? rc : td_drain_lane_is_fed(lane, joined) ? slots : 0;
}

static uint32_t end_of_given(const struct td_drain_io *io, uint32_t given)
{
    return (given & ~TD_GIVEN_BUSY) + io->ring_slots - (given & TD_GIVEN_BUSY ? TD_BLOCK_SLOTS : 0);
}

bool td_drain_lane_given_fits(const struct td_drain_io *io, const struct td_drain_lane *lane, uint32_t given)
{
    const uint32_t end = end_of_given(io, given), oldest = end - io->ring_slots;
    /* The core is at most a ring ahead of what it has given up, and never behind the lane's head. */
    return end % TD_BLOCK_SLOTS == 0 && (int32_t)(end - lane->head) >= 0 &&
           (int32_t)(oldest - lane->head) < (int32_t)(1u << 30);
}

uint32_t td_drain_lane_most_given(const struct td_drain_io *io, const struct td_drain_lane *lane,
                                  uint32_t given)
{
    const uint32_t most = end_of_given(io, given) - lane->head;
    return most <= io->ring_slots ? most : 0;
}

int td_drain_lane_copy_given(struct td_drain_io *io, const struct td_drain_lane *lane, const uint32_t *ctrl,
                             int past_hint, uint32_t *first, struct td_err *err)
{
    uint32_t given = ctrl[TD_LANE_given / 4];
    const uint32_t end = end_of_given(io, given);
    *first = lane->head;
    if (!td_drain_lane_given_fits(io, lane, given))
        return 0;
    if ((int32_t)((given & ~TD_GIVEN_BUSY) - *first) > 0)
        *first = given & ~TD_GIVEN_BUSY;
    if (end % TD_BLOCK_SLOTS || (int32_t)(end - *first) <= 0 || end - *first > io->ring_slots)
        return 0;
    int slots = copy_slots(io, lane, *first, end - *first, ctrl[TD_LANE_tail / 4], past_hint, err);
    int rc = slots > 0 ? td_drain_lane_read(io, lane, TD_LANE_given, &given, err) : 0;
    if (slots <= 0 || rc)
        return slots < 0 ? slots : rc;
    const int32_t gone = (int32_t)((given & ~TD_GIVEN_BUSY) - *first);
    if (gone <= 0)
        return slots;
    if (gone >= slots)
        return 0;
    *first += (uint32_t)gone;
    memmove(io->buffer, io->buffer + 2 * gone, (size_t)(slots - gone) * TD_SLOT_BYTES);
    return slots - gone;
}

/* Counts as the core does (target/src/lane.c). */
static void count_packets(const uint32_t *slot, uint32_t slots, uint32_t *zones, uint32_t *other)
{
    for (; slots > 0; slots--, slot += 2) {
        const uint32_t type = slot[0] >> TD_HEAD_TYPE_SHIFT & TD_HEAD_TYPE_MASK;
        const bool is_head = slot[0] >= TD_TAG_HEAD && slot[0] < TD_TAG_CONT;
        if (TD_IS_SHORT_ZONE(slot[0]) || (is_head && td_packet_counts_as(type, TD_COUNTS_ZONE)))
            ++*zones;
        else if (is_head && td_packet_counts_as(type, TD_COUNTS_OTHER))
            ++*other;
    }
}

/* The words, of one moment unless `before` has TD_GIVEN_BUSY. 0: they change all the time. */
static int read_given(struct td_drain_io *io, const struct td_drain_lane *lane, struct td_drain_given *given,
                      struct td_err *err)
{
    uint32_t check = 0, after = 0;
    const struct {
        uint32_t offset, *to;
    } words[] = {{TD_LANE_given, &given->before},
                 {TD_LANE_lost_zones, &given->zones},
                 {TD_LANE_lost_other, &given->other},
                 {TD_LANE_told_zones, &check},
                 {TD_LANE_given, &after}};
    int rc = 0;
    for (int looks = 0; looks < GIVEN_LOOKS; looks++) {
        for (size_t i = 0; rc == 0 && i < sizeof words / sizeof *words; i++)
            rc = td_drain_lane_read(io, lane, words[i].offset, words[i].to, err);
        if (rc)
            return rc;
        if (given->before == after && !(after & TD_GIVEN_BUSY))
            break;
    }
    const uint32_t right = TD_GIVEN_CHECK(given->before & ~TD_GIVEN_BUSY, given->zones + given->other);
    given->spoilt = check ? right - check : 0;
    return given->before == after;
}

/* The core has stopped while it gave up a block. It writes the counts one after the other, then their check, and
 * clears the block last: so the block and the check say which counts are missing. */
static int complete_given(struct td_drain_io *io, const struct td_drain_lane *lane,
                          struct td_drain_given *given, struct td_err *err)
{
    uint32_t block[2 * TD_BLOCK_SLOTS], zones = 0, other = 0;
    given->before &= ~TD_GIVEN_BUSY;
    int rc = read_ring(io, lane, given->before - TD_BLOCK_SLOTS, TD_BLOCK_SLOTS, block, err);
    if (rc || given->spoilt == 0)
        return rc ? rc : 1;
    count_packets(block, TD_BLOCK_SLOTS, &zones, &other);
    const uint32_t written = -(given->spoilt + TD_BLOCK_SLOTS);
    if (written && written != zones && written != zones + other)
        return 1;
    given->zones += written ? 0 : zones;
    given->other += written == zones + other ? 0 : other;
    given->spoilt = 0;
    return 1;
}

int td_drain_lane_given(struct td_drain_io *io, const struct td_drain_lane *lane, bool stands_still,
                        struct td_drain_given *given, struct td_err *err)
{
    int rc = read_given(io, lane, given, err);
    if (rc <= 0 || !(given->before & TD_GIVEN_BUSY))
        return rc;
    return stands_still ? complete_given(io, lane, given, err) : 0;
}

bool td_drain_given_before(const struct td_drain_io *io, struct td_drain_given *given, uint32_t first,
                           uint32_t slots)
{
    uint32_t zones = 0, other = 0;
    if (given->before - first > slots)
        return false;
    count_packets(io->buffer, given->before - first, &zones, &other);
    given->zones -= zones;
    given->other -= other;
    return true;
}

int td_drain_lane_hole(struct td_drain_io *io, const struct td_drain_lane *lane, uint32_t slots,
                       struct td_err *err)
{
    int rc = read_ring(io, lane, lane->head, slots, io->buffer, err);
    uint32_t n = 0;
    /* A core that was stopped while it wrote a packet leaves continuations without a head. */
    while (rc == 0 && n < slots && (!is_valid(io->buffer + 2 * n) || (n && io->buffer[2 * n] >= TD_TAG_CONT)))
        n++;
    return rc ? rc : (int)n;
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
    return td_drain_lane_write(io, lane, TD_LANE_head, lane->head, err);
}

int td_drain_lane_hand_on(struct td_drain_io *io, struct td_drain_lane *lane, const uint32_t *from,
                          uint32_t slots, td_drain_words *words, void *self, struct td_err *err)
{
    if (slots == 0 && !lane->at.overwritten)
        return 0;
    io->stats.slots += slots;
    lane->at.gap =
        lane->in_hole && !lane->at.overwritten ? TD_GAP_HOLE : lane->missing || lane->at.overwritten;
    lane->at.missing = lane->missing;
    int rc = lane->missing ? td_drain_lane_read(io, lane, TD_LANE_time_high, &lane->at.time_high, err) : 0;
    rc = rc ? rc : words(self, &lane->at, from, slots, err);
    if (rc == 0)
        lane->missing = lane->in_hole = 0;
    lane->at.gap = lane->at.overwritten = 0;
    lane->at.missing = 0;
    return rc;
}

uint32_t td_drain_lane_number(uint32_t join, uint32_t joined, int rejoining)
{
    /* The first number of a recording is even, its next ones are odd. */
    uint32_t number = !rejoining ? (join | 1) + 1 : join & 1 ? join + 2 : join + 1;
    number &= ~TD_JOIN_LEFT;
    if (number < 2 || number == (joined & ~TD_JOIN_LEFT))
        number = (number + 2) & ~TD_JOIN_LEFT;
    return number;
}

int td_drain_lane_invite(struct td_drain_io *io, const struct td_drain_lane *lane, enum td_policy policy,
                         struct td_err *err)
{
    int rc = td_drain_lane_write(io, lane, TD_LANE_join, lane->join, err);
    return rc ? rc : td_drain_lane_write(io, lane, TD_LANE_policy, policy, err);
}

bool td_drain_lane_skipped(struct td_drain_io *io, struct td_drain_lane *lane, uint32_t skipped)
{
    const uint32_t more = skipped - lane->skipped;
    lane->skipped = skipped;
    if (!more)
        return true;
    if (more > MOST_SKIPPED || !(lane->left || lane->rejoining))
        return false;
    lane->missing += more;
    io->skipped += more;
    return true;
}

void td_drain_lane_missed(struct td_drain_io *io, struct td_drain_lane *lane, const uint32_t *ctrl)
{
    const uint32_t more = ctrl[TD_LANE_tail / 4] - lane->tail;
    lane->tail = ctrl[TD_LANE_tail / 4];
    if (!lane->disarmed || lane->opened || ctrl[TD_LANE_launch / 4] == lane->launch || more > MOST_SKIPPED)
        return;
    lane->missing += more;
    io->skipped += more;
}
