/* Sets of zones of some source locations, such as the records of lost data, sorted by track, row and index.
 * Collecting a set reads the location of every zone once. */
#pragma once
#include "host/query/sums/zone_ref.h"
#include "host/trace/trace.h"

struct td_mark_row {
    uint32_t track, row;
    size_t first, count; /* range in `index` */
};

struct td_marks { /* all zero: the empty set */
    struct td_mark_row *rows;
    size_t row_count, row_capacity;
    size_t *index;
    size_t count, capacity;
    bool cut; /* the limit was reached: the set lacks further zones */
};

/* Replaces the set by the zones that mark lost data, up to a limit. */
int td_marks_lost(struct td_marks *marks, const struct td_trace *trace, struct td_err *err);
/* 0 or TD_E_NOMEM. */
int td_marks_copy(struct td_marks *to, const struct td_marks *from);
void td_marks_free(struct td_marks *marks);
