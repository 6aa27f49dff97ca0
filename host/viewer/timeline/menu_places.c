/* The menus of what is under the mouse in the timeline. */
#include "host/base/plain_text.h"
#include "host/trace/tables.h"
#include "host/viewer/model/gpu_clocks.h"
#include "host/viewer/timeline/draw.h"
#include "host/viewer/timeline/menu.h"
#include "host/viewer/timeline/menu_parts.h"
#include "host/viewer/timeline/trace_state.h"
#include "host/viewer/timeline/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define RANGE_BYTES 80

static void on_zone(struct td_menu_entry *entry)
{
    if (entry)
        entry->on_zone = true;
}

static const char *range_text(char to[RANGE_BYTES], double from, double until)
{
    snprintf(to, RANGE_BYTES, "%.0fns..%.0fns", fmin(from, until), fmax(from, until));
    return to;
}

void td_menu_span_parts(struct td_menu *menu, double from, double until)
{
    char range[RANGE_BYTES];
    range_text(range, from, until);
    td_menu_add(menu, "Zoom to it", "double click", "zoom %s", range);
    td_menu_add(menu, "Mark its time", NULL, "mark %s", range);
    td_menu_add(menu, "Count only its time", NULL, "mark %s; limit marked", range);
    td_menu_add(menu, "Note on it ...", NULL, "note %s; notes edit", range);
}

void td_menu_zone_parts(struct td_view *view, struct td_menu *menu, struct td_zone_ref ref)
{
    const struct td_zone zone = td_view_zone(view, ref);
    const struct td_dict *dict = view->model.dict;
    const struct td_srcloc *place = td_dict_get_srcloc(dict, zone.srcloc);
    const char *name = td_zone_label(dict, &zone), *file = td_dict_text(dict, place->file);
    const double end = td_view_zone_end(view, &zone), start = (double)zone.start_ns;
    char word[TD_MENU_WORD], head[TD_MENU_TEXT], length[TD_FORMAT_BYTES];
    snprintf(head, sizeof head, "%.80s   %s", TD_PLAIN(name), td_format_ns(length, end - start));
    td_menu_head(menu, head);
    menu->zone = ref;
    td_menu_span_parts(menu, td_view_shown_ns(&view->model, ref.track, start),
                       td_view_shown_ns(&view->model, ref.track, end));
    td_menu_separate(menu);
    on_zone(td_menu_add(menu, "All zones of this name", "I", "open instances"));
    td_menu_word(word, td_dict_zone_name(dict, zone.srcloc));
    td_menu_add(menu, "Find them in the timeline", "/", "find %s", word);
    td_menu_add(menu, "Statistics of zones", "T", "find %s; open statistics", word);
    td_menu_add(menu, "Flame graph of them", "Shift+G", "flame zoom %s", word);
    if (td_trace_table_rows(view->model.trace, TD_TABLE_SAMPLE))
        td_menu_add(menu, "Functions sampled in them", NULL, "samples %s", word);
    if (*file)
        on_zone(td_menu_add(
            menu, "Source", "Shift+S", "source %s",
            (snprintf(head, sizeof head, "%.100s:%" PRIu32, file, place->line), td_menu_word(word, head))));
    on_zone(td_menu_add(menu, "Call stack", "Shift+A", "open callstack"));
    on_zone(td_menu_add(menu, "What happened in it", "click", "open details"));
    if (td_switches_of(&view->model.switches, ref.track))
        on_zone(td_menu_add(menu, "Critical path of it", NULL, "critical"));
    td_menu_separate(menu);
    td_menu_add(menu, "Copy the name", "Ctrl+Shift+C", "clipboard %s", td_menu_word(word, name));
    on_zone(td_menu_add(menu, "Copy what is known of it", "Ctrl+C", "open details; copy details"));
}

static const char *kind_of(const struct td_node *node)
{
    return node->kind == TD_NODE_GROUP ? "group" : "row";
}

#define PLOTS_LISTED 24

/* Which other plots are in the row of a plot. */
static void add_plots(struct td_view *view, struct td_menu *menu, uint32_t host)
{
    const struct td_dict *dict = view->model.dict;
    char own[TD_MENU_WORD], word[TD_MENU_WORD];
    int listed = 0;
    td_menu_word(own, td_dict_text(dict, td_dict_get_plot(dict, host)->name));
    for (uint32_t p = 0; p < td_dict_plot_count(dict) && listed < PLOTS_LISTED; p++) {
        const char *name = td_dict_text(dict, td_dict_get_plot(dict, p)->name);
        if (p == host || !td_trace_plot_points(view->model.trace, p))
            continue;
        if (!listed++)
            td_menu_head(menu, "In this row, too");
        const bool is_here = td_row_host(&view->rows.own, p) == host;
        struct td_menu_entry *entry =
            is_here ? td_menu_add(menu, name, NULL, "split %s", td_menu_word(word, name))
                    : td_menu_add(menu, name, NULL, "join %s %s", td_menu_word(word, name), own);
        if (entry)
            entry->mark = is_here ? TD_MENU_ON : TD_MENU_OFF;
    }
}

