/* The model as a sink: events in, zones in the order of their ends out; rows are made at the end (nest.c). */
#include "host/base/grow.h"
#include "host/trace/model.h"

#include <inttypes.h>
#include <stdio.h>

#define FIRST_CHUNK 32
#define LAST_CHUNK  8192

static int no_memory(struct td_err *err)
{
    return td_fail(err, TD_E_NOMEM, "out of memory while building the trace");
}

/* As td_grow(), and the new items are zero. */
static int grow_zeroed(void *array, size_t *capacity, size_t *count, size_t need, size_t item)
{
    if (need <= *count)
        return 0;
    if (td_grow(array, capacity, need, item) < 0)
        return -1;
    char *base;
    memcpy(&base, array, sizeof base);
    memset(base + *count * item, 0, (need - *count) * item);
    *count = need;
    return 0;
}

struct track *td_trace_track_(struct td_trace *trace, uint32_t number)
{
    size_t need = (size_t)number + 1;
    if (grow_zeroed(&trace->tracks, &trace->track_capacity, &trace->track_count, need,
                    sizeof *trace->tracks) < 0)
        return NULL;
    return &trace->tracks[number];
}

int td_trace_arrive_(struct track *track, const struct arrived *zone, struct td_err *err)
{
    struct arrived_chunk *chunk = track->last;
    if (track->arrived >= SPAN_BY_TIME - 1)
        return td_fail(err, TD_E_LIMIT, "more than 2^32 zones in one track");
    if (!chunk || chunk->count == chunk->capacity) {
        uint32_t capacity = !chunk                         ? FIRST_CHUNK
                            : chunk->capacity < LAST_CHUNK ? chunk->capacity * 4
                                                           : LAST_CHUNK;
        struct arrived_chunk *next = malloc(sizeof *next + capacity * sizeof *next->zones);
        if (!next)
            return no_memory(err);
        *next = (struct arrived_chunk){.previous = chunk, .capacity = capacity};
        track->last = chunk = next;
    }
    chunk->zones[chunk->count++] = *zone;
    if (track->arrived++ && zone->end_ns < track->last_end_ns)
        track->unsorted = 1;
    else
        track->last_end_ns = zone->end_ns;
    return 0;
}

static void touch(struct td_trace *trace, int64_t time_ns)
{
    if (time_ns != TD_OPEN && time_ns > trace->last_time_ns)
        trace->last_time_ns = time_ns;
}

/* Number of a new extra, 0: no memory. */
static uint32_t new_extra(struct td_trace *trace, struct extra extra)
{
    if (trace->extra_count >= UINT32_MAX - 1 ||
        td_grow(&trace->extras, &trace->extra_capacity, trace->extra_count + 2, sizeof *trace->extras) < 0)
        return 0;
    if (!trace->extra_count)
        trace->extras[trace->extra_count++] = (struct extra){0};
    trace->extras[trace->extra_count] = extra;
    return (uint32_t)trace->extra_count++;
}

static uint32_t known_srcloc(const struct td_trace *trace, uint32_t srcloc)
{
    return srcloc < td_dict_srcloc_count(trace->dict) ? srcloc : 0;
}

static int complete_zone(struct td_trace *trace, struct track *track, const struct td_event *e,
                         struct td_err *err)
{
    struct arrived zone = {e->time_ns, e->value.end_ns, known_srcloc(trace, e->srcloc), 0, SPAN_BY_TIME, 0};
    if (zone.end_ns < zone.start_ns) {
        zone.start_ns = zone.end_ns;
        trace->clamped++;
    }
    if (e->a && !(zone.extra = new_extra(trace, (struct extra){e->a, 0, 0})))
        return no_memory(err);
    touch(trace, zone.end_ns);
    return td_trace_arrive_(track, &zone, err);
}

static int begin(struct td_trace *trace, struct track *track, const struct td_event *e, struct td_err *err)
{
    if (td_grow(&track->open, &track->open_capacity, track->open_count + 1, sizeof *track->open) < 0)
        return no_memory(err);
    struct open_zone zone = {
        .start_ns = e->time_ns, .srcloc = known_srcloc(trace, e->srcloc), .first = track->arrived};
    if (track->has_time && zone.start_ns < track->last_time_ns) {
        zone.start_ns = track->last_time_ns;
        trace->clamped++;
    }
    track->last_time_ns = zone.start_ns;
    track->has_time = 1;
    track->open[track->open_count++] = zone;
    touch(trace, zone.start_ns);
    return 0;
}

