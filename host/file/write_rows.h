/* Inside of the writer: the zones of a track, depth first, from rows that are read window by window. */
#ifndef TD_HOST_FILE_WRITE_ROWS_H
#define TD_HOST_FILE_WRITE_ROWS_H
#include "host/trace/fill.h"
#include "host/trace/tables.h"

struct row_window {
    const struct td_series *row;
    uint64_t next;          /* the zone that comes next; while its children are walked, that zone */
    uint64_t list_end;      /* where the list that is being walked ends */
    uint64_t children;      /* where the children of `next` begin in the next row */
    uint64_t first, loaded; /* zones of the window */
    uint64_t capacity;
    int64_t *values; /* `capacity` of each column */
};

struct row_walk {
    const struct td_trace *trace;
    uint32_t track, depth, rows;
    unsigned columns;
    struct row_window *window; /* one a row */
};

/* The values of a column in the window, that of zone `next` first. */
static inline const int64_t *td_rows_column_(const struct row_window *window, enum td_zone_column column)
{
    return window->values + (size_t)column * window->capacity + (window->next - window->first);
}

/* 0, or -1: no memory. */
int td_rows_begin_(struct row_walk *walk, const struct td_trace *trace, uint32_t track);
void td_rows_end_(struct row_walk *walk);
int td_rows_load_(struct row_walk *walk, struct row_window *window);

/* The window of the present list with the next zone in it: 1; the list has ended: 0; no memory: -1. */
static inline int td_rows_next_(struct row_walk *walk, struct row_window **window)
{
    struct row_window *now = *window = &walk->window[walk->depth];
    if (now->next == now->list_end)
        return 0;
    return now->next < now->first + now->loaded ? 1 : td_rows_load_(walk, now);
}
/* The children of `next` of a window that td_rows_next_() gave. */
static inline uint64_t td_rows_children_(const struct row_window *window)
{
    return (uint64_t)*td_rows_column_(window, TD_ZONE_CHILD_END) - window->children;
}
/* To the children of the present list's next zone. */
static inline void td_rows_down_(struct row_walk *walk, uint64_t children)
{
    walk->window[++walk->depth].list_end += children;
}
/* Past the zone that is next and its children. */
static inline void td_rows_pass_(struct row_window *window)
{
    window->children = (uint64_t)*td_rows_column_(window, TD_ZONE_CHILD_END);
    window->next++;
}
#endif
