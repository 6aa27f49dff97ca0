#include "host/agent/board/lane_opens.h"
#include "host/agent/board/lane_add.h"
#include "host/agent/board/lane_names.h"
#include "host/base/grow.h"

#include <stdbool.h>
#include <string.h>

#define IDLE_SLACKS 500 /* times slack_ticks: a core that has written nothing for longer waits */
#define LEFT_TEXT   "open when the zone around it ended"
#define LOST_TEXT   "its end was lost"

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
        settle_until(lane, td_lane_at_most(begin));
    lane->between_launches = 0;
    const bool late = td_lane_at_most(begin) < lane->sent_until;
    return add_open(lane, &(struct td_lane_known_open){.begin = begin,
                                                       .srcloc = srcloc,
                                                       .state = late ? TD_LANE_LEFT : TD_LANE_KNOWN,
                                                       .has_packet = 1,
                                                       .seen = 1});
}

static bool may_have_ended(const struct td_lane_known_open *open)
{
    return !open->has_packet && (open->state == TD_LANE_KNOWN || open->state == TD_LANE_SHOWN);
}

void td_lane_opens_lost(struct td_lane_events *lane, int64_t from)
{
    bool some = false;
    for (size_t i = 0; i < lane->opens_count; i++)
        some = some || may_have_ended(&lane->opens[i]);
    if (!some)
        return;
    const bool after_look = lane->look_after && from >= td_lane_at_most(lane->look_before);
    int64_t *doubt = after_look ? &lane->doubt_after_look : &lane->doubt_from;
    *doubt = from < *doubt ? from : *doubt;
}

void td_lane_opens_none(struct td_lane_events *lane, int64_t end)
{
    if (!lane->streams || lane->open_count)
        return;
    lane->opens_count = 0;
    lane->look_after = 0;
    lane->doubt_from = lane->doubt_after_look = INT64_MAX;
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
    struct td_lane_known_open found = {begin, srcloc, TD_LANE_KNOWN, 0, 1}, *known;
    if (srcloc == UINT32_MAX)
        return TD_E_NOMEM;
    if ((known = find_open(lane, begin, srcloc))) {
        known->seen = 1;
        return 0;
    }
    if ((int64_t)begin < lane->sent_until || begin < lane->open[0].ticks || was_left(lane, (int64_t)begin))
        found.state = TD_LANE_LEFT;
    else
        td_lane_log_trim_gaps(&lane->log, (int64_t)begin, INT64_MAX);
    return add_open(lane, &found);
}

/* The words have shown that the zone is not open any more, but no packet has: it was lost. */
static int end_lost_one(struct td_lane_events *lane, struct td_lane_known_open *open)
{
    const bool shown = open->state == TD_LANE_SHOWN;
    const int64_t begin = td_lane_at_most(open->begin), end = lane->doubt_from;
    const uint32_t text = shown ? td_dict_cstring(lane->names->dict, LOST_TEXT) : 0;
    remove_open(lane, open);
    if (text == UINT32_MAX)
        return TD_E_NOMEM;
    const struct td_event event = {
        .kind = TD_EVENT_ZONE_END, .time_ns = end > begin ? end : begin, .subject = text};
    return shown ? td_lane_log_insert(&lane->log, event) : 0;
}

/* What the core wrote before its words were read has come. */
static int confirm_look(struct td_lane_events *lane)
{
    int rc = 0;
    /* Else another launch may run, whose BEGIN is lost. */
    if (lane->open_count && !lane->end_lost && !lane->open[0].doubtful &&
        lane->look_before > lane->slack_ticks) {
        const int64_t look = td_lane_at_most(lane->look_before - lane->slack_ticks);
        settle_until(lane, look);
        /* Nothing was lost: the word belongs to an inner zone of the same site now. */
        const size_t count = lane->doubt_from < look ? lane->opens_count : 0;
        for (size_t i = count; rc == 0 && i-- > 0;) {
            struct td_lane_known_open *open = &lane->opens[i];
            if (!open->seen && may_have_ended(open) && td_lane_at_most(open->begin) < look)
                rc = end_lost_one(lane, open);
            else if (open->state == TD_LANE_SHOWN)
                break; /* zones end from the innermost one outwards */
        }
        lane->doubt_from = lane->doubt_after_look;
        lane->doubt_after_look = INT64_MAX;
    }
    lane->look_after = 0;
    return rc;
}

