#include "host/trace/forget.h"
#include "host/trace/model.h"

#include <stdlib.h>

#define MARKS        64u
#define SEARCH_BYTES 4u /* of new texts, for each row, make it worth to search the rows for forgotten ones */

/* Rows without a time that belong to rows with one: how many there were when the newest event had this time.
 * What arrived later refers to later rows only. */
struct mark {
    int64_t time_ns;
    uint64_t extras, images;
};

struct forgetting {
    pthread_mutex_t lock; /* of the pins */
    unsigned turn, pins[2];
    struct mark marks[MARKS]; /* a ring */
    uint64_t mark_count;
    uint64_t images; /* the first image whose bytes were not given back */
    struct td_dict_holder holder;
};

static void hold_strings(void *self, struct td_dict *dict);

int td_trace_may_forget(struct td_trace *trace)
{
    trace->forgetting = calloc(1, sizeof *trace->forgetting);
    if (!trace->forgetting)
        return TD_E_NOMEM;
    pthread_mutex_init(&trace->forgetting->lock, NULL);
    td_dict_may_forget(trace->dict);
    trace->forgetting->holder = (struct td_dict_holder){.hold = hold_strings, .self = trace};
    td_dict_add_holder(trace->dict, &trace->forgetting->holder);
    td_store_recycle(trace->store);
    td_store_recycle(trace->scratch);
    return 0;
}

void td_trace_free_forgetting_(struct td_trace *trace)
{
    if (trace->forgetting) {
        pthread_mutex_destroy(&trace->forgetting->lock);
        td_dict_remove_holder(&trace->forgetting->holder);
    }
    free(trace->forgetting);
}

int64_t td_trace_newest(const struct td_trace *trace)
{
    return trace->last_time_ns;
}

uint64_t td_trace_row_bytes(const struct td_trace *trace)
{
    uint64_t scratch = trace->scratch ? td_store_chunk_bytes(trace->scratch) : 0;
    return td_store_chunk_bytes(trace->store) + scratch;
}

uint64_t td_trace_kept_rows_(const struct td_trace *trace, enum td_table table)
{
    uint64_t rows = 0, lists = td_trace_lists(trace, table);
    for (uint64_t i = 0; i < lists; i++) {
        const struct td_series *list = td_trace_list(trace, table, i);
        rows += td_series_count(list) - td_series_first(list);
    }
    return rows;
}

/* ---- pins ---- */

unsigned td_trace_pin(struct td_trace *trace)
{
    struct forgetting *f = trace->forgetting;
    if (!f)
        return 0;
    pthread_mutex_lock(&f->lock);
    unsigned pin = f->turn & 1;
    f->pins[pin]++;
    pthread_mutex_unlock(&f->lock);
    return pin;
}

void td_trace_unpin(struct td_trace *trace, unsigned pin)
{
    struct forgetting *f = trace->forgetting;
    if (!f)
        return;
    pthread_mutex_lock(&f->lock);
    f->pins[pin & 1]--;
    pthread_mutex_unlock(&f->lock);
}

/* What was retired in the turn before this one becomes free, once all readers that began before this turn have
 * ended. */
static void end_turn(struct td_trace *trace)
{
    struct forgetting *f = trace->forgetting;
    pthread_mutex_lock(&f->lock);
    bool may_turn = !f->pins[(f->turn + 1) & 1];
    f->turn += may_turn;
    pthread_mutex_unlock(&f->lock);
    if (!may_turn)
        return;
    td_store_turn(trace->store);
    td_store_turn(trace->scratch);
    td_dict_turn(trace->dict);
}

/* ---- rows ---- */

/* Keeps the zone before the first one that ends later, so that the children of the latter are known. */
static void forget_zones(struct td_trace *trace, uint32_t number, int64_t before_ns)
{
    const unsigned rising = 1u << TD_ZONE_START | 1u << TD_ZONE_CHILD_END;
    for (uint32_t r = 0, rows = td_trace_rows(trace, number); r < rows; r++) {
        struct td_series *row = (struct td_series *)(uintptr_t)td_trace_row(trace, number, r);
        uint64_t end = td_trace_zone_after(trace, number, r, before_ns);
        td_series_forget(row, end ? end - 1 : 0, rising);
    }
}

/* The column by which a table's rows are forgotten; TD_SERIES_COLUMNS: they stay. */
static unsigned forgotten_by(enum td_table table)
{
    return table == TD_TABLE_SWITCH ? TD_SWITCH_START : td_trace_time_column_(table);
}

/* All rows of the chunk, and the row after it, are before the time. Rows may be out of order. */
static bool is_chunk_before(const struct td_series *list, uint64_t first, unsigned column, int64_t before_ns)
{
    int64_t times[TD_SERIES_ROWS];
    if (td_series_get(list, first + TD_SERIES_ROWS, column) >= before_ns)
        return false;
    td_series_read(list, column, first, TD_SERIES_ROWS, times);
    for (unsigned i = 0; i < TD_SERIES_ROWS; i++) {
        if (times[i] >= before_ns)
            return false;
    }
    return true;
}

