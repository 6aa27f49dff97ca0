#include "host/file/write_rows.h"

#include <stdlib.h>

/* Zones in a window. Deep rows are many and mostly short. */
#define WINDOW      512u
#define WINDOW_DEEP 64u
#define DEEP        8u

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
        walk->window[0].list_end = td_series_count(walk->window[0].row);
    }
    return 0;
}

void td_rows_end_(struct row_walk *walk)
{
    for (uint32_t i = 0; walk->window && i < walk->rows; i++)
        free(walk->window[i].values);
    free(walk->window);
}

int td_rows_load_(struct row_walk *walk, struct row_window *window)
{
    uint64_t total = td_series_count(window->row);
    if (!window->values) {
        uint64_t capacity = walk->depth < DEEP ? WINDOW : WINDOW_DEEP;
        window->capacity = total < capacity ? total : capacity;
        window->values = malloc(window->capacity * walk->columns * sizeof *window->values);
        if (!window->values)
            return TD_E_NOMEM;
    }
    uint64_t count = total - window->next;
    window->first = window->next;
    window->loaded = count < window->capacity ? count : window->capacity;
    for (unsigned c = 0; c < walk->columns; c++)
        td_series_read(window->row, c, window->first, window->loaded, window->values + c * window->capacity);
    return 1;
}
