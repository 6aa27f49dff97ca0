#include "host/viewer/drive/row_commands.h"
#include "host/viewer/model/state_check.h"
#include "host/viewer/timeline/facts.h"
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/timeline/trace_state.h"
#include "host/viewer/timeline/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int td_drive_view(struct td_view *view, const char *name, const char *rest, struct td_err *err)
{
    char whole[2 * TD_SAVED_VIEW_NAME];
    if (rest && !strcmp(name, "save"))
        return td_saved_view_keep(view, rest, err);
    if (rest && !strcmp(name, "remove"))
        return td_saved_view_remove(view, rest, err);
    snprintf(whole, sizeof whole, "%s%s%s", name, rest ? " " : "", rest ? rest : "");
    return td_saved_view_show(view, whole, err);
}

int td_drive_lanes(struct td_view *view, const char *text, struct td_err *err)
{
    struct td_lane_filter filter;
    struct td_lane_mistake mistake;
    if (!text)
        td_lanes_show_all(view);
    else if (!td_lane_filter_parse(&filter, text, &mistake))
        return td_fail(err, TD_E_USAGE, "%s, at \"%.40s\"", mistake.text, text + mistake.at);
    else
        td_lanes_set_filter(view, text);
    return 0;
}

int td_drive_group(struct td_view *view, const char *word, struct td_err *err)
{
    for (int i = 0; i < TD_GROUPING_COUNT; i++)
        if (!strcmp(td_state_grouping(i), word)) {
            td_lanes_group(view, (enum td_grouping)i);
            return 0;
        }
    return td_fail(err, TD_E_USAGE, "'%.80s' is not place, kind, kernel or flat", word);
}

/* ---- rows by name ---- */

static const char *track_name(const struct td_view *view, uint32_t track)
{
    return td_dict_text(view->model.dict, td_dict_get_track(view->model.dict, track)->name);
}

/* The track #N, or of exactly that name. */
static uint32_t exact_track(const struct td_view *view, const char *name)
{
    const uint32_t tracks = td_dict_track_count(view->model.dict);
    unsigned number;
    char end;
    if (sscanf(name, "#%u%c", &number, &end) == 1)
        return number < tracks ? number : UINT32_MAX;
    for (uint32_t t = 0; t < tracks; t++)
        if (!strcmp(track_name(view, t), name))
            return t;
    return UINT32_MAX;
}

static bool contains(const struct td_view *view, const struct td_node *node, const char *name)
{
    return strcasestr(node->label, name) ||
           (node->kind == TD_NODE_TRACK && strcasestr(track_name(view, node->number), name));
}

uint32_t td_drive_find_track(const struct td_view *view, const char *name)
{
    uint32_t found = exact_track(view, name);
    for (int i = 0; i < view->layout.count && found == UINT32_MAX && *name != '#'; i++) {
        const struct td_node *node = &view->layout.nodes[i];
        if (node->kind == TD_NODE_TRACK && contains(view, node, name))
            found = node->number;
    }
    return found;
}

/* Its node; -1: *err says that there is none. The name may be that of a state, such as "/Host/Main thread". */
static int find_row(const struct td_view *view, const char *name, struct td_err *err)
{
    const struct td_layout *layout = &view->layout;
    const uint32_t track = exact_track(view, name);
    int found = *name == '/' ? td_row_named(view, name) : -1;
    if (found < 0 && track != UINT32_MAX)
        found = td_layout_track_node(layout, track);
    for (int i = 0; i < layout->count && found < 0; i++)
        found = !strcasecmp(layout->nodes[i].label, name) ? i : -1;
    for (int i = 0; i < layout->count && found < 0 && *name && *name != '#'; i++)
        found = contains(view, &layout->nodes[i], name) ? i : -1;
    if (found < 0)
        td_fail(err, TD_E_NOTFOUND, "there is no row '%.80s'", name);
    return found;
}

int td_drive_pin(struct td_view *view, const char *row, struct td_err *err)
{
    const int node = find_row(view, row, err);
    if (node < 0)
        return TD_E_NOTFOUND;
    td_lanes_show(view, node); /* a hidden row would not be seen above, either */
    if (!view->layout.nodes[node].in_pins)
        td_lanes_pin(view, node);
    return 0;
}

