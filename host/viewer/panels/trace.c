/* Facts about the trace as a whole: program, machine, counts, what the capture noted. */
#include "host/event/map.h"
#include "host/query/facts/trace_facts.h"
#include "host/viewer/panels/trace_clock.h"
#include "host/viewer/panels/trace_paths.h"
#include "host/viewer/panels/list.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/timeline/view.h"

#define TOOLS_HEIGHT 30

enum trace_column { LABEL, VALUE, COLUMNS };

static const struct td_column columns[COLUMNS] = {
    [LABEL] = {.title = "Fact", .width = 128, .fixed = true},
    [VALUE] = {.title = "Value", .fixed = true},
};

struct trace_panel {
    struct td_trace_paths paths;
    struct td_list list;
    struct td_trace_facts facts;
    struct td_clock_curve clock;
    uint64_t key; /* of what the facts were made of; 0: none yet */
};

TD_PANEL_STATE(trace_panel, TRACE)

static void update_facts(struct td_view *view, struct trace_panel *s)
{
    const uint64_t key = 1 | td_mix64(view->model.zones ^ td_mix64(view->model.file_version) ^
                                      td_mix64(td_trace_messages(view->model.trace)) ^
                                      (uint64_t)td_trace_is_finished(view->model.trace) << 63);
    if (s->key == key || !td_live_has_info(view->model.live))
        return;
    s->key = key;
    td_trace_facts_free(&s->facts);
    td_clock_curve_make(&s->clock, view->model.trace);
    /* Without memory the list is empty. */
    td_trace_facts_make(&s->facts, view->model.trace, view->model.live ? "" : view->model.path,
                        view->model.file_version);
}

static char *copy_facts(struct td_view *view, enum td_copy_form form)
{
    const struct trace_panel *s = state_of(view);
    return form == TD_COPY_LINES && s->facts.text ? strdup(s->facts.text) : NULL;
}

static void draw_row(struct td_list_drawing *d, const struct td_fact *fact, bool hovered)
{
    struct td_view *view = d->view;
    struct td_rect cell;
    if (!fact->value) {
        float y = d->y + (d->height - td_ui_text_height(view->ui, TD_FONT_BOLD)) / 2;
        td_ui_text_fit(view->ui, TD_FONT_BOLD, d->place.left + TD_U(view, 8), y,
                       d->place.right - d->place.left - TD_U(view, 24), TD_C(ACCENT), fact->label);
        return;
    }
    td_list_text(d, LABEL, TD_C(TEXT_DIM), fact->label);
    td_list_text(d, VALUE, TD_C(TEXT), fact->value);
    if (hovered && td_list_cell(d, VALUE, &cell) &&
        td_ui_text_width(view->ui, TD_FONT_TEXT, fact->value) > cell.right - cell.left)
        td_tip(view, fact->label, "%.900s\n", fact->value);
}

static void draw_trace(struct td_view *view, const struct td_rect *place)
{
    struct trace_panel *s = state_of(view);
    struct td_ui *ui = view->ui;
    struct td_rect rows = *place;
    struct td_list_drawing d;
    float pad = TD_U(view, 8), high = TD_U(view, 23), button = TD_U(view, 72), y = place->top + TD_U(view, 3);
    update_facts(view, s);
    td_ui_input(ui, "##description", "Description", place->left + pad, y,
                place->right - place->left - button - 3 * pad, high, view->model.description,
                sizeof view->model.description, false);
    if (td_ui_button(ui, "Copy all", place->right - pad - button, y, button, high))
        td_panel_copy(view, TD_PANEL_TRACE, TD_COPY_LINES);
    rows.top += TD_U(view, TOOLS_HEIGHT);
    rows.top += td_trace_draw_paths(view, &s->paths, &rows);
    rows.top += td_trace_draw_clock(view, &s->clock, &rows);
    for (int i = td_list_begin(view, &s->list, columns, COLUMNS, (int)s->facts.count, &rows, &d); i < d.last;
         i++)
        draw_row(&d, &s->facts.list[i], (td_list_row(&d, i) & TD_ROW_HOVERED) != 0);
    td_list_end(&d);
}

static bool take_trace_key(struct td_view *view, const struct td_key_press *press)
{
    struct trace_panel *s = state_of(view);
    bool enter;
    if (!td_panel_has_keys(view, TD_PANEL_TRACE))
        return false;
    return td_list_key(&s->list, press, (int)s->facts.count, &enter);
}

static void free_trace_panel(struct td_view *view)
{
    td_trace_facts_free(&state_of(view)->facts);
}

static const struct td_help_line trace_help[] = {
    {"Shift+I", "information about the trace; places of source files"},
    {0},
};

const struct td_panel td_panel_trace = {
    .name = "trace",
    .dock = TD_DOCK_RIGHT,
    .title = "Trace",
    .group = TD_GROUP_SESSION,
    .page = "What is in this trace?",
    .keys = {{.key = 'i', .shift = true}},
    .help = trace_help,
    .state_bytes = sizeof(struct trace_panel),
    .draw = draw_trace,
    .copy = copy_facts,
    .free_state = free_trace_panel,
    .take_key = take_trace_key,
};
