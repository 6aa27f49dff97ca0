#include "host/agent/board/board_source_internal.h"
#include "host/agent/board/tt_buffers.h"
#include "host/agent/board/board_open.h"
#include "host/agent/board/lane_left.h"
#include "host/base/clock.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPEN_EVERY_NS     1000000000 /* between reads of open zones; clocks wrap after 3 s or more */
#define LOOK_EVERY_NS     10000000   /* between searches for lanes where many events wait */
#define CHECKED_VERSION   6          /* of the lanes, since which counts of lost packets have a check */
#define MOST_UNSEEN_TICKS (UINT64_C(1) << 31) /* that a core may be ahead of the last sample of its clock */

static int create_lanes(struct td_board_source *s)
{
    const struct td_board *b = s->board;
    s->lane_count = b->chips * b->grid_width * b->grid_height * b->core_count;
    s->lanes = calloc(s->lane_count, sizeof *s->lanes);
    s->faults = calloc(s->lane_count, sizeof *s->faults);
    s->syncs = calloc(b->chips, sizeof *s->syncs);
    s->damages = calloc(2 * (size_t)s->lane_count, sizeof *s->damages);
    s->launches = calloc(s->lane_count, sizeof *s->launches);
    s->tracks = malloc(s->lane_count * sizeof *s->tracks);
    s->sample_tracks = malloc(s->lane_count * sizeof *s->sample_tracks);
    if (!s->sample_tracks || !s->tracks || !s->launches || !s->lanes || !s->faults || !s->syncs ||
        !s->damages)
        return TD_E_NOMEM;
    for (uint32_t c = 0; c < b->chips; c++)
        if (!(s->syncs[c] = td_sync_create(b->frequency_hz)))
            return TD_E_NOMEM;
    for (uint32_t i = 0; i < s->lane_count; i++) {
        struct td_lane_at at = td_board_lane_at_(s, i);
        char place[48];
        snprintf(place, sizeof place, "%u/%u,%u/%.16s", td_board_chip_in_trace_(s, at.tile),
                 (unsigned)at.logical_x, (unsigned)at.logical_y, b->cores[at.core].name);
        td_lane_events_init(&s->lanes[i], &s->names, place);
        s->tracks[i] = s->sample_tracks[i] = UINT32_MAX;
    }
    return 0;
}

static void hold_strings(void *self, struct td_dict *dict)
{
    const struct td_board_source *s = self;
    for (uint32_t i = 0; i < s->lane_count; i++)
        td_lane_events_hold(&s->lanes[i], dict);
}

/* "; the last zone before that is ...", or "" if there is none. */
static void put_last_zone(const struct td_board_source *s, uint32_t index, char *text, size_t bytes)
{
    const uint32_t number = td_lane_events_last_zone(&s->lanes[index]);
    const struct td_srcloc *srcloc = number != UINT32_MAX ? td_dict_get_srcloc(s->dict, number) : NULL;
    text[0] = 0;
    if (srcloc)
        snprintf(text, bytes, "; the last zone before that is '%s', %s:%" PRIu32,
                 td_dict_text(s->dict, srcloc->name), td_dict_text(s->dict, srcloc->file), srcloc->line);
}

static void note_damage(struct td_board_source *s, const struct td_lane_at *at, const char *what)
{
    char core[TD_BOARD_CORE_BYTES_], zone[400] = "", *line;
    if (at->core == TD_LANE_NO_CORE) {
        snprintf(core, sizeof core, "a core of tile %u,%u on chip %u", at->logical_x, at->logical_y,
                 td_board_chip_in_trace_(s, at->tile));
    } else {
        td_board_put_core_(s, at, core, sizeof core);
        put_last_zone(s, at->index, zone, sizeof zone);
    }
    const bool of_tile = at->core == TD_LANE_NO_CORE;
    for (uint32_t i = 0; i < (of_tile ? s->board->core_count : 1) && at->index + i < s->lane_count; i++)
        s->lanes[at->index + i].damaged = true;
    /* If there is no memory, only the line is missing. */
    if (s->summary.damages < 2 * s->lane_count && asprintf(&line, "%s: %s%s", core, what, zone) >= 0)
        s->damages[s->summary.damages++] = line;
}

