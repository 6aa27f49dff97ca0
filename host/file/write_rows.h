/* Internals of the writer: walks the zones of a track depth first, reading its rows window by window. */
#pragma once
#include "host/trace/fill.h"
#include "host/trace/tables.h"

struct row_window {
    const struct td_series *row;
    /* The next zone of the list that is walked, or the one whose children are walked: its place in the first
     * column. Columns are `apart` integers apart. */
    const int64_t *zone;
    const int64_t *stop; /* end of what is loaded of the list */
    size_t apart;
    uint64_t children;     /* first child of `zone`, in the next row */
    uint64_t later;        /* zones of the list that are not loaded */
    uint64_t loaded;       /* zones of the row until the window's end */
    int64_t *values, *end; /* of the window; NULL before it is first loaded */
};

struct row_walk {
    const struct td_trace *trace;
    uint32_t track, depth, rows;
    unsigned columns;
    struct row_window *window; /* of each row */
};

/* A column of `zone`. */
static inline int64_t td_rows_value_(const struct row_window *window, enum td_zone_column column)
{
    return window->zone[column * window->apart];
}

/* Returns 0 or TD_E_NOMEM; td_rows_end_() frees in both cases. */
int td_rows_begin_(struct row_walk *walk, const struct td_trace *trace, uint32_t track);
void td_rows_end_(struct row_walk *walk);
/* Loads what comes after the window, whose zones are passed. Returns 1 or TD_E_NOMEM. */
int td_rows_load_(struct row_walk *walk, struct row_window *window);

/* The list that is walked has `count` more zones. */
static inline void td_rows_list_(struct row_window *window, uint64_t count)
{
    const uint64_t loaded = (uint64_t)(window->end - window->zone), now = count < loaded ? count : loaded;
    window->stop = now ? window->zone + now : window->zone; /* of an empty list it is NULL */
    window->later = count - now;
}
/* Returns 1 and the *window that holds the next zone of the present list; 0: the list has ended; or
 * TD_E_NOMEM. */
static inline int td_rows_next_(struct row_walk *walk, struct row_window **window)
{
    struct row_window *now = *window = &walk->window[walk->depth];
    if (now->zone != now->stop)
        return 1;
    return now->later ? td_rows_load_(walk, now) : 0;
}
/* The number of children of the window's zone. */
static inline uint64_t td_rows_children_(const struct row_window *window)
{
    return (uint64_t)td_rows_value_(window, TD_ZONE_CHILD_END) - window->children;
}
/* Goes down to the children of the present list's next zone. */
static inline void td_rows_down_(struct row_walk *walk, uint64_t children)
{
    td_rows_list_(&walk->window[++walk->depth], children);
}
/* Goes past the next zone, whose children were walked. */
static inline void td_rows_pass_(struct row_window *window)
{
    window->children = (uint64_t)td_rows_value_(window, TD_ZONE_CHILD_END);
    window->zone++;
}
