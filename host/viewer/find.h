/* Searches zones by name. The result is a list of names and a set of zones. */
#ifndef TD_HOST_VIEWER_FIND_H
#define TD_HOST_VIEWER_FIND_H
#include "host/viewer/marks.h"

#define TD_FIND_LIMIT 4000000 /* zones in the result of a search */

struct td_find_name {
    const char *name; /* owned by the dictionary */
    uint64_t count;
    int64_t total_ns;
    uint32_t srcloc; /* one of the source locations with that name */
};

struct td_find { /* all zero: no search */
    char text[128];
    const char *only;           /* NULL, or the name of the list that the user chose */
    struct td_find_name *names; /* longest total time first */
    size_t name_count, name_capacity;
    uint64_t zones; /* sum of the counts */
    struct td_marks marks;
    bool active;
};

/* Searches for names that contain `text` (case-insensitive), or, if `only` is set, for that exact name. An
 * empty text ends the search. Reads every zone once. */
int td_find_run(struct td_find *find, struct td_trace *trace, struct td_err *err);
void td_find_free(struct td_find *find);
#endif
