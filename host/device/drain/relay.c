#include "host/device/drain/relay.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/base/grow.h"
#include "host/base/process.h"
#include "host/device/drain/lanes.h"
#include "host/device/image/core_load.h"
#include "host/device/image/image.h"
#include "host/transport/link/lane_frames.h"
#include "proto/device/noc.h"
#include "proto/device/packet.h"
#include "proto/device/relay.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    DEFAULT_FIFO_BYTES = 1 << 20,
    MIN_FIFO_BYTES = 8192,
    NOTE_BYTES = 64, /* apart, so that no line has two writers */
    NOTES_BYTES = NOTE_BYTES * TD_MAX_RELAYS,
    PIECE_BYTES = 1 << 16, /* read from a ring at once */
    NAP_NS = 50000
};

struct relay_lane {
    struct td_gather_lane lane;
    uint32_t next; /* number of the slot that comes next */
};

struct relay {
    struct td_tile_at at, fifo_at;
    uint64_t fifo_address, note_address;
    const uint32_t *ring; /* in this host's memory, or NULL */
    uint32_t *note;       /* then: the tail, as the relay writes it there */
    uint32_t fifo_bytes, head;
    struct relay_lane *lanes;
    size_t room;
    uint32_t count;
    int running;
};

struct relays {
    struct td_gather base;
    struct td_transport *t;
    const struct td_board *board;
    struct td_image *image;
    struct relay *relay;
    uint32_t count, turn;
    uint32_t *piece;
};

static uint64_t ctrl_address(const struct relays *r)
{
    return r->board->data_base;
}

static uint64_t entry_address(const struct relays *r, uint32_t i)
{
    return ctrl_address(r) + TD_RELAY_CTRL_BYTES + (uint64_t)i * TD_RELAY_LANE_BYTES;
}

static int write_word(struct relays *r, const struct relay *relay, uint32_t offset, uint32_t value,
                      struct td_err *err)
{
    return r->t->ops->write(r->t, relay->at, ctrl_address(r) + offset, &value, 4, err);
}

static int read_ctrl(struct relays *r, const struct relay *relay, uint32_t ctrl[TD_RELAY_CTRL_BYTES / 4],
                     struct td_err *err)
{
    return r->t->ops->read(r->t, relay->at, ctrl_address(r), ctrl, TD_RELAY_CTRL_BYTES, err);
}

/* A ring for each of `relays` in `room` bytes: its size, 0 if there is no room. */
static uint32_t ring_bytes(uint64_t room, uint32_t relays, uint32_t wanted)
{
    uint64_t bytes = wanted ? wanted : DEFAULT_FIFO_BYTES;
    while (bytes >= MIN_FIFO_BYTES && bytes * relays > room)
        bytes /= 2;
    return bytes >= MIN_FIFO_BYTES && (bytes & (bytes - 1)) == 0 ? (uint32_t)bytes : 0;
}

/* In the host's memory: one line for each relay's tail, then the rings. 0: there is none. */
static int choose_host_memory(struct relays *r, struct relay *relay, uint32_t number, uint32_t wanted)
{
    const uint32_t relays = r->board->chip[relay->at.chip].relay_count;
    void *memory;
    size_t room;
    uint64_t address;
    if (!r->t->ops->host_memory ||
        r->t->ops->host_memory(r->t, relay->at.chip, &memory, &room, &relay->fifo_at, &address, NULL) ||
        room < NOTES_BYTES)
        return 0;
    relay->fifo_bytes = ring_bytes(room - NOTES_BYTES, relays, wanted);
    if (!relay->fifo_bytes)
        return 0;
    const uint64_t offset = NOTES_BYTES + (uint64_t)number * relay->fifo_bytes;
    relay->fifo_address = address + offset;
    relay->ring = (const uint32_t *)(const void *)((const char *)memory + offset);
    relay->note_address = address + NOTE_BYTES * number;
    relay->note = (uint32_t *)(void *)((char *)memory + NOTE_BYTES * number);
    *relay->note = 0;
    return 1;
}

