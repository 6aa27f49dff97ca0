#include "host/event/event.h"
#include "host/base/grow.h"

struct td_hub {
    struct td_dict *dict;
    struct td_sink *sinks;
    size_t count, capacity;
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
    free(hub->sinks);
    free(hub);
}

struct td_dict *td_hub_dict(struct td_hub *hub)
{
    return hub->dict;
}

int td_hub_add_sink(struct td_hub *hub, struct td_sink sink)
{
    if (td_grow(&hub->sinks, &hub->capacity, hub->count + 1, sizeof *hub->sinks) < 0)
        return TD_E_NOMEM;
    hub->sinks[hub->count++] = sink;
    return 0;
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