void td_board_on_damaged_(void *self, const struct td_lane_at *at, uint32_t address, uint32_t slots)
{
    const struct td_board_tap *tap = ((struct td_board_source *)self)->options.tap;
    char what[160];
    if (tap)
        tap->damaged(tap->self, at, address, slots);
    if (slots)
        snprintf(what, sizeof what,
                 "something wrote over %" PRIu32 " slots of its lane's ring at 0x%08" PRIx32, slots, address);
    else
        snprintf(what, sizeof what, "something wrote over the control words of its %s at 0x%08" PRIx32,
                 address < td_board_lane_ctrl(((struct td_board_source *)self)->board, 0) ? "tile's lanes"
                                                                                          : "lane",
                 address);
    note_damage(self, at, what);
    if (slots && at->core != TD_LANE_NO_CORE)
        ((struct td_board_source *)self)->lanes[at->index].ring_damaged = true;
}

int td_board_on_sample_(void *self, const struct td_core_sample *sample, struct td_err *err)
{
    struct td_board_source *s = self;
    /* Before the sample: who plays them back has the ELF then. */
    if (!td_core_samples_knows(s->samples, sample->build_id) &&
        !td_lane_names_find(&s->names, sample->build_id))
        return td_fail_no_memory(err, "for samples of the cores");
    if (s->options.tap)
        s->options.tap->sample(s->options.tap->self, sample);
    return td_core_samples_add(s->samples, sample, err);
}

/* Virtual time: the cores stand still. */
static int sample_epoch(void *self, struct td_err *err)
{
    struct td_board_source *s = self;
    struct td_clock_sample now;
    if (!s->sampler)
        return 0;
    int rc = s->transport->ops->clock(s->transport, td_board_tile(s->board, 0, 0, 0), &now, err);
    const double ns = (double)now.ticks * 1e9 / s->board->frequency_hz;
    return rc ? rc
              : td_core_sampler_poll(s->sampler, (int64_t)ns, (int64_t)now.ticks, td_board_on_sample_, s,
                                     err);
}

static int create_sampler(struct td_board_source *s, struct td_err *err)
{
    if (!s->transport || s->options.sampling.hz <= 0)
        return 0;
    s->sampler = td_core_sampler_create(s->transport, s->board, &s->options.sampling, err);
    return s->sampler ? 0 : TD_E_USAGE;
}

struct td_board_source *td_board_source_create(struct td_transport *transport, const struct td_board *board,
                                               const struct td_board_source_options *options,
                                               struct td_dict *dict, struct td_err *err)
{
    struct td_board_source *s = calloc(1, sizeof *s);
    if (!s) {
        td_fail_no_memory(err, NULL);
        return NULL;
    }
    s->earliest_ns = INT64_MAX;
    s->transport = transport;
    s->board = board;
    s->options = *options;
    s->dict = dict;
    s->images = td_images_create(options->elf_dirs, options->elf_dir_count);
    s->store = td_board_new_store_(s);
    if (!s->images || !s->store || td_lane_names_init(&s->names, dict, s->images, s->store) ||
        create_lanes(s) || !(s->samples = td_core_samples_create(dict, &s->names, options->spaces))) {
        td_fail(err, TD_E_NOMEM, "out of memory for the lanes of %s", board->name);
        goto fail;
    }
    s->holder = (struct td_dict_holder){.hold = hold_strings, .self = s};
    td_dict_add_holder(dict, &s->holder);
    const struct td_drain_options how = {.policy = options->policy,
                                         .gather = options->gather,
                                         .poll = options->poll,
                                         .damaged = td_board_on_damaged_,
                                         .damaged_self = s,
                                         .epoch = sample_epoch,
                                         .epoch_self = s};
    s->names.tap = options->tap;
    if (!transport)
        return s;
    if (options->tt_buffers.place) {
        s->tt =
            td_tt_buffers_create(transport, board, s->lanes, dict, &options->tt_buffers, options->tap, err);
        if (!s->tt)
            goto fail;
        return s;
    }
    s->drain = td_drain_create_with(transport, board, &how, err);
    /* Afterwards: another agent may have the board. */
    if (!s->drain || create_sampler(s, err))
        goto fail;
    return s;
fail:
    td_board_source_destroy(s);
    return NULL;
}

