#include "host/agent/board/tt_buffers.h"
#include "host/agent/board/lane_add.h"
#include "host/agent/board/tt_rings.h"
#include "host/agent/board/tt_zone_names.h"
#include "host/base/clock.h"
#include "host/base/compare.h"
#include "host/base/debug_log.h"
#include "host/tt/l1_profiler.h"
#include "proto/track_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SEARCH_BYTES = 0x30000, /* tt-metal has its own data there */
    SEARCH_NS = 20000000,
    BUFFER_BYTES = 4 * TD_TT_L1_BUFFER_WORDS,
    MOST_CONTROL = 64,
    MOST_OPEN = 128
};

struct tt_tile {
    bool known;   /* its RUN was read */
    uint32_t run; /* of the last launch that was read */
    uint32_t host_end[TD_TT_L1_CORES];
};

struct td_tt_buffers {
    struct td_transport *t; /* NULL: launches are replayed */
    const struct td_board_tap *tap;
    const struct td_board *board;
    struct td_lane_events *lanes;
    struct td_tt_zone_names *names;
    struct td_tt_l1_place place; /* without a layout: not found, or of rings */
    uint32_t ring_control;       /* where the control words of rings are; 0: there are none */
    struct td_tt_rings *rings;
    uint32_t given; /* the user's address; 0: search */
    int id_bit;     /* lowest bit of the host's id; -1: not known yet */
    bool came_late; /* the first search has found them: launches before are not ours */
    bool has_searched;
    int64_t next_search_ns;
    struct tt_tile *tiles;
    uint32_t tile_count;
    uint32_t *memory; /* of the search, and of a tile */
    struct td_tt_l1_buffer buffer;
    struct td_tt_buffers_stats stats;
};

static int parse_place(struct td_tt_buffers *b, const char *text, struct td_err *err)
{
    char *end;
    if (strcmp(text, "auto") == 0)
        return 0;
    const unsigned long at = strtoul(text, &end, 0);
    const char *name = *end == ',' ? end + 1 : "2025";
    const struct td_tt_l1_layout *layout = td_tt_l1_layout_named(name);
    const bool is_stream = strcmp(name, TD_TT_RING_LAYOUT) == 0;
    if (end == text || (*end && *end != ',') || (!layout && !is_stream) || at % 4 || at == 0 ||
        at > b->board->l1_bytes || (layout && layout->after))
        return td_fail(
            err, TD_E_USAGE,
            "'%s' is no place of tt-metal's buffers: write auto, or the address of the control words in a "
            "tile's memory, with ,2024B ,2025 ,2026 or ," TD_TT_RING_LAYOUT " after it",
            text);
    b->given = (uint32_t)at;
    if (is_stream) {
        b->ring_control = b->given;
        return 0;
    }
    b->id_bit = layout->id_bit;
    b->place = (struct td_tt_l1_place){layout, b->given, b->given + 4u * layout->words};
    return 0;
}

static struct td_tt_buffers *create(const struct td_board *board, struct td_lane_events *lanes,
                                    struct td_dict *dict, const char *zones, const struct td_board_tap *tap,
                                    struct td_err *err)
{
    struct td_tt_buffers *b = calloc(1, sizeof *b);
    if (!b) {
        td_fail_no_memory(err, NULL);
        return NULL;
    }
    b->board = board;
    b->lanes = lanes;
    b->tap = tap;
    b->tile_count = board->chips * board->grid_width * board->grid_height;
    b->tiles = calloc(b->tile_count, sizeof *b->tiles);
    b->memory = malloc(SEARCH_BYTES);
    b->names = td_tt_zone_names_create(dict, zones, tap);
    b->rings = td_tt_rings_create(board, lanes, dict, zones, tap);
    int rc = 0;
    if (!b->tiles || !b->memory || !b->names || !b->rings)
        rc = td_fail_no_memory(err, "for tt-metal's buffers");
    else if (board->core_count != TD_TT_L1_CORES)
        rc = td_fail(err, TD_E_USAGE, "board %s has %u cores a tile, and tt-metal's buffers are for %d",
                     board->name, board->core_count, TD_TT_L1_CORES);
    if (rc) {
        td_tt_buffers_destroy(b);
        return NULL;
    }
    return b;
}

