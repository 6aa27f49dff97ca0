#include "host/device/drain/stamps.h"
#include "host/base/err.h"
#include "host/base/grow.h"
#include "host/device/drain/stamp_stream.h"
#include "proto/device/packet.h"
#include "proto/device/stamp.h"

#include <stdlib.h>
#include <string.h>

#define MOST_UNJOINED 4096 /* events kept of a core whose lane is not known to be in the recording yet */
#define MOST_MAINS    16   /* zones of whole kernels inside each other */
#define TIME_HEAD     (TD_TAG_HEAD | TD_PACKET_TIME << TD_HEAD_TYPE_SHIFT)
#define IMAGE_HEAD    (TD_TAG_HEAD | TD_PACKET_IMAGE << TD_HEAD_TYPE_SHIFT | TD_DEVICE_PROTO_VERSION)
#define LOST_WORD     1u /* of an event that the host makes: no core's token has bit 0 set */

struct td_stamp_open {
    uint64_t begin;
    uint32_t id;
};

/* What one core has recorded, and what the reader of its lane knows. */
struct td_stamp_lane {
    struct td_stamp_event *events; /* that wait, by time */
    size_t count, capacity;
    size_t old; /* of these: read before the lane was looked at last */
    struct td_stamp_open *open;
    size_t open_count, open_capacity;
    uint64_t mains[MOST_MAINS]; /* begins of zones with BEGIN packets that are open */
    uint32_t main_count;
    uint64_t lost_from, lost_zones; /* events are missing from then on: of at least so many zones; 0: none */
    uint64_t latest;                /* time of the last event or packet */
    uint32_t high;                  /* clock's high half in the lane */
    bool has_high, joined, fed;
    uint32_t shown_high; /* what the reader of the lane knows */
    uint32_t *held;      /* slots without a time: they belong to the packet that comes next */
    size_t held_count, held_capacity;
};

struct td_stamps {
    const struct td_board *board;
    struct td_stamp_lane *lanes; /* board.core_count of each tile */
    struct td_stamp_stream *streams;
    size_t tile_count;
    uint32_t *out; /* slots to be handed on */
    size_t out_count, out_capacity;
    /* The round. */
    uint32_t first_lane;
    size_t found;
    uint64_t latest;
    td_drain_words *words;
    void *self;
};

struct td_stamps *td_stamps_create(struct td_transport *t, const struct td_board *board, struct td_err *err)
{
    struct td_stamps *s = calloc(1, sizeof *s);
    if (s) {
        s->board = board;
        s->tile_count = (size_t)board->chips * board->grid_width * board->grid_height;
        s->lanes = calloc(s->tile_count * board->core_count, sizeof *s->lanes);
        s->streams = calloc(s->tile_count, sizeof *s->streams);
    }
    if (!s || !s->lanes || !s->streams) {
        td_stamps_destroy(s);
        td_fail_no_memory(err, NULL);
        return NULL;
    }
    for (size_t i = 0; i < s->tile_count; i++)
        s->streams[i] = (struct td_stamp_stream){.t = t, .board = board};
    return s;
}

void td_stamps_destroy(struct td_stamps *s)
{
    if (!s)
        return;
    for (size_t i = 0; s->streams && i < s->tile_count; i++)
        td_stamp_stream_disarm(&s->streams[i]);
    for (size_t i = 0; s->lanes && i < s->tile_count * s->board->core_count; i++) {
        free(s->lanes[i].events);
        free(s->lanes[i].open);
        free(s->lanes[i].held);
    }
    free(s->lanes);
    free(s->streams);
    free(s->out);
    free(s);
}

static struct td_stamp_stream *stream_of(struct td_stamps *s, uint32_t first_lane)
{
    return &s->streams[first_lane / s->board->core_count];
}

int td_stamps_arm(struct td_stamps *s, struct td_tile_at at, uint32_t first_lane, struct td_err *err)
{
    struct td_stamp_stream *stream = stream_of(s, first_lane);
    stream->at = at;
    return td_stamp_stream_arm(stream, err);
}

