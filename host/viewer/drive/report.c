#include "host/viewer/drive/report.h"
#include "host/query/table/track_name.h"
#include "host/viewer/ui/controls.h"
#include "host/viewer/model/gpu_clocks.h"
#include "host/viewer/timeline/view.h"

#include <math.h>

static void add_range(cJSON *to, const char *name, double from, double to_ns)
{
    cJSON *range = cJSON_AddObjectToObject(to, name);
    cJSON_AddNumberToObject(range, "from_ns", from);
    cJSON_AddNumberToObject(range, "to_ns", to_ns);
}

static void add_selection(cJSON *to, const struct td_view *view)
{
    if (!td_ref_valid(view->selection.zone)) {
        cJSON_AddNullToObject(to, "selected");
        return;
    }
    char room[TD_TRACK_NAME_BYTES];
    struct td_zone zone = td_view_zone(view, view->selection.zone);
    cJSON *selected = cJSON_AddObjectToObject(to, "selected");
    cJSON_AddStringToObject(selected, "name", td_zone_label(view->model.dict, &zone));
    cJSON_AddStringToObject(selected, "track",
                            td_track_name(view->model.dict, view->selection.zone.track, room));
    cJSON_AddNumberToObject(selected, "depth", view->selection.zone.row);
    cJSON_AddNumberToObject(selected, "from_ns", (double)zone.start_ns);
    cJSON_AddNumberToObject(selected, "to_ns", td_view_zone_end(view, &zone));
}

/* What went over the NoC in the range that panels count; null while it was not counted, or there is nothing. */
static void add_noc(cJSON *to, struct td_view *view)
{
    const struct td_noc_traffic *traffic = td_view_traffic(view);
    if (!traffic) {
        cJSON_AddNullToObject(to, "noc");
        return;
    }
    cJSON *noc = cJSON_AddObjectToObject(to, "noc");
    cJSON_AddNumberToObject(noc, "transfers", (double)traffic->all.transfers);
    cJSON_AddNumberToObject(noc, "bytes", (double)traffic->all.bytes);
    cJSON_AddNumberToObject(noc, "pairs", (double)traffic->pairs);
    cJSON_AddNumberToObject(noc, "busiest_link_bytes", (double)traffic->most);
}

void td_report_state(struct td_view *view, const char *limit, cJSON *to)
{
    cJSON_AddStringToObject(to, "file", view->model.path);
    cJSON_AddStringToObject(to, "description", view->model.description);
    add_range(to, "trace", (double)view->model.first_ns, (double)view->model.last_ns);
    cJSON_AddNumberToObject(to, "zones", (double)view->model.zones);
    add_range(to, "range", view->camera.to_start_ns, view->camera.to_end_ns);
    if (view->selection.measured)
        add_range(to, "marked", fmin(view->selection.measure_from_ns, view->selection.measure_to_ns),
                  fmax(view->selection.measure_from_ns, view->selection.measure_to_ns));
    else
        cJSON_AddNullToObject(to, "marked");
    cJSON_AddStringToObject(to, "limit", limit);
    add_selection(to, view);
    cJSON_AddStringToObject(to, "find", view->find.active ? view->find.text : "");
    cJSON_AddNumberToObject(to, "matches",
                            view->find.active ? (double)td_matches_count(view->find.matches) : 0);
    cJSON *panels = cJSON_AddArrayToObject(to, "panels");
    for (int i = 0; i < TD_PANEL_COUNT; i++)
        if ((view->panels.table[i]->title || i == TD_PANEL_HELP) && td_panel_is_open(view, i))
            cJSON_AddItemToArray(panels, cJSON_CreateString(view->panels.table[i]->name));
    add_noc(to, view);
    cJSON *views = cJSON_AddArrayToObject(to, "views");
    for (size_t i = 0; td_saved_view_name(view, i); i++)
        cJSON_AddItemToArray(views, cJSON_CreateString(td_saved_view_name(view, i)));
    cJSON_AddStringToObject(to, "lanes", view->lanes.mistake.text[0] ? "" : view->lanes.text);
    cJSON *clocks = td_gpu_clocks_to_json(&view->model);
    cJSON_AddItemToObject(to, "gpu", clocks ? clocks : cJSON_CreateArray());
    cJSON_AddItemToObject(to, "settings", td_settings_to_json(td_view_settings(view)));
    cJSON_AddItemToObject(to, "notes", td_annotations_to_json(&view->notes));
}

void td_report_frames(struct td_view *view, cJSON *to)
{
    const struct td_frame_cost cost = td_ui_take_cost(view->ui);
    if (!to)
        return;
    cJSON_AddNumberToObject(to, "frames", (double)cost.frames);
    cJSON_AddNumberToObject(to, "mean_ms",
                            cost.frames ? (double)cost.total_ns / 1e6 / (double)cost.frames : 0);
    cJSON_AddNumberToObject(to, "worst_ms", (double)cost.worst_ns / 1e6);
}

/* ---- places ---- */

static void add_place(cJSON *to, const char *panel, const char *name, const struct td_rect *place)
{
    cJSON *control = cJSON_CreateObject();
    cJSON_AddStringToObject(control, "panel", panel);
    cJSON_AddStringToObject(control, "name", name);
    cJSON_AddNumberToObject(control, "left", (double)place->left);
    cJSON_AddNumberToObject(control, "top", (double)place->top);
    cJSON_AddNumberToObject(control, "right", (double)place->right);
    cJSON_AddNumberToObject(control, "bottom", (double)place->bottom);
    cJSON_AddItemToArray(to, control);
}

static void add_rows(const struct td_view *view, cJSON *to)
{
    const struct td_rows_area *area = &view->area;
    for (int i = 0; i < view->layout.shown_count; i++) {
        const struct td_node *node = &view->layout.nodes[view->layout.shown[i]];
        const float y = td_view_node_y(view, node);
        const struct td_rect place = {area->panel.left, fmaxf(y, area->top), area->left,
                                      fminf(y + node->height, area->bottom)};
        if (!node->pinned && place.top < place.bottom)
            add_place(to, "rows", node->label, &place);
    }
}

static void add_selected(const struct td_view *view, cJSON *to)
{
    const struct td_zone_ref ref = view->selection.zone;
    struct td_rect place;
    if (!td_ref_valid(ref) || !td_view_zone_y(view, ref, &place.top))
        return;
    const struct td_zone zone = td_view_zone(view, ref);
    place.left = fmaxf(td_view_x(view, (double)zone.start_ns), view->area.left);
    place.right = fminf(td_view_x(view, td_view_zone_end(view, &zone)), view->area.right);
    place.bottom = place.top + view->metrics.row;
    add_place(to, "selected", td_zone_label(view->model.dict, &zone), &place);
}

void td_report_controls(struct td_view *view, cJSON *to)
{
    const struct td_ui_control *controls = NULL;
    const size_t count = td_ui_controls(view->ui, &controls);
    cJSON *array = to ? cJSON_AddArrayToObject(to, "controls") : NULL;
    if (!array)
        return;
    for (size_t i = 0; i < count; i++)
        add_place(
            array, controls[i].region, controls[i].name,
            &(struct td_rect){controls[i].left, controls[i].top, controls[i].right, controls[i].bottom});
    add_rows(view, array);
    add_selected(view, array);
}
