/* Functions by their samples: in themselves, and with what they call. */
#include "host/base/cell_text.h"
#include "host/base/grow.h"
#include "host/query/code/symbol_sums.h"
#include "host/query/table/text_filter.h"
#include "host/viewer/panels/sampled.h"
#include "host/viewer/panels/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOLS_HEIGHT 30

enum symbols_column { NAME, SELF, SELF_SHARE, TOTAL, TOTAL_SHARE, SELF_TIME, BYTES, SOURCE, IMAGE, COLUMNS };

static const struct td_column columns[COLUMNS] = {
    [NAME] = {.title = "Function"},
    [SELF] = {.title = "Samples", .width = 84, .right = true},
    [SELF_SHARE] = {.title = "Share", .width = 76, .right = true},
    [TOTAL] = {.title = "With calls", .width = 88, .right = true},
    [TOTAL_SHARE] = {.title = "Share", .width = 76, .right = true},
    [SELF_TIME] = {.title = "Time", .width = 92, .right = true},
    [BYTES] = {.title = "Bytes", .width = 78, .right = true},
    [SOURCE] = {.title = "Source", .width = 250},
    [IMAGE] = {.title = "Image", .width = 150},
};

enum symbols_by { BY_FUNCTION, BY_FILE, BY_IMAGE };

struct symbols {
    struct td_list list;
    char filter[96], made_with[96];
    struct td_job job;
    struct td_sampled sampled; /* the request */
    bool request_inlines;
    struct td_symbol_sums made, shown;
    bool any, started;
    bool joined;    /* inlined functions count as those that they are inlined into */
    bool no_kernel; /* functions of the kernel are left out */
    enum symbols_by by;
    struct td_symbol_sum *rows; /* by file or image: `name` is that of it, sums are of its functions */
    size_t count, capacity;
    bool dirty;
};

static struct symbols *state_of(const struct td_view *view)
{
    return view->panels.slot[TD_PANEL_SYMBOLS].state;
}

static void make_symbols(void *self, struct td_job *job)
{
    struct symbols *s = self;
    const struct td_progress progress = td_job_progress_of(job);
    struct td_stack_counts counts = {0};
    struct td_err err = {0};
    /* Without memory the table is empty. */
    if (td_stack_counts_make(s->sampled.trace, &s->sampled.choice, &progress, &counts, &err) == 0)
        td_symbol_sums_make(s->sampled.trace, &s->sampled.choice, &counts, s->request_inlines, &progress,
                            &s->made, &err);
    td_stack_counts_free(&counts);
}

/* ---- rows ---- */

struct symbols_order {
    const struct td_view *view;
    int column;
    bool descending;
};

static int compare_texts(const struct symbols_order *o, uint32_t a, uint32_t b)
{
    return strcmp(td_dict_text(o->view->model.dict, a), td_dict_text(o->view->model.dict, b));
}

static int compare_rows(const void *a, const void *b, void *self)
{
    const struct symbols_order *o = self;
    const struct td_symbol_sum *x = a, *y = b;
    int result;
    if (o->column == NAME)
        result = compare_texts(o, x->name, y->name);
    else if (o->column == SOURCE || o->column == IMAGE)
        result =
            o->column == SOURCE ? compare_texts(o, x->file, y->file) : compare_texts(o, x->image, y->image);
    else if (o->column == BYTES)
        result = x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
    else if (o->column == TOTAL || o->column == TOTAL_SHARE)
        result = x->total < y->total ? -1 : x->total > y->total;
    else
        result = x->self < y->self ? -1 : x->self > y->self;
    if (o->descending)
        result = -result;
    if (!result)
        result = compare_texts(o, x->name, y->name);
    return result ? result : x->address < y->address ? -1 : x->address > y->address;
}

static void sort_rows(struct td_view *view, struct symbols *s)
{
    struct symbols_order order = {view, s->list.sort, s->list.descending};
    if (s->count)
        qsort_r(s->rows, s->count, sizeof *s->rows, compare_rows, &order);
}

static bool row_passes(const struct td_view *view, const struct symbols *s, const struct td_symbol_sum *sum)
{
    if (s->no_kernel && sum->is_kernel)
        return false;
    const char *const texts[] = {td_symbol_sum_name(view->model.trace, sum),
                                 td_dict_text(view->model.dict, sum->file),
                                 td_dict_text(view->model.dict, sum->image)};
    return td_texts_pass(s->filter, texts, sizeof texts / sizeof *texts);
}

/* The row of the file or image of a function. */
static struct td_symbol_sum *joined_row(struct symbols *s, const struct td_symbol_sum *sum)
{
    const uint32_t name = s->by == BY_FILE ? sum->file : sum->image;
    for (size_t i = 0; i < s->count; i++)
        if (s->rows[i].name == name)
            return &s->rows[i];
    s->rows[s->count] = (struct td_symbol_sum){.name = name, .is_kernel = sum->is_kernel};
    return &s->rows[s->count++];
}

