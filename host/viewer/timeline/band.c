#include "host/viewer/timeline/band_lists.h"
#include "host/viewer/timeline/band_ghosts.h"
#include "host/viewer/timeline/band_items.h"
#include "host/viewer/timeline/band_switches.h"
#include "host/viewer/timeline/match_cover.h"
#include "host/base/grow.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST_ROW 6 /* rows that are searched for waits and losses of a group */
#define MAX_ITEMS   (3 * TD_BAND_CELLS + 8)

/* ---- rows ---- */

struct source_row {
    pthread_mutex_t lock; /* held while the pyramid is used */
    struct td_pyramid pyramid;
};

struct source_track {
    struct source_row **rows;
    size_t count, capacity;
};

struct td_band_source {
    int references; /* atomic */
    const struct td_trace *trace;
    struct td_zone_styles styles;
    pthread_mutex_t lock; /* for the lists of rows */
    struct source_track *tracks;
    size_t track_count, track_capacity;
    struct td_band_parts parts;
    struct td_plot_source plots;
};

static const struct td_messages finished_messages;

struct td_band_source *td_band_source_create(const struct td_trace *trace)
{
    struct td_band_source *source = calloc(1, sizeof *source);
    if (!source)
        return NULL;
    source->references = 1;
    source->trace = trace;
    td_zone_styles_init(&source->styles, td_trace_dict(trace));
    pthread_mutex_init(&source->lock, NULL);
    td_plot_source_init(&source->plots);
    source->parts.messages = &finished_messages;
    return source;
}

struct td_band_source *td_band_source_share(struct td_band_source *source)
{
    __atomic_add_fetch(&source->references, 1, __ATOMIC_RELAXED);
    return source;
}

void td_band_source_color(struct td_band_source *source, struct td_zone_coloring as)
{
    source->styles.as = as;
}

void td_band_source_use(struct td_band_source *source, const struct td_band_parts *parts)
{
    source->parts = *parts;
    if (!parts->messages)
        source->parts.messages = &finished_messages;
}

void td_band_source_destroy(struct td_band_source *source)
{
    if (!source || __atomic_sub_fetch(&source->references, 1, __ATOMIC_ACQ_REL))
        return;
    for (size_t t = 0; t < source->track_count; t++) {
        for (size_t r = 0; r < source->tracks[t].count; r++) {
            struct source_row *row = source->tracks[t].rows[r];
            if (!row)
                continue;
            td_pyramid_free(&row->pyramid);
            pthread_mutex_destroy(&row->lock);
            free(row);
        }
        free(source->tracks[t].rows);
    }
    free(source->tracks);
    td_plot_source_free(&source->plots);
    td_zone_styles_free(&source->styles);
    pthread_mutex_destroy(&source->lock);
    free(source);
}

size_t td_band_source_bytes(const struct td_band_source *source)
{
    size_t bytes = sizeof *source + td_plot_source_bytes(&source->plots) +
                   source->track_capacity * sizeof *source->tracks;
    for (size_t t = 0; t < source->track_count; t++) {
        bytes += source->tracks[t].capacity * sizeof *source->tracks[t].rows;
        for (size_t r = 0; r < source->tracks[t].count; r++)
            if (source->tracks[t].rows[r])
                bytes += sizeof(struct source_row) + td_pyramid_bytes(&source->tracks[t].rows[r]->pyramid);
    }
    return bytes;
}

/* Grows a list of pointers or structs, and clears what is new. */
static int grow_cleared(void *array, size_t *count, size_t *capacity, size_t need, size_t item)
{
    if (need <= *count)
        return 0;
    if (td_grow(array, capacity, need, item) < 0)
        return TD_E_NOMEM;
    char *bytes;
    memcpy(&bytes, array, sizeof bytes);
    memset(bytes + *count * item, 0, (need - *count) * item);
    *count = need;
    return 0;
}

