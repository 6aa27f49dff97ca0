/* A call stack: frames with inlined functions, their places in the source, and images. */
#include "host/base/cell_text.h"
#include "host/base/plain_text.h"
#include "host/trace/tables.h"
#include "host/query/code/stack_lines.h"
#include "host/query/table/track_name.h"
#include "host/viewer/panels/source.h"
#include "host/viewer/timeline/lod.h"
#include "host/viewer/panels/list.h"
#include "host/viewer/panels/callstack.h"
#include "host/viewer/timeline/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOLS_HEIGHT 30
#define MOST_LINES   1000

enum callstack_column { FRAME, FUNCTION, SOURCE, IMAGE, ADDRESS, COLUMNS };

static const struct td_column columns[COLUMNS] = {
    [FRAME] = {.title = "#", .width = 52, .right = true, .fixed = true},
    [FUNCTION] = {.title = "Function", .fixed = true},
    [SOURCE] = {.title = "Source", .width = 330, .fixed = true},
    [IMAGE] = {.title = "Image", .width = 180, .fixed = true},
    [ADDRESS] = {.title = "Address", .width = 140, .right = true, .fixed = true},
};

/* A row of the list: a function, or several that are left out. */
struct callstack_row {
    size_t line, hidden;
};

struct callstack {
    struct td_list list;
    struct td_stack_spot spot;  /* that was chosen */
    struct td_stack_spot shown; /* it, or what is shown when nothing was chosen */
    bool outside;               /* what is outside of the program is shown */
    uint32_t stack;
    struct td_stack_place lines[MOST_LINES];
    struct callstack_row rows[MOST_LINES];
    size_t line_count, all, row_count;
};

TD_PANEL_STATE(callstack, CALLSTACK)

static const struct td_series *samples_of(const struct td_view *view, const struct td_stack_spot *spot)
{
    return td_trace_list(view->model.trace,
                         spot->kind == TD_STACK_SWITCH ? TD_TABLE_SWITCH_SAMPLE : TD_TABLE_SAMPLE,
                         spot->track);
}

static uint32_t stack_of(const struct td_view *view, const struct td_stack_spot *spot)
{
    if (spot->kind == TD_STACK_NONE)
        return 0;
    if (spot->kind == TD_STACK_ROW)
        return (uint32_t)spot->index;
    const struct td_series *samples = samples_of(view, spot);
    return spot->index < td_series_count(samples)
               ? (uint32_t)td_series_get(samples, spot->index, TD_SAMPLE_STACK)
               : 0;
}

/* The sample of the trace that is nearest to the middle of the visible range. */
static struct td_stack_spot nearest_sample(const struct td_view *view)
{
    const double middle = (view->camera.to_start_ns + view->camera.to_end_ns) / 2;
    struct td_stack_spot nearest = {0};
    double least = INFINITY;
    for (uint32_t t = 0; t < td_dict_track_count(view->model.dict); t++) {
        const struct td_series *samples = td_trace_list(view->model.trace, TD_TABLE_SAMPLE, t);
        const uint64_t count = td_series_count(samples),
                       after = count ? td_series_after(samples, TD_SAMPLE_TIME, td_lod_time(middle)) : 0;
        for (uint64_t i = after - (after > 0); i < count && i <= after; i++) {
            const double far = fabs((double)td_series_get(samples, i, TD_SAMPLE_TIME) - middle);
            if (far < least) {
                least = far;
                nearest = (struct td_stack_spot){TD_STACK_SAMPLE, t, i};
            }
        }
    }
    return nearest;
}

/* What is shown when nothing was chosen: the stack of the selected zone, of the selected message, of the crash, or a
 * sample that is visible. */
static struct td_stack_spot default_spot(const struct td_view *view)
{
    const struct td_crash *crash = td_trace_crash(view->model.trace);
    if (td_ref_valid(view->selection.zone) && td_view_zone(view, view->selection.zone).stack)
        return (struct td_stack_spot){TD_STACK_ROW, 0, td_view_zone(view, view->selection.zone).stack};
    if (view->selection.message && view->selection.message <= td_trace_messages(view->model.trace) &&
        td_trace_message(view->model.trace, view->selection.message - 1).stack)
        return (struct td_stack_spot){TD_STACK_ROW, 0,
                                      td_trace_message(view->model.trace, view->selection.message - 1).stack};
    if (crash && crash->stack)
        return (struct td_stack_spot){TD_STACK_ROW, 0, crash->stack};
    return nearest_sample(view);
}