/* At the end of a DRAM bank, banks taken in turn. */
static int choose_dram(struct relays *r, struct relay *relay, uint32_t number, uint32_t wanted,
                       struct td_err *err)
{
    const struct td_board *b = r->board;
    const uint32_t relays = b->chip[relay->at.chip].relay_count;
    if (b->dram_banks == 0)
        return td_fail(err, TD_E_NOTFOUND, "board %s has no DRAM for a relay's ring", b->name);
    const uint32_t bank = number % b->dram_banks;
    relay->fifo_bytes = ring_bytes(b->dram_bank_bytes / 2, 1 + (relays - 1) / b->dram_banks, wanted);
    if (!relay->fifo_bytes)
        return td_fail(err, TD_E_USAGE, "a relay's ring of %u bytes cannot be: a power of two from %d on",
                       wanted, MIN_FIFO_BYTES);
    relay->fifo_at = (struct td_tile_at){relay->at.chip, b->dram_x[bank], b->dram_y[bank]};
    relay->fifo_address = b->dram_bank_bytes - (uint64_t)relay->fifo_bytes * (1 + number / b->dram_banks);
    return 0;
}

static int start_relay(struct relays *r, struct relay *relay, struct td_err *err)
{
    const struct td_board *b = r->board;
    const uint32_t core = b->relay_core;
    const uint32_t launch = (uint32_t)td_mono_ns() | 1; /* another one than the last agent's, never 0 */
    int rc = td_core_load_reset(r->t, b, relay->at, 1u << core, 1, err);
    rc = rc ? rc : td_lanes_prepare(r->t, b, relay->at, NULL, err);
    rc = rc ? rc : td_core_load(r->t, b, relay->at, core, r->image, NULL, err);
    uint32_t ctrl[TD_RELAY_CTRL_BYTES / 4] = {0};
    ctrl[TD_RELAY_fifo_xy / 4] = TD_NOC_XY((uint32_t)relay->fifo_at.x, (uint32_t)relay->fifo_at.y);
    ctrl[TD_RELAY_fifo_bytes / 4] = relay->fifo_bytes;
    ctrl[TD_RELAY_fifo_low / 4] = (uint32_t)relay->fifo_address;
    ctrl[TD_RELAY_fifo_high / 4] = (uint32_t)(relay->fifo_address >> 32);
    ctrl[TD_RELAY_note / 4] = relay->note != NULL;
    ctrl[TD_RELAY_note_low / 4] = (uint32_t)relay->note_address;
    ctrl[TD_RELAY_note_high / 4] = (uint32_t)(relay->note_address >> 32);
    rc = rc ? rc : r->t->ops->write(r->t, relay->at, ctrl_address(r), ctrl, sizeof ctrl, err);
    rc = rc ? rc : write_word(r, relay, TD_RELAY_magic, TD_RELAY_MAGIC, err);
    rc = rc ? rc : td_lane_set_word(r->t, b, relay->at, core, TD_LANE_state, TD_CORE_RESET, err);
    rc = rc ? rc : td_lane_set_word(r->t, b, relay->at, core, TD_LANE_launch, launch, err);
    rc = rc ? rc : td_core_load_reset(r->t, b, relay->at, 1u << core, 0, err);
    relay->running = rc == 0;
    return rc;
}

/* Holds the core: every moment is a safe one. */
static int stop_relay(struct relays *r, struct relay *relay, struct td_err *err)
{
    if (!relay->running)
        return 0;
    relay->running = 0;
    return td_core_load_reset(r->t, r->board, relay->at, 1u << r->board->relay_core, 1, err);
}

static int check_runs(struct relays *r, const struct relay *relay, struct td_err *err)
{
    uint32_t ctrl[TD_LANE_CTRL_BYTES / 4];
    int rc = r->t->ops->read(r->t, relay->at, td_board_lane_ctrl(r->board, r->board->relay_core), ctrl,
                             sizeof ctrl, err);
    if (rc || ctrl[TD_LANE_state / 4] != TD_CORE_FAULT)
        return rc;
    return td_fail(err, TD_E_GONE,
                   "the relay at NoC (%u,%u) stopped by fault %u at pc 0x%08x, address 0x%08x", relay->at.x,
                   relay->at.y, ctrl[TD_LANE_fault_cause / 4], ctrl[TD_LANE_fault_pc / 4],
                   ctrl[TD_LANE_fault_address / 4]);
}

static struct relay *relay_of(struct relays *r, struct td_tile_at tile)
{
    for (uint32_t i = 0; i < r->count; i++) {
        struct relay *relay = &r->relay[i];
        if (relay->count && relay->at.chip == tile.chip &&
            memcmp(&relay->lanes[relay->count - 1].lane.tile, &tile, sizeof tile) == 0)
            return relay;
    }
    /* A new tile: to the one of its chip that has the fewest lanes. */
    struct relay *best = NULL;
    for (uint32_t i = 0; i < r->count; i++)
        if (r->relay[i].at.chip == tile.chip && (!best || r->relay[i].count < best->count))
            best = &r->relay[i];
    return best;
}