static struct source_row *find_or_add_row(struct td_band_source *source, uint32_t track, uint32_t number)
{
    struct source_row *row = NULL;
    pthread_mutex_lock(&source->lock);
    if (grow_cleared(&source->tracks, &source->track_count, &source->track_capacity, (size_t)track + 1,
                     sizeof *source->tracks) == 0) {
        struct source_track *t = &source->tracks[track];
        if (grow_cleared(&t->rows, &t->count, &t->capacity, (size_t)number + 1, sizeof *t->rows) == 0) {
            if (!t->rows[number] && (t->rows[number] = calloc(1, sizeof *t->rows[number])))
                pthread_mutex_init(&t->rows[number]->lock, NULL);
            row = t->rows[number];
        }
    }
    pthread_mutex_unlock(&source->lock);
    return row;
}

/* A row that is being read. */
struct open_row {
    struct td_row_reader reader;
    struct source_row *row; /* NULL: so few zones that it needs no pyramid */
    const struct td_pyramid *pyramid;
};

static int open_row(struct td_band_source *source, uint32_t track, uint32_t number, double open_ns,
                    struct open_row *open)
{
    static const struct td_pyramid none = {0};
    td_row_reader_begin(&open->reader, source->trace, &source->styles, track, number, open_ns);
    open->row = NULL;
    open->pyramid = &none;
    if (open->reader.zones <= TD_PYRAMID_ZONES)
        return 0;
    open->row = find_or_add_row(source, track, number);
    if (!open->row)
        return TD_E_NOMEM;
    pthread_mutex_lock(&open->row->lock);
    open->pyramid = &open->row->pyramid;
    td_pyramid_extend(&open->row->pyramid, &open->reader); /* with fewer blocks, more zones are read */
    return 0;
}

static void close_row(struct open_row *open)
{
    if (open->row)
        pthread_mutex_unlock(&open->row->lock);
}

/* ---- bands of rows ---- */

static struct td_band_item make_zone_item(const struct td_row_reader *reader, uint64_t index, uint32_t at)
{
    uint32_t flags = reader->flags[at] | TD_ITEM_ZONE | (reader->end[at] == TD_OPEN ? TD_ITEM_OPEN : 0);
    return (struct td_band_item){.start_ns = reader->start[at],
                                 .end_ns = reader->end[at],
                                 .first = index,
                                 .flags = (uint8_t)flags,
                                 .coverage = 255,
                                 .count = 1,
                                 .color = reader->color[at],
                                 .srcloc = reader->srcloc[at]};
}

static struct td_band_item make_run_item(const struct td_zone_sum *sum, uint64_t first, uint64_t count)
{
    const double span = (double)sum->end_ns - (double)sum->start_ns;
    const double covered = (double)sum->busy_ns + (double)sum->lost_ns;
    return (struct td_band_item){.start_ns = sum->start_ns,
                                 .end_ns = sum->end_ns,
                                 .first = first,
                                 .flags = (uint8_t)sum->flags,
                                 .coverage = (uint8_t)(span > 0 ? ceil(fmin(covered / span, 1) * 255) : 255),
                                 .count = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX,
                                 .color = sum->color,
                                 .srcloc = sum->srcloc};
}

int td_band_make_row(struct td_band_source *source, const struct td_band_key *key, double open_ns,
                     struct td_band_data *data)
{
    struct td_band_item items[MAX_ITEMS];
    struct open_row open;
    const double cell = td_band_cell_ns(key->level), start = td_band_start_ns(key);
    *data = (struct td_band_data){0};
    if (open_row(source, key->track, key->row, open_ns, &open) < 0)
        return TD_E_NOMEM;
    struct td_row_reader *reader = &open.reader;
    /* Zones that end at the start may have no length there. */
    uint64_t next = td_pyramid_after(open.pyramid, reader, 0, nextafter(start, -INFINITY));
    while (next < reader->zones && data->count < MAX_ITEMS) {
        const uint64_t first = next++;
        const uint32_t at = td_row_reader_at(reader, first);
        const double from = (double)reader->start[at];
        if (from >= start + cell * TD_BAND_CELLS)
            break;
        if (reader->end[at] == TD_OPEN || (double)(reader->end[at] - reader->start[at]) >= cell) {
            items[data->count++] = make_zone_item(reader, first, at);
            continue;
        }
        uint64_t end = td_pyramid_after(open.pyramid, reader, next, (floor(from / cell) + 1) * cell);
        next = end > next ? end : next;
        struct td_zone_sum sum = td_pyramid_sum(open.pyramid, reader, first, next);
        items[data->count++] = make_run_item(&sum, first, next - first);
    }
    data->has_open = reader->has_open;
    close_row(&open);
    return td_band_keep_items(data, items, data->count);
}

