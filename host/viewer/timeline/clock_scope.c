#include "host/viewer/timeline/clock_scope.h"
#include "host/viewer/model/gpu_clocks.h"
#include "host/viewer/timeline/view.h"

struct td_clock_scope td_view_enter_clock(struct td_view *view, uint32_t track)
{
    const struct td_gpu_clock *clock = td_view_clock_of(&view->model, track);
    struct td_clock_scope scope = {.entered = clock != NULL};
    if (!clock)
        return scope;
    scope = (struct td_clock_scope){view->camera.start_ns, view->camera.end_ns, view->area.origin_ns,
                                    view->area.ns_per_pixel, true};
    view->camera.start_ns = td_gpu_recorded_ns(clock, scope.start_ns);
    view->camera.end_ns = td_gpu_recorded_ns(clock, scope.end_ns);
    view->area.origin_ns = td_gpu_recorded_ns(clock, scope.origin_ns);
    view->area.ns_per_pixel = scope.ns_per_pixel / (1 + clock->drift / 1e9);
    view->area.pixels_per_ns = 1 / view->area.ns_per_pixel;
    return scope;
}

void td_view_leave_clock(struct td_view *view, const struct td_clock_scope *scope)
{
    if (!scope->entered)
        return;
    view->camera.start_ns = scope->start_ns;
    view->camera.end_ns = scope->end_ns;
    view->area.origin_ns = scope->origin_ns;
    view->area.ns_per_pixel = scope->ns_per_pixel;
    view->area.pixels_per_ns = 1 / view->area.ns_per_pixel;
}