int td_trace_close_(struct td_trace *trace, struct track *track, int64_t end_ns, struct td_err *err)
{
    struct open_zone *open = &track->open[track->open_count - 1];
    struct arrived zone = {
        open->start_ns, end_ns, open->srcloc, open->extra, track->arrived - open->first, 0};
    if (open->text) {
        uint32_t text = td_dict_string(trace->dict, open->text, open->text_bytes);
        if (text == UINT32_MAX)
            return no_memory(err);
        trace->extras[zone.extra].text = text;
        free(open->text);
        open->text = NULL;
    }
    int64_t least = zone.start_ns;
    if (track->arrived && track->last_end_ns != TD_OPEN && track->last_end_ns > least)
        least = track->last_end_ns;
    if (zone.end_ns < least) {
        zone.end_ns = least;
        trace->clamped++;
    }
    if (zone.end_ns != TD_OPEN)
        track->last_time_ns = zone.end_ns;
    track->open_count--;
    touch(trace, zone.end_ns);
    return td_trace_arrive_(track, &zone, err);
}

/* The extra of the innermost open zone; NULL with err->code 0: there is no open zone. */
static struct extra *open_extra(struct td_trace *trace, struct track *track, struct td_err *err)
{
    if (!track->open_count) {
        trace->clamped++;
        return NULL;
    }
    struct open_zone *open = &track->open[track->open_count - 1];
    if (!open->extra && !(open->extra = new_extra(trace, (struct extra){0}))) {
        no_memory(err);
        return NULL;
    }
    return &trace->extras[open->extra];
}

static int append(struct open_zone *open, const char *text, size_t bytes)
{
    if (td_grow(&open->text, &open->text_capacity, open->text_bytes + bytes + 1, 1) < 0)
        return -1;
    if (open->text_bytes)
        open->text[open->text_bytes++] = '\n';
    memcpy(open->text + open->text_bytes, text, bytes);
    open->text_bytes += bytes;
    return 0;
}

static int add_text(struct td_trace *trace, struct track *track, uint32_t string, struct td_err *err)
{
    struct extra *extra = open_extra(trace, track, err);
    if (!extra)
        return err->code;
    if (!extra->text) {
        extra->text = string;
        return 0;
    }
    struct open_zone *open = &track->open[track->open_count - 1];
    const struct td_dict *dict = trace->dict;
    if (!open->text &&
        append(open, td_dict_text(dict, extra->text), td_dict_text_bytes(dict, extra->text)) < 0)
        return no_memory(err);
    if (append(open, td_dict_text(dict, string), td_dict_text_bytes(dict, string)) < 0)
        return no_memory(err);
    return 0;
}

static int add_value(struct td_trace *trace, struct track *track, uint64_t value, struct td_err *err)
{
    char text[24];
    int n = snprintf(text, sizeof text, "%" PRIu64, value);
    uint32_t string = td_dict_string(trace->dict, text, (size_t)n);
    return string == UINT32_MAX ? no_memory(err) : add_text(trace, track, string, err);
}

static int add_message(struct td_trace *trace, const struct td_event *e, struct td_err *err)
{
    if (td_grow(&trace->messages, &trace->message_capacity, trace->message_count + 1,
                sizeof *trace->messages) < 0)
        return no_memory(err);
    trace->messages[trace->message_count++] = (struct td_message){e->time_ns, e->track, e->a, e->srcloc};
    touch(trace, e->time_ns);
    return 0;
}

static int add_point(struct td_trace *trace, const struct td_event *e, struct td_err *err)
{
    if (grow_zeroed(&trace->plots, &trace->plot_capacity, &trace->plot_count, (size_t)e->a + 1,
                    sizeof *trace->plots) < 0)
        return no_memory(err);
    struct plot *plot = &trace->plots[e->a];
    if (td_grow(&plot->points, &plot->capacity, plot->count + 1, sizeof *plot->points) < 0)
        return no_memory(err);
    plot->points[plot->count++] = (struct td_point){e->time_ns, e->value.f64};
    touch(trace, e->time_ns);
    return 0;
}