static void drop_events(struct td_stamp_lane *l, size_t count)
{
    if (!count)
        return;
    memmove(l->events, l->events + count, (l->count - count) * sizeof *l->events);
    l->count -= count;
    l->old -= l->old < count ? l->old : count;
}

static int keep_event(struct td_stamp_lane *l, const struct td_stamp_event *event)
{
    if (!l->joined && l->count == MOST_UNJOINED)
        drop_events(l, MOST_UNJOINED / 2);
    if (td_grow(&l->events, &l->capacity, l->count + 1, sizeof *l->events))
        return TD_E_NOMEM;
    size_t at = l->count++;
    for (; at > l->old && l->events[at - 1].ticks > event->ticks; at--)
        l->events[at] = l->events[at - 1];
    l->events[at] = *event;
    return 0;
}

/* The core that has stored this word; core_count: it is no core's. */
static uint32_t core_of(const struct td_board *b, uint32_t word)
{
    if (word & TD_SLOT_VALID)
        return word >> TD_STAMP_CORE_SHIFT & (TD_STAMP_MAX_CORES - 1);
    const uint32_t ring = td_board_ring(b, 0), bytes = b->ring_slots * TD_SLOT_BYTES;
    return word >= ring && (word - ring) / bytes < b->core_count ? (word - ring) / bytes : b->core_count;
}

static int on_event(void *self, const struct td_stamp_event *event)
{
    struct td_stamps *s = self;
    const uint32_t core = core_of(s->board, event->word);
    s->found++;
    s->latest = event->ticks > s->latest ? event->ticks : s->latest;
    if (core >= s->board->core_count || event->word & 7)
        return 0; /* another program's */
    struct td_stamp_lane *l = &s->lanes[s->first_lane + core];
    return keep_event(l, event);
}

static int read_stream(struct td_stamps *s, struct td_err *err)
{
    bool lost = true;
    int rc = 0;
    while (rc == 0 && lost) {
        rc = td_stamp_stream_read(stream_of(s, s->first_lane), on_event, s, &lost, err);
        const struct td_stamp_event gap = {s->latest, LOST_WORD};
        /* Also in lanes that have not joined: their first words may be of a time before the loss. */
        for (uint32_t c = 0; rc == 0 && lost && c < s->board->core_count; c++)
            rc = keep_event(&s->lanes[s->first_lane + c], &gap);
    }
    return rc == TD_E_NOMEM ? td_fail_no_memory(err, NULL) : rc;
}

static int put_slot(struct td_stamps *s, uint32_t first, uint32_t second)
{
    if (td_grow(&s->out, &s->out_capacity, 2 * (s->out_count + 1), sizeof *s->out))
        return TD_E_NOMEM;
    s->out[2 * s->out_count] = first;
    s->out[2 * s->out_count + 1] = second;
    s->out_count++;
    return 0;
}

static int put_slots(struct td_stamps *s, const uint32_t *words, size_t slots)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < slots; i++)
        rc = put_slot(s, words[2 * i], words[2 * i + 1]);
    return rc;
}

static int put_held(struct td_stamps *s, struct td_stamp_lane *l)
{
    const int rc = put_slots(s, l->held, l->held_count);
    for (size_t i = 0; i < l->held_count; i++)
        if (l->held[2 * i] == TIME_HEAD)
            l->shown_high = l->held[2 * i + 1];
    l->held_count = 0;
    return rc;
}

/* The reader of the lane needs the clock's high half where it differs from that of the packet before. */
static int put_high(struct td_stamps *s, struct td_stamp_lane *l, uint32_t high)
{
    if (l->shown_high == high)
        return 0;
    l->shown_high = high;
    return put_slot(s, TIME_HEAD, high);
}

static int put_cont(struct td_stamps *s, uint32_t left, uint64_t v48)
{
    return put_slot(s, TD_TAG_CONT | left << TD_CONT_LEFT_SHIFT | (uint32_t)(v48 >> 32 & TD_CONT_LOW_MASK),
                    (uint32_t)v48);
}

