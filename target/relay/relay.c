/* The relay's firmware (proto/device/relay.h): round after round over the lanes it was given, tile by tile.
 *
 * While the slots of one tile are dealt with, the control words of the next are on their way. Sources and
 * destinations of NoC commands agree modulo 16, as the hardware wants: a frame of an odd first slot begins 8
 * bytes off a border, here and in the ring.
 */
#include "proto/device/relay.h"

#include "proto/device/frame.h"
#include "proto/device/lane.h"
#include "proto/device/packet.h"
#include "riscv/fence.h"
#include "tendril/noc.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    MAX_TILE_LANES = 32,
    PIECE_SLOTS = 256, /* most slots of a frame */
    BEYOND_SLOTS = 32, /* looked at beyond the tail's hint */
    BATCH = 4,         /* frames under way before their arrival is waited for */
    QUIET_FIRST = 4,   /* a lane that had nothing is looked at beyond its hint after 4, 8, 16 ... rounds */
    QUIET_LAST = 256,
    HOLE_VISITS = 64 /* so often a slot that has to be there is waited for */
};

extern volatile uint32_t td_data_base[]; /* the linker script says where */

#define CTRL(name)     td_data_base[TD_RELAY_##name / 4]
#define ENTRY(i)       (td_data_base + (TD_RELAY_CTRL_BYTES + (i)*TD_RELAY_LANE_BYTES) / 4)
#define FIELD(e, name) (e)[TD_RELAY_LANE_##name / 4]
#define L1             __attribute__((section(".bss.td_l1"), aligned(16)))

/* A frame in the making: begins 8 bytes off a border when its first slot is odd; the slot before that one
 * comes along with the aligned read and lands in the head, which is written afterwards. */
struct frame {
    uint32_t words[2 + TD_FRAME_HEAD_WORDS + 2 * (PIECE_SLOTS + 1)];
} __attribute__((aligned(16)));

struct lane_state {
    uint16_t quiet;
    uint16_t holes; /* visits in which the tail was beyond slots that held nothing */
};

/* Taken, in the ring, not yet given back. */
struct taken_slots {
    volatile uint32_t *entry;
    uint32_t first, slots;
};

static struct frame frames[BATCH] L1;
static uint32_t blocks[2][MAX_TILE_LANES * TD_LANE_CTRL_BYTES / 4] L1; /* control words of two tiles */
static uint32_t zeros[2 * (PIECE_SLOTS + 2)] L1;
static uint32_t heads[BATCH][4] L1; /* lines to be written */
static uint32_t note_line[4] L1;    /* the tail, for the host's memory */
static struct lane_state states[TD_RELAY_MAX_LANES] L1;
static struct taken_slots batch[BATCH];
static uint32_t batched, turn;
static uint32_t hole; /* empty slots among those that were read last */
static uint32_t fill; /* bytes of the ring that are written or on their way */

static void read_from(uint32_t xy, uint32_t address, const volatile void *to, uint32_t bytes)
{
    td_noc_read_on(0, td_noc_place_of_xy_(xy), address, (uint32_t)(uintptr_t)to, bytes);
    CTRL(reads)++;
    CTRL(read_bytes) += bytes;
}

static void write_to(uint32_t xy, uint64_t address, const volatile void *from, uint32_t bytes)
{
    td_noc_write_on(0, td_noc_place_of_xy_(xy), address, (uint32_t)(uintptr_t)from, bytes);
    CTRL(writes)++;
    CTRL(written_bytes) += bytes;
}

static uint64_t fifo_address(uint32_t at)
{
    return ((uint64_t)CTRL(fifo_high) << 32 | CTRL(fifo_low)) + (at & (CTRL(fifo_bytes) - 1));
}

static void clear_slots(const volatile uint32_t *e, uint32_t first, uint32_t slots)
{
    uint32_t mask = FIELD(e, slots) - 1;
    while (slots) {
        uint32_t at = first & mask, n = mask + 1 - at < slots ? mask + 1 - at : slots;
        uint32_t address = FIELD(e, ring) + at * TD_SLOT_BYTES;
        write_to(FIELD(e, xy), address, (const char *)zeros + (address & 8), n * TD_SLOT_BYTES);
        first += n;
        slots -= n;
    }
}

