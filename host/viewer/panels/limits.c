/* The ranges of time that tables and histograms can count, and which of them they do. */
#include "host/event/map.h"
#include "host/query/rows/range_table.h"
#include "host/viewer/panels/table_panel.h"
#include "host/viewer/timeline/limits.h"
#include "host/viewer/timeline/lod.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t limits_key(const struct td_view *view)
{
    const struct td_selection *s = &view->selection;
    const double times[] = {view->camera.to_start_ns,     view->camera.to_end_ns,
                            s->measure_from_ns,           s->measure_to_ns,
                            (double)view->model.first_ns, (double)view->model.last_ns};
    uint64_t key = td_mix64(s->measured + 2 * view->notes.count + 1) ^ td_mix64(view->model.sections.count);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        key = td_mix64(key ^ (uint64_t)td_lod_time(times[i]));
    for (size_t i = 0; i < view->notes.count; i++) {
        const struct td_annotation *note = &view->notes.list[i];
        key = td_mix64(td_mix64(key ^ (uint64_t)note->from_ns) ^ (uint64_t)note->to_ns);
        for (const char *c = note->text; *c; c++)
            key = td_mix64(key ^ (uint8_t)*c);
    }
    return key;
}

static void add_range(struct td_ranges_wanted *to, enum td_range_kind kind, const char *name, double from_ns,
                      double to_ns)
{
    struct td_counted_range *range = &to->at[to->count++];
    *range = (struct td_counted_range){.kind = kind,
                                       .from_ns = td_lod_time(fmin(from_ns, to_ns)),
                                       .to_ns = td_lod_time(fmax(from_ns, to_ns))};
    snprintf(range->name, sizeof range->name, "%s", name);
}

static void add_notes(const struct td_view *view, struct td_ranges_wanted *to)
{
    for (size_t i = 0; i < view->notes.count; i++) {
        const struct td_annotation *note = &view->notes.list[i];
        char number[40];
        snprintf(number, sizeof number, "Note %zu", i + 1);
        add_range(to, TD_RANGE_NOTE, *note->text ? note->text : number, (double)note->from_ns,
                  (double)note->to_ns);
    }
}

static void add_sections(const struct td_view *view, struct td_ranges_wanted *to)
{
    for (size_t i = 0; i < view->model.sections.count; i++) {
        const struct td_section_item *section = &view->model.sections.items[i];
        add_range(to, TD_RANGE_SECTION, td_dict_text(view->model.dict, section->text),
                  (double)section->start_ns,
                  section->end_ns == TD_OPEN ? (double)view->model.last_ns : (double)section->end_ns);
    }
}

static bool ask_for_ranges(struct td_view *view, struct td_query_request *of)
{
    const struct td_selection *s = &view->selection;
    const size_t most = 3 + view->notes.count + view->model.sections.count;
    struct td_ranges_wanted *to = malloc(sizeof *to + most * sizeof *to->at);
    of->with = to;
    if (!to)
        return false;
    to->count = 0;
    add_range(to, TD_RANGE_ALL, "All of the trace", (double)view->model.first_ns,
              (double)view->model.last_ns);
    add_range(to, TD_RANGE_VISIBLE, "What the timeline shows", view->camera.to_start_ns,
              view->camera.to_end_ns);
    if (s->measured)
        add_range(to, TD_RANGE_MARKED, "What is marked", s->measure_from_ns, s->measure_to_ns);
    add_notes(view, to);
    add_sections(view, to);
    return true;
}

/* It is what is counted now. */
static bool is_counted(const struct td_view *view, const struct td_counted_range *range)
{
    int64_t from_ns, to_ns;
    const enum td_limit limit = view->selection.limit;
    if (!td_view_limits(view, &from_ns, &to_ns))
        return range->kind == TD_RANGE_ALL;
    if (range->kind <= TD_RANGE_MARKED)
        return range->kind == (limit == TD_LIMIT_VISIBLE ? TD_RANGE_VISIBLE : TD_RANGE_MARKED);
    return limit == TD_LIMIT_MARKED && range->from_ns == from_ns && range->to_ns == to_ns;
}

static void look_of_range(const struct td_view *view, const struct td_query_rows *rows, uint64_t row,
                          struct td_row_look *look)
{
    look->lit = is_counted(view, td_range_at(rows, row));
    if (look->lit)
        look->name = TD_C(ACCENT);
}

static void count_range(struct td_view *view, const struct td_query_rows *rows, uint64_t row,
                        enum td_row_choice how)
{
    const struct td_counted_range range = *td_range_at(rows, row);
    struct td_selection *s = &view->selection;
    if (how == TD_ROW_BY_ARROW) /* on the way to another one */
        return;
    if (range.kind > TD_RANGE_MARKED) {
        s->measured = true;
        s->measure_from_ns = (double)range.from_ns;
        s->measure_to_ns = (double)range.to_ns;
    }
    s->limit = range.kind == TD_RANGE_ALL       ? TD_LIMIT_NONE
               : range.kind == TD_RANGE_VISIBLE ? TD_LIMIT_VISIBLE
                                                : TD_LIMIT_MARKED;
    if (how == TD_ROW_BY_ENTER && range.kind != TD_RANGE_VISIBLE)
        td_camera_set_range(&view->camera, (double)range.from_ns, (double)range.to_ns, false);
}

static const struct td_table_panel limits = {
    .table = &td_table_ranges,
    .id = TD_PANEL_LIMITS,
    .columns = "range start_ns length_ns kind end_ns",
    .filter = "range kind",
    .hint = "Filter: name, kind, -not",
    .row = "range",
    .key = limits_key,
    .ask = ask_for_ranges,
    .look = look_of_range,
    .choose = count_range,
};
TD_TABLE_PANEL(limits)

static const struct td_help_line limits_help[] = {
    {"Shift+R", "ranges that tables and histograms count"},
    {"Click, Enter in it", "count that range; Enter shows it, too"},
    {0},
};

const struct td_panel td_panel_limits = {
    .name = "limits",
    .dock = TD_DOCK_RIGHT,
    .title = "Limits",
    .group = TD_GROUP_SESSION,
    .page = "Which range is counted?",
    .keys = {{.key = 'r', .shift = true}},
    .help = limits_help,
    TD_TABLE_PANEL_FUNCTIONS,
};
