/* The sections of the zone's details. */
#include "host/trace/tables.h"
#include "host/base/sorted.h"
#include "host/trace/walk.h"
#include "host/query/sums/bins.h"
#include "host/viewer/panels/details.h"
#include "host/query/table/track_name.h"
#include "host/query/sums/zone_at.h"
#include "host/viewer/model/gpu_clocks.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define MOST_ROWS   TD_DETAILS_ROWS
#define MOST_FLOWS  64
#define PLOT_HEIGHT 46
#define PLOT_BINS   80
#define LOOK_AT     2000 /* messages a frame */

/* ---- where and when ---- */

static void draw_place(struct details_drawing *d)
{
    struct td_view *view = d->view;
    const struct td_srcloc *s = td_dict_get_srcloc(view->model.dict, d->zone.srcloc);
    const char *file = td_dict_text(view->model.dict, s->file),
               *name = td_dict_zone_name(view->model.dict, d->zone.srcloc);
    char text[500], thread[TD_TRACK_NAME_BYTES];
    snprintf(text, sizeof text, "%.400s:%" PRIu32, file, s->line);
    td_details_path(d, "source", *file ? text : "unknown");
    td_details_pair(d, "thread", td_track_name(view->model.dict, view->selection.zone.track, thread));
    if (td_dict_get_track(view->model.dict, view->selection.zone.track)->unsynced)
        td_details_pair(d, "clock", "not synchronised with the host");
    if (*td_dict_text(view->model.dict, s->function))
        td_details_pair(d, "function", td_dict_text(view->model.dict, s->function));
    if (d->zone.name && *name)
        td_details_pair(d, "location", name);
    if (*td_dict_text(view->model.dict, d->zone.text))
        td_details_text(d, "text", td_dict_text(view->model.dict, d->zone.text));
}

static void draw_times(struct details_drawing *d)
{
    struct td_view *view = d->view;
    const bool open = d->zone.end_ns == TD_OPEN;
    char text[TD_FORMAT_BYTES], more[TD_FORMAT_BYTES + 32];
    double length = td_view_zone_end(view, &d->zone) - (double)d->zone.start_ns;
    snprintf(more, sizeof more, "%s%s", td_format_ns(text, length), open ? ", not ended" : "");
    td_details_pair(d, "duration", more);
    double self = length - (double)d->state->children.total_ns;
    if (td_ref_equal(d->state->children_of, view->selection.zone) && !d->state->deep)
        td_details_time(d, "self", fmax(self, 0));
    td_details_pair(d, "start", td_format_time(text, (double)d->zone.start_ns, 1));
    if (!open)
        td_details_pair(d, "end", td_format_time(text, (double)d->zone.end_ns, 1));
    int64_t running;
    if (!open && td_zone_running_ns(view->model.trace, view->selection.zone, &running))
        td_details_time(d, "running", (double)running);
}

static void draw_gpu(struct details_drawing *d)
{
    struct td_view *view = d->view;
    const struct td_zone_ref z = view->selection.zone;
    const unsigned columns = 1u << TD_ZONE_CPU_START | 1u << TD_ZONE_CPU_DURATION | 1u << TD_ZONE_THREAD;
    struct td_zones *zones = &(struct td_zones){0};
    char text[TD_FORMAT_BYTES];
    if (!td_dict_get_track(view->model.dict, z.track)->context ||
        !td_trace_zones_read(view->model.trace, z.track, z.row, z.index, columns, zones))
        return;
    const int64_t start = zones->column[TD_ZONE_CPU_START][0],
                  length = zones->column[TD_ZONE_CPU_DURATION][0];
    td_details_heading(d, "Issued by the host");
    if (length >= 0)
        td_details_time(d, "CPU time", (double)length);
    td_details_pair(d, "CPU start", td_format_time(text, (double)start, 1));
    td_details_time(d, "delay",
                    td_view_shown_ns(&view->model, z.track, (double)d->zone.start_ns) - (double)start);
    if (zones->column[TD_ZONE_THREAD][0]) {
        snprintf(text, sizeof text, "%" PRId64, zones->column[TD_ZONE_THREAD][0]);
        for (uint32_t t = 0; t < td_dict_track_count(view->model.dict); t++) {
            const struct td_track *track = td_dict_get_track(view->model.dict, t);
            if (!track->context && track->thread == (uint64_t)zones->column[TD_ZONE_THREAD][0] && track->name)
                snprintf(text, sizeof text, "%.40s", td_dict_text(view->model.dict, track->name));
        }
        td_details_pair(d, "thread", text);
    }
}

