#include "host/viewer/panels/trace_paths.h"
#include "host/base/plain_text.h"
#include "host/event/map.h"
#include "host/viewer/panels/label.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW        26
#define MOST_ROWS  4 /* rules that are shown */
#define LEAST_REST 60

static const char *example_path(const struct td_view *view)
{
    uint32_t file = 0;
    if (td_ref_valid(view->selection.zone))
        file = td_dict_get_srcloc(view->model.dict, td_view_zone(view, view->selection.zone).srcloc)->file;
    for (uint32_t i = 1; i < td_dict_srcloc_count(view->model.dict) && !*td_dict_text(view->model.dict, file);
         i++)
        file = td_dict_get_srcloc(view->model.dict, i)->file;
    return td_dict_text(view->model.dict, file);
}

static void make_result(const struct td_view *view, struct td_trace_paths *s)
{
    const char *example = example_path(view);
    uint64_t key = td_mix64(view->model.source_paths.turn + 1);
    for (const char *c = s->text; *c; c++)
        key = td_mix64(key ^ (uint8_t)*c);
    key = td_mix64(key ^ (uint64_t)(uintptr_t)example) | 1;
    if (key == s->made_of)
        return;
    struct td_err err = {0};
    char *to = NULL;
    s->made_of = key;
    s->is_wrong =
        td_source_paths_try(&view->model.source_paths, *s->text ? s->text : NULL, example, &to, &err) < 0;
    if (s->is_wrong)
        snprintf(s->result, sizeof s->result, "%s", err.text);
    else
        snprintf(s->result, sizeof s->result, "%.300s \xe2\x86\x92 %.300s", example, to ? to : "the same");
    td_plain(s->result);
    free(to);
}

/* What is wrong with a rule is shown below it. */
static void add_rule(struct td_view *view, struct td_trace_paths *s)
{
    if (*s->text && td_source_paths_add(&view->model.source_paths, s->text, NULL) == 0)
        s->text[0] = 0;
}

/* A rule, and a cross that removes it. True: it was clicked. */
static bool draw_rule(struct td_view *view, size_t index, float left, float right, float y)
{
    struct td_ui *ui = view->ui;
    const float wide = TD_U(view, 22), high = TD_U(view, ROW - 3);
    char id[24];
    snprintf(id, sizeof id, "x##rule %zu", index);
    td_label(view, TD_FONT_TEXT, left, y + TD_U(view, 4), right - wide - left - TD_U(view, 6), TD_C(TEXT),
             TD_PLAIN(view->model.source_paths.rule[index]), TD_CUT_END);
    return td_ui_button(ui, id, right - wide, y, wide, high);
}

float td_trace_draw_paths(struct td_view *view, struct td_trace_paths *s, const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    const float pad = TD_U(view, 8), row = TD_U(view, ROW), button = TD_U(view, 72), high = TD_U(view, 23),
                left = place->left + pad, right = place->right - pad;
    float y = place->top;
    const size_t count = view->model.source_paths.count;
    size_t removed = SIZE_MAX;
    if (place->bottom - y < row + TD_U(view, LEAST_REST) || right - left < 2 * button)
        return 0;
    if (td_ui_input(ui, "##path", "Source files: REGEX;REPLACEMENT", left, y, right - left - button - pad,
                    high, s->text, sizeof s->text, false) &
        TD_INPUT_ENTER)
        add_rule(view, s);
    if (td_ui_button(ui, "Add##path", right - button, y, button, high))
        add_rule(view, s);
    y += row;
    for (size_t i = 0; i < count && i < MOST_ROWS && y + row < place->bottom - TD_U(view, LEAST_REST); i++) {
        if (draw_rule(view, i, left, right, y))
            removed = i;
        y += row;
    }
    if ((count || *s->text) && y + row < place->bottom - TD_U(view, LEAST_REST)) {
        make_result(view, s);
        td_label(view, TD_FONT_SMALL, left, y + TD_U(view, 3), right - left,
                 s->is_wrong ? TD_C(LOST) : TD_C(TEXT_FAINT), s->result, TD_CUT_END);
        y += row;
    }
    if (removed != SIZE_MAX)
        td_source_paths_remove(&view->model.source_paths, removed);
    return y - place->top;
}
