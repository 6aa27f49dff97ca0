/* Gathering: whole slots out of lanes, lane after lane, into frames (proto/device/frame.h). */
#include "host/base/err.h"
#include "proto/device/frame.h"
#include "proto/device/lane.h"
#include "proto/device/packet.h"
#include "proto/probe/memory.h"
#include "target/probe/engine.h"

#include <stdbool.h>

/* A lane without a map that has been quiet is looked at beyond its hint after 4, 8, 16 ... looks, up to this
 * many. */
#define QUIET_FIRST 4u
#define QUIET_LAST  64u
#define MAX_RING    (1u << 20)
#define HOLE_LOOKS  64u /* so often a slot that has to be there is waited for */
#define FRAME_BYTES (4u * TD_FRAME_HEAD_WORDS)

static uint32_t *words_at(uint8_t *payload)
{
    return (uint32_t *)(void *)payload; /* config.out is aligned, and all in a payload are words */
}

static void map_lane(struct td_probe *p, struct td_probe_lane_state *l)
{
    const struct td_probe_board *b = &p->config.board;
    l->ctrl = l->ring = NULL;
    if (!b->map)
        return;
    volatile uint32_t *ctrl = b->map(b->self, l->at, l->ctrl_address, TD_LANE_CTRL_BYTES);
    volatile uint32_t *ring = b->map(b->self, l->at, l->ring_address, l->ring_slots * TD_SLOT_BYTES);
    if (ctrl && ring) {
        l->ctrl = ctrl;
        l->ring = ring;
    }
}

static int add_one(struct td_probe *p, const struct td_probe_lane *from)
{
    if (from->ring_slots == 0 || (from->ring_slots & (from->ring_slots - 1)) || from->ring_slots > MAX_RING ||
        from->ctrl_address % 4 || from->ring_address % 8)
        return td_probe_fail(p, TD_E_USAGE, "a lane to be gathered does not make sense");
    for (uint32_t i = 0; i < p->lane_count; i++)
        if (p->config.lanes[i].lane == from->lane)
            return td_probe_fail(p, TD_E_USAGE, "a lane was handed over twice");
    if (p->lane_count == p->config.lane_capacity)
        return td_probe_fail(p, TD_E_LIMIT, "more lanes than this probe can gather");
    struct td_probe_lane_state *l = &p->config.lanes[p->lane_count];
    *l = (struct td_probe_lane_state){.at = {from->chip, from->x, from->y},
                                      .lane = from->lane,
                                      .ctrl_address = from->ctrl_address,
                                      .ring_address = from->ring_address,
                                      .ring_slots = from->ring_slots,
                                      .head = from->head,
                                      .join = from->join,
                                      .left = from->ring_slots};
    map_lane(p, l);
    p->lane_count++;
    return 0;
}

int td_probe_gather_add(struct td_probe *p, const uint8_t *payload, uint32_t bytes)
{
    struct td_probe_lane lane;
    if (bytes == 0 || bytes % sizeof lane)
        return td_probe_fail(p, TD_E_FORMAT, "GATHER holds no whole lanes");
    /* Lanes that an earlier run of this session gave back make room. */
    if (!p->gathering)
        p->lane_count = 0;
    const uint32_t before = p->lane_count;
    for (uint32_t i = 0; i < bytes; i += sizeof lane) {
        memcpy(&lane, payload + i, sizeof lane);
        int rc = add_one(p, &lane);
        if (rc) {
            p->lane_count = before;
            return rc;
        }
    }
    p->gathering = 1;
    return 0;
}

/* Slots up to the tail; 0 if more was taken already, past the hint. */
static uint32_t told_slots(const struct td_probe_lane_state *l, uint32_t tail)
{
    const uint32_t told = tail - l->head;
    return told <= l->ring_slots ? told : 0;
}