static int put_head(struct td_stamps *s, struct td_stamp_lane *l, enum td_packet type, uint32_t id,
                    uint64_t ticks)
{
    const int rc = put_high(s, l, (uint32_t)(ticks >> 32));
    return rc ? rc : put_slot(s, TD_TAG_HEAD | (uint32_t)type << TD_HEAD_TYPE_SHIFT | id, (uint32_t)ticks);
}

/* What is missing up to `ticks`, if something is. */
static int put_lost(struct td_stamps *s, struct td_stamp_lane *l, uint64_t ticks)
{
    if (!l->lost_zones)
        return 0;
    int rc = put_head(s, l, TD_PACKET_STAMPED_LOST, 0, ticks);
    rc = rc ? rc : put_cont(s, 1, ticks - l->lost_from);
    rc = rc ? rc : put_cont(s, 0, l->lost_zones);
    l->lost_zones = 0;
    return rc;
}

/* Events after this one were lost: at least the ends of the open zones, or else one zone. */
static void note_lost(struct td_stamp_lane *l, const struct td_stamp_event *event)
{
    if (!l->lost_zones)
        l->lost_from = event->ticks;
    l->lost_zones += l->open_count ? l->open_count : 1;
    l->open_count = 0;
}

static int put_zone(struct td_stamps *s, struct td_stamp_lane *l, uint64_t end)
{
    const struct td_stamp_open zone = l->open[--l->open_count];
    const int rc = put_head(s, l, TD_PACKET_STAMPED, zone.id, end);
    return rc ? rc : put_cont(s, 0, end - zone.begin);
}

static int put_event(struct td_stamps *s, struct td_stamp_lane *l, const struct td_stamp_event *event)
{
    int rc = 0;
    l->latest = event->ticks;
    if (event->word == LOST_WORD)
        note_lost(l, event);
    else
        rc = put_lost(s, l, event->ticks);
    if (rc || event->word == LOST_WORD)
        return rc;
    if (!(event->word & TD_SLOT_VALID)) /* of a zone whose begin is lost, or was before the recording */
        return l->open_count ? put_zone(s, l, event->ticks) : 0;
    return TD_APPEND(
        l->open, l->open_count, l->open_capacity,
        (struct td_stamp_open){event->ticks, (event->word & ~TD_SLOT_VALID) >> TD_SHORT_ID_SHIFT});
}

/* Those that are not younger than `ticks`, of the first `count`. */
static int put_events(struct td_stamps *s, struct td_stamp_lane *l, uint64_t ticks, size_t count)
{
    size_t done = 0;
    int rc = 0;
    while (rc == 0 && done < count && l->events[done].ticks <= ticks)
        rc = put_event(s, l, &l->events[done++]);
    drop_events(l, done);
    return rc;
}

/* The zones that are open although what began at `begin` ends now, inner ones first. */
static int put_open(struct td_stamps *s, struct td_stamp_lane *l, uint64_t begin, uint64_t ticks,
                    uint32_t how)
{
    int rc = 0;
    while (rc == 0 && l->open_count && l->open[l->open_count - 1].begin >= begin) {
        const struct td_stamp_open zone = l->open[--l->open_count];
        const uint64_t end = ticks > zone.begin ? ticks : zone.begin;
        rc = put_head(s, l, TD_PACKET_STAMPED_OPEN, zone.id, end);
        rc = rc ? rc : put_cont(s, 1, end - zone.begin);
        rc = rc ? rc : put_cont(s, 0, how);
    }
    return rc;
}

