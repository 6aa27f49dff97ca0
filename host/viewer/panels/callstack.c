/* A call stack: frames with inlined functions, their places in the source, and images. */
#include "host/trace/tables.h"
#include "host/query/code/stack_lines.h"
#include "host/query/table/track_name.h"
#include "host/viewer/panels/lacks.h"
#include "host/viewer/panels/source.h"
#include "host/viewer/timeline/lod.h"
#include "host/viewer/panels/callstack.h"
#include "host/viewer/panels/table_panel.h"
#include "host/viewer/timeline/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct callstack {
    struct td_table_list table;
    struct td_stack_spot spot;  /* that was chosen */
    struct td_stack_spot shown; /* it, or what is shown when nothing was chosen */
    uint32_t stack;
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

static void read_stack(struct td_view *view, struct callstack *s)
{
    s->shown = s->spot.kind ? s->spot : default_spot(view);
    s->stack = stack_of(view, &s->shown);
}

void td_view_show_stack(struct td_view *view, struct td_stack_spot spot)
{
    struct callstack *s = state_of(view);
    if (!s)
        return;
    s->spot = spot;
    td_panel_set_open(view, TD_PANEL_CALLSTACK, true);
}

static bool take_callstack_click(struct td_view *view)
{
    td_view_show_stack(view, view->hover.stack);
    return true;
}

/* ---- stepping ---- */

static void step(struct td_view *view, bool forward)
{
    struct callstack *s = state_of(view);
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

static void step_forward(struct td_view *view)
{
    step(view, true);
}

static void step_back(struct td_view *view)
{
    step(view, false);
}

static const char *label_of_next(const struct td_view *view, bool *on)
{
    return "Next";
}

static const char *label_of_back(const struct td_view *view, bool *on)
{
    return "Back";
}

/* ---- the list ---- */

static uint64_t callstack_key(const struct td_view *view)
{
    return state_of(view)->stack;
}

static bool ask_for_lines(struct td_view *view, struct td_query_request *of)
{
    of->only = UINT64_C(1) + state_of(view)->stack;
    return true;
}

static bool lists_line(const struct td_query_rows *rows, uint64_t row, int group)
{
    return group || !td_stack_line_at(rows, row)->is_outside;
}

static void look_of_line(const struct td_view *view, const struct td_query_rows *rows, uint64_t row,
                         struct td_row_look *look)
{
    const struct td_stack_place *p = td_stack_line_at(rows, row);
    look->box = td_color_of_name(p->function);
    const bool dims = p->is_outside && td_view_choice(view, TD_CHOICE_OUTSIDE) == 0;
    look->name = p->is_kernel    ? TD_C(KERNEL)
                 : dims          ? TD_C(TEXT_FAINT)
                 : p->is_outside ? TD_C(LIBRARY)
                                 : TD_C(TEXT);
    if (dims)
        look->number = look->text = TD_C(TEXT_FAINT);
}

/* A function that is not known has its address as a name. */
static bool draw_line(struct td_list_drawing *d, const struct td_query_rows *rows, uint64_t row, int column,
                      const char *key)
{
    const struct td_stack_place *p = td_stack_line_at(rows, row);
    char text[TD_FORMAT_BYTES];
    if (!strcmp(key, "frame") && p->is_inline)
        td_list_text(d, column, TD_C(TEXT_FAINT), "inline");
    else if (!strcmp(key, "function") && !*p->function) {
        snprintf(text, sizeof text, "0x%" PRIx64, p->address);
        td_list_text(d, column, p->is_kernel ? TD_C(KERNEL) : TD_C(TEXT_DIM), text);
    } else
        return false;
    return true;
}

static void show_source(struct td_view *view, const struct td_query_rows *rows, uint64_t row,
                        enum td_row_choice how)
{
    const struct td_stack_place *p = td_stack_line_at(rows, row);
    if (how != TD_ROW_BY_ARROW)
        td_view_show_source(view,
                            (struct td_source_place){p->file_string, p->line, p->symbol, p->address, 0});
}

static void describe(const struct td_view *view, const struct td_query_rows *rows, uint64_t listed,
                     char *text, size_t bytes)
{
    const struct callstack *s = state_of(view);
    const struct td_stack_spot spot = s->shown;
    char room[TD_TRACK_NAME_BYTES], number[2][TD_FORMAT_BYTES], time[TD_FORMAT_BYTES];
    size_t used = 0;
    if (!s->stack) {
        snprintf(text, bytes, "No call stack is chosen, and nothing has one.");
        return;
    }
    if (spot.kind != TD_STACK_ROW) {
        const struct td_series *samples = samples_of(view, &spot);
        used = (size_t)snprintf(
            text, bytes, "%s %s of %s, %s, at %s, ", spot.kind == TD_STACK_SWITCH ? "wait" : "sample",
            td_format_count(number[0], spot.index + 1), td_format_count(number[1], td_series_count(samples)),
            td_track_name(view->model.dict, spot.track, room),
            td_format_time(time, (double)td_series_get(samples, spot.index, TD_SAMPLE_TIME), 1));
        used = used < bytes ? used : bytes;
    }
    if (listed < rows->count)
        snprintf(text + used, bytes - used, "%" PRIu64 " of %" PRIu64 " functions", listed, rows->count);
    else
        snprintf(text + used, bytes - used, "%" PRIu64 " function%s", listed, listed == 1 ? "" : "s");
}

static const char *const groups[] = {"Without outside", "With outside"};
static const struct td_table_button buttons[] = {
    TD_BUTTON('.', label_of_next, step_forward), TD_BUTTON(',', label_of_back, step_back), {0}};

static const struct td_table_panel callstack = {
    .table = &td_table_stack_lines,
    .id = TD_PANEL_CALLSTACK,
    .columns = "frame function source image address",
    .name = "function",
    .filter = "function file image",
    .hint = "Filter: function, -not",
    .row = "function",
    .whole = true,
    .groups = groups,
    .group_count = 2,
    .buttons = buttons,
    .key = callstack_key,
    .ask = ask_for_lines,
    .lists = lists_line,
    .look = look_of_line,
    .draw = draw_line,
    .choose = show_source,
    .describe = describe,
};
TD_TABLE_PANEL(callstack)

static void draw_callstack(struct td_view *view, const struct td_rect *place)
{
    read_stack(view, state_of(view));
    draw_table(view, place);
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
    .group = TD_GROUP_SAMPLES,
    .page = "Which functions take the processor, and where do threads wait?",
    .lacks = td_lacks_stacks,
    .keys = {{.key = 'a', .shift = true}},
    .help = callstack_help,
    .state_bytes = sizeof(struct callstack),
    .draw = draw_callstack,
    .free_state = free_table,
    .is_busy = table_is_busy,
    .copy = copy_table,
    .toggle_column = toggle_table_column,
    .take_key = take_table_key,
    .take_click = take_callstack_click,
};
