#include "host/agent/board/lane_log.h"
#include "host/base/grow.h"

#define MAX_SHIFTS 64 /* an event that is late by more is not put in order here; the model sorts */
#define BLOCK      TD_LANE_LOG_BLOCK
#define MANY       ((size_t)1 << 18) /* events that wait unpacked although they will be dropped soon */
#define FEW        4096              /* dropped events whose place is not used again at once */

_Static_assert(BLOCK == TD_SERIES_ROWS, "what is packed is whole chunks");

/* COLUMN_VALUE: the length of a zone; for other events their value. */
enum { COLUMN_END, COLUMN_VALUE, COLUMN_SRCLOC, COLUMN_A, COLUMN_KIND, COLUMNS };

void td_lane_log_init(struct td_lane_log *log, struct td_store *store)
{
    *log = (struct td_lane_log){.pack_above = BLOCK + MAX_SHIFTS, .gap_end = INT64_MIN};
    td_series_init(&log->packed, store, COLUMNS, 0);
}

void td_lane_log_will_drop(struct td_lane_log *log)
{
    log->pack_above = MANY;
}

void td_lane_log_free(struct td_lane_log *log)
{
    free(log->recent);
    free(log->gaps);
}

/* ---- packing ---- */

static void put_rows(struct td_series *s, const struct td_event *events, unsigned count)
{
    int64_t *column[COLUMNS];
    for (unsigned c = 0; c < COLUMNS; c++)
        column[c] = s->tail + ((size_t)c << s->tail_log2) + s->tail_rows;
    for (unsigned i = 0; i < count; i++) {
        const struct td_event *e = &events[i];
        int64_t end = td_lane_event_end(e);
        uint64_t zone = (uint64_t)end - (uint64_t)e->time_ns;
        column[COLUMN_END][i] = end;
        column[COLUMN_VALUE][i] = (int64_t)(e->kind == TD_EVENT_ZONE ? zone : e->value.u64);
        column[COLUMN_SRCLOC][i] = e->srcloc;
        column[COLUMN_A][i] = e->subject;
        column[COLUMN_KIND][i] = e->kind;
    }
}

/* Packs one block. On failure, removes the rows that it has added. */
static int pack_block(struct td_lane_log *log, const struct td_event *events)
{
    struct td_series *s = &log->packed;
    const struct td_series before = *s;
    for (unsigned done = 0; done < BLOCK;) {
        if (td_series_reserve(s) < 0) {
            s->count = before.count;
            s->tail_rows = before.tail_rows;
            return TD_E_NOMEM;
        }
        unsigned room = td_series_room_(s), n = room < BLOCK - done ? room : BLOCK - done;
        put_rows(s, events + done, n);
        td_series_publish_many_(s, n);
        done += n;
    }
    /* If there is no memory, the block stays raw, and is packed with the next one. */
    (void)td_series_settle(s);
    return 0;
}

/* Dropped events that are still in `recent`. */
static size_t dropped_recent(const struct td_lane_log *log)
{
    return log->dropped > log->base ? (size_t)(log->dropped - log->base) : 0;
}

static void remove_first(struct td_lane_log *log, size_t count)
{
    if (!count)
        return;
    log->count -= count;
    log->base += count;
    memmove(log->recent, log->recent + count, log->count * sizeof *log->recent);
}

/* Packs the events that no late event can come before any more, if there are many. */
static int pack_old(struct td_lane_log *log)
{
    size_t done = 0;
    int rc = 0;
    remove_first(log, dropped_recent(log));
    if (td_lane_log_is_unpacked(log))
        td_lane_log_set_store(log, log->packed.store);
    /* Where many wait, half of them stay, so that `recent` is seldom moved. */
    const size_t least = BLOCK + MAX_SHIFTS, half = log->pack_above / 2;
    const size_t keep = log->count < log->pack_above ? SIZE_MAX : half > least ? half : least;
    while (rc == 0 && log->count - done >= keep) {
        rc = pack_block(log, log->recent + done);
        done += rc == 0 ? BLOCK : 0;
    }
    remove_first(log, done);
    return rc;
}

void td_lane_log_drop(struct td_lane_log *log, uint64_t number)
{
    if (number <= log->dropped)
        return;
    size_t gone = 0;
    for (; gone < log->gap_count && log->gaps[gone].index < number; gone++)
        log->gap_end = log->gaps[gone].end_ticks;
    log->gap_count -= gone;
    if (gone)
        memmove(log->gaps, log->gaps + gone, log->gap_count * sizeof *log->gaps);
    log->last = td_lane_log_before(log, number);
    log->dropped = number;
    const size_t recent = dropped_recent(log);
    if (recent == log->count || recent > FEW)
        remove_first(log, recent);
}

bool td_lane_log_is_unpacked(const struct td_lane_log *log)
{
    return log->dropped >= log->packed_base + td_series_count(&log->packed);
}