/* What a row has of its own: the sampled functions of a thread, further plots. */
static void add_own_choices(struct td_view *view, struct td_menu *menu, int number, const char *word)
{
    const struct td_node *node = &view->layout.nodes[number];
    const bool has_ghosts = number + 1 < view->layout.count && node[1].kind == TD_NODE_GHOSTS;
    if (node->kind == TD_NODE_PLOT)
        add_plots(view, menu, node->number);
    if (node->kind != TD_NODE_TRACK ||
        !td_series_count(td_trace_list(view->model.trace, TD_TABLE_SAMPLE, node->number)))
        return;
    struct td_menu_entry *entry =
        td_menu_add(menu, "Sampled functions", NULL, "ghosts %s %s", word, has_ghosts ? "off" : "on");
    if (entry)
        entry->mark = has_ghosts ? TD_MENU_ON : TD_MENU_OFF;
}

static void add_node(struct td_view *view, struct td_menu *menu, int number)
{
    const struct td_node *node = &view->layout.nodes[number];
    char name[TD_ROW_NAME_BYTES], word[TD_MENU_WORD], text[60];
    td_row_name(view, number, name);
    td_menu_word(word, name);
    td_menu_head(menu, node->label);
    td_menu_add(menu, node->in_pins ? "Unpin" : "Pin above the others", "P", "%s %s",
                node->in_pins ? "unpin" : "pin", word);
    snprintf(text, sizeof text, "Hide this %s", kind_of(node));
    td_menu_add(menu, text, "X", "hide %s", word);
    snprintf(text, sizeof text, "Only this %s", kind_of(node));
    td_menu_add(menu, text, NULL, "only %s", word);
    td_menu_add(menu, "Show all rows", "Shift+X", "lanes; show");
    td_menu_separate(menu);
    if (node->kind == TD_NODE_GROUP || node->kind == TD_NODE_TRACK)
        td_menu_add(menu, node->collapsed ? "Open" : "Close", "click", "%s %s",
                    node->collapsed ? "expand" : "collapse", word);
    if (node->tracks) {
        td_menu_add(menu, "Move up", NULL, "move %s up", word);
        td_menu_add(menu, "Move down", NULL, "move %s down", word);
        td_menu_add(menu, "Move to the top", NULL, "move %s first", word);
        td_menu_add(menu, "Order of the grid", NULL, "order");
    }
    add_own_choices(view, menu, number, word);
    if (view->model.cores)
        td_menu_add(menu, "Groups of cores", NULL, "menu group");
    td_menu_separate(menu);
    td_menu_add(menu, "Copy the name", NULL, "clipboard %s", td_menu_word(word, node->label));
}

void td_menu_range_parts(struct td_view *view, struct td_menu *menu)
{
    const struct td_selection *s = &view->selection;
    char range[RANGE_BYTES], head[TD_MENU_TEXT], length[TD_FORMAT_BYTES];
    const double from = s->measured ? s->measure_from_ns : view->camera.to_start_ns,
                 until = s->measured ? s->measure_to_ns : view->camera.to_end_ns;
    const char *limit = s->measured ? "marked" : "visible";
    range_text(range, from, until);
    snprintf(head, sizeof head, "%s range   %s", s->measured ? "Marked" : "Visible",
             td_format_ns(length, fabs(until - from)));
    td_menu_head(menu, head);
    if (s->measured)
        td_menu_add(menu, "Zoom to it", "Z", "zoom %s", range);
    else
        td_menu_add(menu, "Mark it", NULL, "mark %s", range);
    if (s->limit == TD_LIMIT_NONE)
        td_menu_add(menu, "Count only it", NULL, "limit %s", limit);
    else
        td_menu_add(menu, "Count all of the trace", NULL, "limit all");
    td_menu_add(menu, "Statistics of its zones", "T", "limit %s; open statistics", limit);
    td_menu_add(menu, "Zones of a name in it", "I", "limit %s; open instances", limit);
    td_menu_add(menu, "Flame graph of it", "Shift+G", "limit %s; open flame", limit);
    td_menu_add(menu, "Is it the same on every core?", "R", "limit %s; open cells", limit);
    td_menu_add(menu, "Note on it ...", "M", "note %s; notes edit", range);
    td_menu_add(menu, "Export as a drawing ...", NULL, "zoom %s; prompt \"export timeline.svg\"", range);
    td_menu_add(menu, "Copy its times", NULL, "clipboard %s", range);
    if (s->measured)
        td_menu_add(menu, "Mark nothing", "Esc", "mark");
}