static int add_lane(struct relays *r, const struct td_gather_lane *lane, struct td_err *err)
{
    struct relay *relay = relay_of(r, lane->tile);
    if (!relay)
        return td_fail(err, TD_E_NOTFOUND, "chip %u of board %s has no relay", lane->tile.chip,
                       r->board->name);
    if (relay->count == TD_RELAY_MAX_LANES)
        return td_fail(err, TD_E_LIMIT, "a relay takes %d lanes; this board has too few relays",
                       TD_RELAY_MAX_LANES);
    if (td_grow(&relay->lanes, &relay->room, relay->count + 1, sizeof *relay->lanes))
        return td_fail(err, TD_E_NOMEM, "no memory for a relay's lanes");
    uint32_t entry[TD_RELAY_LANE_BYTES / 4] = {0};
    entry[TD_RELAY_LANE_xy / 4] = TD_NOC_XY((uint32_t)lane->tile.x, (uint32_t)lane->tile.y);
    entry[TD_RELAY_LANE_lane / 4] = relay->count;
    entry[TD_RELAY_LANE_ctrl / 4] = lane->ctrl_address;
    entry[TD_RELAY_LANE_ring / 4] = lane->ring_address;
    entry[TD_RELAY_LANE_slots / 4] = lane->ring_slots;
    entry[TD_RELAY_LANE_first / 4] = lane->head;
    entry[TD_RELAY_LANE_join / 4] = lane->join;
    int rc = r->t->ops->write(r->t, relay->at, entry_address(r, relay->count), entry, sizeof entry, err);
    if (rc)
        return rc;
    relay->lanes[relay->count++] = (struct relay_lane){*lane, lane->head};
    return 0;
}

static int relays_add(struct td_gather *g, const struct td_gather_lane *lanes, size_t count,
                      struct td_err *err)
{
    struct relays *r = (struct relays *)g;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = add_lane(r, &lanes[i], err);
    /* Entries first, then their number. */
    for (uint32_t i = 0; rc == 0 && i < r->count; i++) {
        td_debug(relay, "relay at NoC (%u,%u) of chip %u gathers %u lanes", r->relay[i].at.x,
                 r->relay[i].at.y, r->relay[i].at.chip, r->relay[i].count);
        rc = write_word(r, &r->relay[i], TD_RELAY_lanes, r->relay[i].count, err);
    }
    return rc;
}

struct hand_on {
    struct relays *r;
    struct relay *relay;
    td_gather_words *words;
    void *self;
    size_t slots;
};

/* A frame names the entry of the relay's table that it belongs to. */
static int on_frame(void *self, uint32_t entry, uint32_t first, const uint32_t *words, size_t slots,
                    struct td_err *err)
{
    struct hand_on *h = self;
    struct td_gather_stats *stats = &h->r->base.stats;
    if (entry >= h->relay->count) {
        stats->bad_frames++;
        return 0;
    }
    struct relay_lane *l = &h->relay->lanes[entry];
    stats->lost_slots += first - l->next;
    l->next = first + (uint32_t)slots;
    h->slots += slots;
    return h->words(h->self, l->lane.lane, first, words, slots, err);
}

/* Where a relay's ring ends: the note in this host's memory is as good, and costs nothing. */
static int read_tail(struct relays *r, const struct relay *relay, int exact, uint32_t *tail,
                     struct td_err *err)
{
    if (relay->note && !exact) {
        *tail = __atomic_load_n(relay->note, __ATOMIC_ACQUIRE);
        return 0;
    }
    return r->t->ops->read(r->t, relay->at, ctrl_address(r) + TD_RELAY_tail, tail, 4, err);
}

/* A copy of a piece of the ring: what tiles write there meanwhile cannot change what is decoded. */
static const uint32_t *read_piece(struct relays *r, const struct relay *relay, uint32_t at, uint32_t bytes,
                                  struct td_err *err)
{
    if (relay->ring)
        return memcpy(r->piece, relay->ring + at / 4, bytes);
    int rc = r->t->ops->read(r->t, relay->fifo_at, relay->fifo_address + at, r->piece, bytes, err);
    return rc ? NULL : r->piece;
}