void td_lane_log_set_store(struct td_lane_log *log, struct td_store *store)
{
    td_series_init(&log->packed, store, COLUMNS, 0);
    log->packed_base = log->base;
}

int td_lane_log_room(struct td_lane_log *log, size_t more)
{
    if (log->count + more <= log->capacity)
        return 0;
    int rc = pack_old(log);
    if (rc == 0 && td_grow(&log->recent, &log->capacity, log->count + more, sizeof *log->recent) < 0)
        rc = TD_E_NOMEM;
    return rc;
}

/* ---- adding ---- */

static int add_at(struct td_lane_log *log, struct td_event event, size_t most_shifts, uint64_t *number)
{
    if (td_lane_log_room(log, 1) < 0)
        return TD_E_NOMEM;
    const size_t first = dropped_recent(log);
    size_t at = log->count++;
    for (size_t shifts = 0; at > first && shifts < most_shifts; at--, shifts++) {
        if (td_lane_event_end(&log->recent[at - 1]) <= td_lane_event_end(&event))
            break;
        log->recent[at] = log->recent[at - 1];
        const uint64_t moved = log->base + at - 1;
        for (size_t g = log->gap_count; g > 0 && log->gaps[g - 1].index >= moved; g--)
            log->gaps[g - 1].index += log->gaps[g - 1].index == moved;
    }
    log->recent[at] = event;
    *number = log->base + at;
    return 0;
}

int td_lane_log_add(struct td_lane_log *log, struct td_event event)
{
    uint64_t number;
    return add_at(log, event, MAX_SHIFTS, &number);
}

int td_lane_log_insert(struct td_lane_log *log, struct td_event event)
{
    uint64_t number;
    return add_at(log, event, SIZE_MAX, &number);
}

int td_lane_log_add_gap(struct td_lane_log *log, struct td_event event)
{
    uint64_t number;
    if (td_grow(&log->gaps, &log->gap_capacity, log->gap_count + 1, sizeof *log->gaps) < 0 ||
        add_at(log, event, MAX_SHIFTS, &number) < 0)
        return TD_E_NOMEM;
    struct td_lane_gap gap = {number, event.time_ns, event.value.end_ns};
    size_t g = log->gap_count++;
    for (; g > 0 && log->gaps[g - 1].index > gap.index; g--)
        log->gaps[g] = log->gaps[g - 1];
    log->gaps[g] = gap;
    return 0;
}

void td_lane_log_trim_gaps(struct td_lane_log *log, int64_t start, int64_t end)
{
    for (size_t g = log->gap_count; g > 0; g--) {
        struct td_lane_gap *gap = &log->gaps[g - 1];
        if (gap->end_ticks <= start)
            break;
        if (start <= gap->start_ticks || end < gap->end_ticks)
            continue;
        gap->end_ticks = start;
        if (gap->index >= log->base)
            log->recent[gap->index - log->base].value.end_ns = start;
    }
}

/* ---- reading ---- */

static void read_packed(const struct td_series *s, uint64_t first, unsigned count, struct td_event *events)
{
    int64_t column[COLUMNS][BLOCK];
    for (unsigned c = 0; c < COLUMNS; c++)
        td_series_read(s, c, first, count, column[c]);
    for (unsigned i = 0; i < count; i++) {
        uint64_t end = (uint64_t)column[COLUMN_END][i], value = (uint64_t)column[COLUMN_VALUE][i];
        int zone = column[COLUMN_KIND][i] == TD_EVENT_ZONE;
        events[i] = (struct td_event){.time_ns = (int64_t)(zone ? end - value : end),
                                      .value.u64 = zone ? end : value,
                                      .srcloc = (uint32_t)column[COLUMN_SRCLOC][i],
                                      .subject = (uint32_t)column[COLUMN_A][i],
                                      .kind = (uint32_t)column[COLUMN_KIND][i]};
    }
}

size_t td_lane_log_next(const struct td_lane_log *log, struct td_lane_log_cursor *cursor,
                        struct td_event *events)
{
    if (cursor->next < log->dropped)
        cursor->next = log->dropped;
    const uint64_t first = cursor->next;
    uint64_t left = first < log->base ? log->base - first : log->base + log->count - first;
    size_t count = left < BLOCK ? (size_t)left : BLOCK;
    if (first < log->base)
        read_packed(&log->packed, first - log->packed_base, (unsigned)count, events);
    else
        memcpy(events, log->recent + (first - log->base), count * sizeof *events);
    cursor->next += count;
    for (; cursor->gap < log->gap_count && log->gaps[cursor->gap].index < cursor->next; cursor->gap++)
        events[log->gaps[cursor->gap].index - first].value.end_ns = log->gaps[cursor->gap].end_ticks;
    return count;
}

struct td_event td_lane_log_packed_(const struct td_lane_log *log, uint64_t number)
{
    struct td_event event;
    read_packed(&log->packed, number - log->packed_base, 1, &event);
    return event;
}
