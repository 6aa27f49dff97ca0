#include "host/viewer/timeline/band_lists.h"
#include "host/base/sorted.h"
#include "host/viewer/timeline/band_items.h"
#include "host/base/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FRAMES (3 * TD_BAND_CELLS + 8)

bool td_band_is_list(const struct td_band_key *key)
{
    return key->row != TD_BAND_GROUP && key->row > TD_BAND_GHOSTS - TD_GHOST_ROWS;
}

/* ---- searches ---- */

/* Entries in the order of time. */
struct time_list {
    const struct td_series *entries;
    unsigned column;              /* of the time */
    const struct td_series *rows; /* the rows of `entries` that are in the list; NULL: all */
    uint64_t count;
};

static int64_t time_at(const struct time_list *list, uint64_t i)
{
    const uint64_t row = list->rows ? (uint64_t)td_series_get(list->rows, i, TD_TRACK_MESSAGE_MESSAGE) : i;
    return td_series_get(list->entries, row, list->column);
}

/* The first entry from `from` on that is not before time_ns. It is looked for near `from` first. */
static uint64_t entry_at(const struct time_list *list, uint64_t from, double time_ns)
{
    TD_BISECT_NEAR(from, list->count, i, (double)time_at(list, i) < time_ns);
    return from;
}

/* The cell of the band in which a time is, and the end of that cell. */
static double end_of_cell(const struct td_band_key *key, double time_ns)
{
    const double cell = td_band_cell_ns(key->level);
    return (floor(time_ns / cell) + 1) * cell;
}

/* The entries of one cell after the other: [*first, *end). False: there are no more in the band. */
static bool next_cell(const struct time_list *list, const struct td_band_key *key, uint64_t *first,
                      uint64_t *end)
{
    const double start_ns = td_band_start_ns(key);
    *first = *end == UINT64_MAX ? entry_at(list, 0, start_ns) : *end;
    if (*first >= list->count)
        return false;
    const double time_ns = (double)time_at(list, *first);
    if (time_ns >= start_ns + td_band_cell_ns(key->level) * TD_BAND_CELLS)
        return false;
    *end = entry_at(list, *first + 1, end_of_cell(key, time_ns));
    return true;
}

/* ---- messages ---- */

static int make_messages(const struct td_trace *trace, const struct td_series *numbers,
                         const struct td_band_key *key, struct td_band_data *data)
{
    const struct time_list list = {td_trace_table(trace, TD_TABLE_MESSAGE), TD_MESSAGE_TIME, numbers,
                                   td_series_count(numbers)};
    struct td_band_item items[TD_BAND_CELLS];
    uint32_t count = 0;
    uint64_t first, end = UINT64_MAX;
    while (next_cell(&list, key, &first, &end) && count < TD_BAND_CELLS) {
        const uint64_t number = (uint64_t)td_series_get(numbers, first, TD_TRACK_MESSAGE_MESSAGE);
        const struct td_message message = td_trace_message(trace, number);
        const uint64_t n = end - first;
        items[count] = (struct td_band_item){.start_ns = message.time_ns,
                                             .end_ns = time_at(&list, end - 1),
                                             .first = first,
                                             .count = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX,
                                             .color = message.color,
                                             .srcloc = message.text};
        count++;
    }
    data->complete = first < list.count;
    return td_band_keep_items(data, items, count);
}

static int make_samples(const struct td_series *samples, const struct td_band_key *key,
                        struct td_band_data *data)
{
    const struct time_list list = {samples, TD_SAMPLE_TIME, NULL, td_series_count(samples)};
    struct td_band_item items[TD_BAND_CELLS];
    uint32_t count = 0;
    uint64_t first, end = UINT64_MAX;
    while (next_cell(&list, key, &first, &end) && count < TD_BAND_CELLS) {
        items[count] = (struct td_band_item){.start_ns = time_at(&list, first),
                                             .end_ns = time_at(&list, end - 1),
                                             .first = first,
                                             .count = (uint32_t)(end - first)};
        count++;
    }
    data->complete = first < list.count;
    return td_band_keep_items(data, items, count);
}

/* ---- plots ---- */

void td_plot_source_init(struct td_plot_source *plots)
{
    *plots = (struct td_plot_source){0};
    pthread_mutex_init(&plots->lock, NULL);
}

void td_plot_source_free(struct td_plot_source *plots)
{
    for (size_t i = 0; i < plots->count; i++)
        td_plot_pyramid_free(&plots->pyramids[i]);
    free(plots->pyramids);
    pthread_mutex_destroy(&plots->lock);
}

size_t td_plot_source_bytes(const struct td_plot_source *plots)
{
    size_t bytes = plots->capacity * sizeof *plots->pyramids;
    for (size_t i = 0; i < plots->count; i++)
        bytes += td_plot_pyramid_bytes(&plots->pyramids[i]);
    return bytes;
}

/* To be called with the lock. NULL: no memory. */
static struct td_plot_pyramid *find_or_add_pyramid(struct td_plot_source *plots, uint32_t plot)
{
    const size_t need = (size_t)plot + 1;
    if (td_grow(&plots->pyramids, &plots->capacity, need, sizeof *plots->pyramids) < 0)
        return NULL;
    if (plots->count < need) {
        memset(plots->pyramids + plots->count, 0, (need - plots->count) * sizeof *plots->pyramids);
        plots->count = need;
    }
    return &plots->pyramids[plot];
}