static void make_rows(struct callstack *s)
{
    s->row_count = 0;
    for (size_t i = 0; i < s->line_count; i++) {
        struct callstack_row *last = s->row_count ? &s->rows[s->row_count - 1] : NULL;
        const bool hide = !s->outside && s->lines[i].is_outside;
        if (hide && last && last->hidden)
            last->hidden++;
        else
            s->rows[s->row_count++] = (struct callstack_row){i, hide};
    }
    s->list.selected = 0;
}

static void read_stack(struct td_view *view, struct callstack *s)
{
    s->shown = s->spot.kind ? s->spot : default_spot(view);
    const uint32_t stack = stack_of(view, &s->shown);
    if (stack == s->stack)
        return;
    s->stack = stack;
    s->line_count = td_stack_lines(view->model.trace, stack, s->lines, MOST_LINES, &s->all);
    make_rows(s);
}

void td_view_show_stack(struct td_view *view, struct td_stack_spot spot)
{
    struct callstack *s = state_of(view);
    if (!s)
        return;
    s->spot = spot;
    s->stack = 0;
    td_panel_set_open(view, TD_PANEL_CALLSTACK, true);
}

static bool take_callstack_click(struct td_view *view)
{
    td_view_show_stack(view, view->hover.stack);
    return true;
}

/* ---- stepping ---- */

static void step(struct td_view *view, struct callstack *s, bool forward)
{
    struct td_stack_spot spot = s->shown;
    if (spot.kind != TD_STACK_SAMPLE && spot.kind != TD_STACK_SWITCH)
        return;
    const struct td_series *samples = samples_of(view, &spot);
    if (forward ? spot.index + 1 >= td_series_count(samples) : !spot.index)
        return;
    spot.index += forward ? 1 : UINT64_MAX;
    s->spot = spot;
    const int64_t time = td_series_get(samples, spot.index, TD_SAMPLE_TIME);
    td_view_show_spot(view, (struct td_spot){true, spot.track, time, time}, false);
}

/* ---- drawing ---- */

static void show_source(struct td_view *view, const struct callstack *s, size_t row)
{
    const struct td_stack_place *p = &s->lines[s->rows[row].line];
    if (!s->rows[row].hidden)
        td_view_show_source(view,
                            (struct td_source_place){p->file_string, p->line, p->symbol, p->address, 0});
}

static void draw_row(struct td_list_drawing *d, const struct callstack *s, const struct callstack_row *row)
{
    const struct td_stack_place *p = &s->lines[row->line];
    char text[400];
    if (row->hidden) {
        snprintf(text, sizeof text, "%zu outside of the program", row->hidden);
        td_list_text(d, FUNCTION, TD_C(TEXT_FAINT), text);
        return;
    }
    snprintf(text, sizeof text, "%u", p->frame);
    td_list_text(d, FRAME, TD_C(TEXT_FAINT), p->is_inline ? "inline" : text);
    snprintf(text, sizeof text, "0x%" PRIx64, p->address);
    td_list_text(d, ADDRESS, TD_C(TEXT_FAINT), text);
    const td_rgba color = p->is_kernel ? 0xffff8f86u : p->is_outside ? TD_C(TEXT_DIM) : TD_C(TEXT);
    td_list_name(d, FUNCTION, td_color_of_name(p->function), color, *p->function ? p->function : text);
    td_list_text(d, IMAGE, TD_C(TEXT_DIM), p->image);
    snprintf(text, sizeof text, "%.360s:%u", p->file, p->line);
    td_list_text(d, SOURCE, TD_C(TEXT_DIM), *p->file ? text : "");
}

/* The shown lines, with tabs. */
static void copy_stack(struct td_view *view, const struct callstack *s)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    if (!f)
        return;
    fprintf(f, "frame\tfunction\tfile\tline\timage\taddress\n");
    for (size_t i = 0; i < s->row_count; i++) {
        const struct td_stack_place *p = &s->lines[s->rows[i].line];
        if (!s->rows[i].hidden)
            fprintf(f, "%u\t%s\t%s\t%u\t%s\t0x%" PRIx64 "\n", p->frame, TD_CELL(p->function),
                    TD_CELL(p->file), p->line, TD_CELL(p->image), p->address);
    }
    if (fclose(f) == 0)
        td_ui_set_clipboard(view->ui, text);
    free(text);
}

