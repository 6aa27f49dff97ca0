#include "host/tools/recording/serving.h"
#include "host/base/path.h"
#include "host/wire/hello.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void keep_parameter(void *self, uint32_t index, int32_t value)
{
    struct serving *serving = self;
    pthread_mutex_lock(&serving->lock);
    unsigned i = 0;
    while (i < serving->parameter_count && serving->parameters[i].index != index)
        i++;
    if (i < SERVING_PARAMETERS) {
        serving->parameters[i].index = index;
        serving->parameters[i].value = value;
        serving->parameter_count += i == serving->parameter_count;
    }
    pthread_mutex_unlock(&serving->lock);
}

int serving_check(const struct serving *serving, int64_t keep_ns, struct td_err *err)
{
    return serving->where && keep_ns
               ? td_fail(err, TD_E_USAGE,
                         "--serve and --keep exclude each other: viewers read from the start")
               : 0;
}

int serving_begin(struct serving *serving, struct td_trace *trace, struct td_err *err)
{
    if (!serving->where)
        return 0;
    pthread_mutex_init(&serving->lock, NULL);
    td_trace_follow(trace);
    struct td_serve_options options = {.where = serving->where, .parameter = keep_parameter, .self = serving};
    serving->serve = td_serve_create(trace, &options, err);
    if (!serving->serve)
        return err->code;
    fprintf(stderr, "viewers may connect to %s\n", td_serve_where(serving->serve));
    return 0;
}

void serving_describe_client(struct serving *serving, const struct td_client_source *source)
{
    if (!serving->serve || serving->is_described)
        return;
    const struct td_wire_welcome *w = td_client_source_welcome(source);
    double ns = w->timerMul > 0 && w->timerMul < 1e9 ? w->timerMul : 1;
    struct td_serve_description d = {
        .program = w->programName,
        .host_info = w->hostInfo,
        .pid = w->pid,
        .epoch_s = w->epoch,
        .executable_time_s = w->exectime,
        .resolution_ns = (uint64_t)((double)(w->resolution < UINT32_MAX ? w->resolution : 0) * ns),
        .delay_ns = (uint64_t)((double)(w->delay < UINT32_MAX ? w->delay : 0) * ns),
        .sampling_period_ns = w->samplingPeriod,
        .cpu_arch = w->cpuArch,
        .cpu_id = w->cpuId,
        .on_demand = (w->flags & TD_WIRE_FLAG_ON_DEMAND) != 0,
        .frame_offset = td_client_source_frame_offset(source),
        .identify_samples = (w->flags & TD_WIRE_FLAG_IDENTIFY_SAMPLES) != 0,
        .combine_samples = (w->flags & TD_WIRE_FLAG_COMBINE_SAMPLES) != 0,
    };
    memcpy(d.cpu_vendor, w->cpuManufacturer, sizeof d.cpu_vendor);
    serving->is_described = true;
    td_serve_describe(serving->serve, &d);
}

void serving_describe(struct serving *serving, const char *program)
{
    if (!serving->serve || serving->is_described)
        return;
    struct td_serve_description d = {.program = program ? td_path_name(program) : NULL,
                                     .pid = (uint64_t)getpid(),
                                     .epoch_s = (uint64_t)time(NULL),
                                     .identify_samples = true};
    serving->is_described = true;
    td_serve_describe(serving->serve, &d);
}

int serving_apply(struct serving *serving, struct td_client_source *source, struct td_err *err)
{
    int rc = 0;
    if (!serving->serve)
        return 0;
    pthread_mutex_lock(&serving->lock);
    for (unsigned i = 0; i < serving->parameter_count && rc == 0; i++)
        rc = td_client_source_set_parameter(source, serving->parameters[i].index,
                                            serving->parameters[i].value, err);
    serving->parameter_count = 0;
    pthread_mutex_unlock(&serving->lock);
    return rc;
}

void serving_end(struct serving *serving, const char *command)
{
    if (!serving->serve)
        return;
    td_serve_end(serving->serve);
    struct td_serve_counts counts = td_serve_get_counts(serving->serve);
    if (counts.cut)
        fprintf(stderr, "%s: %" PRIu64 " of %" PRIu64 " viewers did not take all of the trace in time\n",
                command, counts.cut, counts.served);
    if (counts.late && counts.served)
        fprintf(stderr,
                "%s: viewers lack %" PRIu64 " zones, which came after others that are in them; the trace has "
                "them\n",
                command, counts.late);
    td_serve_destroy(serving->serve);
    serving->serve = NULL;
    pthread_mutex_destroy(&serving->lock);
}
