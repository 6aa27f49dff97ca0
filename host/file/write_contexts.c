/* Tracks of device cores as GPU contexts (P22), for those who know that form: a context a tile, a row a core.
 */
#include "host/base/grow.h"
#include "host/file/writer.h"
#include "host/trace/walk.h"
#include "proto/track.h"

#include <stdio.h>

#define CONTEXT_LIMIT 255
#define CONTEXT_TYPE  2 /* Vulkan: a type that every release knows, with many rows a context */

int td_writer_in_context_(const struct writer *w, uint32_t track)
{
    const struct td_track *t = td_dict_get_track(w->dict, track);
    return w->contexts_wanted && t->kind == TD_TRACK_CORE && td_track_is_device(t->thread);
}

static uint64_t thread_of(const struct writer *w, size_t place)
{
    return td_dict_get_track(w->dict, w->context_tracks[place])->thread;
}

struct numbered {
    uint64_t thread;
    uint32_t track;
};

static int by_thread(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static int collect_tracks(struct writer *w)
{
    uint32_t tracks = td_dict_track_count(w->dict);
    struct numbered *cores = malloc((tracks + 1) * sizeof *cores);
    w->context_tracks = malloc((tracks + 1) * sizeof *w->context_tracks);
    if (!cores || !w->context_tracks) {
        free(cores);
        return -1;
    }
    for (uint32_t t = 0; t < tracks; t++) {
        if (td_writer_in_context_(w, t) && td_trace_track_zones(w->trace, t))
            cores[w->context_track_count++] = (struct numbered){td_dict_get_track(w->dict, t)->thread, t};
    }
    qsort(cores, w->context_track_count, sizeof *cores, by_thread);
    for (size_t i = 0; i < w->context_track_count; i++)
        w->context_tracks[i] = cores[i].track;
    free(cores);
    return 0;
}

static size_t groups(const struct writer *w, unsigned shift)
{
    size_t count = w->context_track_count != 0;
    for (size_t i = 1; i < w->context_track_count; i++)
        count += thread_of(w, i) >> shift != thread_of(w, i - 1) >> shift;
    return count;
}

static void name_context(char *to, size_t bytes, uint64_t thread, unsigned shift)
{
    if (shift == 6)
        snprintf(to, bytes, "chip %u tile %u,%u", td_track_chip(thread), td_track_x(thread),
                 td_track_y(thread));
    else if (shift == 18)
        snprintf(to, bytes, "chip %u", td_track_chip(thread));
    else
        snprintf(to, bytes, "device");
}

static int count_zones(struct writer *w)
{
    w->gpu_zones = calloc(td_dict_srcloc_count(w->dict), sizeof *w->gpu_zones);
    if (!w->gpu_zones)
        return -1;
    for (size_t i = 0; i < w->context_track_count; i++) {
        uint32_t track = w->context_tracks[i];
        for (uint32_t r = 0; r < td_trace_rows(w->trace, track); r++) {
            for (size_t z = 0; z < td_trace_row_zones(w->trace, track, r); z++) {
                struct td_zone zone = td_trace_zone(w->trace, track, r, z);
                w->gpu_zones[zone.srcloc] += zone.end_ns != TD_OPEN;
            }
        }
    }
    return 0;
}

/* Tiles, else chips, else all in one: the first that gives few enough contexts. */
void td_writer_number_contexts_(struct writer *w)
{
    if (collect_tracks(w) < 0 || count_zones(w) < 0) {
        w->failed = 1;
        return;
    }
    unsigned shift = groups(w, 6) <= CONTEXT_LIMIT ? 6 : groups(w, 18) <= CONTEXT_LIMIT ? 18 : 31;
    for (size_t i = 0; i < w->context_track_count; i++) {
        if (i && thread_of(w, i) >> shift == thread_of(w, i - 1) >> shift) {
            w->contexts[w->context_count - 1].count++;
            continue;
        }
        char name[64];
        name_context(name, sizeof name, thread_of(w, i), shift);
        struct context context = {td_writer_own_string_(w, name), i, 1};
        if (td_grow(&w->contexts, &w->context_capacity, w->context_count + 1, sizeof *w->contexts) < 0) {
            w->failed = 1;
            return;
        }
        w->contexts[w->context_count++] = context;
    }
}

/* CPU and GPU time of a zone are the same here, and so are both references. */
static void put_times(struct writer *w, int64_t time_ns)
{
    int64_t time = td_writer_time_(w, time_ns);
    td_out_u64(&w->out, (uint64_t)time - (uint64_t)w->out.reference_ns);
    td_out_time(&w->out, time);
}

static void put_start(struct writer *w, uint32_t track, const struct td_zone *zone)
{
    put_times(w, zone->start_ns);
    td_out_u16(&w->out, (uint16_t)w->location[zone->srcloc]);
    td_out_u24(&w->out, 0); /* call stack */
    td_out_u16(&w->out, track + 1);
    td_out_u64(&w->out, zone->child_end - zone->child_begin);
}

static void put_zones(struct writer *w, uint32_t track)
{
    struct td_walk walk;
    struct td_step step;
    if (td_walk_begin(&walk, w->trace, track) < 0) {
        w->failed = 1;
        return;
    }
    w->out.reference_ns = 0;
    while (!w->out.failed && td_walk_next(&walk, &step)) {
        if (step.leaves)
            put_times(w, step.zone.end_ns);
        else
            put_start(w, track, &step.zone);
    }
    td_walk_end(&walk);
}

static void put_context(struct writer *w, const struct context *context)
{
    const float period = 1;
    uint32_t bits;
    uint64_t zones = 0;
    for (size_t i = context->first; i < context->first + context->count; i++)
        zones += td_trace_track_zones(w->trace, w->context_tracks[i]);
    memcpy(&bits, &period, sizeof bits);
    td_out_u64(&w->out, 0); /* zones say their thread */
    td_out_u8(&w->out, 1);  /* calibrated */
    td_out_u64(&w->out, zones);
    td_out_u32(&w->out, bits);
    td_out_u8(&w->out, CONTEXT_TYPE);
    td_out_u24(&w->out, context->name + 1);
    td_out_u64(&w->out, 0); /* the timer does not wrap */
    td_out_u64(&w->out, context->count);
    for (size_t i = context->first; i < context->first + context->count && !w->failed; i++) {
        uint32_t track = w->context_tracks[i];
        td_out_u64(&w->out, thread_of(w, i));
        td_out_u64(&w->out, td_trace_row_zones(w->trace, track, 0));
        put_zones(w, track);
    }
}

void td_writer_contexts_(struct writer *w)
{
    uint64_t zones = 0, parents = 0;
    for (size_t i = 0; i < w->context_track_count; i++) {
        zones += td_trace_track_zones(w->trace, w->context_tracks[i]);
        parents += td_trace_track_parents(w->trace, w->context_tracks[i]);
    }
    td_out_u64(&w->out, zones);
    td_out_u64(&w->out, parents);
    td_out_u64(&w->out, w->context_count);
    for (size_t i = 0; i < w->context_count && !w->out.failed && !w->failed; i++)
        put_context(w, &w->contexts[i]);
}
