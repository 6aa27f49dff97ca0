#include "host/agent/board/lane_left.h"
#include "host/agent/board/lane_add.h"
#include "host/agent/board/lane_names.h"
#include "host/agent/board/lane_opens.h"
#include "host/base/compare.h"
#include "host/base/grow.h"
#include "proto/device/lane.h"

#include <stdio.h>
#include <stdlib.h>

/* Adds a zone that was not closed. `how`: a text that says so; NULL: none. */
static int add_unclosed(struct td_lane_events *lane, uint64_t begin, int64_t end, uint32_t srcloc,
                        const char *how)
{
    if (end < (int64_t)begin)
        end = (int64_t)begin;
    int rc = how ? td_lane_add_text(lane, (uint64_t)end, how) : 0;
    lane->zones++;
    return rc ? rc : td_lane_add_zone(lane, (int64_t)begin, end, srcloc, 0);
}

int td_lane_end_begun(struct td_lane_events *lane, size_t first, int64_t ticks, const char *how)
{
    int rc = 0;
    while (rc == 0 && lane->open_count > first) {
        struct td_lane_open_zone o = lane->open[--lane->open_count];
        rc = add_unclosed(lane, o.ticks, ticks, o.srcloc, how);
        td_lane_opens_none(lane, ticks);
    }
    return rc;
}

static int add_left(struct td_lane_events *lane, uint64_t begin, uint32_t srcloc)
{
    if (srcloc == UINT32_MAX ||
        td_grow(&lane->left, &lane->left_capacity, lane->left_count + 1, sizeof *lane->left))
        return TD_E_NOMEM;
    lane->left[lane->left_count++] = (struct td_lane_left){begin, srcloc};
    return 0;
}

TD_COMPARE(innermost_first, struct td_lane_left, TD_DOWN(begin))

/* The end of a zone that was not closed (a forgotten span, or a zone that longjmp() left): that of the zone
 * around it, if it is among the newest ones, minus a tick, because of two zones with the same end the one
 * added later is the outer one. */
static int64_t end_around(const struct td_lane_events *lane, int64_t begin, int64_t end)
{
    const struct td_lane_log *log = &lane->log;
    for (size_t i = log->count; i > 0 && td_lane_event_end(&log->recent[i - 1]) >= begin; i--) {
        const struct td_event *e = &log->recent[i - 1];
        const int is_mark = e->srcloc == lane->names->lost_srcloc || e->srcloc == lane->names->stall_srcloc;
        if (e->kind == TD_EVENT_ZONE && !is_mark && e->time_ns < begin && e->value.end_ns < end)
            end = e->value.end_ns > begin ? e->value.end_ns - 1 : begin;
    }
    return end;
}

/* Inner zones are added first, so that each gets its own texts. */
int td_lane_end_left(struct td_lane_events *lane, int64_t end, const char *how)
{
    int rc = 0;
    if (lane->left_count)
        qsort(lane->left, lane->left_count, sizeof *lane->left, innermost_first);
    for (size_t i = 0; rc == 0 && i < lane->left_count; i++) {
        const struct td_lane_left *left = &lane->left[i];
        rc = add_unclosed(lane, left->begin, end_around(lane, (int64_t)left->begin, end), left->srcloc, how);
    }
    lane->left_open += lane->left_count;
    lane->left_count = 0;
    return rc;
}

const char *td_lane_left_text(uint32_t how)
{
    return how == TD_CORE_DONE    ? "open when the kernel ended"
           : how == TD_CORE_FAULT ? "open at the fault"
                                  : "open when the core was stopped";
}

uint64_t td_lane_events_launch(const struct td_lane_events *lane)
{
    return lane->open_count ? lane->open[0].ticks : 0;
}

/* Ignores the packet if the image is not known. */
int td_lane_on_open(struct td_lane_events *lane, const struct td_packet_record *r)
{
    const struct td_image *image = lane->sites ? lane->sites->image : NULL;
    const uint32_t id = image ? td_image_open_site(image, r->id) : TD_SITE_NO_WORD;
    if (id == TD_SITE_NO_WORD)
        return 0;
    if (lane->left_count >= td_image_site_count(image)) {
        lane->bad_records++; /* a launch reports each word only once */
        return 0;
    }
    uint64_t begin = td_open_watch_begin(&lane->watch, image, r->id, (uint32_t)r->value,
                                         td_lane_events_launch(lane), r->end_ticks);
    if (begin == lane->closed.begin && id == lane->closed.id)
        return 0;
    lane->left_ticks = r->end_ticks;
    lane->left_how = (uint32_t)(r->value >> 32);
    return add_left(lane, begin < r->end_ticks ? begin : r->end_ticks, td_lane_srcloc(lane, id));
}

int td_lane_on_stamped_open(struct td_lane_events *lane, const struct td_packet_record *r)
{
    lane->left_ticks = r->end_ticks;
    lane->left_how = (uint32_t)r->value;
    return add_left(lane, r->end_ticks - r->duration_ticks, td_lane_srcloc(lane, r->id));
}

void td_lane_on_close(struct td_lane_events *lane, uint64_t begin, uint32_t id)
{
    struct td_open_watch *w = &lane->watch;
    const struct td_site *site = w->image ? td_image_site(w->image, id) : NULL;
    const uint32_t word = site ? site->open : TD_SITE_NO_WORD;
    if (td_open_watch_may_begin(w, word, begin))
        w->words[word] = 0;
}

void td_lane_watch_looked(struct td_lane_events *lane, uint64_t now)
{
    const struct td_open_watch *w = &lane->watch;
    uint64_t until = now;
    for (uint32_t i = 0; i < w->count; i++)
        if (w->words[i] && w->begins[i] > until)
            until = w->begins[i]; /* in virtual time, cores are ahead of the clock that the host reads */
    lane->watch_until = until < INT64_MAX ? (int64_t)until + 1 : INT64_MAX;
}

/* Adds a message at the time of the last read. Without it, a core that hangs seems to have stopped at its
 * last packet. */
static int add_still_open(struct td_lane_events *lane)
{
    char text[64];
    snprintf(text, sizeof text, "%zu zones are still open", lane->left_count);
    return lane->watch_until > 0 && lane->watch_until < INT64_MAX
               ? td_lane_add_message(lane, (uint64_t)lane->watch_until - 1, text, TD_LOST_COLOR)
               : 0;
}

int td_lane_events_left(struct td_lane_events *lane, int64_t end_ticks, const char *how)
{
    const struct td_open_watch *w = &lane->watch;
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < w->count; i++) {
        const uint32_t id = w->words[i] ? td_image_open_site(w->image, i) : TD_SITE_NO_WORD;
        if (id == TD_SITE_NO_WORD || w->begins[i] > INT64_MAX - 1)
            continue;
        rc = add_left(lane, w->begins[i], td_lane_srcloc(lane, id));
    }
    if (rc == 0 && end_ticks == TD_LANE_OPEN && lane->left_count)
        rc = add_still_open(lane);
    rc = rc ? rc : td_lane_end_left(lane, end_ticks, how);
    if (rc == 0 && end_ticks != TD_LANE_OPEN)
        rc = td_lane_end_begun(lane, 0, end_ticks, how);
    return rc;
}