/* Takes what one relay's ring holds up to its tail; at most about `most` slots. */
static int take_ring(struct hand_on *h, uint32_t tail, uint32_t most, struct td_err *err)
{
    struct relays *r = h->r;
    struct relay *relay = h->relay;
    if (tail - relay->head > relay->fifo_bytes)
        return td_fail(err, TD_E_FORMAT,
                       "the relay at NoC (%u,%u) reports impossible values; restart the board", relay->at.x,
                       relay->at.y);
    int rc = 0;
    while (rc == 0 && tail != relay->head && h->slots < most) {
        uint32_t at = relay->head & (relay->fifo_bytes - 1), bytes = tail - relay->head;
        bytes = bytes < PIECE_BYTES ? bytes : PIECE_BYTES;
        bytes = bytes < relay->fifo_bytes - at ? bytes : relay->fifo_bytes - at;
        const uint32_t *piece = read_piece(r, relay, at, bytes, err);
        size_t used = 0;
        rc = piece ? 0 : TD_E_GONE;
        rc = rc ? rc : td_lane_frames(piece, bytes / 4, &r->base.stats, on_frame, h, &used, err);
        if (rc == 0 && used == 0)
            rc = td_fail(err, TD_E_FORMAT, "the ring of the relay at NoC (%u,%u) holds no frame", relay->at.x,
                         relay->at.y);
        if (rc == 0) {
            r->base.stats.bytes += used * 4;
            relay->head += (uint32_t)used * 4;
            rc = write_word(r, relay, TD_RELAY_head, relay->head, err);
        }
    }
    return rc;
}

static int relays_take(struct td_gather *g, uint32_t max_slots, int wait_ms, td_gather_words *words,
                       void *self, size_t *taken, struct td_err *err)
{
    struct relays *r = (struct relays *)g;
    int64_t until = td_mono_ns() + (int64_t)wait_ms * 1000000;
    *taken = 0;
    for (;;) {
        for (uint32_t i = 0; i < r->count; i++) {
            struct hand_on h = {r, &r->relay[(r->turn + i) % r->count], words, self, 0};
            uint32_t tail;
            int rc = read_tail(r, h.relay, 0, &tail, err);
            rc = rc ? rc : take_ring(&h, tail, max_slots, err);
            if (rc)
                return rc;
            *taken += h.slots;
        }
        r->turn++;
        if (*taken || td_mono_ns() >= until)
            break;
        nanosleep(&(struct timespec){0, NAP_NS}, NULL);
    }
    /* One that fell over is looked for now and then. */
    return *taken ? 0 : check_runs(r, &r->relay[r->turn % r->count], err);
}

/* A relay that was stopped between publishing slots and clearing them left them where they were: in a full
 * lane they would follow the newest ones and be taken again. */
static int clear_published(struct relays *r, const struct relay *relay, struct td_err *err)
{
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < relay->count; i++) {
        const struct relay_lane *l = &relay->lanes[i];
        const uint64_t at = l->lane.ctrl_address + (uint64_t)TD_LANE_head;
        uint32_t head;
        rc = r->t->ops->read(r->t, l->lane.tile, at, &head, 4, err);
        const uint32_t left = l->next - head;
        if (rc == 0 && left)
            td_debug(relay, "lane %u: %u slots were published and not cleared", l->lane.lane, left);
        if (rc || left == 0 || left > l->lane.ring_slots)
            continue;
        rc = td_lane_clear_slots(r->t, l->lane.tile, l->lane.ring_address, l->lane.ring_slots, head, left,
                                 err);
        rc = rc ? rc : r->t->ops->write(r->t, l->lane.tile, at, &l->next, 4, err);
    }
    return rc;
}

/* Slots that a relay had not published are still in the lanes, from the next number on. */
static int relays_finish(struct td_gather *g, td_gather_words *words, void *self, struct td_err *err)
{
    struct relays *r = (struct relays *)g;
    int rc = 0;
    for (uint32_t n = 0; rc == 0 && n < r->count; n++) {
        struct relay *relay = &r->relay[n];
        struct hand_on h = {r, relay, words, self, 0};
        uint32_t tail;
        stop_relay(r, relay, NULL); /* a dead board needs no freezing */
        rc = read_tail(r, relay, 1, &tail, err);
        rc = rc ? rc : take_ring(&h, tail, UINT32_MAX, err);
        rc = rc ? rc : clear_published(r, relay, err);
        relay->count = 0;
    }
    return rc;
}

static const struct td_gather_ops relay_ops = {relays_add, relays_take, relays_finish};