/* ---- relatives ---- */

static void draw_parents(struct details_drawing *d)
{
    struct td_view *view = d->view;
    struct td_zone_ref at = td_zone_parent(view->model.trace, view->selection.zone);
    double length = td_view_zone_end(view, &d->zone) - (double)d->zone.start_ns;
    if (!td_ref_valid(at))
        return;
    td_details_heading(d, "Parents (U)");
    for (; td_ref_valid(at); at = td_zone_parent(view->model.trace, at)) {
        struct td_zone zone = td_view_zone(view, at);
        double whole = td_view_zone_end(view, &zone) - (double)zone.start_ns;
        double part = whole > 0 ? fmin(length / whole, 1) : 0;
        char value[TD_FORMAT_BYTES], share[16];
        snprintf(share, sizeof share, "%.1f %%", part * 100);
        td_details_link(d, td_color_of_zone(view->model.dict, &zone), td_zone_label(view->model.dict, &zone),
                        share, td_format_ns(value, whole), part, at);
    }
}

/* The children one after the other. */
static void draw_single_children(struct details_drawing *d, double length)
{
    struct td_view *view = d->view;
    const struct td_zone_ref z = view->selection.zone;
    const size_t count = d->zone.child_end - d->zone.child_begin;
    for (size_t i = 0; i < count && i < MOST_ROWS; i++) {
        const struct td_zone_ref child = {z.track, z.row + 1, d->zone.child_begin + i};
        const struct td_zone zone = td_view_zone(view, child);
        const double ns = td_view_zone_end(view, &zone) - (double)zone.start_ns,
                     part = length > 0 ? ns / length : 0;
        char value[TD_FORMAT_BYTES], more[TD_FORMAT_BYTES + 24], start[TD_FORMAT_BYTES];
        snprintf(more, sizeof more, "+%s  %.1f %%",
                 td_format_ns(start, (double)zone.start_ns - (double)d->zone.start_ns), part * 100);
        td_details_link(d, td_color_of_zone(view->model.dict, &zone), td_zone_label(view->model.dict, &zone),
                        more, td_format_ns(value, ns), part, child);
    }
    if (count > MOST_ROWS)
        td_details_more(d, count - MOST_ROWS);
}

/* The children by name. */
static void draw_child_groups(struct details_drawing *d, double length)
{
    const struct td_children *c = &d->state->children;
    for (size_t i = 0; i < c->count && i < MOST_ROWS; i++) {
        const struct td_child_group *g = &c->group[i];
        const struct td_zone zone = td_view_zone(d->view, g->longest);
        const double part = length > 0 ? (double)g->total_ns / length : 0;
        char value[TD_FORMAT_BYTES], more[TD_FORMAT_BYTES + 24], number[TD_FORMAT_BYTES];
        snprintf(more, sizeof more, "%s x  %.1f %%", td_format_count(number, g->count), part * 100);
        td_details_link(d, td_color_of_zone(d->view->model.dict, &zone), g->name, more,
                        td_format_ns(value, (double)g->total_ns), part, g->longest);
    }
    if (c->count > MOST_ROWS)
        td_details_more(d, c->count - MOST_ROWS);
}