/* Slots that follow the head, copied to `to`; at most `most`, which is no more than a ring. */
static uint32_t copy_mapped(struct td_probe_lane_state *l, uint32_t *to, uint32_t most)
{
    const uint32_t mask = l->ring_slots - 1;
    uint32_t n = 0;
    if (l->ctrl[TD_LANE_joined / 4] != l->join)
        return 0;
    const uint32_t told = told_slots(l, l->ctrl[TD_LANE_tail / 4]);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (told && most > told + TD_TAIL_BEHIND(l->ring_slots))
        most = told + TD_TAIL_BEHIND(l->ring_slots);
    for (; n < most; n++) {
        /* The core writes the first word last. */
        const volatile uint32_t *slot = &l->ring[2 * ((l->head + n) & mask)];
        uint32_t first = slot[0];
        if (!(first & TD_SLOT_VALID))
            break;
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        to[2 * n] = first;
        to[2 * n + 1] = slot[1];
    }
    l->holes = told && n == 0 ? l->holes + 1 : 0;
    return n;
}

static int read_ring(struct td_probe *p, const struct td_probe_lane_state *l, uint32_t first, uint32_t slots,
                     uint32_t *to)
{
    const struct td_probe_board *b = &p->config.board;
    uint32_t at = first & (l->ring_slots - 1);
    for (uint32_t done = 0, n; done < slots; done += n, at = 0) {
        n = l->ring_slots - at < slots - done ? l->ring_slots - at : slots - done;
        int rc = b->read(b->self, l->at, l->ring_address + (uint64_t)at * TD_SLOT_BYTES, to + 2 * done,
                         n * TD_SLOT_BYTES, p->why);
        if (rc)
            return rc;
    }
    return 0;
}

static uint32_t count_valid(const uint32_t *slots, uint32_t most)
{
    uint32_t n = 0;
    while (n < most && slots[2 * n] & TD_SLOT_VALID)
        n++;
    return n;
}

/* The same by reads. The words of one read may be of different times, so a slot whose first word is valid is
 * read again before it counts. */
static int copy_by_reads(struct td_probe *p, struct td_probe_lane_state *l, uint32_t *to, uint32_t most)
{
    const struct td_probe_board *b = &p->config.board;
    uint32_t line[2]; /* tail, joined */
    int rc = b->read(b->self, l->at, l->ctrl_address + TD_LANE_tail, line, sizeof line, p->why);
    if (rc || line[1] != l->join)
        return rc;
    const uint32_t told = told_slots(l, line[0]);
    uint32_t want = told < most ? told : most;
    const int look_past_hint =
        p->finishing || l->quiet == QUIET_LAST || (l->quiet >= QUIET_FIRST && !(l->quiet & (l->quiet - 1)));
    if (want < most && look_past_hint) {
        if ((rc = read_ring(p, l, l->head + want, 1, to)))
            return rc;
        if (count_valid(to, 1)) {
            if ((rc = read_ring(p, l, l->head, most, to)))
                return rc;
            want = count_valid(to, most);
        }
    }
    if (want && (rc = read_ring(p, l, l->head, want, to)))
        return rc;
    const uint32_t slots = count_valid(to, want);
    l->holes = told && slots == 0 ? l->holes + 1 : 0;
    return (int)slots;
}

int td_probe_fill(struct td_probe *p, struct td_probe_at at, uint64_t address, uint32_t word, uint32_t bytes)
{
    const struct td_probe_board *b = &p->config.board;
    uint32_t piece[64];
    int rc = 0;
    if (b->fill)
        return b->fill(b->self, at, address, word, bytes, p->why);
    for (uint32_t i = 0; i < sizeof piece / sizeof *piece; i++)
        piece[i] = word;
    for (uint32_t done = 0, n; rc == 0 && done < bytes; done += n) {
        n = bytes - done < sizeof piece ? bytes - done : (uint32_t)sizeof piece;
        rc = b->write(b->self, at, address + done, piece, n, p->why);
    }
    return rc;
}

static int write_ctrl(struct td_probe *p, struct td_probe_lane_state *l, uint32_t offset, uint32_t value)
{
    const struct td_probe_board *b = &p->config.board;
    if (!l->ctrl)
        return b->write(b->self, l->at, l->ctrl_address + offset, &value, 4, p->why);
    l->ctrl[offset / 4] = value;
    return 0;
}