void td_board_source_destroy(struct td_board_source *s)
{
    if (!s)
        return;
    td_core_sampler_destroy(s->sampler);
    td_core_samples_destroy(s->samples);
    td_drain_destroy(s->drain);
    td_tt_buffers_destroy(s->tt);
    td_dict_remove_holder(&s->holder);
    for (uint32_t i = 0; i < s->lane_count && s->lanes; i++)
        td_lane_events_free(&s->lanes[i]);
    for (uint32_t i = 0; i < s->lane_count && s->faults; i++)
        free(s->faults[i]);
    for (uint32_t i = 0; i < s->summary.damages && s->damages; i++)
        free(s->damages[i]);
    for (uint32_t c = 0; c < s->board->chips && s->syncs; c++)
        td_sync_destroy(s->syncs[c]);
    td_lane_names_free(&s->names);
    td_store_destroy(s->store);
    td_images_destroy(s->images);
    free(s->lanes);
    free(s->faults);
    free(s->syncs);
    free(s->damages);
    free(s->launches);
    free(s->tracks);
    free(s->sample_tracks);
    free(s->controls);
    free(s);
}

/* Events wait in memory, or in a file that may be full. */
static int fail_to_keep(const struct td_board_source *s, struct td_err *err)
{
    return td_fail(err, TD_E_NOMEM, "cannot keep more events of the board: %s", td_store_problem(s->store));
}

int td_board_on_words_(void *self, const struct td_lane_at *at, const uint32_t *words, size_t slots,
                       struct td_err *err)
{
    struct td_board_source *s = self;
    struct td_lane_events *lane = &s->lanes[at->index];
    const uint64_t bad = lane->decoder.stats.bad_slots;
    if (at->gap == TD_GAP_HOLE)
        td_lane_events_hole(lane, at->missing, at->time_high);
    else if (at->gap && !at->overwritten)
        td_lane_events_gap(lane, at->missing, at->time_high);
    else if (at->gap)
        td_lane_events_overwritten(lane, (struct td_lane_packets){at->given_zones, at->given_other});
    if (slots && td_lane_events_words(lane, words, slots))
        return fail_to_keep(s, err);
    /* After an ELF that the words need, so that who plays them back has it already. */
    if (s->options.tap)
        s->options.tap->words(s->options.tap->self, at, words, slots);
    if (bad == 0 && lane->decoder.stats.bad_slots) {
        char what[100];
        snprintf(what, sizeof what, "its lane's ring at 0x%08" PRIx32 " holds what no marker has written",
                 td_board_ring(s->board, at->core));
        note_damage(s, at, what);
        lane->ring_damaged = true;
    }
    return 0;
}

static int look_at_open(struct td_board_source *s, uint32_t index, struct td_err *err)
{
    struct td_lane_at at = td_board_lane_at_(s, index);
    if (!s->transport)
        return 0; /* a replay, which gets what was read */
    return td_board_open_look(s->transport, s->board, &at, &s->lanes[index], s->options.tap, err);
}

/* Reads the open zones of cores whose launch takes long (`all`: of all cores that run). */
static int look_at_all_open(struct td_board_source *s, int all, struct td_err *err)
{
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < s->lane_count; i++) {
        const uint64_t launch = td_lane_events_launch(&s->lanes[i]);
        if (launch && (all || launch == s->launches[i]))
            rc = look_at_open(s, i, err);
        s->launches[i] = launch;
    }
    return rc;
}

