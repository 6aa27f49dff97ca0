#include "host/viewer/model/gpu_clocks.h"
#include "host/trace/tables.h"
#include "host/viewer/model/store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OFFSET_MAX 1e15

static const struct td_series *contexts_of(const struct td_view_model *model)
{
    return td_trace_table(model->trace, TD_TABLE_GPU_CONTEXT);
}

uint32_t td_view_gpu_contexts(const struct td_view_model *model)
{
    return (uint32_t)td_series_count(contexts_of(model));
}

const char *td_view_gpu_name(const struct td_view_model *model, uint32_t context, char *text, size_t bytes)
{
    const char *name =
        td_dict_text(model->dict, (uint32_t)td_series_get(contexts_of(model), context, TD_GPU_CONTEXT_NAME));
    if (*name)
        return name;
    snprintf(text, bytes, "GPU context %u", (unsigned)context);
    return text;
}

bool td_view_gpu_is_calibrated(const struct td_view_model *model, uint32_t context)
{
    return td_series_get(contexts_of(model), context, TD_GPU_CONTEXT_CALIBRATED) != 0;
}

struct td_gpu_clock td_view_gpu_clock(const struct td_view_model *model, uint32_t context)
{
    return context < model->gpu.count ? model->gpu.list[context] : (struct td_gpu_clock){0};
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

int td_view_set_gpu_clock(struct td_view_model *model, uint32_t context, const double *drift,
                          double offset_ns, struct td_err *err)
{
    char text[40];
    const char *name = td_view_gpu_name(model, context, text, sizeof text);
    struct td_gpu_clock clock = {.drift = drift ? *drift : 0, .offset_ns = offset_ns};
    if (td_view_gpu_is_calibrated(model, context))
        return td_fail(err, TD_E_USAGE, "the program has calibrated the clock of %.80s", name);
    if (!drift && td_gpu_drift_measure(model->trace, context, &clock.drift) < 0)
        return td_fail(err, TD_E_NOTFOUND, "%.80s has too few zones to measure its drift", name);
    if (!(fabs(clock.drift) <= TD_GPU_DRIFT_MAX && fabs(offset_ns) <= OFFSET_MAX))
        return td_fail(err, TD_E_USAGE, "a drift is within %d ns/s, an offset within %.0f s",
                       TD_GPU_DRIFT_MAX, OFFSET_MAX / 1e9);
    if (make_room(&model->gpu, context + 1) < 0)
        return td_fail_no_memory(err, NULL);
    td_gpu_clock_begin(&clock, model->trace, context);
    model->gpu.list[context] = clock;
    return 0;
}

const struct td_gpu_clock *td_view_clock_of(const struct td_view_model *model, uint32_t track)
{
    const uint32_t context = model->gpu.count ? td_dict_get_track(model->dict, track)->context : 0;
    if (!context || context > model->gpu.count || !td_gpu_clock_is_set(&model->gpu.list[context - 1]))
        return NULL;
    return &model->gpu.list[context - 1];
}

double td_view_shown_ns(const struct td_view_model *model, uint32_t track, double ns)
{
    const struct td_gpu_clock *clock = td_view_clock_of(model, track);
    return clock ? td_gpu_shown_ns(clock, ns) : ns;
}

cJSON *td_gpu_clocks_to_json(const struct td_view_model *model)
{
    cJSON *list = NULL;
    for (uint32_t c = 0; c < model->gpu.count; c++) {
        if (!td_gpu_clock_is_set(&model->gpu.list[c]))
            continue;
        cJSON *entry = cJSON_CreateObject();
        cJSON_AddNumberToObject(entry, "context", c);
        cJSON_AddNumberToObject(entry, "drift", model->gpu.list[c].drift);
        cJSON_AddNumberToObject(entry, "offset_ns", model->gpu.list[c].offset_ns);
        list = list ? list : cJSON_CreateArray();
        cJSON_AddItemToArray(list, entry);
    }
    return list;
}

void td_gpu_clocks_read(struct td_view_model *model, const cJSON *list)
{
    const cJSON *entry;
    const double contexts = td_view_gpu_contexts(model);
    cJSON_ArrayForEach(entry, list)
    {
        const double context = td_store_number(entry, "context", -1, 0, contexts - 1),
                     drift = td_store_number(entry, "drift", 0, -TD_GPU_DRIFT_MAX, TD_GPU_DRIFT_MAX);
        if (context >= 0)
            td_view_set_gpu_clock(model, (uint32_t)context, &drift,
                                  td_store_number(entry, "offset_ns", 0, -OFFSET_MAX, OFFSET_MAX), NULL);
    }
}