/* Clears taken slots, then returns them to the core. */
static int release(struct td_probe *p, struct td_probe_lane_state *l, uint32_t slots)
{
    const uint32_t mask = l->ring_slots - 1;
    if (l->ring) {
        for (uint32_t i = 0; i < slots; i++) {
            volatile uint32_t *slot = &l->ring[2 * ((l->head + i) & mask)];
            slot[0] = 0;
            slot[1] = 0;
        }
        __atomic_thread_fence(__ATOMIC_RELEASE);
    } else {
        for (uint32_t done = 0, n; done < slots; done += n) {
            uint32_t at = (l->head + done) & mask;
            n = l->ring_slots - at < slots - done ? l->ring_slots - at : slots - done;
            int rc =
                td_probe_fill(p, l->at, l->ring_address + (uint64_t)at * TD_SLOT_BYTES, 0, n * TD_SLOT_BYTES);
            if (rc)
                return rc;
        }
    }
    l->head += slots;
    return write_ctrl(p, l, TD_LANE_head, l->head);
}

/* Slots that a kernel has cleared are given up: the host sees that their numbers are missing. */
static int skip_hole(struct td_probe *p, struct td_probe_lane_state *l)
{
    uint32_t slot[2], n = 0, told;
    int rc =
        p->config.board.read(p->config.board.self, l->at, l->ctrl_address + TD_LANE_tail, slot, 4, p->why);
    for (told = rc ? 0 : told_slots(l, slot[0]); rc == 0 && n < told; n++) {
        rc = read_ring(p, l, l->head + n, 1, slot);
        if (rc == 0 && slot[0] & TD_SLOT_VALID)
            break;
    }
    l->holes = 0;
    return rc || n == 0 ? rc : release(p, l, n);
}

/* One lane's slots as a frame at `payload`, of at most `room` bytes and `most` slots; *bytes = its length.
 * Number of slots, or an error. */
static int take_lane(struct td_probe *p, struct td_probe_lane_state *l, uint8_t *payload, uint32_t room,
                     uint32_t most, uint32_t *bytes)
{
    uint32_t *words = words_at(payload);
    const uint32_t first = l->head;
    *bytes = 0;
    if (most > (room - FRAME_BYTES) / TD_SLOT_BYTES)
        most = (room - FRAME_BYTES) / TD_SLOT_BYTES;
    if (most > l->ring_slots)
        most = l->ring_slots;
    if (p->finishing && most > l->left)
        most = l->left;
    int slots = l->ring ? (int)copy_mapped(l, words + TD_FRAME_HEAD_WORDS, most)
                        : copy_by_reads(p, l, words + TD_FRAME_HEAD_WORDS, most);
    l->quiet = slots > 0 ? 0 : l->quiet % QUIET_LAST + 1;
    if (slots == 0 && l->holes && (p->finishing || l->holes == HOLE_LOOKS))
        return skip_hole(p, l);
    if (slots <= 0)
        return slots;
    int rc = release(p, l, (uint32_t)slots);
    if (rc)
        return rc;
    l->left -= p->finishing ? (uint32_t)slots : 0;
    words[0] = (uint32_t)TD_FRAME_MAGIC << 16 | (uint32_t)slots;
    words[1] = l->lane;
    words[2] = first;
    words[3] = TD_FRAME_CHECK(words[0], words[1], words[2]);
    *bytes = FRAME_BYTES + (uint32_t)slots * TD_SLOT_BYTES;
    return slots;
}

/* Appends frames of lanes to a payload until there is no room for another one, or `most` slots are taken, or none of
 * the lanes (*quiet of them have been looked at in vain) holds any. 0, or an error. */
static int fill_payload(struct td_probe *p, uint8_t *payload, uint32_t *filled, uint32_t most,
                        uint32_t *slots, uint32_t *quiet)
{
    const uint32_t room = p->max_bytes - (uint32_t)sizeof(struct td_probe_head);
    uint32_t bytes;
    int got = 0;
    while (got >= 0 && *quiet < p->lane_count && *slots < most &&
           room - *filled >= FRAME_BYTES + TD_SLOT_BYTES) {
        p->turn = p->turn + 1 < p->lane_count ? p->turn + 1 : 0;
        got =
            take_lane(p, &p->config.lanes[p->turn], payload + *filled, room - *filled, most - *slots, &bytes);
        *quiet = got > 0 ? 0 : *quiet + 1;
        *filled += bytes;
        *slots += got > 0 ? (uint32_t)got : 0;
    }
    return got < 0 ? got : 0;
}