static const char *layout_name(const struct td_tt_buffers *b)
{
    return b->place.layout ? b->place.layout->name : b->ring_control ? TD_TT_RING_LAYOUT : NULL;
}

/* The tap gets it before the first launch. */
static void note_layout(struct td_tt_buffers *b)
{
    const char *name = layout_name(b);
    if (b->tap && name)
        b->tap->tt_layout(b->tap->self, name);
}

struct td_tt_buffers *td_tt_buffers_create(struct td_transport *t, const struct td_board *board,
                                           struct td_lane_events *lanes, struct td_dict *dict,
                                           const struct td_tt_buffers_options *options,
                                           const struct td_board_tap *tap, struct td_err *err)
{
    struct td_tt_buffers *b = create(board, lanes, dict, options->zones, tap, err);
    if (b && parse_place(b, options->place, err)) {
        td_tt_buffers_destroy(b);
        return NULL;
    }
    if (b) {
        b->t = t;
        note_layout(b);
    }
    return b;
}

void td_tt_buffers_destroy(struct td_tt_buffers *b)
{
    if (!b)
        return;
    td_tt_zone_names_destroy(b->names);
    td_tt_rings_destroy(b->rings);
    free(b->tiles);
    free(b->memory);
    free(b);
}

struct td_tt_buffers_stats td_tt_buffers_get_stats(const struct td_tt_buffers *b)
{
    struct td_tt_buffers_stats stats = b->stats;
    stats.layout = layout_name(b);
    stats.unknown = td_tt_zone_names_unknown(b->names);
    if (b->ring_control) {
        const struct td_tt_rings_stats rings = td_tt_rings_get_stats(b->rings);
        stats.ring_launches = rings.launches;
        stats.lost_words = rings.lost_words;
        stats.odd = rings.odd;
        stats.unknown = rings.unknown;
    }
    return stats;
}

static struct td_tile_at tile_at(const struct td_tt_buffers *b, uint32_t index)
{
    const uint32_t per_chip = b->board->grid_width * b->board->grid_height, i = index % per_chip;
    return td_board_tile(b->board, index / per_chip, i % b->board->grid_width, i / b->board->grid_width);
}

/* Firmware has the tile's translated coordinates, or those of NoC 0. */
static int search(struct td_tt_buffers *b, struct td_err *err)
{
    for (uint32_t i = 0; i < b->tile_count && !layout_name(b); i++) {
        const uint32_t per_chip = b->board->grid_width * b->board->grid_height, xy = i % per_chip;
        const struct td_chip_desc *c = &b->board->chip[i / per_chip];
        const struct td_tile_at at = tile_at(b, i);
        const struct td_tt_l1_xy known[] = {
            {at.x, at.y},
            {c->column_x[xy % b->board->grid_width], c->row_y[xy / b->board->grid_width]},
            {b->board->translated_x[xy % b->board->grid_width],
             b->board->translated_y[xy / b->board->grid_width]}};
        int rc = b->t->ops->read(b->t, at, b->board->l1_base, b->memory, SEARCH_BYTES, err);
        if (rc)
            return rc;
        b->place = td_tt_l1_find(b->memory, SEARCH_BYTES / 4, b->board->l1_base, known,
                                 b->board->translated_columns ? 3 : 2);
        if (!b->place.layout)
            b->ring_control = td_tt_ring_find(b->memory, SEARCH_BYTES / 4, b->board->l1_base);
    }
    if (layout_name(b))
        note_layout(b);
    if (b->place.layout) {
        b->came_late = !b->has_searched;
        b->id_bit = b->place.layout->after || b->place.layout->words != 32 ? b->place.layout->id_bit : -1;
        td_debug(board, "tt-metal's buffers of layout %s: control words at 0x%x, buffers at 0x%x",
                 b->place.layout->name, b->place.control, b->place.buffers);
    }
    b->has_searched = true;
    return 0;
}

/* ---- markers of a launch ---- */

