/* Zones that are related to a zone: its parent, its longest child, the next one of its name; and its children in
 * groups. */
#pragma once
#include "host/trace/trace.h"
#include "host/query/task/job.h"
#include "host/query/sums/marks.h"

/* TD_NO_ZONE: it has none. */
struct td_zone_ref td_zone_parent(const struct td_trace *trace, struct td_zone_ref zone);
/* The same for zones of a row one after another: *at is the zone of the row above to look at first, 0 at first, and is
 * set for the next zone. */
struct td_zone_ref td_zone_parent_from(const struct td_trace *trace, struct td_zone_ref zone, uint64_t *at);
/* The zone of the same name that begins next in the track, or before (not `forward`), in any row. Looks at `most`
 * zones of a row at most. */
struct td_zone_ref td_zone_next_of_name(const struct td_trace *trace, struct td_zone_ref zone, bool forward,
                                        uint64_t most);

struct td_child_group { /* children of a name */
    const char *name;   /* owned by the dictionary */
    uint64_t count;
    int64_t total_ns;
    int64_t longest_ns;
    struct td_zone_ref longest;
};

struct td_children { /* all zero: none */
    struct td_child_group *group;
    size_t count, capacity; /* greatest total first */
    uint64_t zones;
    int64_t total_ns;           /* of the groups */
    struct td_zone_ref longest; /* child; TD_NO_ZONE: there is none */
};

/* Groups the children of a zone; an open one lasts until now_ns. `deep`: all descendants, by their self times. `job` may
 * be NULL. 0, TD_E_NOMEM or TD_E_STOPPED. */
int td_children_make(struct td_children *children, const struct td_trace *trace, struct td_zone_ref zone,
                     int64_t now_ns, bool deep, struct td_job *job);
void td_children_free(struct td_children *children);
