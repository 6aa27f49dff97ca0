/* The viewer's state: initial values, and the steps of a frame. */
#include "host/viewer/timeline/facts.h"
#include "host/viewer/timeline/input.h"
#include "host/viewer/timeline/ghost_rows.h"
#include "host/viewer/timeline/view.h"
#include "host/base/parallel.h"
#include "host/viewer/model/file_sum.h"

#include <math.h>
#include <stdlib.h>

#define SCROLL_SECONDS 0.05

static void use_parts(struct td_view *view, struct td_bands *bands)
{
    const struct td_band_parts parts = {&view->model.messages, &view->model.switches, &view->drawn.ghosts};
    td_bands_use(bands, &parts);
}

static int init_view(struct td_view *view, struct td_ui *ui, struct td_trace *trace, struct td_live *live,
                     bool loading, const char *path, struct td_err *err)
{
    td_jobs_wake(td_ui_wake);
    *view = (struct td_view){
        .ui = ui,
        .model = {
            .trace = trace, .live = live, .loading = loading, .dict = td_trace_dict(trace), .path = path}};
    view->model.file_sum = live ? 0 : td_trace_file_sum(td_trace_get_info(trace), path);
    view->scale = td_ui_scale(ui);
    view->metrics = td_metrics_for(view->scale);
    view->hover.zone = view->selection.zone = view->drawn.self_of = TD_NO_ZONE;
    view->hover.node = -1;
    view->lanes.selected = view->lanes.lit = TD_NO_LANE;
    view->model.settled_ns = live || loading ? -INFINITY : INFINITY;
    td_switches_init(&view->model.switches);
    td_ghost_cache_init(&view->drawn.ghosts);
    view->drawn.bands = td_bands_create(trace, 0);
    if (view->drawn.bands)
        use_parts(view, view->drawn.bands);
    int rc = view->drawn.bands ? td_view_read_facts(view, err) : td_fail_no_memory(err, NULL);
    if (rc == 0 && td_panels_init(view, td_panels) < 0)
        rc = td_fail_no_memory(err, NULL);
    if (rc < 0) {
        td_view_free(view);
        return rc;
    }
    td_camera_init(&view->camera, (double)view->model.first_ns, (double)view->model.last_ns);
    if (live)
        td_camera_follow(&view->camera, true);
    return 0;
}

int td_view_init(struct td_view *view, struct td_ui *ui, struct td_trace *trace, struct td_live *live,
                 const char *path, struct td_err *err)
{
    return init_view(view, ui, trace, live, false, path, err);
}

int td_view_init_loading(struct td_view *view, struct td_ui *ui, struct td_trace *trace, const char *path,
                         struct td_err *err)
{
    return init_view(view, ui, trace, NULL, true, path, err);
}

int td_view_use_threads(struct td_view *view, struct td_err *err)
{
    struct td_bands *bands = td_bands_create(view->model.trace, td_parallel_threads(0));
    if (!bands)
        return td_fail_no_memory(err, NULL);
    td_bands_destroy(view->drawn.bands);
    use_parts(view, bands);
    view->drawn.bands = bands;
    view->drawn.has_threads = true;
    return 0;
}

int td_view_background(struct td_view *view)
{
    view->drawn.has_found |= td_find_take(&view->find);
    view->drawn.has_found |= td_memory_curves_take(&view->drawn.memory);
    const int ghosts = td_ghost_cache_pending(&view->drawn.ghosts);
    if (view->drawn.has_found || td_bands_arrived(view->drawn.bands) || ghosts == 2)
        return 2;
    return ghosts || td_memory_curves_pending(&view->drawn.memory) || view->noc.reading.running ||
           td_find_pending(&view->find) || td_bands_pending(view->drawn.bands) || td_pictures_pending(view);
}

void td_view_free(struct td_view *view)
{
    td_chain_free(&view->selection.chain);
    td_critical_free(&view->selection.critical);
    td_panels_free(view); /* first: their jobs read the sums */
    td_range_sums_free(&view->sums);
    td_plot_stats_free(&view->plot_stats);
    td_view_noc_free(&view->noc);
    td_lanes_free(&view->lanes);
    td_pictures_free(view);
    td_view_free_facts(view);
    td_find_free(&view->find);
    td_annotations_free(&view->notes);
    td_saved_views_free(&view->saved);
    td_row_map_free(&view->rows.map);
    td_source_paths_free(&view->model.source_paths);
    free(view->wishes.png);
    free(view->wishes.drawing);
}

static void step_scroll(struct td_view *view, double seconds)
{
    float off = view->area.to_scroll - view->area.scroll;
    if (fabsf(off) < .5f) {
        view->area.scroll = view->area.to_scroll;
        view->area.scrolling = false;
        return;
    }
    view->area.scroll += off * (float)td_ease_part(seconds, SCROLL_SECONDS, view->area.scrolling);
    view->area.scrolling = true;
}

bool td_view_frame(struct td_view *view)
{
    double seconds = td_ui_seconds(view->ui);
    view->hover.tip[0] = 0;
    view->panels.plays = false;
    view->drawn.count = 0;
    if (view->scale != td_ui_scale(view->ui)) {
        view->scale = td_ui_scale(view->ui);
        view->metrics = td_metrics_for(view->scale);
        td_view_place_rows(view);
    }
    td_view_check_rows(view);
    td_view_keys(view);
    td_view_take_sums(view);
    td_view_take_plot_stats(view);
    td_lanes_update(view);
    td_saved_views_step(view);
    td_view_hide_empty(view);
    td_view_fit_ghosts(view);
    td_camera_step(&view->camera, seconds);
    step_scroll(view, seconds);
    td_panels_draw(view);
    td_history_note(view);
    return view->panels.plays || view->camera.start_ns != view->camera.to_start_ns ||
           view->camera.end_ns != view->camera.to_end_ns || view->area.scroll != view->area.to_scroll;
}