/* The clock's upper bits are those that make the time the nearest to now. */
static int64_t whole_ticks(uint64_t now, uint64_t ticks)
{
    const uint64_t range = UINT64_C(1) << TD_TT_L1_CLOCK_BITS;
    uint64_t t = (now & ~(range - 1)) | ticks;
    if (t > now && t - now > range / 2 && t >= range)
        t -= range;
    else if (now > t && now - t > range / 2)
        t += range;
    return td_lane_at_most(t);
}

struct zone {
    int64_t begin, end;
    uint16_t id;
    bool is_main; /* of firmware or kernel */
};

/* Those that end first come first, inner ones before outer ones. */
TD_COMPARE(by_end, struct zone, TD_UP(end) TD_DOWN(begin) TD_UP(is_main))

static int add_note(struct td_tt_buffers *b, struct td_lane_events *lane, const struct td_tt_l1_marker *m,
                    int64_t at)
{
    char text[300];
    const uint32_t number = m->kind == TD_TT_TS_EVENT ? 0 : td_tt_zone_names_srcloc(b->names, m->id);
    if (number == UINT32_MAX)
        return TD_E_NOMEM;
    const struct td_srcloc *s = number ? td_dict_get_srcloc(lane->names->dict, number) : NULL;
    const char *name = s ? td_dict_text(lane->names->dict, s->name) : "";
    if (m->kind == TD_TT_TS_EVENT)
        snprintf(text, sizeof text, "event %u", m->id);
    else if (m->kind == TD_TT_ZONE_TOTAL)
        snprintf(text, sizeof text, "%.200s: %" PRIu64 " cycles in all", name, m->data[0]);
    else if (m->kind == TD_TT_TS_DATA)
        snprintf(text, sizeof text, "%.200s: %" PRIu64, name, m->data[0]);
    else
        snprintf(text, sizeof text, "%.200s: %" PRIu64 " %" PRIu64, name, m->data[0], m->data[1]);
    return td_lane_add_message(lane, (uint64_t)at, text, 0);
}

static int add_zones(struct td_tt_buffers *b, struct td_lane_events *lane, struct zone *zones, size_t count,
                     uint32_t op)
{
    char text[80];
    uint32_t number = 0;
    int rc = 0;
    qsort(zones, count, sizeof *zones, by_end);
    if (op) {
        td_op_text(text, sizeof text, op);
        number = td_lane_string(lane, text);
        if (number == UINT32_MAX)
            return TD_E_NOMEM;
    }
    for (size_t i = 0; i < count && rc == 0; i++) {
        const struct zone *z = &zones[i];
        rc = td_lane_add_zone(lane, z->begin, z->end, td_tt_zone_names_srcloc(b->names, z->id),
                              z->is_main ? number : 0);
        lane->zones++;
        if (z->end > lane->settled)
            lane->settled = z->end; /* all that this launch has is here; the next one begins later */
    }
    return rc;
}

/* Pairs begins and ends in the order in which the core has written them. */
static int add_launch(struct td_tt_buffers *b, struct td_lane_events *lane, uint64_t now, uint32_t op)
{
    struct zone zones[TD_TT_L1_MARKERS_MOST] = {0};
    size_t open[MOST_OPEN], depth = 0, count = 0, mains = 0;
    int64_t last = 0;
    int rc = 0;
    for (size_t i = 0; i < b->buffer.count && rc == 0; i++) {
        const struct td_tt_l1_marker *m = &b->buffer.marker[i];
        const int64_t at = m->kind == TD_TT_ZONE_TOTAL ? last : whole_ticks(now, m->ticks);
        last = at;
        if (m->kind == TD_TT_ZONE_START && depth < MOST_OPEN) {
            open[depth++] = count;
            zones[count++] = (struct zone){at, at, m->id, mains < 2};
            mains++;
        } else if (m->kind == TD_TT_ZONE_END && depth && zones[open[depth - 1]].id == m->id) {
            struct zone *z = &zones[open[--depth]];
            z->end = at > z->begin ? at : z->begin;
        } else if (m->kind == TD_TT_ZONE_START || m->kind == TD_TT_ZONE_END) {
            b->stats.odd += 2;
        } else {
            rc = add_note(b, lane, m, at);
        }
    }
    b->stats.odd += 2 * depth; /* a begin without an end is a zone without length */
    return rc ? rc : add_zones(b, lane, zones, count, op);
}