/* ---- bands of groups ---- */

static int add_messages(struct td_band_source *source, const struct td_band_key *key, uint32_t track,
                        uint32_t *flags)
{
    const struct td_band_key of_track = {track, TD_BAND_MESSAGES, key->level, key->index};
    const double cell = td_band_cell_ns(key->level), start = td_band_start_ns(key);
    struct td_band_data data;
    if (!td_messages_count(source->parts.messages, source->trace, track))
        return 0;
    if (td_band_make_list(source, &of_track, 0, &data) < 0)
        return TD_E_NOMEM;
    for (uint32_t i = 0; i < data.count; i++) {
        const double at = floor(((double)data.items[i].start_ns - start) / cell);
        if (at >= 0 && at < TD_BAND_CELLS)
            flags[(unsigned)at] |= TD_CELL_MESSAGE;
    }
    td_band_data_free(&data);
    return 0;
}

/* Adds the shares of a track. */
static int add_track(struct td_band_source *source, const struct td_band_key *key, uint32_t track, bool deep,
                     double open_ns, float *busy, float *wait, uint32_t *flags, bool *has_open)
{
    const double cell = td_band_cell_ns(key->level), start = td_band_start_ns(key);
    const uint32_t all = td_trace_rows(source->trace, track), most = deep ? DEEPEST_ROW : 1;
    const uint32_t rows = all < most ? all : most;
    struct td_cover cover[TD_BAND_CELLS], inside[TD_BAND_CELLS];
    memset(cover, 0, sizeof cover);
    memset(inside, 0, sizeof inside);
    for (uint32_t r = 0; r < rows; r++) {
        struct open_row open;
        if (open_row(source, track, r, open_ns, &open) < 0)
            return TD_E_NOMEM;
        td_pyramid_cover(open.pyramid, &open.reader, start, cell, TD_BAND_CELLS,
                         r ? TD_SRCLOC_WAIT | TD_SRCLOC_LOST : 0, r ? inside : cover);
        *has_open |= open.reader.has_open;
        close_row(&open);
    }
    for (unsigned c = 0; c < TD_BAND_CELLS; c++) {
        /* A stall within a zone is no work. */
        const double work = fmin(fmax(cover[c].busy_ns - inside[c].lost_ns, 0), cell);
        busy[c] += (float)(work / cell);
        wait[c] += (float)(fmin(cover[c].wait_ns + inside[c].wait_ns, work) / cell);
        flags[c] |= cover[c].flags | inside[c].flags;
    }
    return add_messages(source, key, track, flags);
}

static uint16_t share_of(float sum, uint32_t tracks)
{
    const float share = sum / (float)tracks * TD_BAND_SHARE;
    return sum <= 0 ? 0 : (uint16_t)fmaxf(1, fminf(share + .5f, TD_BAND_SHARE));
}

int td_band_make_group(struct td_band_source *source, const struct td_band_key *key, const uint32_t *tracks,
                       uint32_t count, bool deep, double open_ns, struct td_band_data *data)
{
    float busy[TD_BAND_CELLS] = {0}, wait[TD_BAND_CELLS] = {0};
    uint32_t flags[TD_BAND_CELLS] = {0};
    *data = (struct td_band_data){.count = TD_BAND_CELLS};
    data->cells = calloc(TD_BAND_CELLS, sizeof *data->cells);
    if (!data->cells)
        return TD_E_NOMEM;
    for (uint32_t i = 0; i < count; i++)
        if (add_track(source, key, tracks[i], deep, open_ns, busy, wait, flags, &data->has_open) < 0)
            return TD_E_NOMEM;
    for (unsigned c = 0; count && c < TD_BAND_CELLS; c++) {
        const uint16_t work = share_of(busy[c], count), waiting = share_of(wait[c], count);
        data->cells[c] = (struct td_cell){work, waiting < work ? waiting : work, flags[c]};
    }
    return 0;
}

