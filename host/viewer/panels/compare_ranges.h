/* Ranges of a trace that have a name: its sections, and the user's notes. */
#pragma once
#include "host/query/diff/comparison.h"
#include "host/viewer/model/annotations.h"

#define TD_RANGE_NAME  80
#define TD_RANGES_MOST 4000

struct td_named_range {
    char name[TD_RANGE_NAME]; /* of several of one name, the second is "NAME#2" */
    struct td_compare_range range;
    bool is_note;
};
struct td_named_ranges { /* all zero: none */
    struct td_named_range *at;
    size_t count, capacity;
};

/* Adds the first TD_RANGES_MOST sections of the trace, then the notes. 0 or TD_E_NOMEM. */
int td_named_ranges_make(struct td_named_ranges *ranges, const struct td_trace *trace,
                         const struct td_annotations *notes);
void td_named_ranges_free(struct td_named_ranges *ranges);
/* "all", a name, the only name that has this text, or a range such as 1ms..2ms. `side`: what the error calls the trace.
 * 0, or TD_E_NOTFOUND. */
int td_named_ranges_find(const struct td_named_ranges *ranges, const char *text, const char *side,
                         struct td_compare_range *range, struct td_err *err);
