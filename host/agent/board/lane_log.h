/* Lane log: the events of one lane that have not been sent on yet, in order of their ends. Times are device
 * ticks.
 *
 * The newest events are not packed, because a late event may still have to be put between them. Older ones
 * are packed, about 8 bytes a zone, into a store that all lanes of a board share; above its memory limit the
 * store uses a temporary file. A log whose events are dropped again (td_lane_log_drop()) packs only if very
 * many wait. Ends of gaps (zones that report lost packets) may change until they are dropped.
 *
 * Events have numbers, in their order, from 0 on. Not thread-safe. If there is no memory, a call returns
 * TD_E_NOMEM, and earlier events stay. */
#pragma once
#include "host/event/event.h"
#include "host/trace/series.h"

#include <stdbool.h>

#define TD_LANE_LOG_BLOCK 256u /* the most events of one read */

struct td_lane_gap {
    uint64_t index; /* of its event */
    int64_t start_ticks, end_ticks;
};

struct td_lane_log {
    struct td_series packed;
    uint64_t packed_base; /* number of the first packed event */
    uint64_t base;        /* number of recent[0] */
    uint64_t dropped;     /* events below this number are gone */
    struct td_event *recent;
    size_t count, capacity; /* of `recent` */
    size_t pack_above;      /* recent events */
    struct td_event last;   /* the newest event that is gone; meaningful if `dropped` is not 0 */
    struct td_lane_gap *gaps;
    size_t gap_count, gap_capacity;
    int64_t gap_end; /* of the newest gap that is gone, INT64_MIN: none is */
};

/* `store` keeps the packed events and must outlive the log. */
void td_lane_log_init(struct td_lane_log *log, struct td_store *store);
void td_lane_log_free(struct td_lane_log *log);
/* Events will be dropped soon after they were added. */
void td_lane_log_will_drop(struct td_lane_log *log);
/* The events below the number are gone. */
void td_lane_log_drop(struct td_lane_log *log, uint64_t number);
/* No packed event waits. */
bool td_lane_log_is_unpacked(const struct td_lane_log *log);
/* For a log without packed events that wait: uses another store. */
void td_lane_log_set_store(struct td_lane_log *log, struct td_store *store);

static inline int64_t td_lane_event_end(const struct td_event *event)
{
    return event->kind == TD_EVENT_ZONE ? event->value.end_ns : event->time_ns;
}
/* All events so far, and those that are not gone. */
static inline uint64_t td_lane_log_count(const struct td_lane_log *log)
{
    return log->base + log->count;
}
static inline uint64_t td_lane_log_waiting(const struct td_lane_log *log)
{
    return log->base + log->count - log->dropped;
}
/* The newest event, which may be gone; NULL: there is none. */
static inline const struct td_event *td_lane_log_last(const struct td_lane_log *log)
{
    return log->count ? &log->recent[log->count - 1] : log->dropped ? &log->last : NULL;
}
/* The end of the last gap; INT64_MIN: there is none. */
static inline int64_t td_lane_log_gap_end(const struct td_lane_log *log)
{
    return log->gap_count ? log->gaps[log->gap_count - 1].end_ticks : log->gap_end;
}

/* Makes room for `more` calls of td_lane_log_put_(), whose events come in order of their ends. 0 or
 * TD_E_NOMEM. */
int td_lane_log_room(struct td_lane_log *log, size_t more);
static inline void td_lane_log_put_(struct td_lane_log *log, struct td_event event)
{
    log->recent[log->count++] = event;
}
/* The same for a zone without a text; quicker. */
static inline void td_lane_log_put_zone_(struct td_lane_log *log, int64_t start, int64_t end, uint32_t srcloc)
{
    struct td_event *e = &log->recent[log->count++];
    e->time_ns = start;
    e->value.end_ns = end;
    e->track = 0;
    e->srcloc = srcloc;
    e->subject = 0;
    e->kind = TD_EVENT_ZONE;
}
/* Adds an event; one that comes a little late is put in order. */
int td_lane_log_add(struct td_lane_log *log, struct td_event event);
/* Adds an event that may come very late, before all unpacked ones that end later. */
int td_lane_log_insert(struct td_lane_log *log, struct td_event event);
/* The same as td_lane_log_add() for a zone that reports lost packets. */
int td_lane_log_add_gap(struct td_lane_log *log, struct td_event event);
/* Shortens gaps in which this zone begins: they end at its begin. */
void td_lane_log_trim_gaps(struct td_lane_log *log, int64_t start, int64_t end);

/* The place of a reader of all events that are not gone; all zero: the first. */
struct td_lane_log_cursor {
    uint64_t next;
    size_t gap;
};
/* Copies the next events to `events`, which has room for TD_LANE_LOG_BLOCK. Returns how many; 0: there are no
 * more. The first one's number is cursor->next - how many. */
size_t td_lane_log_next(const struct td_lane_log *log, struct td_lane_log_cursor *cursor,
                        struct td_event *events);
/* For reading backwards: the event below `number`, which must be greater than that of the first. */
struct td_event td_lane_log_packed_(const struct td_lane_log *log, uint64_t number);
static inline struct td_event td_lane_log_before(const struct td_lane_log *log, uint64_t number)
{
    return number > log->base ? log->recent[number - 1 - log->base] : td_lane_log_packed_(log, number - 1);
}
