#include "host/agent/board/tt_rings.h"
#include "host/agent/board/lane_add.h"
#include "host/agent/board/tt_ring_names.h"
#include "proto/track_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RING_BYTES = 4 * TD_TT_RING_WORDS, LONGEST_ZONE = 5 };

struct ring {
    bool is_known;
    uint32_t position; /* words that were read, or are lost */
    uint32_t lost;     /* of them: just before the next ones that are read */
    struct td_tt_ring_state state;
    int64_t last; /* the latest end of a zone */
};

struct td_tt_rings {
    const struct td_board_tap *tap;
    struct td_lane_events *lanes;
    struct td_tt_ring_names *names;
    struct ring *rings;
    uint32_t count;
    uint32_t words[TD_TT_RING_WORDS]; /* of one ring, in their order */
    struct td_tt_rings_stats stats;
};

struct td_tt_rings *td_tt_rings_create(const struct td_board *board, struct td_lane_events *lanes,
                                       struct td_dict *dict, const char *zones,
                                       const struct td_board_tap *tap)
{
    struct td_tt_rings *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->tap = tap;
    r->lanes = lanes;
    r->count = board->chips * board->grid_width * board->grid_height * TD_TT_L1_CORES;
    r->rings = calloc(r->count, sizeof *r->rings);
    r->names = td_tt_ring_names_create(dict, zones, tap);
    if (r->rings && r->names)
        return r;
    td_tt_rings_destroy(r);
    return NULL;
}

void td_tt_rings_destroy(struct td_tt_rings *r)
{
    if (!r)
        return;
    if (r->names)
        td_tt_ring_names_destroy(r->names);
    free(r->rings);
    free(r);
}

struct td_tt_rings_stats td_tt_rings_get_stats(const struct td_tt_rings *r)
{
    struct td_tt_rings_stats stats = r->stats;
    stats.unknown = td_tt_ring_names_unknown(r->names);
    return stats;
}

/* ---- packets ---- */

static const char *name_of(const struct td_lane_events *lane, uint32_t srcloc)
{
    return td_dict_text(lane->names->dict, td_dict_get_srcloc(lane->names->dict, srcloc)->name);
}

static int add_note(struct td_tt_rings *r, struct td_lane_events *lane, const struct td_tt_ring_item *item)
{
    char text[300];
    const uint32_t number = td_tt_ring_names_srcloc(r->names, item->id);
    if (number == UINT32_MAX)
        return TD_E_NOMEM;
    int used = snprintf(text, sizeof text, "%.200s%s", name_of(lane, number), item->count ? ":" : "");
    /* Values have 64 bits, their upper half first. */
    for (uint32_t i = 0; i + 1 < item->count && used > 0 && (size_t)used < sizeof text; i += 2)
        used += snprintf(text + used, sizeof text - (size_t)used, " %" PRIu64,
                         (uint64_t)item->data[i] << 32 | item->data[i + 1]);
    return td_lane_add_message(lane, item->begin, text, 0);
}

static bool is_kernel(const char *name)
{
    static const char end[] = "-KERNEL";
    const size_t bytes = strlen(name);
    return bytes >= sizeof end - 1 && strcmp(name + bytes - (sizeof end - 1), end) == 0;
}

static int add_zone(struct td_tt_rings *r, struct ring *ring, struct td_lane_events *lane,
                    const struct td_tt_ring_item *item)
{
    char text[80];
    const int64_t begin = td_lane_at_most(item->begin), end = td_lane_at_most(item->end);
    uint32_t string = 0;
    if (end > ring->last)
        ring->last = end;
    if (item->id == TD_TT_RING_STALL_16 || item->id == TD_TT_RING_STALL_27) {
        lane->stalls++;
        return td_lane_add_zone(lane, begin, end, lane->names->stall_srcloc, 0);
    }
    const uint32_t number = td_tt_ring_names_srcloc(r->names, item->id);
    const bool is_last = number != UINT32_MAX && is_kernel(name_of(lane, number));
    if (is_last && ring->state.op) {
        td_op_text(text, sizeof text, ring->state.op);
        string = td_lane_string(lane, text);
        if (string == UINT32_MAX)
            return TD_E_NOMEM;
    }
    lane->zones++;
    const int rc = td_lane_add_zone(lane, begin, end, number, string);
    if (is_last)
        lane->settled = ring->last; /* the zone around all others of its launch */
    return rc;
}

static void lose(struct td_tt_rings *r, struct td_lane_events *lane, uint32_t words)
{
    r->stats.lost_words += words;
    lane->lost_zones += (words + LONGEST_ZONE - 1) / LONGEST_ZONE;
    lane->damaged = true; /* what else was in them is not known */
}

/* Takes the next words of a ring, of whole packets. */
static int take_words(struct td_tt_rings *r, const struct td_tt_ring_words *w)
{
    struct ring *ring = &r->rings[w->lane];
    struct td_lane_events *lane = &r->lanes[w->lane];
    struct td_tt_ring_item item;
    size_t at = 0;
    int rc = 0;
    if (w->lost) {
        lose(r, lane, w->lost);
        ring->state = (struct td_tt_ring_state){.op = 0};
    }
    while (rc == 0 && td_tt_ring_next(&ring->state, w->words, w->count, &at, w->now, &item))
        switch (item.kind) {
        case TD_TT_RING_IS_ZONE:
            rc = add_zone(r, ring, lane, &item);
            break;
        case TD_TT_RING_IS_DATA:
        case TD_TT_RING_IS_EVENT:
            rc = add_note(r, lane, &item);
            break;
        case TD_TT_RING_IS_LAUNCH:
            lane->settled = ring->last;
            r->stats.launches++;
            break;
        case TD_TT_RING_IS_LOST:
            lane->lost_zones++;
            break;
        case TD_TT_RING_IS_ODD:
            lose(r, lane, item.count);
            r->stats.odd += item.count;
            break;
        }
    if (r->tap)
        r->tap->tt_words(r->tap->self, w); /* after the names of their zones */
    return rc;
}

