/* The event type that every source produces and every sink consumes, and the hub that passes events on.
 *
 * Times are ns on the trace's clock (0: its start). Numbers refer to the hub's dictionary.
 *
 * Order: events of one track come in order of `time_ns`. The exception are complete zones (TD_EVENT_ZONE,
 * from devices), which come in order of their ends, inner before outer. Events of different tracks come in
 * any order.
 *
 * A source of complete zones may promise to send them so that they can be nested at once: it sends SETTLED
 * first, and again after each batch. Then a zone begins after the zones of earlier batches have ended, and
 * after the begins of all zones that are open. A zone that breaks the promise is not lost: its track's zones
 * are nested when the recording ends.
 *
 * Threads: a hub belongs to one thread at a time.
 */
#pragma once
#include "host/base/err.h"
#include "host/event/dict.h"

#include <stdbool.h>

/* X(name, what) */
/* clang-format off */
#define TD_EVENTS(X)                                                                                          \
    X(ZONE, "complete zone: time_ns, end_ns, srcloc; subject = text string or 0")                                   \
    X(ZONE_BEGIN, "srcloc")                                                                                   \
    X(ZONE_END, "ends the innermost open zone of the track")                                                  \
    X(ZONE_TEXT, "subject = string, a line added to the innermost open zone's text")                                \
    X(ZONE_NAME, "subject = string")                                                                                \
    X(ZONE_COLOR, "subject = 0x00RRGGBB")                                                                           \
    X(ZONE_VALUE, "value.u64, shown as a line of text")                                                       \
    X(ZONE_STACK, "subject = row of the table STACK: where the innermost open zone began")                          \
    X(MESSAGE, "subject = string, color, value.u64 = TD_EVENT_MESSAGE_WITH() or 0") \
    X(PLOT, "subject = plot, value.f64; the track does not matter")                                                 \
    X(FRAME, "subject = frame set (continuous): a frame ends and the next begins")                                  \
    X(FRAME_START, "subject = frame set (discontinuous)")                                                           \
    X(FRAME_END, "subject = frame set (discontinuous)")                                                             \
    X(APP_INFO, "subject = string: a line about the program or the capture")                                        \
    X(CRASH, "subject = string: the program crashed in this track; value.u64 = row of the table STACK, 0: none") \
    X(SETTLED, "no zone comes any more that is around a complete zone of this track, except those that are open")
/* clang-format on */

enum td_event_kind {
#define TD_X(name, what) TD_EVENT_##name,
    TD_EVENTS(TD_X)
#undef TD_X
        TD_EVENT_KINDS
};

struct td_event {
    int64_t time_ns;
    union {
        int64_t end_ns; /* ZONE */
        uint64_t u64;
        double f64;
    } value;
    uint32_t track;
    union {
        uint32_t srcloc;
        uint32_t color; /* MESSAGE: 0x00RRGGBB, 0: none */
    };
    uint32_t subject; /* a string, plot or frame set: see TD_EVENTS */
    uint32_t kind;    /* enum td_event_kind */
};

/* The value of a message. stack: 0: none; source: 0 the user, 1 the profiler; severity: 0 trace to 5 fatal.
 * Messages without these have stack 0, source 0 and severity 2 (info). */
#define TD_EVENT_MESSAGE_WITH(stack, source, severity)                                                       \
    ((uint64_t)(stack) | (uint64_t)(source) << 32 | (uint64_t)((severity) ^ 2u) << 40)
#define TD_EVENT_MESSAGE_STACK(value)    ((uint32_t)(value))
#define TD_EVENT_MESSAGE_SOURCE(value)   ((uint8_t)((value) >> 32))
#define TD_EVENT_MESSAGE_SEVERITY(value) ((uint8_t)((value) >> 40) ^ 2u)

/* A begin or an end of a zone, in a run of them that belongs to one track: the short form of TD_EVENT_ZONE_BEGIN
 * and TD_EVENT_ZONE_END, in which programs' zones come by the million. */
#define TD_ZONE_MARK_END UINT32_MAX
struct td_zone_mark {
    int64_t time_ns;
    uint32_t srcloc; /* TD_ZONE_MARK_END: ends the innermost open zone */
};

/* A consumer of events. Its functions return 0 or a negative enum td_e and are called from the hub's thread.
 *
 * Data other than events (locks, memory, call stacks, context switches ...) passes as rows of the model's
 * tables, which host/trace/rows.h defines; the hub does not interpret them. `row` appends a row to the list
 * `parent` of a table. The value of a column of bytes is their address, valid during the call. `set` changes
 * one value of an appended row. A sink whose `row` and `set` are NULL gets no rows. A sink whose `zones` is NULL
 * gets runs of zones as events. */
struct td_sink {
    int (*events)(void *self, const struct td_event *events, size_t count, struct td_err *err);
    void *self;
    int (*row)(void *self, unsigned table, uint64_t parent, const int64_t *values, struct td_err *err);
    int (*set)(void *self, unsigned table, uint64_t parent, uint64_t row, unsigned column, int64_t value,
               struct td_err *err);
    int (*zones)(void *self, uint32_t track, const struct td_zone_mark *marks, size_t count,
                 struct td_err *err);
};

struct td_hub;
struct td_hub *td_hub_create(struct td_dict *dict); /* dict must outlive it; NULL: no memory */
void td_hub_destroy(struct td_hub *hub);
struct td_dict *td_hub_dict(struct td_hub *hub);
int td_hub_add_sink(struct td_hub *hub, struct td_sink sink);
/* Passes a batch to every sink, also after an error of one of them. Returns the first error. */
int td_hub_push(struct td_hub *hub, const struct td_event *events, size_t count, struct td_err *err);
/* The same for begins and ends of zones of one track. */
int td_hub_zones(struct td_hub *hub, uint32_t track, const struct td_zone_mark *marks, size_t count,
                 struct td_err *err);
/* The event that a mark is the short form of. */
static inline struct td_event td_zone_mark_event(uint32_t track, const struct td_zone_mark *mark)
{
    const bool ends = mark->srcloc == TD_ZONE_MARK_END;
    return (struct td_event){.time_ns = mark->time_ns,
                             .track = track,
                             .srcloc = ends ? 0 : mark->srcloc,
                             .kind = ends ? TD_EVENT_ZONE_END : TD_EVENT_ZONE_BEGIN};
}
/* Passes a row to every sink. Returns the row's number in its list, for td_hub_set(), or a negative enum
 * td_e. The hub numbers rows in order of arrival, so several sources may add to one list. `table` is below
 * TD_HUB_TABLES, `parent` below 2^48. */
#define TD_HUB_TABLES 256
int64_t td_hub_row(struct td_hub *hub, unsigned table, uint64_t parent, const int64_t *values,
                   struct td_err *err);
int td_hub_set(struct td_hub *hub, unsigned table, uint64_t parent, uint64_t row, unsigned column,
               int64_t value, struct td_err *err);