/* Finds the relay firmware for this board, in the build or the installation of the running program. */
static int find_elf(const struct td_board *board, char *path, size_t bytes)
{
    static const char *const places[] = {"../lib/relay/relay_%s.elf",
                                         "../share/tendril/device/relay/relay_%s.elf"};
    char name[PATH_MAX];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(name, sizeof name, places[i], board->relay_firmware);
        if (td_process_find(name, R_OK, path, bytes))
            return 1;
    }
    return 0;
}

static int open_firmware(struct relays *r, const char *elf, struct td_err *err)
{
    char path[PATH_MAX + 100];
    if (!elf && !find_elf(r->board, path, sizeof path))
        return td_fail(err, TD_E_NOTFOUND, "there is no relay firmware for board %s beside this program",
                       r->board->relay_firmware);
    td_debug(relay, "firmware %s", elf ? elf : path);
    r->image = td_image_open(elf ? elf : path, err);
    if (!r->image)
        return err ? err->code : TD_E_FORMAT;
    return td_core_load_check(r->board, r->board->relay_core, r->image, elf ? elf : path, err);
}

struct td_gather *td_relay_create(struct td_transport *t, const struct td_board *board,
                                  const struct td_relay_options *options, struct td_err *err)
{
    if (td_board_relays(board) == 0) {
        td_fail(err, TD_E_NOTFOUND, "board %s has no cores for relays", board->name);
        return NULL;
    }
    struct relays *r = calloc(1, sizeof *r);
    if (!r) {
        td_fail(err, TD_E_NOMEM, "no memory for relays");
        return NULL;
    }
    r->base.ops = &relay_ops;
    r->t = t;
    r->board = board;
    r->relay = calloc(td_board_relays(board), sizeof *r->relay);
    r->piece = malloc(PIECE_BYTES);
    int rc = r->relay && r->piece ? 0 : td_fail(err, TD_E_NOMEM, "no memory for relays");
    rc = rc ? rc : open_firmware(r, options->elf, err);
    for (uint32_t chip = 0; rc == 0 && chip < board->chips; chip++)
        for (uint32_t i = 0; rc == 0 && i < board->chip[chip].relay_count; i++) {
            struct relay *relay = &r->relay[r->count++];
            relay->at = td_board_relay(board, chip, i);
            if (options->in_dram || !choose_host_memory(r, relay, i, options->fifo_bytes))
                rc = choose_dram(r, relay, i, options->fifo_bytes, err);
            rc = rc ? rc : start_relay(r, relay, err);
            td_debug(relay,
                     "chip %u: relay %u at NoC (%u,%u), ring of %u bytes at 0x%llx of (%u,%u), in %s%s", chip,
                     i, relay->at.x, relay->at.y, relay->fifo_bytes, (unsigned long long)relay->fifo_address,
                     relay->fifo_at.x, relay->fifo_at.y, relay->ring ? "this host's memory" : "DRAM",
                     rc ? ": it does not start" : "");
        }
    if (rc) {
        td_relay_destroy(&r->base);
        return NULL;
    }
    return &r->base;
}

int td_relay_read_stats(struct td_gather *g, struct td_relay_stats *stats, struct td_err *err)
{
    struct relays *r = (struct relays *)g;
    *stats = (struct td_relay_stats){.relays = r->count};
    for (uint32_t i = 0; i < r->count; i++) {
        uint32_t ctrl[TD_RELAY_CTRL_BYTES / 4];
        int rc = read_ctrl(r, &r->relay[i], ctrl, err);
        if (rc)
            return rc;
        stats->rounds += ctrl[TD_RELAY_rounds / 4];
        stats->waits += ctrl[TD_RELAY_waits / 4];
        stats->slots += ctrl[TD_RELAY_slots / 4];
        stats->reads += ctrl[TD_RELAY_reads / 4];
        stats->writes += ctrl[TD_RELAY_writes / 4];
        stats->read_bytes += ctrl[TD_RELAY_read_bytes / 4];
        stats->written_bytes += ctrl[TD_RELAY_written_bytes / 4];
    }
    return 0;
}

void td_relay_destroy(struct td_gather *g)
{
    struct relays *r = (struct relays *)g;
    if (!r)
        return;
    for (uint32_t i = 0; r->relay && i < r->count; i++) {
        stop_relay(r, &r->relay[i], NULL);
        free(r->relay[i].lanes);
    }
    td_image_close(r->image);
    free(r->relay);
    free(r->piece);
    free(r);
}