/* All frames under way have arrived: publishes them to the host, then returns the room to the cores. */
static void publish(void)
{
    if (!batched && CTRL(tail) == fill)
        return;
    td_noc_write_barrier();
    for (uint32_t i = 0; i < batched; i++)
        FIELD(batch[i].entry, taken) = batch[i].first + batch[i].slots;
    td_fence();
    CTRL(tail) = fill;
    td_fence();
    if (CTRL(note)) {
        note_line[0] = fill;
        write_to(CTRL(fifo_xy), (uint64_t)CTRL(note_high) << 32 | CTRL(note_low), note_line,
                 sizeof note_line);
    }
    for (uint32_t i = 0; i < batched; i++)
        clear_slots(batch[i].entry, batch[i].first, batch[i].slots);
    td_noc_write_barrier();
    for (uint32_t i = 0; i < batched; i++) {
        const volatile uint32_t *e = batch[i].entry;
        heads[i][0] = batch[i].first + batch[i].slots;
        CTRL(slots) += batch[i].slots;
        write_to(FIELD(e, xy), FIELD(e, ctrl) + TD_LANE_head, heads[i], 4);
    }
    td_noc_write_barrier(); /* the sources are used again */
    batched = 0;
}

/* Waits until the ring has room. False: the host wants an end. */
static bool wait_for_room(uint32_t bytes)
{
    if (fill + bytes - CTRL(head) <= CTRL(fifo_bytes))
        return true;
    publish();
    CTRL(waits)++;
    while (fill + bytes - CTRL(head) > CTRL(fifo_bytes)) {
        if (CTRL(stop))
            return false;
        td_fence();
    }
    return true;
}

/* Zero words into the ring, up to its end at most. */
static void fill_up(uint32_t bytes)
{
    while (bytes) {
        uint32_t most = sizeof zeros - 16, n = bytes < most ? bytes : most;
        uint32_t left = CTRL(fifo_bytes) - (fill & (CTRL(fifo_bytes) - 1));
        n = n < left ? n : left;
        write_to(CTRL(fifo_xy), fifo_address(fill), (const char *)zeros + (fill & 8), n);
        fill += n;
        bytes -= n;
    }
}

/* Where the frame has to begin so that it agrees modulo 16 and does not cross the ring's end: bytes to fill
 * up before it. */
static uint32_t gap_before(uint32_t bytes, uint32_t odd)
{
    uint32_t gap = ((fill ^ odd) & 8) ? 8 : 0;
    uint32_t at = (fill + gap) & (CTRL(fifo_bytes) - 1);
    if (at + bytes > CTRL(fifo_bytes))
        gap += CTRL(fifo_bytes) - at + odd;
    return gap;
}

static uint32_t count_valid(const uint32_t *slot, uint32_t slots)
{
    uint32_t n = 0;
    while (n < slots && slot[2 * n] & TD_SLOT_VALID)
        n++;
    return n;
}

/* Takes up to `want` slots of a lane, in one piece of its ring; number taken. */
static uint32_t take_slots(volatile uint32_t *e, uint32_t want)
{
    const uint32_t first = FIELD(e, taken), at = first & (FIELD(e, slots) - 1);
    const uint32_t odd = at & 1 ? 8 : 0;
    uint32_t left = FIELD(e, slots) - at;
    want = want < left ? want : left;
    want = want < PIECE_SLOTS ? want : PIECE_SLOTS;
    if (batched == BATCH)
        publish();
    /* At most BATCH - 1 others are under way: those that were used last. */
    uint32_t *head = frames[turn % BATCH].words + odd / 4;
    uint32_t *slot = head + TD_FRAME_HEAD_WORDS;
    /* Reads from an even slot on; a slot before an odd first one lands in the head and is overwritten. */
    read_from(FIELD(e, xy), FIELD(e, ring) + at * TD_SLOT_BYTES - odd, (char *)slot - odd,
              want * TD_SLOT_BYTES + odd);
    td_noc_read_barrier();
    const uint32_t slots = count_valid(slot, want);
    for (hole = 0; slots == 0 && hole < want && !(slot[2 * hole] & TD_SLOT_VALID);)
        hole++;
    if (slots == 0)
        return 0;
    const uint32_t bytes = TD_FRAME_HEAD_WORDS * 4 + slots * TD_SLOT_BYTES;
    const uint32_t gap = gap_before(bytes, odd);
    if (!wait_for_room(gap + bytes))
        return 0;
    head[0] = (uint32_t)TD_FRAME_MAGIC << 16 | slots;
    head[1] = FIELD(e, lane);
    head[2] = first;
    head[3] = TD_FRAME_CHECK(head[0], head[1], head[2]);
    fill_up(gap);
    td_fence();
    write_to(CTRL(fifo_xy), fifo_address(fill), head, bytes);
    fill += bytes;
    batch[batched++] = (struct taken_slots){e, first, slots};
    turn++;
    return slots;
}