bool td_probe_keep_slots(struct td_probe *p)
{
    uint32_t quiet = 0;
    if (!p->gathering || !p->config.kept)
        return false;
    /* An error is that of the next TAKE, too. */
    return fill_payload(p, (uint8_t *)p->config.kept + sizeof(struct td_probe_head), &p->kept_bytes,
                        UINT32_MAX, &p->kept_slots, &quiet) == 0 &&
           quiet >= p->lane_count;
}

static void send_kept(struct td_probe *p, uint16_t seq, struct td_probe_taken *taken)
{
    if (!p->kept_bytes)
        return;
    void *kept = p->config.kept; /* becomes the message, and takes the next slots in its place */
    p->config.kept = p->config.out;
    p->config.out = kept;
    td_probe_send(p, TD_PROBE_LANES | TD_PROBE_ANSWER, 0, seq, p->kept_bytes);
    taken->slots = p->kept_slots;
    p->kept_bytes = p->kept_slots = 0;
}

int td_probe_gather_take(struct td_probe *p, uint16_t seq, uint32_t max_slots, struct td_probe_taken *taken)
{
    uint32_t filled = 0, quiet = 0;
    int rc = 0;
    *taken = (struct td_probe_taken){0, 0};
    send_kept(p, seq, taken);
    do {
        filled = 0;
        rc = fill_payload(p, td_probe_payload(p), &filled, max_slots, &taken->slots, &quiet);
        if (filled)
            td_probe_send(p, TD_PROBE_LANES | TD_PROBE_ANSWER, 0, seq, filled);
    } while (rc == 0 && quiet < p->lane_count && taken->slots < max_slots && !p->send_failed);
    p->stats.slots += taken->slots;
    taken->more = quiet < p->lane_count;
    return rc;
}

uint32_t td_probe_fullest(struct td_probe *p, uint32_t *ring_slots)
{
    const struct td_probe_board *b = &p->config.board;
    uint32_t most = 0;
    for (uint32_t i = 0; i < p->lane_count; i++) {
        const struct td_probe_lane_state *l = &p->config.lanes[i];
        uint32_t line[2] = {0, 0}; /* tail, joined */
        if (l->ctrl) {
            line[0] = l->ctrl[TD_LANE_tail / 4];
            line[1] = l->ctrl[TD_LANE_joined / 4];
        } else if (b->read(b->self, l->at, l->ctrl_address + TD_LANE_tail, line, sizeof line, p->why)) {
            continue;
        }
        const uint32_t told = line[1] == l->join ? told_slots(l, line[0]) : 0;
        most = told > most ? told : most;
        *ring_slots = l->ring_slots;
    }
    return most;
}

static bool is_fed(struct td_probe *p, const struct td_probe_lane_state *l)
{
    uint32_t joined = 0;
    const struct td_probe_board *b = &p->config.board;
    int rc = l->ctrl ? 0 : b->read(b->self, l->at, l->ctrl_address + TD_LANE_joined, &joined, 4, p->why);
    return rc == 0 && (l->ctrl ? l->ctrl[TD_LANE_joined / 4] : joined) == l->join;
}

int td_probe_gather_any(struct td_probe *p)
{
    if (p->kept_bytes)
        return 1;
    for (uint32_t i = 0; i < p->lane_count; i++) {
        const struct td_probe_lane_state *l = &p->config.lanes[i];
        uint32_t first = 0;
        if (l->ring)
            first = l->ring[2 * (l->head & (l->ring_slots - 1))];
        else if (read_ring(p, l, l->head, 1, (uint32_t *)p->config.out))
            continue;
        else
            first = *(const uint32_t *)p->config.out;
        if (first & TD_SLOT_VALID && is_fed(p, l))
            return 1;
    }
    return 0;
}

void td_probe_gather_last(struct td_probe *p)
{
    for (uint32_t i = 0; i < p->lane_count; i++)
        p->config.lanes[i].left = p->config.lanes[i].ring_slots;
}

void td_probe_gather_disarm(struct td_probe *p)
{
    for (uint32_t i = 0; i < p->lane_count; i++)
        write_ctrl(p, &p->config.lanes[i], TD_LANE_policy, TD_POLICY_OFF);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    p->lane_count = p->kept_bytes = p->kept_slots = 0;
    p->gathering = p->finishing = 0;
}