int td_tt_rings_replay_zone(struct td_tt_rings *r, const char *line, size_t bytes)
{
    return td_tt_ring_names_add(r->names, (struct td_tt_text){line, bytes});
}

int td_tt_rings_replay_words(struct td_tt_rings *r, const struct td_tt_ring_words *w, struct td_err *err)
{
    if (w->lane >= r->count)
        return td_fail(err, TD_E_FORMAT, "words of tt-metal's rings make no sense");
    return take_words(r, w) ? td_fail_no_memory(err, "for zones of tt-metal's rings") : 0;
}

/* ---- rings ---- */

static bool is_near(uint32_t from, uint32_t to)
{
    return to - from <= TD_TT_RING_WORDS;
}

/* The oldest count between two packets from which on words may still be there. */
static uint32_t known_end(const uint32_t *control, uint32_t core)
{
    const uint32_t head = control[TD_TT_RING_HEAD + core], tail = control[TD_TT_RING_TAIL + core];
    return is_near(head, tail) ? head : tail;
}

/* Words below this count may have been written over by now. A core that a relay serves waits for its head; others write
 * on, somewhat above their tails. */
static uint32_t written_over(const uint32_t *control, uint32_t core)
{
    const uint32_t head = control[TD_TT_RING_HEAD + core], tail = control[TD_TT_RING_TAIL + core];
    const bool waits = is_near(head, tail) && (control[TD_TT_RING_ARMED] || head);
    uint32_t most = tail + TD_TT_RING_LAG;
    if (waits && most - head > TD_TT_RING_WORDS)
        most = head + TD_TT_RING_WORDS;
    return most - TD_TT_RING_WORDS;
}

/* a is before b, as counts that go on for ever. */
static bool is_before(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) < 0;
}

/* Reads words up to the tail, one after the other. */
static int read_ring(struct td_tt_rings *r, struct td_transport *t, struct td_tile_at at, uint32_t ring,
                     uint32_t from, uint32_t to, struct td_err *err)
{
    const uint32_t first = from % TD_TT_RING_WORDS, all = to - from,
                   one = all < TD_TT_RING_WORDS - first ? all : TD_TT_RING_WORDS - first;
    int rc = t->ops->read(t, at, ring + 4 * first, r->words, 4 * (size_t)one, err);
    if (rc == 0 && one < all)
        rc = t->ops->read(t, at, ring, r->words + one, 4 * (size_t)(all - one), err);
    return rc;
}

static int poll_ring(struct td_tt_rings *r, struct td_transport *t, struct td_tile_at at, uint32_t lane,
                     uint32_t place, const uint32_t *control, uint64_t now, size_t *taken, struct td_err *err)
{
    uint32_t again[TD_TT_RING_CONTROL_WORDS];
    struct ring *ring = &r->rings[lane];
    const uint32_t core = lane % TD_TT_L1_CORES, tail = control[TD_TT_RING_TAIL + core];
    if (!ring->is_known || is_before(tail, ring->position)) { /* or the tile was reset */
        ring->is_known = true;
        ring->position = known_end(control, core);
    }
    if (tail == ring->position)
        return 0;
    if (!is_near(ring->position, tail)) {
        const uint32_t from = known_end(control, core);
        ring->lost += from - ring->position;
        ring->position = from;
    }
    int rc = read_ring(r, t, at, place + 4 * TD_TT_RING_CONTROL_WORDS + core * RING_BYTES, ring->position,
                       tail, err);
    rc = rc ? rc : t->ops->read(t, at, place, again, sizeof again, err);
    if (rc)
        return rc;
    const uint32_t gone = written_over(again, core);
    uint32_t skipped = 0;
    if (is_before(ring->position, gone)) { /* a packet begins at the relay's head, and at the tail */
        const uint32_t head = again[TD_TT_RING_HEAD + core];
        skipped = (!is_before(head, gone) && is_before(head, tail) ? head : tail) - ring->position;
    }
    const struct td_tt_ring_words words = {.lane = lane,
                                           .now = now,
                                           .lost = ring->lost + skipped,
                                           .words = r->words + skipped,
                                           .count = tail - ring->position - skipped};
    ring->lost = 0;
    ring->position = tail;
    *taken += 1;
    return take_words(r, &words) ? td_fail_no_memory(err, "for zones of tt-metal's rings") : 0;
}

int td_tt_rings_poll(struct td_tt_rings *r, struct td_transport *t, struct td_tile_at at, uint32_t tile,
                     uint32_t place, uint64_t now, size_t *taken, struct td_err *err)
{
    uint32_t control[TD_TT_RING_CONTROL_WORDS];
    int rc = t->ops->read(t, at, place, control, sizeof control, err);
    for (uint32_t core = 0; core < TD_TT_L1_CORES && rc == 0; core++)
        rc = poll_ring(r, t, at, tile * TD_TT_L1_CORES + core, place, control, now, taken, err);
    return rc;
}