static void describe(const struct td_view *view, const struct callstack *s, char *text, size_t bytes)
{
    const struct td_stack_spot spot = s->shown;
    char room[TD_TRACK_NAME_BYTES], number[2][TD_FORMAT_BYTES], time[TD_FORMAT_BYTES];
    if (!s->stack) {
        snprintf(text, bytes, "No call stack is chosen, and nothing has one.");
    } else if (spot.kind == TD_STACK_ROW) {
        snprintf(text, bytes, "%zu functions", s->all);
    } else {
        const struct td_series *samples = samples_of(view, &spot);
        snprintf(text, bytes, "%s %s of %s, %s, at %s", spot.kind == TD_STACK_SWITCH ? "wait" : "sample",
                 td_format_count(number[0], spot.index + 1),
                 td_format_count(number[1], td_series_count(samples)),
                 td_track_name(view->model.dict, spot.track, room),
                 td_format_time(time, (double)td_series_get(samples, spot.index, TD_SAMPLE_TIME), 1));
    }
}

static void draw_tools(struct td_view *view, struct callstack *s, const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    char text[300];
    const float pad = TD_U(view, 8), high = TD_U(view, 23), y = place->top + TD_U(view, 3);
    float right = place->right - pad;
    if (td_tool_button(view, place->left, &right, y, "Copy", false))
        copy_stack(view, s);
    if (td_tool_button(view, place->left, &right, y, "Outside", s->outside)) {
        s->outside = !s->outside;
        make_rows(s);
    }
    if (td_tool_button(view, place->left, &right, y, "Next", false))
        step(view, s, true);
    if (td_tool_button(view, place->left, &right, y, "Back", false))
        step(view, s, false);
    describe(view, s, text, sizeof text);
    td_ui_text_fit(ui, TD_FONT_SMALL, place->left + pad,
                   y + (high - td_ui_text_height(ui, TD_FONT_SMALL)) / 2, right - place->left - pad,
                   TD_C(TEXT_FAINT), text);
}

static void draw_callstack(struct td_view *view, const struct td_rect *place)
{
    struct callstack *s = state_of(view);
    struct td_rect rows = *place;
    struct td_list_drawing d;
    int chosen = -1;
    read_stack(view, s);
    draw_tools(view, s, place);
    rows.top += TD_U(view, TOOLS_HEIGHT);
    for (int i = td_list_begin(view, &s->list, columns, COLUMNS, (int)s->row_count, &rows, &d); i < d.last;
         i++) {
        if (td_list_row(&d, i) & TD_ROW_CLICKED)
            chosen = i;
        draw_row(&d, s, &s->rows[i]);
    }
    td_list_end(&d);
    if (chosen >= 0)
        show_source(view, s, (size_t)chosen);
}

static bool take_callstack_key(struct td_view *view, const struct td_key_press *press)
{
    struct callstack *s = state_of(view);
    bool enter;
    if (!td_panel_has_keys(view, TD_PANEL_CALLSTACK))
        return false;
    if (press->ctrl && press->key == 'c') {
        copy_stack(view, s);
        return true;
    }
    if (press->ctrl || press->alt)
        return false;
    if (press->key == 'v') {
        s->outside = !s->outside;
        make_rows(s);
        return true;
    }
    if (press->key == '.' || press->key == ',') {
        step(view, s, press->key == '.');
        return true;
    }
    if (!td_list_key(&s->list, press, (int)s->row_count, &enter))
        return false;
    if (enter)
        show_source(view, s, (size_t)s->list.selected - 1);
    return true;
}

static const struct td_help_line callstack_help[] = {
    {"Shift+A", "call stack of the sample, zone, message or crash"},
    {". and ,", "next and previous call stack of the same kind in the track"},
    {"V", "show what is outside of the program"},
    {"Enter", "the source of the function"},
    {0},
};

const struct td_panel td_panel_callstack = {
    .name = "callstack",
    .dock = TD_DOCK_BOTTOM,
    .title = "Call stack",
    .keys = {{.key = 'a', .shift = true}},
    .help = callstack_help,
    .state_bytes = sizeof(struct callstack),
    .draw = draw_callstack,
    .take_key = take_callstack_key,
    .take_click = take_callstack_click,
};