/* Zones of launches that were not read: two of each, and what the host's end index says. */
static uint64_t zones_of_missed(const struct tt_tile *tile, const uint32_t *control, uint32_t core,
                                uint32_t missed, uint32_t used)
{
    const uint32_t words = control[core] - tile->host_end[core] - used;
    const bool is_known = control[core] > tile->host_end[core] && words >= missed * TD_TT_L1_OTHERS &&
                          words <= missed * TD_TT_L1_BUFFER_WORDS;
    return 2 * (uint64_t)missed + (is_known ? (words - missed * TD_TT_L1_OTHERS) / 4 : 0);
}

/* Words that the core has used in the last launch; 0: not known. */
static uint32_t used_words(const struct td_tt_buffers *b, const struct tt_tile *tile, const uint32_t *control,
                           uint32_t core, uint32_t missed)
{
    const uint32_t end = control[b->place.layout->device_end + core],
                   more = control[core] - tile->host_end[core];
    if (end)
        return end;
    return missed == 0 && control[core] > tile->host_end[core] && more <= TD_TT_L1_BUFFER_WORDS ? more : 0;
}

/* The layouts of 2024B and 2025 differ in the host's id only: the older one has it above 16 bits of RUN. */
static uint32_t host_id(struct td_tt_buffers *b, uint32_t word, uint32_t run_before)
{
    const bool has_run = (word & 0xffff) == (run_before & 0xffff);
    if (b->id_bit < 0 && word >> 16)
        b->id_bit = has_run ? 16 : 0;
    if (b->id_bit < 0)
        return has_run ? 0 : word;
    return word >> b->id_bit;
}

static int take_launch(struct td_tt_buffers *b, uint32_t index, const uint32_t *control, uint64_t now)
{
    struct tt_tile *tile = &b->tiles[index];
    struct td_tt_launch launch = {.tile = index,
                                  .now = now,
                                  .run = tile->run,
                                  .id_bit = b->id_bit,
                                  .control = control,
                                  .control_words = b->place.layout->words,
                                  .buffers = b->memory};
    memcpy(launch.host_end, tile->host_end, sizeof launch.host_end);
    const uint32_t run = control[b->place.layout->run];
    /* tt-metal's host sets all to 0 when it has read its own copies. */
    const uint32_t missed = run > tile->run ? run - tile->run - 1 : run - 1;
    int rc = 0;
    for (uint32_t core = 0; core < TD_TT_L1_CORES && rc == 0; core++) {
        struct td_lane_events *lane = &b->lanes[index * TD_TT_L1_CORES + core];
        const uint32_t *words = b->memory + (size_t)core * TD_TT_L1_BUFFER_WORDS;
        const uint32_t used = used_words(b, tile, control, core, missed);
        td_tt_l1_read(words, used, &b->buffer);
        if (!b->buffer.count)
            continue;
        b->stats.odd += b->buffer.odd;
        b->stats.full += b->buffer.full;
        if (missed)
            lane->lost_zones += zones_of_missed(tile, control, core, missed, used);
        if (b->buffer.full)
            lane->damaged = true; /* what more it has lost is not known */
        rc = add_launch(b, lane, now, host_id(b, words[TD_TT_L1_ID_LL], run - 1));
    }
    memcpy(tile->host_end, control, sizeof tile->host_end);
    tile->run = run;
    b->stats.missed += missed;
    b->stats.launches++;
    if (b->tap)
        b->tap->tt_launch(b->tap->self, &launch);
    return rc;
}

/* ---- replay ---- */

struct td_tt_buffers *td_tt_buffers_replay_create(const struct td_board *board, struct td_lane_events *lanes,
                                                  struct td_dict *dict, const char *layout,
                                                  struct td_err *err)
{
    struct td_tt_buffers *b = create(board, lanes, dict, "", NULL, err);
    if (!b)
        return NULL;
    b->place.layout = td_tt_l1_layout_named(layout);
    b->ring_control = strcmp(layout, TD_TT_RING_LAYOUT) == 0;
    if (layout_name(b))
        return b;
    td_fail(err, TD_E_FORMAT, "tt-metal's buffers have a layout that is not known");
    td_tt_buffers_destroy(b);
    return NULL;
}