/* Reads the open zones of lanes where many events wait: to know which zones are open lets them be sent on. */
static int look_where_many_wait(struct td_board_source *s, struct td_err *err)
{
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < s->lane_count; i++)
        if (s->lanes[i].open_count && td_lane_log_waiting(&s->lanes[i].log) > TD_LANE_WORTH_LOOK)
            rc = look_at_open(s, i, err);
    return rc;
}

int td_board_source_poll(struct td_board_source *s, size_t *taken, struct td_err *err)
{
    if (s->tt)
        return td_board_poll_tt_(s, taken, err);
    int rc = td_drain_poll(s->drain, td_board_on_words_, s, taken, err);
    const int64_t now = td_mono_ns();
    if (rc == 0 && s->sampler && !s->options.virtual_clock)
        rc = td_core_sampler_poll(s->sampler, now, -1, td_board_on_sample_, s, err);
    if (rc == 0 && now >= s->next_open_ns) {
        s->next_open_ns = now + OPEN_EVERY_NS;
        rc = look_at_all_open(s, 0, err);
    }
    if (rc == 0 && s->hub && now >= s->next_look_ns) {
        s->next_look_ns = now + LOOK_EVERY_NS;
        rc = look_where_many_wait(s, err);
    }
    return rc;
}

int td_board_source_wait(struct td_board_source *s, int timeout_ms, struct td_err *err)
{
    if (!s->drain)
        return td_fail(err, TD_E_USAGE, "only lanes can be waited for");
    return td_drain_wait(s->drain, timeout_ms, err);
}

/* Adds a line that says which fault happened, and where. */
static int note_fault(struct td_board_source *s, uint32_t index, const uint32_t ctrl[32])
{
    static const char *const causes[] = {
#define TD_X(value, name, what) what,
        TD_FAULTS(TD_X)
#undef TD_X
    };
    const struct td_lane_at at = td_board_lane_at_(s, index);
    uint32_t cause = ctrl[TD_LANE_fault_cause / 4], pc = ctrl[TD_LANE_fault_pc / 4], offset = 0;
    const struct td_site_numbers *sites = s->lanes[index].sites;
    const char *symbol = sites && sites->image ? td_image_symbol(sites->image, pc, &offset) : NULL;
    char core[TD_BOARD_CORE_BYTES_], place[96];
    td_board_put_core_(s, &at, core, sizeof core);
    if (symbol)
        snprintf(place, sizeof place, " (%s+0x%" PRIx32 ")", symbol, offset);
    else
        place[0] = 0;
    if (asprintf(&s->faults[s->summary.faults], "%s: %s, address 0x%08" PRIx32 ", pc 0x%08" PRIx32 "%s", core,
                 cause < sizeof causes / sizeof *causes ? causes[cause] : "unknown fault",
                 ctrl[TD_LANE_fault_address / 4], pc, place) < 0) {
        s->faults[s->summary.faults] = NULL;
        return TD_E_NOMEM;
    }
    s->summary.faults++;
    return 0;
}

/* Policy drop: sets the numbers of packets that were dropped last, so that no LOST packet reports them.
 * False: the counters are impossible, so a kernel has overwritten them. */