static bool is_in_range(const struct td_view *view, double ns)
{
    const struct td_selection *s = &view->selection;
    return s->measured && ns >= fmin(s->measure_from_ns, s->measure_to_ns) &&
           ns <= fmax(s->measure_from_ns, s->measure_to_ns);
}

static void add_timeline(struct td_menu *menu)
{
    td_menu_head(menu, "Timeline");
    td_menu_add(menu, "Show the whole trace", "F", "fit");
    td_menu_add(menu, "Find zones ...", "/", "search");
    td_menu_add(menu, "Rows", NULL, "menu rows");
    td_menu_add(menu, "Groups of cores", NULL, "menu group");
    td_menu_add(menu, "Panels", NULL, "menu panels");
    td_menu_add(menu, "All commands ...", "Ctrl+P", "palette");
}

static void add_message(struct td_view *view, struct td_menu *menu, size_t number)
{
    const struct td_message message = td_trace_message(view->model.trace, number);
    const char *text = td_dict_text(view->model.dict, message.text);
    char word[TD_MENU_WORD];
    td_menu_head(menu, text);
    td_menu_add(menu, "All messages", "Shift+M", "open messages");
    td_menu_add(menu, "Copy the text", NULL, "clipboard %s", td_menu_word(word, text));
}

static void add_thread(struct td_view *view, struct td_menu *menu, uint64_t thread)
{
    const uint64_t process = td_switches_process(&view->model.switches, thread);
    td_menu_add(menu, "Runs of this thread", "click", "runs %" PRIu64, thread);
    if (process)
        td_menu_add(menu, "Runs of its process", NULL, "runs process %" PRIu64, process);
    td_menu_add(menu, "What the processors ran", "Shift+D", "open cpus");
    td_menu_separate(menu);
}

/* A time in which the thread of a row did not run. */
static void add_wait(const struct td_view *view, struct td_menu *menu, const struct td_hover *hover)
{
    td_menu_add(menu, "Who ended this wait, step by step", "click", "critical #%" PRIu32 " %.0fns..%.0fns",
                view->layout.nodes[hover->node].number, hover->span.from_ns, hover->span.to_ns);
    td_menu_add(menu, "Wakeups of all threads", NULL, "open waits");
    td_menu_separate(menu);
}

void td_menu_at_mouse(struct td_view *view)
{
    const struct td_hover hover = view->hover;
    const float x = td_ui_mouse_x(view->ui), y = td_ui_mouse_y(view->ui);
    struct td_menu *menu = td_menu_begin(view, x, y);
    if (x < view->area.left) {
        if (hover.node >= 0)
            add_node(view, menu, hover.node);
        else
            add_timeline(menu);
        return;
    }
    if (td_ref_valid(hover.zone))
        td_menu_zone_parts(view, menu, hover.zone);
    else if (hover.message)
        add_message(view, menu, hover.message - 1);
    else if (hover.span.used) {
        char number[160];
        if (hover.thread)
            td_name_runner(view, hover.thread, number, sizeof number);
        else
            snprintf(number, sizeof number, hover.frame ? "Frame %zu" : "What is here", hover.frame - 1);
        td_menu_head(menu, number);
        if (hover.thread)
            add_thread(view, menu, hover.thread);
        if (hover.waits)
            add_wait(view, menu, &hover);
        td_menu_span_parts(menu, hover.span.from_ns, hover.span.to_ns);
        if (hover.frame)
            td_menu_frame_parts(view, menu);
    }
    const bool in_range = is_in_range(view, td_view_time(view, x));
    if (in_range)
        td_menu_range_parts(view, menu);
    if (!menu->count)
        add_timeline(menu);
}

void td_menu_of_choice(struct td_view *view)
{
    const struct td_zone_ref zone = view->selection.zone;
    float y;
    if (!td_ref_valid(zone)) {
        struct td_menu *menu =
            td_menu_begin(view, view->area.left + TD_U(view, 40), view->area.top + TD_U(view, 40));
        if (view->selection.measured)
            td_menu_range_parts(view, menu);
        add_timeline(menu);
        menu->chosen = 1;
        return;
    }
    const struct td_zone z = td_view_zone(view, zone);
    const double middle = ((double)z.start_ns + td_view_zone_end(view, &z)) / 2;
    const float x = td_view_x(view, td_view_shown_ns(&view->model, zone.track, middle));
    if (!td_view_zone_y(view, zone, &y))
        y = view->area.top;
    struct td_menu *menu = td_menu_begin(view, fminf(fmaxf(x, view->area.left), view->area.right), y);
    td_menu_zone_parts(view, menu, zone);
    menu->chosen = 1;
}