static void make_rows(struct td_view *view, struct symbols *s)
{
    s->count = 0;
    s->dirty = false;
    memcpy(s->made_with, s->filter, sizeof s->made_with);
    s->list.selected = 0;
    if (td_grow(&s->rows, &s->capacity, s->shown.count + 1, sizeof *s->rows) < 0)
        return;
    for (size_t i = 0; i < s->shown.count; i++) {
        const struct td_symbol_sum *sum = &s->shown.at[i];
        if (!row_passes(view, s, sum))
            continue;
        if (s->by == BY_FUNCTION) {
            s->rows[s->count++] = *sum;
        } else { /* totals of functions that call each other would count twice */
            struct td_symbol_sum *row = joined_row(s, sum);
            row->self += sum->self;
            row->bytes += sum->bytes;
        }
    }
    sort_rows(view, s);
}

static void update(struct td_view *view, struct symbols *s)
{
    bool fresh;
    const uint64_t key = td_mix64(td_sampled_key(view) ^ s->joined);
    if (!s->started) {
        s->list.sort = SELF;
        s->list.descending = s->started = true;
    }
    const enum td_job_state state = td_job_want(&s->job, key, &fresh);
    if (fresh) {
        TD_JOB_TAKE(&s->shown, &s->made, td_symbol_sums_free);
        s->any = s->dirty = true;
    }
    if (s->dirty || strcmp(s->made_with, s->filter))
        make_rows(view, s);
    if (state != TD_JOB_WANTED)
        return;
    td_sampled_free(&s->sampled);
    td_symbol_sums_free(&s->made);
    s->request_inlines = !s->joined;
    if (td_sampled_choose(&s->sampled, view))
        td_job_start(&s->job, key, make_symbols, s);
}

/* ---- drawing ---- */

static double share_of(const struct symbols *s, uint64_t samples)
{
    return s->shown.samples ? (double)samples / (double)s->shown.samples : 0;
}

static void draw_row(struct td_list_drawing *d, const struct symbols *s, const struct td_symbol_sum *r)
{
    const struct td_view *view = d->view;
    const char *file = td_dict_text(view->model.dict, r->file),
               *name = td_symbol_sum_name(view->model.trace, r);
    char text[400];
    const td_rgba color = r->is_kernel ? 0xffff8f86u : r->is_inlined ? TD_C(TEXT_DIM) : TD_C(TEXT);
    td_list_bar(d, SELF_SHARE, (float)share_of(s, r->self), 0xff31495a);
    snprintf(text, sizeof text, "%.300s%s", name, r->is_inlined ? "  (inlined)" : "");
    td_list_name(d, NAME, td_color_of_name(name), color, text);
    td_list_text(d, SELF, TD_C(TEXT), td_format_count(text, r->self));
    snprintf(text, sizeof text, "%.2f %%", share_of(s, r->self) * 100);
    td_list_text(d, SELF_SHARE, TD_C(TEXT), text);
    td_list_text(d, SELF_TIME, TD_C(TEXT_DIM), td_format_ns(text, td_sampled_ns(view->model.trace, r->self)));
    if (s->by == BY_FUNCTION) {
        td_list_text(d, TOTAL, TD_C(TEXT), td_format_count(text, r->total));
        snprintf(text, sizeof text, "%.2f %%", share_of(s, r->total) * 100);
        td_list_text(d, TOTAL_SHARE, TD_C(TEXT_DIM), text);
    }
    td_list_text(d, BYTES, TD_C(TEXT_DIM), r->bytes ? td_format_count(text, r->bytes) : "");
    snprintf(text, sizeof text, "%.300s:%" PRIu32, file, r->line);
    td_list_text(d, SOURCE, TD_C(TEXT_FAINT), *file ? text : "");
    td_list_text(d, IMAGE, TD_C(TEXT_FAINT), td_dict_text(view->model.dict, r->image));
}

static void copy_table(struct td_view *view, const struct symbols *s)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    if (!f)
        return;
    fprintf(f, "name\taddress\tself\ttotal\tinlined\tkernel\tfile\tline\timage\n");
    for (size_t i = 0; i < s->count; i++) {
        const struct td_symbol_sum *r = &s->rows[i];
        fprintf(f, "%s\t0x%" PRIx64 "\t%" PRIu64 "\t%" PRIu64 "\t%d\t%d\t%s\t%" PRIu32 "\t%s\n",
                TD_CELL(td_symbol_sum_name(view->model.trace, r)), r->address, r->self, r->total,
                r->is_inlined, r->is_kernel, TD_CELL(td_dict_text(view->model.dict, r->file)), r->line,
                TD_CELL(td_dict_text(view->model.dict, r->image)));
    }
    if (fclose(f) == 0)
        td_ui_set_clipboard(view->ui, text);
    free(text);
}