static struct td_plot_point point_at(const struct td_series *points, uint64_t i)
{
    const int64_t bits = td_series_get(points, i, TD_POINT_VALUE);
    struct td_plot_point point = {.time_ns = td_series_get(points, i, TD_POINT_TIME)};
    memcpy(&point.value, &bits, sizeof bits);
    return point;
}

static struct td_band_point make_point(const struct td_plot_pyramid *pyramid, const struct td_series *points,
                                       uint64_t first, uint64_t end)
{
    const struct td_plot_point point = point_at(points, first);
    struct td_value_range range = {point.value, point.value};
    if (end - first > 1)
        range = td_plot_pyramid_range(pyramid, points, first, end);
    return range.least <= range.most ? (struct td_band_point){point.time_ns, range.least, range.most}
                                     : (struct td_band_point){point.time_ns, NAN, NAN};
}

static int make_points(const struct td_plot_pyramid *pyramid, const struct td_series *points,
                       const struct td_band_key *key, struct td_band_data *data)
{
    const struct time_list list = {points, TD_POINT_TIME, NULL, td_series_count(points)};
    struct td_band_point made[TD_BAND_CELLS + 2];
    uint32_t count = 0;
    uint64_t first, end = UINT64_MAX;
    while (next_cell(&list, key, &first, &end) && count <= TD_BAND_CELLS) {
        if (!count && first)
            made[count++] = make_point(pyramid, points, first - 1, first);
        made[count++] = make_point(pyramid, points, first, end);
    }
    if (!count && first)
        made[count++] = make_point(pyramid, points, first - 1, first);
    data->complete = first < list.count;
    if (data->complete)
        made[count++] = make_point(pyramid, points, first, first + 1);
    data->points = malloc((count + 1) * sizeof *made);
    if (!data->points)
        return TD_E_NOMEM;
    memcpy(data->points, made, count * sizeof *made);
    data->count = count;
    return 0;
}

static int make_plot(const struct td_trace *trace, struct td_plot_source *plots,
                     const struct td_band_key *key, struct td_band_data *data)
{
    const struct td_series *points = td_trace_list(trace, TD_TABLE_POINT, key->track);
    int rc = TD_E_NOMEM;
    pthread_mutex_lock(&plots->lock);
    struct td_plot_pyramid *pyramid = find_or_add_pyramid(plots, key->track);
    if (pyramid) {
        td_plot_pyramid_extend(pyramid, points); /* with fewer blocks, more points are read */
        rc = make_points(pyramid, points, key, data);
    }
    pthread_mutex_unlock(&plots->lock);
    return rc;
}

/* ---- frames ---- */

/* The first frame at or after `from` that ends after a time. It is looked for near `from` first. */
static size_t frame_after(const struct td_trace *trace, uint32_t set, size_t from, double time_ns)
{
    TD_BISECT_NEAR(from, td_trace_frames(trace, set), i,
                   (double)td_trace_frame(trace, set, i).end_ns <= time_ns);
    return from;
}

static int make_frames(const struct td_trace *trace, const struct td_band_key *key, struct td_band_data *data)
{
    const uint32_t set = key->track;
    const size_t all = td_trace_frames(trace, set);
    const double cell = td_band_cell_ns(key->level), start_ns = td_band_start_ns(key);
    struct td_band_item items[MAX_FRAMES];
    uint32_t count = 0;
    size_t next = frame_after(trace, set, 0, nextafter(start_ns, -INFINITY));
    while (next < all && count < MAX_FRAMES) {
        const size_t first = next++;
        const struct td_frame frame = td_trace_frame(trace, set, first);
        const bool open = frame.end_ns == TD_OPEN;
        struct td_band_item *item = &items[count];
        if ((double)frame.start_ns >= start_ns + cell * TD_BAND_CELLS) {
            data->complete = true;
            break;
        }
        *item = (struct td_band_item){.start_ns = frame.start_ns, .end_ns = frame.end_ns, .first = first};
        if (open || (double)(frame.end_ns - frame.start_ns) >= cell) {
            item->flags = TD_ITEM_ZONE | (open ? TD_ITEM_OPEN : 0u);
        } else {
            const size_t end = frame_after(trace, set, next, end_of_cell(key, (double)frame.start_ns));
            next = end > next ? end : next;
            item->end_ns = td_trace_frame(trace, set, next - 1).end_ns;
        }
        item->count = next - first < UINT32_MAX ? (uint32_t)(next - first) : UINT32_MAX;
        data->has_open |= open;
        count++;
    }
    return td_band_keep_items(data, items, count);
}

int td_band_make_list_(const struct td_trace *trace, const struct td_messages *messages,
                       struct td_plot_source *plots, const struct td_band_key *key, struct td_band_data *data)
{
    if (key->row == TD_BAND_SAMPLES)
        return make_samples(td_trace_list(trace, TD_TABLE_SAMPLE, key->track), key, data);
    if (key->row == TD_BAND_PLOT)
        return make_plot(trace, plots, key, data);
    if (key->row == TD_BAND_FRAMES)
        return make_frames(trace, key, data);
    return make_messages(trace, td_messages_list(messages, trace, key->track), key, data);
}