/* Its zones are not in the words that are read. */
static bool is_stamped(const struct td_lane_events *lane)
{
    const uint32_t *table = lane->sites && lane->sites->image ? td_image_table(lane->sites->image) : NULL;
    return table && table[TD_IMAGE_profile] == TD_IMAGE_STAMPED;
}

int td_lane_opens_looked(struct td_lane_events *lane, uint64_t before, uint64_t after)
{
    const struct td_open_watch *w = &lane->watch;
    if (!lane->streams || !lane->open_count || is_stamped(lane))
        return 0;
    int rc = td_lane_opens_settle(lane);
    /* The core has written nothing for so long that nothing can be on its way either. */
    if (rc == 0 && lane->look_after && !lane->fed_since_look &&
        before - lane->look_before > IDLE_SLACKS * lane->slack_ticks)
        rc = confirm_look(lane);
    /* Nothing is settled by a read that does not say when a zone began: its packet will. */
    if (rc || td_open_watch_is_unsure(w))
        return rc;
    if (!lane->look_after) {
        lane->look_before = before;
        lane->look_after = after;
        lane->fed_since_look = 0;
        for (size_t i = 0; i < lane->opens_count; i++)
            lane->opens[i].seen = lane->opens[i].has_packet;
    }
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
    const int64_t begin = td_lane_at_most(open->begin);
    const int64_t end = around_end == TD_LANE_OPEN ? around_end : around_end > begin ? around_end - 1 : begin;
    const uint32_t text = around_end == TD_LANE_OPEN ? 0 : td_dict_cstring(lane->names->dict, LEFT_TEXT);
    open->state = TD_LANE_LEFT_SHOWN;
    if (text == UINT32_MAX)
        return TD_E_NOMEM;
    return td_lane_log_add(&lane->log,
                           (struct td_event){.kind = TD_EVENT_ZONE_END, .time_ns = end, .subject = text});
}

int td_lane_opens_end(struct td_lane_events *lane, int64_t begin, int64_t end, uint32_t srcloc, uint32_t text,
                      int *sent)
{
    struct td_lane_known_open *open = find_open(lane, (uint64_t)begin, srcloc);
    const size_t first = open ? (size_t)(open - lane->opens) + 1 : 0;
    int rc = 0;
    *sent = 0;
    for (size_t i = lane->opens_count; rc == 0 && i-- > first;) /* inner ones first */
        if (td_lane_at_most(lane->opens[i].begin) > begin && td_lane_at_most(lane->opens[i].begin) < end)
            rc = leave_open(lane, &lane->opens[i], end);
    if (!open || rc)
        return rc;
    const enum td_lane_open_state state = open->state;
    remove_open(lane, open);
    if (state == TD_LANE_SHOWN)
        rc = td_lane_log_add(&lane->log,
                             (struct td_event){.kind = TD_EVENT_ZONE_END, .time_ns = end, .subject = text});
    *sent = state == TD_LANE_SHOWN || state == TD_LANE_LEFT_SHOWN;
    return rc;
}

int td_lane_opens_settle(struct td_lane_events *lane)
{
    int rc = 0;
    /* A packet that a stall or a loss has delayed comes after that, and may be older than the read. */
    const struct td_event *last = td_lane_log_last(&lane->log);
    const int64_t latest = last ? td_lane_event_end(last) : 0;
    const bool delayed = last && td_lane_is_mark(lane, last);
    if (lane->look_after && !delayed && latest > td_lane_at_most(lane->look_after))
        rc = confirm_look(lane);
    if (lane->between_launches && !lane->open_count)
        settle_until(lane, latest);
    return rc;
}