static void draw_children(struct details_drawing *d)
{
    struct td_view *view = d->view;
    struct details *s = d->state;
    char value[TD_FORMAT_BYTES], more[TD_FORMAT_BYTES + 24], number[TD_FORMAT_BYTES];
    const double length = td_view_zone_end(view, &d->zone) - (double)d->zone.start_ns;
    float right = d->right;
    if (d->zone.child_end <= d->zone.child_begin)
        return;
    snprintf(more, sizeof more, "Children (Enter): %s",
             td_format_count(number, d->zone.child_end - d->zone.child_begin));
    td_details_heading(d, more);
    if (td_details_switch(d, &right, "All levels", s->deep)) {
        s->deep = !s->deep;
        s->single = false;
    }
    if (td_details_switch(d, &right, "One by one", s->single)) {
        s->single = !s->single;
        s->deep = false;
    }
    if (s->single)
        draw_single_children(d, length);
    if (!td_ref_equal(s->children_of, view->selection.zone)) {
        td_details_note(d, "counting");
        return;
    }
    if (!s->single)
        draw_child_groups(d, length);
    const double self = fmax(length - (double)s->children.total_ns, 0);
    snprintf(more, sizeof more, "%.1f %%", length > 0 ? self / length * 100 : 0);
    td_details_link(d, 0, "self", more, td_format_ns(value, self), length > 0 ? self / length : 0,
                    TD_NO_ZONE);
}

static void draw_flows(struct details_drawing *d)
{
    struct td_view *view = d->view;
    struct td_flow_pair pairs[MOST_FLOWS];
    size_t count = td_flows_of(&view->model.flows, view->selection.zone, pairs, MOST_FLOWS);
    if (!count)
        return;
    td_details_heading(d, "Flows");
    for (size_t i = 0; i < count; i++) {
        const bool in = td_ref_equal(pairs[i].to->zone, view->selection.zone);
        const struct td_flow_end *other = in ? pairs[i].from : pairs[i].to;
        struct td_zone zone = td_view_zone(view, other->zone);
        char text[160], value[TD_FORMAT_BYTES], thread[TD_TRACK_NAME_BYTES];
        snprintf(text, sizeof text, "%s %.60s, %.60s", in ? "from" : "to",
                 td_zone_label(view->model.dict, &zone),
                 td_track_name(view->model.dict, other->zone.track, thread));
        double gap = fabs((double)d->zone.start_ns - (double)other->start_ns); /* from start to start */
        td_details_link(d, td_color_of_zone(view->model.dict, &zone), text, "", td_format_ns(value, gap), 0,
                        other->zone);
    }
}

/* ---- messages ---- */

/* Looks at some more of the messages from `first` to before `end`. */
static void look_for_own(const struct td_view *view, struct details_own_messages *own, size_t first,
                         size_t end)
{
    const struct td_zone_ref z = view->selection.zone;
    if (!td_ref_equal(own->of, z) || own->at < first || own->at > end)
        *own = (struct details_own_messages){.of = z, .at = first};
    for (int i = 0; i < LOOK_AT && own->at < end; i++, own->at++) {
        const struct td_message m =
            td_messages_get(&view->model.messages, view->model.trace, z.track, own->at);
        if (!td_ref_equal(td_zone_at(view->model.trace, z.track, m.time_ns), z))
            continue;
        if (own->found < MOST_ROWS)
            own->message[own->found] = own->at;
        own->found++;
    }
    own->looks = own->at < end;
}