/* Slots that a kernel has cleared are given up: the host sees that their numbers are missing. */
static void skip_hole(volatile uint32_t *e)
{
    publish();
    FIELD(e, taken) += hole;
    heads[0][0] = FIELD(e, taken);
    write_to(FIELD(e, xy), FIELD(e, ctrl) + TD_LANE_head, heads[0], 4);
    td_noc_write_barrier();
}

/* Is it time to look beyond the hint? */
static bool is_due(const struct lane_state *s)
{
    return s->quiet >= QUIET_FIRST && (s->quiet & (s->quiet - 1)) == 0;
}

static void visit_lane(uint32_t index, const uint32_t *ctrl)
{
    volatile uint32_t *e = ENTRY(index);
    struct lane_state *s = &states[index];
    if (!FIELD(e, seen)) {
        FIELD(e, taken) = FIELD(e, first);
        td_fence();
        FIELD(e, seen) = 1;
    }
    if (ctrl[TD_LANE_joined / 4] != FIELD(e, join))
        return;
    uint32_t told = ctrl[TD_LANE_tail / 4] - FIELD(e, taken);
    if (told > FIELD(e, slots))
        told = 0; /* less than what was taken past the hint */
    uint32_t got = told ? take_slots(e, told) : is_due(s) ? take_slots(e, BEYOND_SLOTS) : 0;
    s->holes = told && !got && hole ? s->holes + 1 : 0;
    if (s->holes == HOLE_VISITS)
        skip_hole(e);
    s->quiet = (uint16_t)(got ? 0 : s->quiet % QUIET_LAST + 1);
}

/* Lanes of the table from `first` on that are of one tile and whose control words are one piece. */
static uint32_t tile_lanes(uint32_t first, uint32_t lanes)
{
    const volatile uint32_t *e = ENTRY(first);
    uint32_t n = 1;
    while (first + n < lanes && n < MAX_TILE_LANES && FIELD(ENTRY(first + n), xy) == FIELD(e, xy) &&
           FIELD(ENTRY(first + n), ctrl) == FIELD(e, ctrl) + n * TD_LANE_CTRL_BYTES)
        n++;
    return n;
}

static void ask_for_block(uint32_t first, uint32_t lanes, uint32_t *to)
{
    const volatile uint32_t *e = ENTRY(first);
    read_from(FIELD(e, xy), FIELD(e, ctrl), to, lanes * TD_LANE_CTRL_BYTES);
}

/* Each lane once, so no two frames of one are under way together: `taken` is where the next begins. */
static void do_round(uint32_t lanes)
{
    uint32_t first = 0, n = tile_lanes(0, lanes), block = 0;
    ask_for_block(first, n, blocks[block]);
    while (first < lanes) {
        td_noc_read_barrier();
        uint32_t next = first + n, next_n = 0;
        if (next < lanes) {
            next_n = tile_lanes(next, lanes);
            ask_for_block(next, next_n, blocks[block ^ 1]);
        }
        for (uint32_t i = 0; i < n; i++)
            visit_lane(first + i, blocks[block] + i * (TD_LANE_CTRL_BYTES / 4));
        first = next;
        n = next_n;
        block ^= 1;
    }
    publish();
}

int main(void)
{
    if (CTRL(magic) != TD_RELAY_MAGIC)
        return 1;
    fill = CTRL(tail);
    while (!CTRL(stop)) {
        uint32_t lanes = CTRL(lanes);
        if (lanes > TD_RELAY_MAX_LANES)
            return 2;
        if (lanes)
            do_round(lanes);
        CTRL(rounds)++;
        td_fence();
    }
    publish();
    return 0;
}