static bool read_dropped(const struct td_lane_events *lane, const uint32_t ctrl[32], uint64_t until_ticks,
                         uint64_t dropped[2])
{
    const uint32_t zones = ctrl[TD_LANE_lost_zones / 4], other = ctrl[TD_LANE_lost_other / 4];
    const uint64_t latest = td_lane_events_latest(lane);
    const uint64_t ticks = MOST_UNSEEN_TICKS + (until_ticks > latest ? until_ticks - latest : 0);
    dropped[0] = zones - (uint32_t)lane->lost_zones;
    dropped[1] = other - (uint32_t)lane->lost_other;
    const bool checked = ctrl[TD_LANE_given / 4] == TD_LOST_CHECK(zones, other);
    /* Nothing was ever counted; and words of an older version, in a journal, have no check. */
    const bool unchecked =
        !(zones | other | ctrl[TD_LANE_given / 4]) ||
        (ctrl[TD_LANE_proto_version / 4] && ctrl[TD_LANE_proto_version / 4] < CHECKED_VERSION);
    /* No core drops more than a packet in each tick. */
    if ((checked || unchecked) && zones != UINT32_MAX && other != UINT32_MAX &&
        (uint32_t)dropped[0] <= ticks && (uint32_t)dropped[1] <= ticks) {
        dropped[0] = (uint32_t)dropped[0];
        dropped[1] = (uint32_t)dropped[1];
        return true;
    }
    dropped[0] = dropped[1] = 0;
    return false;
}

/* Ends the zones that the core has open now, or had when it stopped. */
static int end_open(struct td_board_source *s, uint32_t index, const uint32_t ctrl[32], struct td_err *err)
{
    struct td_lane_events *lane = &s->lanes[index];
    const uint64_t build_id = ctrl[TD_LANE_build_id0 / 4] | (uint64_t)ctrl[TD_LANE_build_id1 / 4] << 32;
    const uint64_t fault = ctrl[TD_LANE_fault_time / 4] | (uint64_t)ctrl[TD_LANE_fault_time_high / 4] << 32;
    const uint32_t state = ctrl[TD_LANE_state / 4];
    if ((state != TD_CORE_RUNNING && state != TD_CORE_FAULT) || !lane->sites ||
        lane->sites->build_id != build_id)
        return 0;
    /* The words of a stopped core do not change. A core that runs may be ahead of the packets, so its words
     * are read again only if they were not yet read for this image. */
    int rc = 0;
    if (state == TD_CORE_FAULT || lane->watch.image != lane->sites->image)
        rc = look_at_open(s, index, err);
    if (rc)
        return rc;
    if (state == TD_CORE_RUNNING)
        rc = td_lane_events_left(lane, TD_LANE_OPEN, "open when the recording ended");
    else
        rc = td_lane_events_left(lane, (int64_t)(fault < INT64_MAX ? fault : 0), "open at the fault");
    return rc ? fail_to_keep(s, err) : 0;
}

/* The lane's control words at the end. */
static int read_ctrl(struct td_board_source *s, uint32_t index, uint32_t ctrl[32], int *joined,
                     struct td_err *err)
{
    if (s->controls) {
        memcpy(ctrl, s->controls[index].ctrl, sizeof s->controls[index].ctrl);
        *joined = s->controls[index].joined;
        return 0;
    }
    int rc = td_drain_lane_ctrl(s->drain, index, ctrl, err);
    if (rc < 0)
        return rc;
    *joined = td_drain_lane_joined(s->drain, index);
    if (s->options.tap)
        s->options.tap->control(s->options.tap->self, index, *joined, ctrl);
    return 0;
}

/* The lane was written over, but its core has ended its launch since, and written its words again: they fit to
 * what arrived, all slots of the ring were taken, and each of them was a packet. So its counts are right. */
static bool is_loss_known(const struct td_board_source *s, const struct td_lane_events *lane,
                          const uint32_t ctrl[32], int joined)
{
    const uint32_t launch = ctrl[TD_LANE_launch / 4];
    const bool ended = joined && ctrl[TD_LANE_state / 4] == TD_CORE_DONE &&
                       ctrl[TD_LANE_done / 4] == launch && !(ctrl[TD_LANE_joined / 4] & TD_JOIN_LEFT);
    return ended && ctrl[TD_LANE_head / 4] == ctrl[TD_LANE_tail / 4] && !lane->ring_damaged &&
           !lane->link_lost && !lane->bad_records && !lane->decoder.stats.bad_slots &&
           s->options.policy != TD_POLICY_OVERWRITE;
}

