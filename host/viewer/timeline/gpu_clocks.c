#include "host/viewer/timeline/gpu_clocks.h"
#include "host/trace/tables.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OFFSET_MAX 1e15

static const struct td_series *contexts_of(const struct td_view *view)
{
    return td_trace_table(view->model.trace, TD_TABLE_GPU_CONTEXT);
}

uint32_t td_view_gpu_contexts(const struct td_view *view)
{
    return (uint32_t)td_series_count(contexts_of(view));
}

const char *td_view_gpu_name(const struct td_view *view, uint32_t context, char *text, size_t bytes)
{
    const char *name = td_dict_text(view->model.dict,
                                    (uint32_t)td_series_get(contexts_of(view), context, TD_GPU_CONTEXT_NAME));
    if (*name)
        return name;
    snprintf(text, bytes, "GPU context %u", (unsigned)context);
    return text;
}

bool td_view_gpu_is_calibrated(const struct td_view *view, uint32_t context)
{
    return td_series_get(contexts_of(view), context, TD_GPU_CONTEXT_CALIBRATED) != 0;
}

struct td_gpu_clock td_view_gpu_clock(const struct td_view *view, uint32_t context)
{
    return context < view->model.gpu.count ? view->model.gpu.list[context] : (struct td_gpu_clock){0};
}

static int make_room(struct td_gpu_clocks *clocks, uint32_t count)
{
    if (count <= clocks->count)
        return 0;
    struct td_gpu_clock *list = realloc(clocks->list, count * sizeof *list);
    if (!list)
        return TD_E_NOMEM;
    memset(list + clocks->count, 0, (count - clocks->count) * sizeof *list);
    clocks->list = list;
    clocks->count = count;
    return 0;
}

int td_view_set_gpu_clock(struct td_view *view, uint32_t context, const double *drift, double offset_ns,
                          struct td_err *err)
{
    char text[40];
    const char *name = td_view_gpu_name(view, context, text, sizeof text);
    struct td_gpu_clock clock = {.drift = drift ? *drift : 0, .offset_ns = offset_ns};
    if (td_view_gpu_is_calibrated(view, context))
        return td_fail(err, TD_E_USAGE, "the program has calibrated the clock of %.80s", name);
    if (!drift && td_gpu_drift_measure(view->model.trace, context, &clock.drift) < 0)
        return td_fail(err, TD_E_NOTFOUND, "%.80s has too few zones to measure its drift", name);
    if (!(fabs(clock.drift) <= TD_GPU_DRIFT_MAX && fabs(offset_ns) <= OFFSET_MAX))
        return td_fail(err, TD_E_USAGE, "a drift is within %d ns/s, an offset within %.0f s",
                       TD_GPU_DRIFT_MAX, OFFSET_MAX / 1e9);
    if (make_room(&view->model.gpu, context + 1) < 0)
        return td_fail_no_memory(err, NULL);
    td_gpu_clock_begin(&clock, view->model.trace, context);
    view->model.gpu.list[context] = clock;
    return 0;
}

/* NULL: times are as recorded. */
static const struct td_gpu_clock *clock_of(const struct td_view *view, uint32_t track)
{
    const uint32_t context = view->model.gpu.count ? td_dict_get_track(view->model.dict, track)->context : 0;
    if (!context || context > view->model.gpu.count ||
        !td_gpu_clock_is_set(&view->model.gpu.list[context - 1]))
        return NULL;
    return &view->model.gpu.list[context - 1];
}

double td_view_shown_ns(const struct td_view *view, uint32_t track, double ns)
{
    const struct td_gpu_clock *clock = clock_of(view, track);
    return clock ? td_gpu_shown_ns(clock, ns) : ns;
}

struct td_clock_scope td_view_enter_clock(struct td_view *view, uint32_t track)
{
    const struct td_gpu_clock *clock = clock_of(view, track);
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

cJSON *td_gpu_clocks_to_json(const struct td_view *view)
{
    cJSON *list = NULL;
    for (uint32_t c = 0; c < view->model.gpu.count; c++) {
        if (!td_gpu_clock_is_set(&view->model.gpu.list[c]))
            continue;
        cJSON *entry = cJSON_CreateObject();
        cJSON_AddNumberToObject(entry, "context", c);
        cJSON_AddNumberToObject(entry, "drift", view->model.gpu.list[c].drift);
        cJSON_AddNumberToObject(entry, "offset_ns", view->model.gpu.list[c].offset_ns);
        list = list ? list : cJSON_CreateArray();
        cJSON_AddItemToArray(list, entry);
    }
    return list;
}

void td_gpu_clocks_read(struct td_view *view, const cJSON *list)
{
    const cJSON *entry;
    const double contexts = td_view_gpu_contexts(view);
    cJSON_ArrayForEach(entry, list)
    {
        const double context = td_store_number(entry, "context", -1, 0, contexts - 1),
                     drift = td_store_number(entry, "drift", 0, -TD_GPU_DRIFT_MAX, TD_GPU_DRIFT_MAX);
        if (context >= 0)
            td_view_set_gpu_clock(view, (uint32_t)context, &drift,
                                  td_store_number(entry, "offset_ns", 0, -OFFSET_MAX, OFFSET_MAX), NULL);
    }
}
