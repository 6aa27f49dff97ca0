#include "host/agent/limits/size_watch.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/base/thread.h"
#include "host/trace/forget.h"

#include <inttypes.h>
#include <stdlib.h>

#define LOOK_NS      20000000
#define SAMPLE_MOST  ((double)(32 << 20)) /* weight of a sample */
#define SAMPLE_LEAST ((double)(64 << 10)) /* below, what each file has counts too much */
#define PARTS        8                    /* samples until the size is reached, about */
#define UNSAMPLED    4   /* times the size, by the estimate, may be collected without a sample */
#define FIRST_RATIO  0.7 /* file bytes for a unit of weight, until the first sample */

struct td_size_watch {
    double most;
    struct td_cut_files files;
    const struct td_trace *trace;
    int64_t next_ns;
    double weight;               /* at the last look */
    double measured, part_begin; /* bytes of the parts with a sample; weight where the next part begins */
    double ratio;
    bool reached;

    /* The sample that a thread measures. */
    bool has_thread, running; /* running: atomic */
    pthread_t thread;
    int64_t newest_ns;   /* the latest time then */
    double part;         /* of the trace: the latest zones and rows */
    double sampled_end;  /* weight where its part ends */
    double sample_ratio; /* result; 0: it failed */
};

struct td_size_watch *td_size_watch_create(uint64_t file_bytes, const struct td_cut_files *files,
                                           const struct td_trace *trace)
{
    struct td_size_watch *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->most = (double)file_bytes;
    w->files = *files;
    w->trace = trace;
    w->ratio = FIRST_RATIO;
    return w;
}

static void join_thread(struct td_size_watch *w)
{
    if (w->has_thread)
        pthread_join(w->thread, NULL);
    w->has_thread = false;
}

void td_size_watch_settle(struct td_size_watch *w)
{
    if (w)
        join_thread(w);
}

void td_size_watch_destroy(struct td_size_watch *w)
{
    if (w)
        join_thread(w);
    free(w);
}

/* ---- samples ---- */

static void *measure(void *self)
{
    struct td_size_watch *w = self;
    struct td_trace *sample = NULL;
    struct td_err err = {0};
    struct td_cut range = {INT64_MIN, w->newest_ns, ""};
    if (w->part < 1)
        range.from_ns = td_cut_time_of_part(w->trace, w->newest_ns, 1 - w->part);
    if (td_cut_make(w->trace, &range, (uint64_t)SAMPLE_MOST, &sample, &err) == 0) {
        double weight = (double)td_trace_weight(sample);
        int64_t bytes = w->files.measure(w->files.self, sample, &err);
        w->sample_ratio = bytes > 0 && weight >= SAMPLE_LEAST ? (double)bytes / weight : 0;
        td_debug(limits, "a sample of weight %.0f takes %" PRId64 " bytes", weight, bytes);
    }
    if (err.code)
        td_debug(limits, "no sample: %s", err.text);
    td_trace_destroy(sample);
    __atomic_store_n(&w->running, false, __ATOMIC_RELEASE);
    return NULL;
}

static void start_sample(struct td_size_watch *w, int64_t newest)
{
    w->newest_ns = newest;
    w->part = w->weight > SAMPLE_MOST ? SAMPLE_MOST / w->weight : 1;
    w->sampled_end = w->weight;
    w->sample_ratio = 0;
    w->running = true;
    w->has_thread = td_thread_create_small(&w->thread, measure, w) == 0;
    if (!w->has_thread)
        measure(w);
}

/* The last sample has been measured: what was added before it has that ratio. */
static void take_sample(struct td_size_watch *w)
{
    join_thread(w);
    if (w->sampled_end <= w->part_begin || w->sample_ratio <= 0)
        return;
    w->ratio = w->sample_ratio;
    w->measured += (w->sampled_end - w->part_begin) * w->ratio;
    w->part_begin = w->sampled_end;
}

/* ---- the estimate ---- */

/* For the trace as it is now. */
static uint64_t estimate_bytes(struct td_size_watch *w)
{
    w->weight = (double)td_trace_weight(w->trace);
    double rest = w->weight - w->part_begin;
    return (uint64_t)(w->measured + (rest > 0 ? rest : 0) * w->ratio);
}

bool td_size_watch_look(struct td_size_watch *w)
{
    int64_t now_ns = td_mono_ns();
    if (w->reached || now_ns < w->next_ns)
        return w->reached;
    w->next_ns = now_ns + LOOK_NS;
    double bytes = (double)estimate_bytes(w);
    bool running = __atomic_load_n(&w->running, __ATOMIC_ACQUIRE);
    if (!running)
        take_sample(w);
    double rest = (w->weight - w->part_begin) * w->ratio;
    if (!running && (rest > w->most / PARTS || (rest > SAMPLE_LEAST && !w->measured)))
        start_sample(w, td_trace_newest(w->trace));
    /* A guess is not enough; but samples that never give a ratio must not let the file grow on and on. */
    w->reached = bytes >= w->most && (rest < w->most / 2 || bytes >= w->most * UNSAMPLED);
    if (w->reached)
        td_debug(limits, "the file is estimated at %.0f bytes", bytes);
    return w->reached;
}
