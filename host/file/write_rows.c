#include "host/file/write_rows.h"

#include <stdlib.h>

/* Zones in a window: a chunk, which is unpacked once. Deep rows are many and mostly short. */
#define WINDOW      TD_SERIES_ROWS
#define WINDOW_DEEP 64u
#define DEEP        8u
/* Integers between two columns: if columns were a power of two apart, a zone's values would be in the same few
 * places of a processor's cache. */
#define GAP 8u

int td_rows_begin_(struct row_walk *walk, const struct td_trace *trace, uint32_t track)
{
    *walk = (struct row_walk){.trace = trace, .track = track, .rows = td_trace_rows(trace, track)};
    walk->window = calloc((size_t)walk->rows + 1, sizeof *walk->window);
    if (!walk->window)
        return TD_E_NOMEM;
    for (uint32_t i = 0; i < walk->rows; i++)
        walk->window[i].row = td_trace_row(trace, track, i);
    if (walk->rows) {
        walk->columns = walk->window[0].row->columns;
        td_rows_list_(walk->window, td_series_count(walk->window->row));
    }
    return 0;
}

void td_rows_end_(struct row_walk *walk)
{
    for (uint32_t i = 0; walk->window && i < walk->rows; i++)
        free(walk->window[i].values);
    free(walk->window);
}

/* The window gets its memory. */
static int make_window(struct row_window *window, uint64_t zones, unsigned columns)
{
    window->apart = (size_t)zones + GAP;
    window->values = malloc(window->apart * columns * sizeof *window->values);
    return window->values ? 0 : TD_E_NOMEM;
}

int td_rows_load_(struct row_walk *walk, struct row_window *window)
{
    const uint64_t total = td_series_count(window->row), most = walk->depth < DEEP ? WINDOW : WINDOW_DEEP;
    if (!window->values && make_window(window, total < most ? total : most, walk->columns) < 0)
        return TD_E_NOMEM;
    const uint64_t room = window->apart - GAP, left = total - window->loaded;
    const uint64_t count = left < room ? left : room;
    for (unsigned c = 0; c < walk->columns; c++)
        td_series_read(window->row, c, window->loaded, count, window->values + c * window->apart);
    window->loaded += count;
    window->end = window->values + count;
    window->zone = window->values;
    td_rows_list_(window, window->later);
    return 1;
}
