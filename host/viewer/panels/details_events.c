/* What happened in the zone: on which processors its thread ran, when it waited, the sampled functions, allocations. */
#include "host/event/map.h"
#include "host/query/rows/switches.h"
#include "host/viewer/panels/details.h"
#include "host/viewer/panels/sampled.h"
#include "host/viewer/panels/source.h"

#include <inttypes.h>
#include <stdio.h>

#define MOST_FUNCTIONS 40

static void make_events(void *self, struct td_job *job)
{
    struct details_events *s = self;
    td_zone_events_free(&s->made);
    /* Without memory the list of functions is empty. */
    td_zone_events_make(&s->made, s->trace, s->request.track, s->from_ns, s->to_ns, job);
}

void td_details_want_events(struct td_view *view, struct details_events *s, const struct td_zone *zone)
{
    const struct td_zone_ref z = view->selection.zone;
    const struct td_track *track = td_dict_get_track(view->model.dict, z.track);
    const uint64_t key = td_mix64(((uint64_t)z.track << 40 ^ (uint64_t)z.row << 32 ^ z.index) + 1) ^
                         (uint64_t)view->model.refreshes;
    bool fresh;
    if (track->context || zone->end_ns == TD_OPEN) {
        s->of = TD_NO_ZONE;
        return;
    }
    if (view->model.live && td_ref_equal(s->of, z)) /* the zone has ended: what is known stays */
        return;
    enum td_job_state state = td_job_want(&s->job, key, &fresh);
    if (fresh) {
        TD_JOB_TAKE(&s->shown, &s->made, td_zone_events_free);
        s->of = s->request;
    }
    if (state != TD_JOB_WANTED)
        return;
    s->trace = view->model.trace;
    s->request = z;
    s->from_ns = zone->start_ns;
    s->to_ns = zone->end_ns;
    td_job_start(&s->job, key, make_events, s);
}

static void draw_memory(struct details_drawing *d, const struct td_zone_events *e)
{
    char text[160], count[TD_FORMAT_BYTES], bytes[TD_FORMAT_BYTES];
    if (!e->allocations && !e->frees)
        return;
    td_details_heading(d, "Memory in it");
    snprintf(text, sizeof text, "%s, %s", td_format_count(count, e->allocations),
             td_format_value(bytes, (double)e->allocated_bytes, 1));
    td_details_pair(d, "allocated", text);
    snprintf(text, sizeof text, "%s, %s", td_format_count(count, e->frees),
             td_format_value(bytes, (double)e->freed_bytes, 1));
    td_details_pair(d, "freed", text);
    td_details_pair(d, "change",
                    td_format_value(bytes, (double)e->allocated_bytes - (double)e->freed_bytes, 1));
    for (size_t i = 0; i < e->listed; i++) {
        const struct td_zone_allocation *a = &e->allocation[i];
        snprintf(text, sizeof text, "%s 0x%" PRIx64, a->frees ? "freed" : "allocated", a->address);
        td_details_moment(d, (double)a->time_ns, text, td_format_value(bytes, (double)a->bytes, 1));
    }
    if (e->listed < e->allocations + e->frees)
        td_details_more(d, e->allocations + e->frees - e->listed);
}