int td_drive_unpin(struct td_view *view, const char *row, struct td_err *err)
{
    const int node = row ? find_row(view, row, err) : -1;
    if (row && node < 0)
        return TD_E_NOTFOUND;
    if (!row || view->layout.nodes[node].in_pins)
        td_lanes_pin(view, node);
    return 0;
}

int td_drive_hide(struct td_view *view, const char *row, struct td_err *err)
{
    const int node = find_row(view, row, err);
    if (node < 0)
        return TD_E_NOTFOUND;
    td_lanes_hide(view, node);
    return 0;
}

int td_drive_show(struct td_view *view, const char *row, struct td_err *err)
{
    const int node = row ? find_row(view, row, err) : -1;
    if (row && node < 0)
        return TD_E_NOTFOUND;
    if (row)
        td_lanes_show(view, node);
    else
        td_lanes_hide(view, -1);
    return 0;
}

int td_drive_order(struct td_view *view, const char *text, struct td_err *err)
{
    if (!text) {
        td_lanes_order(view, NULL, 0);
        return 0;
    }
    char *copy = strdup(text), *rest = copy, *name;
    uint32_t *tracks = malloc((strlen(text) + 1) * sizeof *tracks);
    size_t count = 0;
    int rc = copy && tracks ? 0 : td_fail_no_memory(err, NULL);
    while (rc == 0 && (name = strsep(&rest, ";"))) {
        name += strspn(name, " ");
        if (!*name)
            continue;
        tracks[count] = td_drive_find_track(view, name);
        if (tracks[count++] == UINT32_MAX)
            rc = td_fail(err, TD_E_NOTFOUND, "there is no track '%.80s'", name);
    }
    if (rc == 0)
        td_lanes_order(view, tracks, count);
    free(copy);
    free(tracks);
    return rc;
}

int td_drive_only(struct td_view *view, const char *row, struct td_err *err)
{
    const int node = find_row(view, row, err);
    if (node < 0)
        return TD_E_NOTFOUND;
    for (int i = 0; i < view->layout.count; i++)
        if (view->layout.nodes[i].parent < 0)
            td_layout_hide(&view->layout, i, true);
    td_lanes_show(view, node);
    return 0;
}

/* ---- what single rows have ---- */

static int arrange(struct td_view *view, int rc, struct td_err *err)
{
    view->rows.arranged = true; /* what is closed stays so */
    return rc < 0 ? td_fail_no_memory(err, NULL) : td_view_arrange_rows(view, err);
}

int td_drive_ghosts(struct td_view *view, const char *row, const char *word, struct td_err *err)
{
    static const char *const words[] = {[TD_ROW_AS_SET] = "auto", [TD_ROW_ON] = "on", [TD_ROW_OFF] = "off"};
    const int node = find_row(view, row, err);
    int to = 0;
    while (to <= TD_ROW_OFF && strcmp(words[to], word) != 0)
        to++;
    if (node < 0)
        return TD_E_NOTFOUND;
    if (to > TD_ROW_OFF)
        return td_fail(err, TD_E_USAGE, "'%.80s' is not on, off or auto", word);
    int rc = 0;
    for (int i = node; i < view->layout.nodes[node].end && rc == 0; i++)
        if (view->layout.nodes[i].kind == TD_NODE_TRACK)
            rc = td_row_set_ghosts(&view->rows.own, view->layout.nodes[i].number, (enum td_row_switch)to);
    return arrange(view, rc, err);
}

/* The plot of that name, or of the row that is found by it; UINT32_MAX: *err says that there is none. */
static uint32_t find_plot(const struct td_view *view, const char *name, struct td_err *err)
{
    for (uint32_t p = 0; p < td_dict_plot_count(view->model.dict); p++)
        if (td_trace_plot_points(view->model.trace, p) &&
            !strcmp(td_dict_text(view->model.dict, td_dict_get_plot(view->model.dict, p)->name), name))
            return p;
    const int node = find_row(view, name, err);
    if (node >= 0 && view->layout.nodes[node].kind == TD_NODE_PLOT)
        return view->layout.nodes[node].number;
    td_fail(err, TD_E_NOTFOUND, "there is no plot '%.80s'", name);
    return UINT32_MAX;
}