static void draw_messages(struct details_drawing *d)
{
    struct td_view *view = d->view;
    struct details *s = d->state;
    const uint32_t track = view->selection.zone.track;
    const bool has_children = d->zone.child_end > d->zone.child_begin;
    const size_t first =
        td_messages_after(&view->model.messages, view->model.trace, track, (double)d->zone.start_ns);
    const size_t end =
        d->zone.end_ns == TD_OPEN
            ? td_messages_count(&view->model.messages, view->model.trace, track)
            : td_messages_after(&view->model.messages, view->model.trace, track, (double)d->zone.end_ns);
    float right = d->right;
    if (first >= end)
        return;
    td_details_heading(d, "Messages in it");
    if (has_children && td_details_switch(d, &right, "Exclude children", s->excludes_children))
        s->excludes_children = !s->excludes_children;
    const bool own = s->excludes_children && has_children;
    if (own)
        look_for_own(view, &s->own, first, end);
    const size_t count = own ? s->own.found : end - first;
    for (size_t i = 0; i < count && i < MOST_ROWS; i++) {
        const struct td_message m = td_messages_get(&view->model.messages, view->model.trace, track,
                                                    own ? s->own.message[i] : first + i);
        char value[TD_FORMAT_BYTES];
        td_format_ns(value, (double)m.time_ns - (double)d->zone.start_ns);
        td_details_moment(d, (double)m.time_ns, td_dict_text(view->model.dict, m.text), value);
    }
    if (count > MOST_ROWS)
        td_details_more(d, count - MOST_ROWS);
    if (own && s->own.looks)
        td_details_note(d, "looking at the messages");
    else if (own && !count)
        td_details_note(d, "all are in its children");
}

/* ---- call stack ---- */

/* The functions of a frame: inlined ones first. */
static void draw_frame(struct details_drawing *d, uint64_t number, uint64_t id)
{
    const struct td_trace *trace = d->view->model.trace;
    const struct td_series *lines = td_trace_table(trace, TD_TABLE_STACK_LINE);
    const struct td_dict *dict = d->view->model.dict;
    uint64_t begin, end;
    char text[400], label[24];
    snprintf(label, sizeof label, "%" PRIu64, number);
    if (td_trace_frame_lines(trace, id, &begin, &end) < 0) {
        snprintf(text, sizeof text, "0x%" PRIx64, td_frame_address(id));
        td_details_pair(d, label, text);
        return;
    }
    for (uint64_t i = begin; i < end; i++) {
        const char *file = td_dict_text(dict, (uint32_t)td_series_get(lines, i, TD_STACK_LINE_FILE));
        td_details_pair(d, i + 1 == end ? label : "inlined",
                        td_dict_text(dict, (uint32_t)td_series_get(lines, i, TD_STACK_LINE_FUNCTION)));
        snprintf(text, sizeof text, "%.300s:%" PRId64, file, td_series_get(lines, i, TD_STACK_LINE_LINE));
        if (*file)
            td_details_path(d, "", text);
    }
}

static void draw_stack(struct details_drawing *d)
{
    const struct td_trace *trace = d->view->model.trace;
    uint64_t first, count;
    td_trace_stack(trace, d->zone.stack, &first, &count);
    if (!count)
        return;
    td_details_heading(d, "Call stack");
    for (uint64_t i = 0; i < count && i < MOST_ROWS; i++)
        draw_frame(d, i,
                   (uint64_t)td_series_get(td_trace_table(trace, TD_TABLE_STACK_ENTRY), first + i,
                                           TD_STACK_ENTRY_FRAME));
}

/* ---- among the zones of its name ---- */

static const struct td_instances *instances_of(struct details_drawing *d)
{
    struct td_view *view = d->view;
    const struct td_instances_job *other = td_instances_of_panel(view);
    const char *name = td_instances_name(view->model.dict, &d->zone);
    const struct td_instances_job *jobs[] = {other, &d->state->set};
    for (int i = 0; i < 2; i++) {
        const struct td_instances_wanted *w = &jobs[i]->shown_as;
        if (w->name && !strcmp(w->name, name) && w->length == TD_LENGTH_WHOLE && w->from_ns == INT64_MIN &&
            w->to_ns == INT64_MAX && (!i || !view->model.live))
            return &jobs[i]->shown;
    }
    return NULL;
}