int td_tt_buffers_replay_zone(struct td_tt_buffers *b, const char *line, size_t bytes)
{
    return b->ring_control ? td_tt_rings_replay_zone(b->rings, line, bytes)
                           : td_tt_zone_names_add(b->names, (struct td_tt_text){line, bytes});
}

int td_tt_buffers_replay_words(struct td_tt_buffers *b, const struct td_tt_ring_words *words,
                               struct td_err *err)
{
    return td_tt_rings_replay_words(b->rings, words, err);
}

int td_tt_buffers_replay_launch(struct td_tt_buffers *b, const struct td_tt_launch *launch,
                                struct td_err *err)
{
    if (launch->tile >= b->tile_count || !b->place.layout ||
        launch->control_words != b->place.layout->words || launch->id_bit < -1 || launch->id_bit > 31)
        return td_fail(err, TD_E_FORMAT, "a launch of tt-metal's buffers makes no sense");
    struct tt_tile *tile = &b->tiles[launch->tile];
    tile->run = launch->run;
    memcpy(tile->host_end, launch->host_end, sizeof tile->host_end);
    b->id_bit = launch->id_bit;
    memcpy(b->memory, launch->buffers, TD_TT_L1_CORES * BUFFER_BYTES);
    return take_launch(b, launch->tile, launch->control, launch->now)
               ? td_fail_no_memory(err, "for zones of tt-metal's buffers")
               : 0;
}

/* ---- tiles ---- */

static int read_control(struct td_tt_buffers *b, struct td_tile_at at, uint32_t *control, struct td_err *err)
{
    return b->t->ops->read(b->t, at, b->place.control, control, 4u * b->place.layout->words, err);
}

static int poll_tile(struct td_tt_buffers *b, uint32_t index, uint64_t now, size_t *taken, struct td_err *err)
{
    uint32_t control[MOST_CONTROL], again[MOST_CONTROL];
    struct tt_tile *tile = &b->tiles[index];
    const struct td_tt_l1_layout *l = b->place.layout;
    const struct td_tile_at at = tile_at(b, index);
    if (b->ring_control)
        return td_tt_rings_poll(b->rings, b->t, at, index, b->ring_control, now, taken, err);
    int rc = read_control(b, at, control, err);
    if (rc)
        return rc;
    if (!tile->known) {
        tile->known = true;
        if (b->came_late || b->given) {
            tile->run = control[l->run];
            memcpy(tile->host_end, control, sizeof tile->host_end);
        }
    }
    if (control[l->run] < tile->run) { /* set to 0, or reset */
        tile->run = 0;
        memset(tile->host_end, 0, sizeof tile->host_end);
    }
    if (control[l->run] == tile->run || control[l->done] != 1)
        return 0;
    rc = b->t->ops->read(b->t, at, b->place.buffers, b->memory, TD_TT_L1_CORES * BUFFER_BYTES, err);
    rc = rc ? rc : read_control(b, at, again, err);
    if (rc || again[l->run] != control[l->run] || again[l->done] != 1)
        return rc; /* the next launch has begun to write */
    rc = take_launch(b, index, control, now);
    *taken += 1;
    return rc ? td_fail_no_memory(err, "for zones of tt-metal's buffers") : 0;
}

int td_tt_buffers_poll(struct td_tt_buffers *b, const uint64_t *now_ticks, size_t *taken, struct td_err *err)
{
    const int64_t now = td_mono_ns();
    int rc = 0;
    *taken = 0;
    if (!b->t)
        return 0;
    if (!layout_name(b) && now >= b->next_search_ns) {
        b->next_search_ns = now + SEARCH_NS;
        rc = search(b, err);
    }
    for (uint32_t i = 0; i < b->tile_count && layout_name(b) && rc == 0; i++)
        rc = poll_tile(b, i, now_ticks[i / (b->tile_count / b->board->chips)], taken, err);
    return rc;
}