static void forget_rows(struct td_series *list, unsigned column, int64_t before_ns)
{
    uint64_t row = td_series_first(list), count = td_series_count(list);
    while (row + TD_SERIES_ROWS < count && is_chunk_before(list, row, column, before_ns))
        row += TD_SERIES_ROWS;
    td_series_forget(list, row, 1u << column);
}

static void forget_table(struct td_trace *trace, enum td_table table, int64_t before_ns)
{
    unsigned column = forgotten_by(table);
    uint64_t lists = column < TD_SERIES_COLUMNS ? td_trace_lists(trace, table) : 0;
    for (uint64_t i = 0; i < lists; i++) {
        const struct td_series *list = td_trace_list(trace, table, i);
        if (td_series_count(list) > TD_SERIES_ROWS)
            forget_rows((struct td_series *)(uintptr_t)list, column, before_ns);
    }
}

/* ---- rows without a time ---- */

static void forget_images(struct td_trace *trace, uint64_t end)
{
    struct forgetting *f = trace->forgetting;
    struct td_series *images = td_trace_fill_table(trace, TD_TABLE_IMAGE);
    if (!images || !images->count)
        return;
    end =
        (end < images->count ? end : images->count - 1) & ~(uint64_t)(TD_SERIES_ROWS - 1); /* whole chunks */
    for (uint64_t i = f->images; i < end; i++) {
        int64_t blob = td_series_get(images, i, TD_IMAGE_DATA);
        td_store_retire(trace->store, td_trace_blob_room(blob),
                        (size_t)td_series_get(images, i, TD_IMAGE_BYTES));
    }
    f->images = end > f->images ? end : f->images;
    td_series_forget(images, end, 0);
}

static void forget_marked(struct td_trace *trace, int64_t before_ns)
{
    struct forgetting *f = trace->forgetting;
    struct td_series *extras = td_trace_fill_table(trace, TD_TABLE_EXTRA);
    const struct mark *newest = NULL;
    for (uint64_t i = 0; i < MARKS && i < f->mark_count; i++) {
        const struct mark *mark = &f->marks[i];
        if (mark->time_ns < before_ns && (!newest || mark->time_ns > newest->time_ns))
            newest = mark;
    }
    if (newest) {
        if (extras)
            td_series_forget(extras, newest->extras, 0);
        forget_images(trace, newest->images);
    }
    f->marks[f->mark_count++ % MARKS] =
        (struct mark){trace->last_time_ns, td_series_count(td_trace_table(trace, TD_TABLE_EXTRA)),
                      td_series_count(td_trace_table(trace, TD_TABLE_IMAGE))};
}

/* ---- texts of rows ---- */

static void hold_column(const struct td_series *list, unsigned column, struct td_dict *dict)
{
    int64_t strings[TD_SERIES_ROWS];
    const uint64_t end = td_series_count(list);
    for (uint64_t row = td_series_first(list); row < end; row += TD_SERIES_ROWS) {
        const uint64_t count = end - row < TD_SERIES_ROWS ? end - row : TD_SERIES_ROWS;
        td_series_read(list, column, row, count, strings);
        for (uint64_t i = 0; i < count; i++)
            td_dict_hold(dict, (uint32_t)strings[i]);
    }
}

/* Columns of strings that may pass. */
static const struct {
    enum td_table table;
    unsigned column;
} passing[] = {
    {TD_TABLE_MESSAGE, TD_MESSAGE_TEXT}, {TD_TABLE_EXTRA, TD_EXTRA_TEXT}, {TD_TABLE_EXTRA, TD_EXTRA_NAME}};

/* Zones have their texts in rows of EXTRA, except open ones. */
static void hold_strings(void *self, struct td_dict *dict)
{
    const struct td_trace *trace = self;
    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
        hold_column(td_trace_table(trace, passing[i].table), passing[i].column, dict);
    for (uint32_t t = 0; t < trace->tracks.count; t++) {
        const struct track *track = td_trace_find_track_(trace, t);
        for (size_t i = 0; track && i < track->open_count; i++) {
            td_dict_hold(dict, track->open[i].extra.text);
            td_dict_hold(dict, track->open[i].extra.name);
        }
    }
}

static void forget_strings(struct td_trace *trace)
{
    uint64_t rows = 0;
    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
        rows += td_trace_kept_rows_(trace, passing[i].table);
    td_dict_forget(trace->dict, rows * SEARCH_BYTES);
}

void td_trace_forget(struct td_trace *trace, int64_t before_ns)
{
    if (!trace->forgetting || trace->finished)
        return;
    for (uint32_t t = 0; t < trace->tracks.count; t++) {
        struct track *track = (struct track *)(uintptr_t)td_trace_find_track_(trace, t);
        if (!track)
            continue;
        forget_zones(trace, t, before_ns);
        td_trace_forget_arrivals_(track, before_ns);
    }
    for (int table = 0; table < TD_TABLE_COUNT; table++)
        forget_table(trace, (enum td_table)table, before_ns);
    forget_marked(trace, before_ns);
    forget_strings(trace);
    end_turn(trace);
}