static void draw_histogram(struct details_drawing *d, const struct td_instances *set, double length)
{
    struct td_view *view = d->view;
    static struct td_bins bins; /* large, and of one frame only */
    float high = TD_U(view, PLOT_HEIGHT), base = d->y + high, wide = d->right - d->left;
    d->y = base + TD_U(view, 6);
    if (d->copy || base < d->top || base - high > d->bottom)
        return;
    td_bins_make(&bins, set, td_instances_length(set, 0), td_instances_length(set, set->count - 1), PLOT_BINS,
                 true);
    td_ui_rect(view->ui, d->left, base - high, d->right, base, TD_C(GUTTER), 0);
    for (int i = 0; i < bins.count; i++) {
        float x0 = d->left + wide * (float)td_bins_place(&bins, (double)bins.edge[i]);
        float x1 = d->left + wide * (float)td_bins_place(&bins, (double)bins.edge[i + 1]);
        float bar = high * (float)(log1p((double)bins.number[i]) / log1p((double)bins.most));
        if (bins.number[i])
            td_ui_rect(view->ui, x0, base - fmaxf(bar, 1), fmaxf(x1 - 1, x0 + 1), base, TD_C(DENSITY), 0);
    }
    double place = fmin(fmax(td_bins_place(&bins, length), 0), 1);
    float x = floorf(d->left + (wide - TD_U(view, 2)) * (float)place);
    td_ui_rect(view->ui, x, base - high, x + TD_U(view, 2), base, TD_C(SELECTED), 0);
}

static void draw_distribution(struct details_drawing *d)
{
    struct td_view *view = d->view;
    const struct td_instances *set = instances_of(d);
    if (!set || set->count < 2)
        return;
    char text[120], number[TD_FORMAT_BYTES];
    const int64_t length = d->zone.end_ns == TD_OPEN
                               ? (int64_t)(td_view_zone_end(view, &d->zone) - (double)d->zone.start_ns)
                               : d->zone.end_ns - d->zone.start_ns;
    size_t below = td_instances_below(set, length);
    td_details_heading(d, "Among the zones of its name (I)");
    snprintf(text, sizeof text, "%.1f %% of %s", 100. * (double)below / (double)set->count,
             td_format_count(number, set->count));
    td_details_pair(d, "longer than", text);
    draw_histogram(d, set, (double)length);
    td_details_time(d, "median", (double)td_instances_percentile(set, .5));
    td_details_time(d, "p99", (double)td_instances_percentile(set, .99));
}

static const struct td_stat *find_stat(const struct td_stat *stats, size_t count, uint32_t srcloc)
{
    size_t low = 0, high = count;
    TD_BISECT(low, high, i, stats[i].srcloc < srcloc);
    return low < count && stats[low].srcloc == srcloc ? &stats[low] : NULL;
}

/* GPU zones have statistics of their own. */
static void draw_location(struct details_drawing *d)
{
    const struct td_view *view = d->view;
    const struct td_stat *stats;
    char text[TD_FORMAT_BYTES];
    bool gpu = td_dict_get_track(view->model.dict, view->selection.zone.track)->context != 0;
    size_t count =
        gpu ? td_trace_gpu_stats(view->model.trace, &stats) : td_trace_stats(view->model.trace, &stats);
    const struct td_stat *stat = find_stat(stats, count, d->zone.srcloc);
    if (!stat)
        return;
    td_details_heading(d, "This source location");
    td_details_pair(d, "count", td_format_count(text, stat->count + stat->open));
    td_details_time(d, "total", (double)stat->total_ns);
    td_details_time(d, "total self", (double)stat->self_ns);
    if (stat->open)
        td_details_pair(d, "not ended", td_format_count(text, stat->open));
    td_details_time(d, "min", (double)stat->min_ns);
    td_details_time(d, "mean", stat->mean_ns);
    td_details_time(d, "max", (double)stat->max_ns);
    td_details_time(d, "deviation", stat->std_ns);
}

void td_details_sections(struct details_drawing *d)
{
    draw_place(d);
    draw_times(d);
    draw_gpu(d);
    draw_distribution(d);
    draw_parents(d);
    draw_children(d);
    draw_messages(d);
    td_details_draw_events(d);
    draw_flows(d);
    draw_stack(d);
    draw_location(d);
}
