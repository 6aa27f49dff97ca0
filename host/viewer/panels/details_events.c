/* The zone's allocations, and the waits of its thread. */
#include "host/event/map.h"
#include "host/viewer/analysis/switches.h"
#include "host/viewer/panels/details.h"

#include <inttypes.h>
#include <stdio.h>

static void make_events(void *self, struct td_job *job)
{
    struct details_events *s = self;
    td_zone_events_make(&s->made, s->trace, s->thread, s->from_ns, s->to_ns, job);
}

void td_details_want_events(struct td_view *view, struct details_events *s, const struct td_zone *zone)
{
    const struct td_zone_ref z = view->selected;
    const struct td_track *track = td_dict_get_track(view->dict, z.track);
    const uint64_t key =
        td_mix64(((uint64_t)z.track << 40 ^ (uint64_t)z.row << 32 ^ z.index) + 1) ^ (uint64_t)view->refreshes;
    bool fresh;
    if (track->context || track->kind == TD_TRACK_CORE || zone->end_ns == TD_OPEN) {
        s->of = TD_NO_ZONE;
        return;
    }
    if (view->live && td_ref_equal(s->of, z)) /* the zone has ended: what is known stays */
        return;
    enum td_job_state state = td_job_want(&s->job, key, &fresh);
    if (fresh) {
        s->shown = s->made;
        s->of = s->request;
    }
    if (state != TD_JOB_WANTED)
        return;
    s->trace = view->trace;
    s->request = z;
    s->thread = track->thread;
    s->from_ns = zone->start_ns;
    s->to_ns = zone->end_ns;
    td_job_start(&s->job, key, make_events, s);
}

static void say_more(struct details_drawing *d, uint64_t count)
{
    char text[TD_FORMAT_BYTES + 16], number[TD_FORMAT_BYTES];
    snprintf(text, sizeof text, "and %s more", td_format_count(number, count));
    td_details_note(d, text);
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
        say_more(d, e->allocations + e->frees - e->listed);
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
        snprintf(text, sizeof text, w->from_cpu == w->to_cpu ? "%.80s, CPU %d" : "%.80s, CPU %d to %d",
                 reason ? reason : "waited", w->from_cpu, w->to_cpu);
        td_details_moment(d, (double)w->start_ns, text,
                          td_format_ns(time, (double)w->end_ns - (double)w->start_ns));
    }
    if (e->waits_listed < e->waits)
        say_more(d, e->waits - e->waits_listed);
}

void td_details_draw_events(struct details_drawing *d)
{
    const struct details_events *s = &d->state->events;
    if (!td_ref_valid(s->of) || !td_ref_equal(s->of, d->view->selected))
        return;
    draw_waits(d, &s->shown);
    draw_memory(d, &s->shown);
}
