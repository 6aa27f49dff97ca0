#include "host/agent/board/lane_send.h"
#include "host/agent/board/lane_add.h"
#include "host/agent/board/lane_opens.h"

#define MANY_WAIT 65536u          /* events; more are not kept for want of knowledge */
#define KEPT      (MANY_WAIT / 2) /* of them, the newest ones stay */

/* Events on their way. */
struct sending {
    struct td_lane_events *lane;
    struct td_event out[TD_LANE_LOG_BLOCK];
    size_t count;
    size_t next_open; /* of lane->opens: the first that is not shown yet */
    int64_t until;    /* zones that began later are not shown */
    td_lane_take_events *take;
    void *self;
    int rc;
};

void td_lane_stream(struct td_lane_events *lane, uint64_t slack_ticks)
{
    lane->streams = 1;
    lane->slack_ticks = slack_ticks;
    td_lane_log_will_drop(&lane->log);
}

bool td_lane_has_unsent(const struct td_lane_events *lane)
{
    if (td_lane_log_waiting(&lane->log))
        return true;
    for (size_t i = 0; i < lane->opens_count; i++)
        if (lane->opens[i].state == TD_LANE_KNOWN)
            return true;
    return false;
}

/* The number of the first event that has to wait. Reduces *until to the begin of the first zone that waits.
 * Events from number `kept` on wait anyway. */
static uint64_t first_to_wait(const struct td_lane_events *lane, uint64_t kept, int64_t *until)
{
    uint64_t n = td_lane_log_count(&lane->log);
    /* The packet that a stall or a loss has delayed comes after it, with an earlier time. */
    bool late = true;
    for (; n > lane->log.dropped; n--) {
        const struct td_event e = td_lane_log_before(&lane->log, n);
        late = late && td_lane_is_mark(lane, &e);
        /* A zone without length may be in one that begins at the same time. */
        const bool in_time = td_lane_event_end(&e) <= *until;
        if (n <= kept && !late && in_time && (e.kind != TD_EVENT_ZONE || e.time_ns < *until))
            break;
        if (e.kind == TD_EVENT_ZONE && e.time_ns < *until)
            *until = e.time_ns;
    }
    return n;
}

static void flush_events(struct sending *s)
{
    if (s->rc == 0 && s->count)
        s->rc = s->take(s->self, s->out, s->count);
    s->count = 0;
}

static void put_event(struct sending *s, const struct td_event *e)
{
    if (s->count == sizeof s->out / sizeof *s->out)
        flush_events(s);
    s->out[s->count++] = *e;
    const int64_t end = td_lane_event_end(e);
    if (end != TD_LANE_OPEN && end > s->lane->sent_until)
        s->lane->sent_until = end;
}

/* Shows the open zones that the event (NULL: the end of what is sent) is not before. */
static void show_opens(struct sending *s, const struct td_event *before)
{
    for (; s->next_open < s->lane->opens_count; s->next_open++) {
        struct td_lane_known_open *open = &s->lane->opens[s->next_open];
        const int64_t begin = td_lane_at_most(open->begin);
        if (begin > s->until || (before && td_lane_event_end(before) <= begin && before->time_ns < begin))
            return;
        if (open->state != TD_LANE_KNOWN)
            continue;
        open->state = TD_LANE_SHOWN;
        put_event(s,
                  &(struct td_event){.kind = TD_EVENT_ZONE_BEGIN, .time_ns = begin, .srcloc = open->srcloc});
    }
}

static void send_event(struct sending *s, const struct td_event *e)
{
    if (e->kind == TD_EVENT_ZONE_END) {
        if (e->subject)
            put_event(s, &(struct td_event){
                             .kind = TD_EVENT_ZONE_TEXT, .time_ns = e->time_ns, .subject = e->subject});
        put_event(s, &(struct td_event){.kind = TD_EVENT_ZONE_END, .time_ns = e->time_ns});
        return;
    }
    if (e->kind == TD_EVENT_ZONE && !td_lane_is_mark(s->lane, e))
        s->lane->last_sent = e->srcloc;
    put_event(s, e);
}

static void send_events(struct sending *s, uint64_t end)
{
    const struct td_lane_log *log = &s->lane->log;
    struct td_lane_log_cursor cursor = {0};
    struct td_event events[TD_LANE_LOG_BLOCK];
    for (uint64_t at = log->dropped; s->rc == 0 && at < end;) {
        size_t count = td_lane_log_next(log, &cursor, events);
        count = count < end - at ? count : (size_t)(end - at);
        for (size_t i = 0; i < count; i++) {
            if (s->next_open < s->lane->opens_count)
                show_opens(s, &events[i]);
            send_event(s, &events[i]);
        }
        at += count;
    }
}

int td_lane_send(struct td_lane_events *lane, int64_t horizon, td_lane_take_events *take, void *self)
{
    struct sending s = {.lane = lane, .until = horizon, .take = take, .self = self};
    uint64_t end = td_lane_log_count(&lane->log);
    if (horizon != TD_LANE_SEND_ALL) {
        s.rc = td_lane_opens_settle(lane);
        s.until = lane->settled < horizon ? lane->settled : horizon;
        s.until = lane->doubt_from < s.until ? lane->doubt_from : s.until;
        end = td_lane_log_count(&lane->log);
        end = first_to_wait(lane, end, &s.until);
        const uint64_t count = td_lane_log_count(&lane->log);
        if (count - end > MANY_WAIT) {
            s.until = horizon;
            end = first_to_wait(lane, count - KEPT, &s.until);
        }
    }
    send_events(&s, end);
    if (horizon != TD_LANE_SEND_ALL)
        show_opens(&s, NULL);
    flush_events(&s);
    td_lane_log_drop(&lane->log, end);
    return s.rc;
}
