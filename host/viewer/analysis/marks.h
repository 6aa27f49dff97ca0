/* Sets of zones of some source locations, such as the records of lost data, sorted by track, row and index.
 * Collecting a set reads the location of every zone once. */
#ifndef TD_HOST_VIEWER_ANALYSIS_MARKS_H
#define TD_HOST_VIEWER_ANALYSIS_MARKS_H
#include "host/trace/trace.h"
#include <stdbool.h>

struct td_zone_ref {
    uint32_t track, row;
    size_t index;
};
static inline bool td_ref_equal(struct td_zone_ref a, struct td_zone_ref b)
{
    return a.track == b.track && a.row == b.row && a.index == b.index;
}
#define TD_NO_ZONE ((struct td_zone_ref){UINT32_MAX, 0, 0})
static inline bool td_ref_valid(struct td_zone_ref ref)
{
    return ref.track != UINT32_MAX;
}

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

/* True: zones of the location belong to the set. */
typedef bool td_mark_test(void *self, uint32_t srcloc);
/* Replaces the set by all zones that pass the test, at most `limit`. */
int td_marks_collect(struct td_marks *marks, const struct td_trace *trace, td_mark_test *test, void *self,
                     size_t limit, struct td_err *err);
void td_marks_free(struct td_marks *marks);
#endif