static void draw_tools(struct td_view *view, struct symbols *s, const struct td_rect *place)
{
    static const char *const by[] = {"By function", "By file", "By image"};
    const char *const labels[] = {"Copy", "Kernel", "Inlined", by[s->by]};
    struct td_ui *ui = view->ui;
    char text[200], number[2][TD_FORMAT_BYTES], lanes[60];
    const float pad = TD_U(view, 8), high = TD_U(view, 23), y = place->top + TD_U(view, 3),
                x = place->left + pad;
    td_ui_input(ui, "##symbols filter", "Filter: name, file or image, -not", x, y, TD_U(view, 210), high,
                s->filter, sizeof s->filter, false);
    float right = td_draw_limits(view, place->right - pad, y, high) - pad;
    const unsigned on = (unsigned)!s->no_kernel << 1 | (unsigned)!s->joined << 2;
    const int pressed = td_sampled_buttons(view, labels, 4, on, x + TD_U(view, 218), &right, y);
    if (pressed == 0)
        copy_table(view, s);
    s->no_kernel ^= pressed == 1;
    s->joined ^= pressed == 2;
    if (pressed == 3)
        s->by = (enum symbols_by)((s->by + 1) % 3);
    s->dirty |= pressed > 0;
    if (!s->any)
        snprintf(text, sizeof text, "counting, %.0f %%", (double)td_job_progress(&s->job) * 100);
    else if (!s->shown.samples)
        snprintf(text, sizeof text, "There are no samples of running threads in this range.");
    else
        snprintf(text, sizeof text, "%s rows, %s samples%s", td_format_count(number[0], s->count),
                 td_format_count(number[1], s->shown.samples), td_lanes_note(view, lanes, sizeof lanes));
    td_ui_text_fit(ui, TD_FONT_SMALL, x + TD_U(view, 220),
                   y + (high - td_ui_text_height(ui, TD_FONT_SMALL)) / 2, right - x - TD_U(view, 220),
                   TD_C(TEXT_FAINT), text);
}

/* The callers of the function, and on Enter its source. */
static void choose(struct td_view *view, const struct symbols *s, size_t row, bool source)
{
    const struct td_symbol_sum *r = &s->rows[row];
    if (s->by != BY_FUNCTION)
        return;
    if (source)
        td_view_show_source(view, (struct td_source_place){r->file, r->line, r->address, r->address, 0});
    else
        td_view_show_entries(view,
                             r->address ? r->address
                             : r->name  ? UINT64_C(1) << 63 | r->name
                                        : 0,
                             td_symbol_sum_name(view->model.trace, r));
}

static void draw_symbols(struct td_view *view, const struct td_rect *place)
{
    struct symbols *s = state_of(view);
    struct td_rect rows = *place;
    struct td_list_drawing d;
    int chosen = -1;
    update(view, s);
    draw_tools(view, s, place);
    rows.top += TD_U(view, TOOLS_HEIGHT);
    for (int i = td_list_begin(view, &s->list, columns, COLUMNS, (int)s->count, &rows, &d); i < d.last; i++) {
        if (td_list_row(&d, i) & TD_ROW_CLICKED)
            chosen = i;
        draw_row(&d, s, &s->rows[i]);
    }
    td_list_end(&d);
    if (d.sorted)
        sort_rows(view, s);
    else if (chosen >= 0)
        choose(view, s, (size_t)chosen, true);
}

static bool take_symbols_key(struct td_view *view, const struct td_key_press *press)
{
    struct symbols *s = state_of(view);
    bool enter;
    if (!td_panel_has_keys(view, TD_PANEL_SYMBOLS))
        return false;
    if (press->ctrl && press->key == 'c') {
        copy_table(view, s);
        return true;
    }
    if (press->ctrl || press->alt)
        return false;
    if (press->key == 'v' || press->key == 'q' || press->key == 'y') {
        s->joined ^= press->key == 'v';
        s->no_kernel ^= press->key == 'q';
        if (press->key == 'y')
            s->by = (enum symbols_by)((s->by + 1) % 3);
        return s->dirty = true;
    }
    if (press->key == '.' && s->list.selected) {
        choose(view, s, (size_t)s->list.selected - 1, false);
        return true;
    }
    if (!td_list_key(&s->list, press, (int)s->count, &enter))
        return false;
    if (enter && s->list.selected)
        choose(view, s, (size_t)s->list.selected - 1, true);
    return true;
}

static bool symbols_are_busy(const struct td_view *view)
{
    return state_of(view)->job.running;
}

static void free_symbols(struct td_view *view)
{
    struct symbols *s = state_of(view);
    td_job_stop(&s->job);
    td_sampled_free(&s->sampled);
    td_symbol_sums_free(&s->made);
    td_symbol_sums_free(&s->shown);
    free(s->rows);
}

static const struct td_help_line symbols_help[] = {
    {"Shift+T", "functions by their samples"},
    {"V, Q, Y", "inlined functions, the kernel, by function, file or image"},
    {"Enter, .", "the source of the function, its callers"},
    {0},
};

const struct td_panel td_panel_symbols = {
    .name = "symbols",
    .dock = TD_DOCK_BOTTOM,
    .title = "Symbols",
    .keys = {{.key = 't', .shift = true}},
    .help = symbols_help,
    .state_bytes = sizeof(struct symbols),
    .draw = draw_symbols,
    .free_state = free_symbols,
    .is_busy = symbols_are_busy,
    .take_key = take_symbols_key,
};
