/* Cores as GPU contexts (P17, P22): one context a tile while they fit, else one a chip, and a row a core. */
#include "host/event/grow.h"
#include "host/file/convention.h"
#include "host/file/writer.h"
#include "proto/track.h"

#include <stdio.h>

#define CONTEXT_LIMIT  255 /* readers number contexts in 8 bits */
#define CONTEXT_VULKAN 2   /* the type of which every release shows several rows by their names */

int td_writer_in_context_(const struct writer *w, uint32_t track)
{
    return w->contexts_wanted && td_dict_get_track(w->dict, track)->kind == TD_TRACK_CORE;
}

/* Tracks with one key share a context. */
static uint64_t context_key(const struct td_track *track, int by_chip)
{
    return by_chip ? track->thread >> 18 : track->thread >> 6;
}

static int add_context(struct writer *w, const struct td_track *track, int by_chip)
{
    uint64_t key = context_key(track, by_chip);
    for (size_t i = w->context_count; i-- > 0;)
        if (w->contexts[i].key == key)
            return 0;
    if (td_grow(&w->contexts, &w->context_capacity, w->context_count + 1, sizeof *w->contexts) < 0)
        return -1;
    char name[64];
    if (by_chip)
        snprintf(name, sizeof name, "chip %u", track->chip);
    else
        snprintf(name, sizeof name, "chip %u tile %u,%u", track->chip, track->x, track->y);
    w->contexts[w->context_count++] =
        (struct writer_context){.key = key, .name = td_writer_own_string_(w, name)};
    return 0;
}

void td_writer_number_contexts_(struct writer *w)
{
    uint32_t tracks = td_dict_track_count(w->dict);
    for (w->contexts_by_chip = 0; w->contexts_by_chip < 2; w->contexts_by_chip++) {
        w->context_count = 0;
        for (uint32_t t = 0; t < tracks; t++)
            if (td_writer_in_context_(w, t) && td_trace_rows(w->trace, t) &&
                add_context(w, td_dict_get_track(w->dict, t), w->contexts_by_chip) < 0)
                w->failed = 1;
        if (w->context_count <= CONTEXT_LIMIT || w->failed)
            return;
    }
    w->contexts_by_chip = 1;
}

/* A GPU zone has a time on the host and one on the device; here they are one. */
static void put_time_twice(struct writer *w, int64_t time_ns)
{
    int64_t reference = w->out.reference_ns, time = td_writer_time_(w, time_ns);
    td_out_time(&w->out, time);
    w->out.reference_ns = reference;
    td_out_time(&w->out, time);
}

struct place {
    size_t next, end;
    int64_t end_ns;
};

/* Depth first, as in P21; the layout of a zone is another. */
static void put_zones(struct writer *w, uint32_t track)
{
    uint32_t rows = td_trace_rows(w->trace, track), depth = 0;
    struct place *places = calloc((size_t)rows + 1, sizeof *places);
    if (!places) {
        w->failed = 1;
        return;
    }
    places[0].end = td_trace_row_zones(w->trace, track, 0);
    w->out.reference_ns = 0;
    while (!w->out.failed) {
        struct place *p = &places[depth];
        if (p->next == p->end) {
            if (depth == 0)
                break;
            put_time_twice(w, places[--depth].end_ns);
            continue;
        }
        struct td_zone zone = td_trace_zone(w->trace, track, depth, p->next++);
        put_time_twice(w, zone.start_ns);
        td_out_u16(&w->out, (uint16_t)w->location[zone.srcloc]);
        td_out_u24(&w->out, 0);                     /* call stack */
        td_out_u16(&w->out, (uint16_t)(track + 1)); /* its number in P11 */
        td_out_u64(&w->out, zone.child_end - zone.child_begin);
        if (zone.child_begin == zone.child_end) {
            put_time_twice(w, zone.end_ns);
            continue;
        }
        p->end_ns = zone.end_ns;
        places[++depth].end = zone.child_end;
    }
    free(places);
}

static int belongs(const struct writer *w, uint32_t track, uint64_t key)
{
    return td_writer_in_context_(w, track) && td_trace_rows(w->trace, track) &&
           context_key(td_dict_get_track(w->dict, track), w->contexts_by_chip) == key;
}

static void put_context(struct writer *w, const struct writer_context *context)
{
    uint32_t tracks = td_dict_track_count(w->dict);
    uint64_t zones = 0, rows = 0;
    for (uint32_t t = 0; t < tracks; t++)
        if (belongs(w, t, context->key)) {
            zones += td_trace_track_zones(w->trace, t);
            rows++;
        }
    const float period = 1.0f;
    uint32_t period_bits;
    memcpy(&period_bits, &period, sizeof period_bits);
    td_out_u64(&w->out, 0); /* no thread of its own: each zone names one */
    td_out_u8(&w->out, 0);  /* calibrated */
    td_out_u64(&w->out, zones);
    td_out_u32(&w->out, period_bits);
    td_out_u8(&w->out, CONTEXT_VULKAN);
    td_out_u24(&w->out, context->name + 1);
    td_out_u64(&w->out, 0); /* overflow */
    td_out_u64(&w->out, rows);
    for (uint32_t t = 0; t < tracks && !w->out.failed && !w->failed; t++) {
        if (!belongs(w, t, context->key))
            continue;
        td_out_u64(&w->out, td_dict_get_track(w->dict, t)->thread);
        td_out_u64(&w->out, td_trace_row_zones(w->trace, t, 0));
        put_zones(w, t);
    }
}

void td_writer_gpu_(struct writer *w)
{
    uint32_t tracks = td_dict_track_count(w->dict);
    uint64_t zones = 0, parents = 0;
    for (uint32_t t = 0; t < tracks; t++)
        if (td_writer_in_context_(w, t)) {
            zones += td_trace_track_zones(w->trace, t);
            parents += td_trace_track_parents(w->trace, t);
        }
    td_out_u64(&w->out, zones);
    td_out_u64(&w->out, parents);
    td_out_u64(&w->out, w->context_count);
    for (size_t i = 0; i < w->context_count && !w->out.failed && !w->failed; i++)
        put_context(w, &w->contexts[i]);
}