/* A packet with this head comes at `ticks`; `how`: its first word after that. */
static int before_packet(struct td_stamps *s, struct td_stamp_lane *l, uint32_t head, uint64_t ticks,
                         uint32_t how)
{
    const uint32_t type =
        TD_IS_SHORT_ZONE(head) ? TD_PACKET_ZONE : head >> TD_HEAD_TYPE_SHIFT & TD_HEAD_TYPE_MASK;
    int rc = 0;
    if (!l->joined) /* what is older is of a launch that is not recorded */
        while (l->count && l->events[0].ticks <= ticks)
            drop_events(l, 1);
    l->joined = true;
    rc = put_events(s, l, ticks, l->count);
    rc = rc ? rc : put_lost(s, l, ticks);
    switch (rc ? TD_PACKET_COUNT : type) {
    case TD_PACKET_LEFT:
        l->main_count = 0;
        rc = put_open(s, l, 0, ticks, how);
        break;
    case TD_PACKET_BEGIN:
        if (!l->main_count)
            l->open_count = 0; /* of a launch that was stopped, in `overwrite` */
        if (l->main_count < MOST_MAINS)
            l->mains[l->main_count++] = ticks;
        break;
    case TD_PACKET_END:
    case TD_PACKET_WHOLE:
        rc = put_open(s, l, l->main_count ? l->mains[l->main_count - 1] : 0, ticks, TD_CORE_DONE);
        l->main_count -= l->main_count > 0;
        break;
    default:
        break;
    }
    l->latest = ticks;
    return rc;
}

static bool has_time(uint32_t head)
{
    static const uint8_t second[TD_PACKET_COUNT] = {
#define TD_X(type, name, counts, id, word, s1, s2, s3, what) [type] = TD_SECOND_##word,
        TD_PACKETS(TD_X)
#undef TD_X
    };
    const uint32_t type = head >> TD_HEAD_TYPE_SHIFT & TD_HEAD_TYPE_MASK;
    return TD_IS_SHORT_ZONE(head) ||
           (type < TD_PACKET_COUNT && (second[type] == TD_SECOND_TIME || second[type] == TD_SECOND_END));
}

static int hold(struct td_stamp_lane *l, const uint32_t *slot)
{
    if (td_grow(&l->held, &l->held_capacity, 2 * (l->held_count + 1), sizeof *l->held))
        return TD_E_NOMEM;
    memcpy(l->held + 2 * l->held_count++, slot, TD_SLOT_BYTES);
    return 0;
}

/* One slot of the lane; `next`: the one after it, or NULL. */
static int take_slot(struct td_stamps *s, struct td_stamp_lane *l, const uint32_t *slot, const uint32_t *next)
{
    const bool is_cont = (slot[0] & TD_TAG_MASK) == TD_TAG_CONT;
    if (is_cont)
        return l->held_count ? hold(l, slot) : put_slot(s, slot[0], slot[1]);
    if (!has_time(slot[0])) {
        if (slot[0] == TIME_HEAD) {
            l->high = slot[1];
            l->has_high = true;
        }
        return hold(l, slot);
    }
    int rc = 0;
    if (l->has_high)
        rc =
            before_packet(s, l, slot[0], (uint64_t)l->high << 32 | slot[1], next ? next[1] : TD_CORE_RUNNING);
    rc = rc ? rc : put_held(s, l);
    if (rc == 0 && l->has_high)
        rc = put_high(s, l, l->high);
    return rc ? rc : put_slot(s, slot[0], slot[1]);
}

static int hand_on(struct td_stamps *s, const struct td_lane_at *at, struct td_err *err)
{
    const size_t slots = s->out_count;
    s->out_count = 0;
    return slots || at->gap ? s->words(s->self, at, s->out, slots, err) : 0;
}

/* What comes next does not follow what was held. */
static int hand_on_held(struct td_stamps *s, struct td_stamp_lane *l, const struct td_lane_at *at,
                        struct td_err *err)
{
    struct td_lane_at before = *at;
    before.gap = before.overwritten = 0;
    before.missing = 0;
    const int rc = put_held(s, l);
    return rc ? td_fail_no_memory(err, NULL) : hand_on(s, &before, err);
}

