/* The table of the ranges of time that can be counted. It has rows if the request is with what the viewer's panel has
 * made; it is not in the list of tables. */
#pragma once
#include "host/query/table/query_table.h"

/* X(ID, text) */
#define TD_RANGE_KINDS(X)                                                                                    \
    X(ALL, "all")                                                                                            \
    X(VISIBLE, "visible")                                                                                    \
    X(MARKED, "marked")                                                                                      \
    X(NOTE, "note")                                                                                          \
    X(SECTION, "section")
enum td_range_kind {
#define TD_X(id, text) TD_RANGE_##id,
    TD_RANGE_KINDS(TD_X)
#undef TD_X
};

#define TD_COUNTED_NAME 120
struct td_counted_range {
    enum td_range_kind kind;
    char name[TD_COUNTED_NAME];
    int64_t from_ns, to_ns;
};
struct td_ranges_wanted { /* on the heap */
    size_t count;
    struct td_counted_range at[];
};
extern const struct td_query_table td_table_ranges;
const struct td_counted_range *td_range_at(const struct td_query_rows *rows, uint64_t row);