static void draw_waits(struct details_drawing *d, const struct td_zone_events *e)
{
    char text[160], count[TD_FORMAT_BYTES], time[TD_FORMAT_BYTES];
    if (!e->waits)
        return;
    const double length = (double)d->zone.end_ns - (double)d->zone.start_ns;
    td_details_heading(d, "Waits of its thread");
    snprintf(text, sizeof text, "%s, %s (%.1f %%)", td_format_count(count, e->waits),
             td_format_ns(time, (double)e->waited_ns), length > 0 ? 100 * (double)e->waited_ns / length : 0);
    td_details_pair(d, "did not run", text);
    td_details_pair(d, "migrations", td_format_count(count, e->migrations));
    for (size_t i = 0; i < e->waits_listed; i++) {
        const struct td_zone_wait *w = &e->wait[i];
        const char *reason = td_switch_reason(w->reason, w->state);
        snprintf(text, sizeof text, w->from_cpu == w->to_cpu ? "%.80s, CPU %d" : "%.80s, CPU %d to %d%s",
                 reason ? reason : "waited", w->from_cpu, w->to_cpu,
                 td_switches_distance(d->view->model.trace, w->from_cpu, w->to_cpu));
        td_details_moment(d, (double)w->start_ns, text,
                          td_format_ns(time, (double)w->end_ns - (double)w->start_ns));
    }
    if (e->waits_listed < e->waits)
        td_details_more(d, e->waits - e->waits_listed);
}

static void draw_processors(struct details_drawing *d, const struct td_zone_events *e)
{
    char name[64], more[TD_FORMAT_BYTES + 32], number[TD_FORMAT_BYTES], time[TD_FORMAT_BYTES];
    const double length = (double)d->zone.end_ns - (double)d->zone.start_ns;
    if (!e->cpus)
        return;
    td_details_heading(d, "Processors on which its thread ran");
    for (size_t i = 0; i < e->cpus; i++) {
        const struct td_zone_cpu *c = &e->cpu[i];
        const double part = length > 0 ? (double)c->ns / length : 0;
        td_switches_cpu_name(d->view->model.trace, (uint32_t)c->cpu, name, sizeof name);
        snprintf(more, sizeof more, "%s x  %.1f %%", td_format_count(number, c->runs), part * 100);
        td_details_row(d, 0, name, more, td_format_ns(time, (double)c->ns), part, false);
    }
}

/* ---- samples ---- */

static void draw_function(struct details_drawing *d, const struct td_symbol_sum *f, uint64_t samples)
{
    struct td_view *view = d->view;
    const char *name = td_symbol_sum_name(view->model.trace, f);
    char text[300], more[TD_FORMAT_BYTES + 60], number[2][TD_FORMAT_BYTES];
    const double part = (double)f->self / (double)samples;
    snprintf(text, sizeof text, "%.260s%s", name, f->is_inlined ? "  (inlined)" : "");
    snprintf(more, sizeof more, "%.1f %%, in all %s", part * 100, td_format_count(number[0], f->total));
    if (td_details_row(d, td_color_of_name(name), text, more, td_format_count(number[1], f->self), part,
                       f->file || f->address))
        td_view_show_source(view, (struct td_source_place){f->file, f->line, f->address, f->address, 0});
}

static void draw_samples(struct details_drawing *d, const struct td_zone_events *e)
{
    const struct td_symbol_sums *sums = &e->symbols;
    char text[2 * TD_FORMAT_BYTES], number[TD_FORMAT_BYTES], time[TD_FORMAT_BYTES];
    if (!sums->samples)
        return;
    td_details_heading(d, "Functions sampled in it");
    snprintf(text, sizeof text, "%s, about %s", td_format_count(number, sums->samples),
             td_format_ns(time, td_sampled_ns(d->view->model.trace, sums->samples)));
    td_details_pair(d, "samples", text);
    for (size_t i = 0; i < sums->count && i < MOST_FUNCTIONS; i++)
        draw_function(d, &sums->at[i], sums->samples);
    if (sums->count > MOST_FUNCTIONS)
        td_details_more(d, sums->count - MOST_FUNCTIONS);
}

/* ---- all of it ---- */

void td_details_draw_events(struct details_drawing *d)
{
    const struct details_events *s = &d->state->events;
    if (!td_ref_valid(s->of) || !td_ref_equal(s->of, d->view->selection.zone))
        return;
    draw_processors(d, &s->shown);
    draw_samples(d, &s->shown);
    draw_waits(d, &s->shown);
    draw_memory(d, &s->shown);
}