/* Says which words of the lane contradict what arrived. */
static void check_words(struct td_board_source *s, uint32_t index, const uint32_t ctrl[32], bool counts_fit)
{
    const struct td_lane_at at = td_board_lane_at_(s, index);
    const uint32_t address = td_board_lane_ctrl(s->board, at.core);
    const bool lost =
        s->options.policy == TD_POLICY_BLOCK && (ctrl[TD_LANE_lost_zones / 4] | ctrl[TD_LANE_lost_other / 4]);
    const bool rest = ctrl[TD_LANE_state / 4] == TD_CORE_DONE && !(ctrl[TD_LANE_joined / 4] & TD_JOIN_LEFT) &&
                      ctrl[TD_LANE_head / 4] != ctrl[TD_LANE_tail / 4];
    char what[100];
    if (counts_fit && !lost && !(rest && s->options.policy != TD_POLICY_OFF))
        return;
    if (!counts_fit || lost)
        snprintf(what, sizeof what, "something wrote over its counts of lost packets at 0x%08" PRIx32,
                 address + TD_LANE_lost_zones);
    else
        snprintf(what, sizeof what, "something wrote over its count of slots at 0x%08" PRIx32,
                 address + TD_LANE_tail);
    if (s->lanes[index].damaged)
        return; /* one line a lane */
    note_damage(s, &at, what);
}

/* Reads the core's own words: faults, and the packets that it dropped last. */
static int end_lane(struct td_board_source *s, uint32_t index, int board_gone, struct td_err *err)
{
    struct td_lane_events *lane = &s->lanes[index];
    uint32_t ctrl[32] = {0};
    uint64_t dropped[2] = {0, 0}, first_ticks = 0, last_ticks = 0;
    int joined = 0;
    td_sync_span(s->syncs[index / (s->lane_count / s->board->chips)], &first_ticks, &last_ticks);
    if (s->controls && !s->controls[index].known)
        board_gone = 1;
    if (!board_gone) {
        int rc = read_ctrl(s, index, ctrl, &joined, err);
        if (rc < 0)
            return rc;
        if (ctrl[TD_LANE_state / 4] == TD_CORE_FAULT && note_fault(s, index, ctrl))
            return td_fail_no_memory(err, NULL);
        if ((rc = end_open(s, index, ctrl, err)) < 0)
            return rc;
    } else if (lane->open_count &&
               td_lane_events_left(lane, TD_LANE_OPEN, "open when the board was last seen")) {
        return fail_to_keep(s, err);
    }
    lane->calls = ctrl[TD_LANE_calls / 4];
    const int drops = !board_gone && s->options.policy == TD_POLICY_DROP && joined;
    const bool counts_fit = !drops || read_dropped(lane, ctrl, last_ticks, dropped);
    if (!board_gone && joined)
        check_words(s, index, ctrl, counts_fit);
    /* The rest of a launch was in a board that was lost. */
    const bool cut = board_gone && !s->controls && !s->tt && lane->decoder.stats.slots && !lane->exited;
    if (cut || (lane->damaged && !(counts_fit && is_loss_known(s, lane, ctrl, joined))))
        s->summary.unknown_lanes++;
    if (td_lane_events_end(lane, s->options.virtual_clock ? 0 : last_ticks, dropped[0], dropped[1]))
        return fail_to_keep(s, err);
    s->summary.lanes_used += td_lane_log_count(&lane->log) > 0;
    s->summary.zones += lane->zones;
    s->summary.messages += lane->messages;
    s->summary.points += lane->points;
    s->summary.lost_zones += lane->lost_zones;
    s->summary.lost_other += lane->lost_other + lane->link_lost;
    if (lane->had_gap) /* the clock's high half may be among the lost packets */
        s->summary.lost_other += lane->decoder.stats.untimed;
    s->summary.left_open += lane->left_open;
    s->summary.stalls += lane->stalls;
    s->summary.bad_slots += lane->decoder.stats.bad_slots + lane->bad_records;
    return 0;
}

