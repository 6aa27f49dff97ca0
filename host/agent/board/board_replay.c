#include "host/agent/board/board_replay.h"
#include "host/agent/board/board_open.h"
#include "host/agent/board/board_source_internal.h"
#include "host/agent/board/tt_buffers.h"

#include <stdlib.h>
#include <string.h>

#define LANES_MAX (1u << 18)

struct td_board_source *td_board_replay_create(const struct td_board *board,
                                               const struct td_board_source_options *options,
                                               struct td_dict *dict, struct td_err *err)
{
    const uint64_t lanes =
        (uint64_t)board->chips * board->grid_width * board->grid_height * board->core_count;
    if (lanes > LANES_MAX) {
        td_fail(err, TD_E_LIMIT, "a board of more than %u lanes", LANES_MAX);
        return NULL;
    }
    struct td_board_source *s = td_board_source_create(NULL, board, options, dict, err);
    if (!s)
        return NULL;
    s->controls = calloc(s->lane_count + 1, sizeof *s->controls);
    if (s->controls)
        return s;
    td_fail_no_memory(err, "for the lanes of a board");
    td_board_source_destroy(s);
    return NULL;
}

static int no_lane(struct td_err *err)
{
    return td_fail(err, TD_E_FORMAT, "the board has no such lane");
}

int td_board_replay_words(struct td_board_source *s, const struct td_lane_at *at, const uint32_t *words,
                          size_t slots, struct td_err *err)
{
    if (at->index >= s->lane_count)
        return no_lane(err);
    struct td_lane_at whole = td_board_lane_at_(s, at->index);
    whole.gap = at->gap;
    whole.missing = at->missing;
    whole.time_high = at->time_high;
    whole.overwritten = at->overwritten;
    whole.given_zones = at->given_zones;
    whole.given_other = at->given_other;
    return td_board_on_words_(s, &whole, words, slots, err);
}

int td_board_replay_damaged(struct td_board_source *s, const struct td_lane_at *at, uint32_t address,
                            uint32_t slots, struct td_err *err)
{
    if (at->index >= s->lane_count || (at->core >= s->board->core_count && at->core != TD_LANE_NO_CORE))
        return no_lane(err);
    td_board_on_damaged_(s, at, address, slots);
    return 0;
}

int td_board_replay_clock(struct td_board_source *s, uint32_t chip, const struct td_clock_sample *sample,
                          struct td_err *err)
{
    if (chip >= s->board->chips)
        return td_fail(err, TD_E_FORMAT, "the board has no such chip");
    int rc = td_sync_add(s->syncs[chip], sample);
    if (rc < 0)
        return td_fail(err, rc, "the clock of chip %u went backwards", chip);
    return s->hub && chip + 1 == s->board->chips ? td_board_push_settled_(s, err) : 0;
}

int td_board_replay_opens(struct td_board_source *s, uint32_t lane, uint64_t before, uint64_t after,
                          const uint32_t *words, size_t count, struct td_err *err)
{
    if (lane >= s->lane_count)
        return no_lane(err);
    return td_board_open_note(&s->lanes[lane], words, count, before, after, err);
}

int td_board_replay_sample(struct td_board_source *s, const struct td_core_sample *sample, struct td_err *err)
{
    return sample->lane < s->lane_count ? td_board_on_sample_(s, sample, err) : no_lane(err);
}

int td_board_replay_tt_layout(struct td_board_source *s, const char *layout, struct td_err *err)
{
    if (s->tt)
        return td_fail(err, TD_E_FORMAT, "a board has tt-metal's buffers in one place only");
    s->tt = td_tt_buffers_replay_create(s->board, s->lanes, s->dict, layout, err);
    return s->tt ? 0 : err && err->code == TD_E_NOMEM ? TD_E_NOMEM : TD_E_FORMAT;
}

static int no_layout(struct td_err *err)
{
    return td_fail(err, TD_E_FORMAT, "a launch of tt-metal's buffers has no layout");
}

int td_board_replay_tt_zone(struct td_board_source *s, const char *line, size_t bytes, struct td_err *err)
{
    if (!s->tt)
        return no_layout(err);
    return td_tt_buffers_replay_zone(s->tt, line, bytes) ? td_fail_no_memory(err, "for names of zones") : 0;
}

int td_board_replay_tt_launch(struct td_board_source *s, const struct td_tt_launch *launch,
                              struct td_err *err)
{
    return s->tt ? td_tt_buffers_replay_launch(s->tt, launch, err) : no_layout(err);
}

int td_board_replay_tt_words(struct td_board_source *s, const struct td_tt_ring_words *words,
                             struct td_err *err)
{
    return s->tt ? td_tt_buffers_replay_words(s->tt, words, err) : no_layout(err);
}

int td_board_replay_control(struct td_board_source *s, uint32_t lane, bool joined, const uint32_t ctrl[32],
                            struct td_err *err)
{
    if (lane >= s->lane_count)
        return no_lane(err);
    struct td_board_control *to = &s->controls[lane];
    to->known = true;
    to->joined = joined;
    memcpy(to->ctrl, ctrl, sizeof to->ctrl);
    return 0;
}

void td_board_replay_finished(struct td_board_source *s, uint64_t lost_slots, uint64_t bad_frames)
{
    s->replayed.lost_slots = lost_slots;
    s->replayed.bad_frames = bad_frames;
}