static int add_frame(struct td_trace *trace, const struct td_event *e, struct td_err *err)
{
    if (grow_zeroed(&trace->frame_sets, &trace->frame_set_capacity, &trace->frame_set_count, (size_t)e->a + 1,
                    sizeof *trace->frame_sets) < 0)
        return no_memory(err);
    struct frames *set = &trace->frame_sets[e->a];
    touch(trace, e->time_ns);
    if (e->kind == TD_EVENT_FRAME_END) {
        struct td_frame *last = set->count ? &set->frames[set->count - 1] : NULL;
        if (last && last->end_ns == TD_OPEN && last->start_ns <= e->time_ns)
            last->end_ns = e->time_ns;
        else
            trace->clamped++;
        return 0;
    }
    if (td_grow(&set->frames, &set->capacity, set->count + 1, sizeof *set->frames) < 0)
        return no_memory(err);
    set->frames[set->count++] = (struct td_frame){e->time_ns, TD_OPEN};
    return 0;
}

static int add_app_info(struct td_trace *trace, uint32_t string, struct td_err *err)
{
    if (td_grow(&trace->app_infos, &trace->app_info_capacity, trace->app_info_count + 1,
                sizeof *trace->app_infos) < 0)
        return no_memory(err);
    trace->app_infos[trace->app_info_count++] = string;
    return 0;
}

/* Numbers that the dictionary does not have would index past tables later. */
static int check_numbers(const struct td_trace *trace, const struct td_event *e, struct td_err *err)
{
    int ok = 1;
    switch (e->kind) {
    case TD_EVENT_PLOT:
        return e->a < td_dict_plot_count(trace->dict)
                   ? 0
                   : td_fail(err, TD_E_USAGE, "event of unknown plot %" PRIu32, e->a);
    case TD_EVENT_FRAME:
    case TD_EVENT_FRAME_START:
    case TD_EVENT_FRAME_END:
        ok = e->a < td_dict_frame_set_count(trace->dict);
        return ok ? 0 : td_fail(err, TD_E_USAGE, "event of unknown frame set %" PRIu32, e->a);
    case TD_EVENT_APP_INFO:
        return 0;
    default:
        ok = e->track < td_dict_track_count(trace->dict);
        return ok ? 0 : td_fail(err, TD_E_USAGE, "event of unknown track %" PRIu32, e->track);
    }
}

static int zone_event(struct td_trace *trace, struct track *track, const struct td_event *e,
                      struct td_err *err)
{
    struct extra *extra;
    switch (e->kind) {
    case TD_EVENT_ZONE:
        return complete_zone(trace, track, e, err);
    case TD_EVENT_ZONE_BEGIN:
        return begin(trace, track, e, err);
    case TD_EVENT_ZONE_END:
        if (track->open_count)
            return td_trace_close_(trace, track, e->time_ns, err);
        trace->clamped++;
        return 0;
    case TD_EVENT_ZONE_TEXT:
        return add_text(trace, track, e->a, err);
    case TD_EVENT_ZONE_VALUE:
        return add_value(trace, track, e->value.u64, err);
    default:
        extra = open_extra(trace, track, err);
        if (!extra)
            return err->code;
        if (e->kind == TD_EVENT_ZONE_NAME)
            extra->name = e->a;
        else
            extra->color = e->a & 0xffffff;
        return 0;
    }
}

static int one_event(struct td_trace *trace, const struct td_event *e, struct td_err *err)
{
    if (check_numbers(trace, e, err) < 0)
        return err->code;
    switch (e->kind) {
    case TD_EVENT_MESSAGE:
        return add_message(trace, e, err);
    case TD_EVENT_PLOT:
        return add_point(trace, e, err);
    case TD_EVENT_FRAME:
    case TD_EVENT_FRAME_START:
    case TD_EVENT_FRAME_END:
        return add_frame(trace, e, err);
    case TD_EVENT_APP_INFO:
        return add_app_info(trace, e->a, err);
    case TD_EVENT_CRASH:
        trace->crash = (struct td_crash){e->time_ns, e->track, e->a};
        trace->crashed = 1;
        return 0;
    default:
        if (e->kind >= TD_EVENT_KINDS)
            return td_fail(err, TD_E_USAGE, "event of unknown kind %" PRIu32, e->kind);
        struct track *track = td_trace_track_(trace, e->track);
        return track ? zone_event(trace, track, e, err) : no_memory(err);
    }
}

static int take(void *self, const struct td_event *events, size_t count, struct td_err *err)
{
    struct td_trace *trace = self;
    struct td_err own = {0};
    if (trace->finished)
        return td_fail(err, TD_E_USAGE, "events for a trace that is finished");
    for (size_t i = 0; i < count; i++) {
        int rc = one_event(trace, &events[i], &own);
        if (rc < 0)
            return td_fail(err, rc, "%s", own.text);
    }
    return 0;
}

struct td_sink td_trace_sink(struct td_trace *trace)
{
    return (struct td_sink){take, trace};
}