/* If the board goes away now, only its counters are missing. */
static int end_lanes(struct td_board_source *s, int board_gone, struct td_err *err)
{
    s->summary.lanes = s->lane_count;
    for (uint32_t i = 0; i < s->lane_count; i++) {
        struct td_err why = {0};
        int rc = end_lane(s, i, board_gone || s->gone.code, &why);
        if (rc < 0 && rc != TD_E_NOMEM && !s->gone.code) {
            s->gone = why;
            rc = end_lane(s, i, 1, &why);
        }
        if (rc < 0)
            return td_fail(err, rc, "%s", why.text);
    }
    return 0;
}

int td_board_source_finish(struct td_board_source *s, int board_gone, struct td_hub *hub, uint64_t t0,
                           double ns_per_tick, struct td_err *err)
{
    /* Open zones are read before the lanes are drained for the last time, so that a zone that is closed in
     * between is seen as open or as closed. If the board has gone, the drain reports it. */
    struct td_err ignored = {0};
    if (!board_gone)
        look_at_all_open(s, 1, &ignored);
    if (!board_gone && s->drain)
        td_drain_finish(s->drain, td_board_on_words_, s, &s->gone);
    int rc = td_board_end_tt_(s, board_gone, err);
    if (rc < 0)
        return rc;
    rc = s->gone.code == TD_E_NOMEM ? td_fail(err, TD_E_NOMEM, "%s", s->gone.text)
                                    : end_lanes(s, board_gone || s->tt, err);
    if (rc < 0)
        return rc;
    s->summary.unnamed_sites = s->names.unnamed_sites;
    uint64_t noticed = 0; /* of the slots that the link lost: those that lanes know of */
    for (uint32_t i = 0; i < s->lane_count; i++)
        noticed += s->lanes[i].link_lost;
    const struct td_drain_stats *stats = s->drain ? td_drain_get_stats(s->drain) : &s->replayed;
    if (s->options.tap)
        s->options.tap->finished(s->options.tap->self, stats);
    s->summary.link_lost_slots = stats->lost_slots > noticed ? stats->lost_slots : noticed;
    s->summary.lost_other += s->summary.link_lost_slots - noticed;
    s->summary.link_bad_frames = stats->bad_frames;
    if (s->sampler)
        s->summary.missed_samples = td_core_sampler_get_stats(s->sampler)->missed;
    /* Making the trace may take a while; the board is released before. */
    td_core_sampler_destroy(s->sampler);
    s->sampler = NULL;
    s->lacks_stamps = s->names.has_stamped && s->drain && !td_drain_reads_stamps(s->drain);
    td_drain_destroy(s->drain);
    s->drain = NULL;
    s->summary.clock_error_ns = -1;
    return td_board_push_rest_(s, hub, t0, ns_per_tick, err);
}

uint32_t td_board_source_first_chip(const struct td_board_source *s)
{
    return s->options.first_chip;
}

const struct td_board_summary *td_board_source_summary(const struct td_board_source *s)
{
    return &s->summary;
}

const struct td_err *td_board_source_gone(const struct td_board_source *s)
{
    return s->gone.code ? &s->gone : NULL;
}

const char *td_board_source_fault(const struct td_board_source *s, uint32_t index)
{
    return index < s->summary.faults ? s->faults[index] : NULL;
}

const char *td_board_source_damage(const struct td_board_source *s, uint32_t index)
{
    return index < s->summary.damages ? s->damages[index] : NULL;
}

bool td_board_source_lacks_stamps(const struct td_board_source *s)
{
    return s->lacks_stamps;
}

const char *td_board_source_missing_image(const struct td_board_source *s)
{
    return s->names.missing_image[0] ? s->names.missing_image : NULL;
}