/* The plots in the row of a plot. */
static int plots_in_row(const struct td_view *view, uint32_t plot)
{
    const struct td_row_choices *own = &view->rows.own;
    const uint32_t host = td_row_host(own, plot);
    int count = 1;
    for (uint32_t p = 0; p < own->plots; p++)
        count += p != host && td_row_host(own, p) == host;
    return count;
}

int td_drive_join(struct td_view *view, const char *plot, const char *row, struct td_err *err)
{
    const uint32_t of = find_plot(view, plot, err), to = of == UINT32_MAX ? of : find_plot(view, row, err);
    if (to == UINT32_MAX)
        return TD_E_NOTFOUND;
    const bool same = td_row_host(&view->rows.own, of) == td_row_host(&view->rows.own, to);
    const int moved = td_row_host(&view->rows.own, of) == of ? plots_in_row(view, of) : 1;
    if (!same && plots_in_row(view, to) + moved > TD_ROW_PLOTS)
        return td_fail(err, TD_E_LIMIT, "a row has at most %d plots", TD_ROW_PLOTS);
    return same ? 0 : arrange(view, td_row_join(&view->rows.own, of, to), err);
}

int td_drive_split(struct td_view *view, const char *plot, struct td_err *err)
{
    struct td_row_choices *own = &view->rows.own;
    const uint32_t of = find_plot(view, plot, err);
    int rc = of == UINT32_MAX ? TD_E_NOTFOUND : 0;
    if (rc < 0)
        return rc;
    const bool all = td_row_host(own, of) == of; /* of its row: each gets its own again */
    for (uint32_t p = 0; p < own->plots && rc == 0; p++)
        if (p == of || (all && td_row_host(own, p) == of))
            rc = td_row_join(own, p, p);
    return arrange(view, rc, err);
}

static int set_closed(struct td_view *view, const char *row, bool closed, struct td_err *err)
{
    if (!row) {
        td_view_collapse(view, closed);
        return 0;
    }
    const int number = find_row(view, row, err);
    if (number < 0)
        return TD_E_NOTFOUND;
    struct td_node *node = &view->layout.nodes[number];
    if (node->kind != TD_NODE_GROUP && node->kind != TD_NODE_TRACK)
        return td_fail(err, TD_E_USAGE, "'%.80s' is no group and no track", row);
    node->collapsed = closed;
    view->rows.arranged = true;
    td_view_place_rows(view);
    return 0;
}

int td_drive_collapse(struct td_view *view, const char *row, struct td_err *err)
{
    return set_closed(view, row, true, err);
}

int td_drive_expand(struct td_view *view, const char *row, struct td_err *err)
{
    return set_closed(view, row, false, err);
}

/* ---- moving a row among its siblings ---- */

enum { UP, DOWN, FIRST, LAST, DIRECTIONS };

/* The sibling before which (up, first) or after which the node is to come; -1: it is there already. */
static int find_neighbour(const struct td_layout *layout, int node, int direction)
{
    int before = -1, after = -1, first = -1, last = -1;
    for (int i = 0; i < layout->count; i++) {
        if (layout->nodes[i].parent != layout->nodes[node].parent || !layout->nodes[i].tracks)
            continue;
        if (i < node) {
            first = first < 0 ? i : first;
            before = i;
        } else if (i > node) {
            after = after < 0 ? i : after;
            last = i;
        }
    }
    return direction == UP ? before : direction == DOWN ? after : direction == FIRST ? first : last;
}

int td_drive_move(struct td_view *view, const char *row, const char *where, struct td_err *err)
{
    static const char *const words[DIRECTIONS] = {"up", "down", "first", "last"};
    const struct td_layout *layout = &view->layout;
    const int node = find_row(view, row, err);
    int direction = 0;
    while (direction < DIRECTIONS && strcmp(words[direction], where) != 0)
        direction++;
    if (node < 0)
        return TD_E_NOTFOUND;
    if (direction == DIRECTIONS)
        return td_fail(err, TD_E_USAGE, "'%.80s' is not up, down, first or last", where);
    if (!layout->nodes[node].tracks)
        return td_fail(err, TD_E_USAGE, "only threads, cores and their groups can be moved");
    const int to = find_neighbour(layout, node, direction);
    return to < 0 || td_lanes_move(view, node, to) == 0 ? 0 : td_fail_no_memory(err, NULL);
}
