#include "host/event/event.h"
#include "host/base/grow.h"
#include "host/event/map.h"

#define EXPANDED 64u /* events, in which a run of zones is passed to a sink that does not take runs */

struct td_hub {
    struct td_dict *dict;
    struct td_sink *sinks;
    size_t count, capacity;
    struct td_map lists; /* table << 48 | parent -> rows so far */
};

struct td_hub *td_hub_create(struct td_dict *dict)
{
    struct td_hub *hub = calloc(1, sizeof *hub);
    if (hub)
        hub->dict = dict;
    return hub;
}

void td_hub_destroy(struct td_hub *hub)
{
    if (!hub)
        return;
    td_map_finish(&hub->lists);
    free(hub->sinks);
    free(hub);
}

struct td_dict *td_hub_dict(struct td_hub *hub)
{
    return hub->dict;
}

int td_hub_add_sink(struct td_hub *hub, struct td_sink sink)
{
    return TD_APPEND(hub->sinks, hub->count, hub->capacity, sink);
}

int td_hub_push(struct td_hub *hub, const struct td_event *events, size_t count, struct td_err *err)
{
    int first = 0;
    for (size_t i = 0; i < hub->count; i++) {
        struct td_err later = {0};
        struct td_sink *sink = &hub->sinks[i];
        int rc = sink->events(sink->self, events, count, first ? &later : err);
        if (rc < 0 && !first)
            first = rc;
    }
    return first;
}

/* Passes a run of zones to a sink that takes events only. */
static int push_marks(const struct td_sink *sink, uint32_t track, const struct td_zone_mark *marks,
                      size_t count, struct td_err *err)
{
    struct td_event events[EXPANDED];
    int first = 0;
    for (size_t at = 0; at < count && !first;) {
        size_t n = 0;
        for (; n < EXPANDED && at < count; at++)
            events[n++] = td_zone_mark_event(track, &marks[at]);
        first = sink->events(sink->self, events, n, err);
    }
    return first;
}

int td_hub_zones(struct td_hub *hub, uint32_t track, const struct td_zone_mark *marks, size_t count,
                 struct td_err *err)
{
    int first = 0;
    for (size_t i = 0; i < hub->count; i++) {
        struct td_err later = {0};
        const struct td_sink *sink = &hub->sinks[i];
        int rc = sink->zones ? sink->zones(sink->self, track, marks, count, first ? &later : err)
                             : push_marks(sink, track, marks, count, first ? &later : err);
        if (rc < 0 && !first)
            first = rc;
    }
    return first;
}

int64_t td_hub_row(struct td_hub *hub, unsigned table, uint64_t parent, const int64_t *values,
                   struct td_err *err)
{
    uint64_t list = (uint64_t)table << 48 | parent;
    uint32_t number = td_map_get(&hub->lists, list, 0);
    if (table >= TD_HUB_TABLES || parent >> 48 || number == UINT32_MAX)
        return td_fail(err, TD_E_LIMIT, "too many rows of one kind for a trace");
    if (td_map_set(&hub->lists, list, number + 1) < 0)
        return td_fail_no_memory(err, "for the rows of a trace");
    int first = 0;
    for (size_t i = 0; i < hub->count; i++) {
        struct td_err later = {0};
        struct td_sink *sink = &hub->sinks[i];
        int rc = sink->row ? sink->row(sink->self, table, parent, values, first ? &later : err) : 0;
        if (rc < 0 && !first)
            first = rc;
    }
    if (first) /* not every sink has the row: its number is used again */
        td_map_set(&hub->lists, list, number);
    return first ? first : (int64_t)number;
}

int td_hub_set(struct td_hub *hub, unsigned table, uint64_t parent, uint64_t row, unsigned column,
               int64_t value, struct td_err *err)
{
    int first = 0;
    for (size_t i = 0; i < hub->count; i++) {
        struct td_err later = {0};
        struct td_sink *sink = &hub->sinks[i];
        int rc =
            sink->set ? sink->set(sink->self, table, parent, row, column, value, first ? &later : err) : 0;
        if (rc < 0 && !first)
            first = rc;
    }
    return first;
}
