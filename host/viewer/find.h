/* Zones by name: what matches a text, as a list of names and as a set of zones. */
#ifndef TD_HOST_VIEWER_FIND_H
#define TD_HOST_VIEWER_FIND_H
#include "host/viewer/marks.h"

#define TD_FIND_LIMIT 4000000 /* zones that a search keeps */

struct td_find_name {
    const char *name; /* of the dictionary */
    uint64_t count;
    int64_t total_ns;
    uint32_t srcloc; /* one of those with that name */
};

struct td_find { /* all zero: nothing is searched */
    char text[128];
    const char *only;           /* NULL, or the one name of the list that is looked at */
    struct td_find_name *names; /* longest total first */
    size_t name_count, name_capacity;
    uint64_t zones; /* sum of the counts */
    struct td_marks marks;
    bool active;
};

/* Searches for `text` (any part of the name, upper and lower case alike), or for `only` exactly if it is set;
 * an empty text ends the search. Walks over all zones once. */
int td_find_run(struct td_find *find, struct td_trace *trace, struct td_err *err);
void td_find_free(struct td_find *find);
#endif