void td_stamps_begin_round(struct td_stamps *s, uint32_t first_lane, td_drain_words *words, void *self)
{
    s->first_lane = first_lane;
    s->found = 0;
    s->latest = 0;
    s->words = words;
    s->self = self;
    for (uint32_t c = 0; c < s->board->core_count; c++) {
        s->lanes[first_lane + c].old = s->lanes[first_lane + c].count;
        s->lanes[first_lane + c].fed = false;
    }
}

bool td_stamps_is_used(const struct td_stamps *s, uint32_t first_lane)
{
    return s->streams[first_lane / s->board->core_count].used;
}

/* Slots are missing: the reader of the lane does not know the clock's high half any more, unless it is the same. */
static void note_gap(struct td_stamp_lane *l, const struct td_lane_at *at)
{
    if (!at->gap || (!at->overwritten && at->missing && l->has_high && at->time_high == l->high))
        return;
    l->has_high = false;
    l->shown_high = UINT32_MAX;
}

/* Whether a launch begins in these words whose zones are stamped. */
static bool begins_stamped(const uint32_t *words, size_t slots)
{
    for (size_t i = 0; i < slots; i++)
        if (words[2 * i] == (IMAGE_HEAD | TD_IMAGE_IS_STAMPED))
            return true;
    return false;
}

/* A lane of a tile whose timestamper was not used yet: only its clock is followed. */
static void follow_time(struct td_stamp_lane *l, const uint32_t *words, size_t slots)
{
    for (size_t i = 0; i < slots; i++)
        if (words[2 * i] == TIME_HEAD) {
            l->high = l->shown_high = words[2 * i + 1];
            l->has_high = l->joined = true;
        }
}

int td_stamps_words(void *self, const struct td_lane_at *at, const uint32_t *words, size_t slots,
                    struct td_err *err)
{
    struct td_stamps *s = self;
    struct td_stamp_lane *l = &s->lanes[at->index];
    l->fed = true;
    if (begins_stamped(words, slots))
        stream_of(s, s->first_lane)->used = true;
    if (!stream_of(s, s->first_lane)->used) {
        note_gap(l, at);
        follow_time(l, words, slots);
        return s->words(s->self, at, words, slots, err);
    }
    int rc = read_stream(s, err);
    if (rc == 0 && at->gap)
        rc = hand_on_held(s, l, at, err);
    note_gap(l, at);
    if (rc)
        return rc;
    for (size_t i = 0; rc == 0 && i < slots; i++)
        rc = take_slot(s, l, words + 2 * i, i + 1 < slots ? words + 2 * i + 2 : NULL);
    return rc ? td_fail_no_memory(err, NULL) : hand_on(s, at, err);
}

int td_stamps_end_round(struct td_stamps *s, const struct td_lane_at *first, const bool *looked,
                        size_t *taken, struct td_err *err)
{
    int rc = 0;
    for (uint32_t c = 0; rc == 0 && c < s->board->core_count; c++) {
        struct td_stamp_lane *l = &s->lanes[s->first_lane + c];
        struct td_lane_at at = *first;
        at.core = (uint16_t)c;
        at.index = s->first_lane + c;
        if (l->fed || !looked[c] || !l->joined || !l->has_high || !l->old || l->held_count)
            continue;
        rc = put_events(s, l, UINT64_MAX, l->old) ? td_fail_no_memory(err, NULL) : hand_on(s, &at, err);
    }
    rc = rc ? rc : read_stream(s, err);
    *taken += s->found;
    return rc;
}

int td_stamps_finish(struct td_stamps *s, const struct td_lane_at *at, td_drain_words *words, void *self,
                     struct td_err *err)
{
    struct td_stamp_lane *l = &s->lanes[at->index];
    s->words = words;
    s->self = self;
    int rc = put_held(s, l);
    if (rc == 0 && l->joined) {
        rc = put_events(s, l, UINT64_MAX, l->count);
        rc = rc ? rc : put_lost(s, l, l->latest);
        rc = rc ? rc : put_open(s, l, 0, l->latest, TD_CORE_RUNNING);
    }
    return rc ? td_fail_no_memory(err, NULL) : hand_on(s, at, err);
}
