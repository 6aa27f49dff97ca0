#include "host/agent/board/lane_opens.h"
#include "host/agent/board/lane_add.h"
#include "host/agent/board/lane_names.h"
#include "host/base/grow.h"

#include <stdbool.h>
#include <string.h>

#define LEFT_TEXT "open when the zone around it ended"

static int64_t at_most(uint64_t ticks)
{
    return ticks < INT64_MAX ? (int64_t)ticks : INT64_MAX;
}

static void settle_until(struct td_lane_events *lane, int64_t ticks)
{
    if (ticks > lane->settled)
        lane->settled = ticks;
}

static struct td_lane_known_open *find_open(const struct td_lane_events *lane, uint64_t begin,
                                            uint32_t srcloc)
{
    for (size_t i = lane->opens_count; i-- > 0 && lane->opens[i].begin >= begin;)
        if (lane->opens[i].begin == begin && lane->opens[i].srcloc == srcloc)
            return &lane->opens[i];
    return NULL;
}

static void remove_open(struct td_lane_events *lane, struct td_lane_known_open *open)
{
    const size_t after = (size_t)(lane->opens + lane->opens_count - (open + 1));
    memmove(open, open + 1, after * sizeof *open);
    lane->opens_count--;
}

static int add_open(struct td_lane_events *lane, const struct td_lane_known_open *open)
{
    if (td_grow(&lane->opens, &lane->opens_capacity, lane->opens_count + 1, sizeof *lane->opens))
        return TD_E_NOMEM;
    size_t at = lane->opens_count++;
    for (; at > 0 && lane->opens[at - 1].begin > open->begin; at--)
        lane->opens[at] = lane->opens[at - 1];
    lane->opens[at] = *open;
    return 0;
}

int td_lane_opens_begin(struct td_lane_events *lane, uint64_t begin, uint32_t srcloc)
{
    if (!lane->streams)
        return 0;
    /* A launch's first BEGIN: all zones before it have ended, and their packets came before it. */
    if (lane->open_count == 1)
        settle_until(lane, at_most(begin));
    lane->between_launches = 0;
    const bool late = at_most(begin) < lane->sent_until;
    return add_open(lane, &(struct td_lane_known_open){begin, srcloc, late ? TD_LANE_LEFT : TD_LANE_KNOWN});
}

void td_lane_opens_none(struct td_lane_events *lane, int64_t end)
{
    if (!lane->streams || lane->open_count)
        return;
    lane->opens_count = 0;
    lane->look_after = 0;
    lane->between_launches = 1;
    if (end != TD_LANE_OPEN)
        settle_until(lane, end);
}

/* Is there a zone around the begin that has ended? Then the zone that began there was not closed. */
static bool was_left(const struct td_lane_events *lane, int64_t begin)
{
    for (uint64_t n = td_lane_log_count(&lane->log); n > lane->log.dropped; n--) {
        const struct td_event e = td_lane_log_before(&lane->log, n);
        if (td_lane_event_end(&e) <= begin)
            return false;
        if (e.kind == TD_EVENT_ZONE && e.time_ns < begin && e.srcloc != lane->names->lost_srcloc)
            return true;
    }
    return false;
}

static int add_found(struct td_lane_events *lane, uint64_t begin, uint32_t srcloc)
{
    struct td_lane_known_open found = {begin, srcloc, TD_LANE_KNOWN};
    if (srcloc == UINT32_MAX)
        return TD_E_NOMEM;
    if (find_open(lane, begin, srcloc))
        return 0;
    if ((int64_t)begin < lane->sent_until || begin < lane->open[0].ticks || was_left(lane, (int64_t)begin))
        found.state = TD_LANE_LEFT;
    else
        td_lane_log_trim_gaps(&lane->log, (int64_t)begin, INT64_MAX);
    return add_open(lane, &found);
}

/* What the core wrote before its words were read is here, because a later packet is. */
static void confirm_look(struct td_lane_events *lane)
{
    if (!lane->look_after || !lane->open_count || lane->end_lost || lane->open[0].doubtful)
        return; /* another launch may run, whose BEGIN is lost */
    if (lane->look_before > lane->slack_ticks)
        settle_until(lane, at_most(lane->look_before - lane->slack_ticks));
}

int td_lane_opens_looked(struct td_lane_events *lane, uint64_t before, uint64_t after)
{
    const struct td_open_watch *w = &lane->watch;
    if (!lane->streams || !lane->open_count)
        return 0;
    /* The core has written nothing for so long that nothing can be on its way either. */
    if (!lane->fed_since_look)
        confirm_look(lane);
    lane->look_before = before;
    lane->look_after = after;
    lane->fed_since_look = 0;
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < w->count; i++) {
        const uint32_t id = w->words[i] ? td_image_open_site(w->image, i) : TD_SITE_NO_WORD;
        if (id != TD_SITE_NO_WORD && w->begins[i] < before && before < INT64_MAX)
            rc = add_found(lane, w->begins[i], td_lane_srcloc(lane, id));
    }
    return rc;
}

/* An open zone in another one that has ended: the kernel has not closed it. A tick before, as in
 * td_lane_end_left(). */
static int leave_open(struct td_lane_events *lane, struct td_lane_known_open *open, int64_t around_end)
{
    if (open->state != TD_LANE_SHOWN) {
        open->state = open->state == TD_LANE_KNOWN ? TD_LANE_LEFT : open->state;
        return 0;
    }
    const int64_t begin = at_most(open->begin);
    const int64_t end = around_end == TD_LANE_OPEN ? around_end : around_end > begin ? around_end - 1 : begin;
    const uint32_t text = around_end == TD_LANE_OPEN ? 0 : td_dict_cstring(lane->names->dict, LEFT_TEXT);
    open->state = TD_LANE_LEFT_SHOWN;
    if (text == UINT32_MAX)
        return TD_E_NOMEM;
    return td_lane_add(lane, (struct td_event){.kind = TD_EVENT_ZONE_END, .time_ns = end, .subject = text});
}

int td_lane_opens_end(struct td_lane_events *lane, int64_t begin, int64_t end, uint32_t srcloc, uint32_t text,
                      int *sent)
{
    struct td_lane_known_open *open = find_open(lane, (uint64_t)begin, srcloc);
    const size_t first = open ? (size_t)(open - lane->opens) + 1 : 0;
    int rc = 0;
    *sent = 0;
    for (size_t i = lane->opens_count; rc == 0 && i-- > first;) /* inner ones first */
        if (at_most(lane->opens[i].begin) > begin && at_most(lane->opens[i].begin) < end)
            rc = leave_open(lane, &lane->opens[i], end);
    if (!open || rc)
        return rc;
    const enum td_lane_open_state state = open->state;
    remove_open(lane, open);
    if (state == TD_LANE_SHOWN)
        rc = td_lane_add(lane, (struct td_event){.kind = TD_EVENT_ZONE_END, .time_ns = end, .subject = text});
    *sent = state == TD_LANE_SHOWN || state == TD_LANE_LEFT_SHOWN;
    return rc;
}

void td_lane_opens_settle(struct td_lane_events *lane)
{
    if (lane->look_after && td_lane_events_latest(lane) > lane->look_after)
        confirm_look(lane);
    if (lane->between_launches && !lane->open_count)
        settle_until(lane, at_most(td_lane_events_latest(lane)));
}