int td_band_make_list(struct td_band_source *source, const struct td_band_key *key, double open_ns,
                      struct td_band_data *data)
{
    *data = (struct td_band_data){0};
    if (td_band_is_switches(key))
        return td_band_make_switches_(source->parts.switches, key, open_ns, data);
    if (td_band_is_ghosts(key))
        return td_band_make_ghosts_(source->parts.ghosts, source->trace, key, data);
    return td_band_make_list_(source->trace, source->parts.messages, &source->plots, key, data);
}

void td_band_data_free(struct td_band_data *data)
{
    free(data->items);
    free(data->cells);
    free(data->points);
    *data = (struct td_band_data){0};
}

/* ---- matches ---- */

static uint8_t match_share(double part)
{
    return part <= 0 ? 0 : (uint8_t)fmax(1, fmin(part, 1) * 255);
}

static int match_items(struct td_band_source *source, const struct td_band_key *key,
                       const struct td_band_data *data, const struct td_matches *matches, double open_ns,
                       uint8_t *shares)
{
    const struct td_match_row *row = td_matches_row(matches, key->track, key->row);
    struct open_row open;
    if (!row)
        return 0;
    if (open_row(source, key->track, key->row, open_ns, &open) < 0)
        return TD_E_NOMEM;
    for (uint32_t i = 0; i < data->count; i++) {
        const struct td_band_item *item = &data->items[i];
        if (td_matches_in(matches, key->track, key->row, item->first, item->count) == SIZE_MAX)
            continue;
        if (item->flags & TD_ITEM_ZONE) {
            shares[i] = 255;
            continue;
        }
        const double span = (double)(item->end_ns - item->start_ns) * item->coverage / 255;
        const double found = td_matches_sum_ns(row, &open.reader, item->first, item->first + item->count);
        shares[i] = match_share(span > 0 ? fmax(found / span, 1e-9) : 1);
    }
    close_row(&open);
    return 0;
}

static int match_cells(struct td_band_source *source, const struct td_band_key *key, const uint32_t *tracks,
                       uint32_t count, const struct td_matches *matches, double open_ns, uint8_t *shares)
{
    const double cell = td_band_cell_ns(key->level), start = td_band_start_ns(key);
    double sum[TD_BAND_CELLS] = {0};
    for (uint32_t i = 0; i < count; i++) {
        double covered[TD_BAND_CELLS] = {0};
        const struct td_match_row *row;
        for (uint32_t r = 0; (row = td_matches_row(matches, tracks[i], r)); r++) {
            struct open_row open;
            if (open_row(source, tracks[i], r, open_ns, &open) < 0)
                return TD_E_NOMEM;
            td_matches_cover(row, open.pyramid, &open.reader, start, cell, TD_BAND_CELLS, covered);
            close_row(&open);
        }
        for (unsigned c = 0; c < TD_BAND_CELLS; c++)
            sum[c] += fmin(covered[c] / cell, 1);
    }
    for (unsigned c = 0; count && c < TD_BAND_CELLS; c++)
        shares[c] = match_share(sum[c] / count);
    return 0;
}

uint8_t *td_band_match(struct td_band_source *source, const struct td_band_key *key,
                       const struct td_band_data *data, const uint32_t *tracks, uint32_t count,
                       const struct td_matches *matches, double open_ns)
{
    uint8_t *shares = calloc((size_t)data->count + 1, 1);
    int rc = !shares       ? TD_E_NOMEM
             : data->items ? match_items(source, key, data, matches, open_ns, shares)
                           : match_cells(source, key, tracks, count, matches, open_ns, shares);
    if (rc == 0)
        return shares;
    free(shares);
    return NULL;
}
