/* Internals of the writer: walks the zones of a track depth first, reading its rows window by window. */
#ifndef TD_HOST_FILE_WRITE_ROWS_H
#define TD_HOST_FILE_WRITE_ROWS_H
#include "host/trace/fill.h"
#include "host/trace/tables.h"

struct row_window {
    const struct td_series *row;
    uint64_t next;          /* the zone that comes next, or whose children are being walked */
    uint64_t list_end;      /* end of the list that is being walked */
    uint64_t children;      /* first child of `next`, in the next row */
    uint64_t first, loaded; /* first zone of the window, number of zones */
    uint64_t capacity;
    int64_t *values; /* for each column, `capacity` values */
};

struct row_walk {
    const struct td_trace *trace;
    uint32_t track, depth, rows;
    unsigned columns;
    struct row_window *window; /* of each row */
};

/* A column's values in the window, from zone `next` on. */
static inline const int64_t *td_rows_column_(const struct row_window *window, enum td_zone_column column)
{
    return window->values + (size_t)column * window->capacity + (window->next - window->first);
}

/* Returns 0 or TD_E_NOMEM; td_rows_end_() frees in both cases. */
int td_rows_begin_(struct row_walk *walk, const struct td_trace *trace, uint32_t track);
void td_rows_end_(struct row_walk *walk);
/* Loads the window from `next` on. Returns 1 or TD_E_NOMEM. */
int td_rows_load_(struct row_walk *walk, struct row_window *window);

/* Returns 1 and the *window that holds the next zone of the present list; 0: the list has ended; or
 * TD_E_NOMEM. */
static inline int td_rows_next_(struct row_walk *walk, struct row_window **window)
{
    struct row_window *now = *window = &walk->window[walk->depth];
    if (now->next == now->list_end)
        return 0;
    return now->next < now->first + now->loaded ? 1 : td_rows_load_(walk, now);
}
/* The number of children of the window's zone `next`. */
static inline uint64_t td_rows_children_(const struct row_window *window)
{
    return (uint64_t)*td_rows_column_(window, TD_ZONE_CHILD_END) - window->children;
}
/* Goes down to the children of the present list's next zone. */
static inline void td_rows_down_(struct row_walk *walk, uint64_t children)
{
    walk->window[++walk->depth].list_end += children;
}
/* Goes past the next zone, whose children were walked. */
static inline void td_rows_pass_(struct row_window *window)
{
    window->children = (uint64_t)*td_rows_column_(window, TD_ZONE_CHILD_END);
    window->next++;
}
#endif
