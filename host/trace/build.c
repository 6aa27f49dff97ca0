/* The model as a sink of events. Begins and ends go into the rows at once. Complete zones wait, because a
 * zone's parent arrives after the zone: until the source has settled them (settle.c), or until
 * td_trace_finish() (nest.c). */
#include "host/base/grow.h"
#include "host/trace/model.h"

#include <inttypes.h>
#include <stdio.h>

static void note_time(struct td_trace *trace, int64_t time_ns)
{
    if (time_ns != TD_OPEN && time_ns > trace->last_time_ns)
        trace->last_time_ns = time_ns;
}

/* Appends a row to a series that may be NULL (no memory). */
static int append_row(struct td_series *series, const int64_t *row, struct td_err *err)
{
    return series && td_series_append(series, row) == 0 ? 0 : td_fail_no_memory(err, TD_WHILE_BUILDING);
}

static uint32_t known_srcloc(const struct td_trace *trace, uint32_t srcloc)
{
    return srcloc < td_dict_srcloc_count(trace->dict) ? srcloc : 0;
}

static int complete_zone(struct td_trace *trace, struct track *track, const struct td_event *e,
                         struct td_err *err)
{
    struct arrived zone = {e->time_ns, e->value.end_ns, known_srcloc(trace, e->srcloc), 0, SPAN_BY_TIME};
    if (zone.end_ns < zone.start_ns) {
        zone.start_ns = zone.end_ns;
        td_trace_clamp_(trace, 1);
    }
    if (e->subject && !(zone.extra = td_trace_extra_(trace, &(struct extra){.text = e->subject})))
        return td_fail_no_memory(err, TD_WHILE_BUILDING);
    note_time(trace, zone.end_ns);
    if (td_trace_settles_(track))
        return td_trace_add_to_batch_(trace, e->track, track, &zone, err);
    if (track->mode == MODE_NESTED) {
        int rc = td_trace_unnest_(trace, e->track, track, err);
        if (rc < 0)
            return rc;
    }
    track->mode = MODE_ARRIVED;
    return td_trace_arrive_(trace, track, &zone, err);
}

/* The source's first promise starts the mode; later it has no effect on tracks in other modes. */
static int settle_zones(struct td_trace *trace, struct track *track, uint32_t number, struct td_err *err)
{
    if (track->mode == MODE_NONE && !td_dict_get_track(trace->dict, number)->context) {
        track->mode = MODE_SETTLED;
        return td_fill_begin(&track->fill, trace, number, err);
    }
    return td_trace_settles_(track) ? td_trace_settle_(trace, track, err) : 0;
}

/* The first event is a begin: cores may still write complete zones later, other tracks rarely do. */
static int choose_mode(struct td_trace *trace, struct track *track, uint32_t number, struct td_err *err)
{
    track->mode = td_dict_get_track(trace->dict, number)->kind == TD_TRACK_CORE ? MODE_ARRIVED : MODE_NESTED;
    return track->mode == MODE_NESTED ? td_fill_begin(&track->fill, trace, number, err) : 0;
}

static int enter_zone(struct td_fill *fill, const struct open_zone *zone)
{
    static const struct td_fill_gpu no_host = {.cpu_duration_ns = -1};
    int rc;
    if (td_dict_get_track(fill->trace->dict, fill->track)->context)
        rc = td_fill_enter_gpu(fill, zone->start_ns, -1, zone->srcloc, 0, &no_host);
    else
        rc = td_fill_enter(fill, zone->start_ns, -1, zone->srcloc, 0);
    if (rc == 0)
        td_fill_down(fill);
    return rc;
}

static int begin_zone(struct td_trace *trace, struct track *track, const struct td_event *e,
                      struct td_err *err)
{
    int rc = track->mode == MODE_NONE   ? choose_mode(trace, track, e->track, err)
             : td_trace_settles_(track) ? td_trace_settle_(trace, track, err)
                                        : 0;
    if (rc < 0)
        return rc;
    if (td_grow(&track->open, &track->open_capacity, track->open_count + 1, sizeof *track->open) < 0)
        return td_fail_no_memory(err, TD_WHILE_BUILDING);
    struct open_zone zone = {
        .start_ns = e->time_ns, .srcloc = known_srcloc(trace, e->srcloc), .first = track->arrived};
    if (track->has_time && zone.start_ns < track->last_time_ns) {
        zone.start_ns = track->last_time_ns;
        td_trace_clamp_(trace, 1);
    }
    if (!td_trace_waits_(track) && enter_zone(&track->fill, &zone) < 0)
        return td_fail_no_memory(err, TD_WHILE_BUILDING);
    if (track->mode == MODE_MENDED &&
        (rc = td_trace_show_begin_(trace, track, zone.start_ns, zone.srcloc, err)) < 0)
        return rc;
    track->last_time_ns = zone.start_ns;
    track->has_time = 1;
    track->open[track->open_count++] = zone;
    note_time(trace, zone.start_ns);
    return 0;
}

/* Makes the row of EXTRA for an open zone's text, name, colour and stack; 0: it has none, or err->code is
 * set. */
static uint32_t close_extra(struct td_trace *trace, struct open_zone *open, struct td_err *err)
{
    struct extra *extra = &open->extra;
    if (open->text) {
        extra->text = td_dict_passing_string(trace->dict, open->text, open->text_bytes);
        free(open->text);
        open->text = NULL;
        if (extra->text == UINT32_MAX) {
            td_fail_no_memory(err, TD_WHILE_BUILDING);
            return 0;
        }
    }
    if (!extra->stack && !extra->text && !extra->name && !extra->color)
        return 0;
    uint32_t row = td_trace_extra_(trace, extra);
    if (!row)
        td_fail_no_memory(err, TD_WHILE_BUILDING);
    return row;
}

static void leave_zone(struct track *track, int64_t start_ns, int64_t end_ns, uint32_t extra)
{
    struct td_fill *fill = &track->fill;
    if (extra)
        td_series_set_last(fill->rows[fill->depth - 1], TD_ZONE_EXTRA, extra);
    td_fill_leave(fill, end_ns == TD_OPEN ? -1 : td_trace_length_(start_ns, end_ns));
}

int td_trace_close_(struct td_trace *trace, struct track *track, int64_t end_ns, struct td_err *err)
{
    struct td_err own = {0};
    struct open_zone *open = &track->open[track->open_count - 1];
    uint32_t extra = close_extra(trace, open, &own);
    if (own.code == 0 && td_trace_settles_(track))
        td_trace_settle_(trace, track, &own);
    if (own.code)
        return td_fail(err, own.code, "%s", own.text);
    int64_t least = open->start_ns; /* it may end before the zones inside of it */
    if (track->arrived && track->last_end_ns != TD_OPEN && track->last_end_ns > least)
        least = track->last_end_ns;
    if (end_ns < least) {
        end_ns = least;
        td_trace_clamp_(trace, 1);
    }
    if (end_ns != TD_OPEN && end_ns > track->last_time_ns)
        track->last_time_ns = end_ns;
    track->open_count--;
    note_time(trace, end_ns);
    if (!td_trace_waits_(track)) {
        leave_zone(track, open->start_ns, end_ns, extra);
        return 0;
    }
    if (track->mode == MODE_MENDED)
        td_trace_show_end_(track, end_ns, extra);
    struct arrived zone = {open->start_ns, end_ns, open->srcloc, extra, track->arrived - open->first};
    return td_trace_arrive_(trace, track, &zone, err);
}

static struct open_zone *innermost(struct td_trace *trace, struct track *track)
{
    if (track->open_count)
        return &track->open[track->open_count - 1];
    td_trace_clamp_(trace, 1);
    return NULL;
}

static int append_text(struct open_zone *open, const char *text, size_t bytes)
{
    if (td_grow(&open->text, &open->text_capacity, open->text_bytes + bytes + 1, 1) < 0)
        return TD_E_NOMEM;
    if (open->text_bytes)
        open->text[open->text_bytes++] = '\n';
    memcpy(open->text + open->text_bytes, text, bytes);
    open->text_bytes += bytes;
    return 0;
}

static int add_text(struct td_trace *trace, struct track *track, uint32_t string, struct td_err *err)
{
    struct open_zone *open = innermost(trace, track);
    if (!open)
        return 0;
    if (!open->extra.text) {
        open->extra.text = string;
        return 0;
    }
    const struct td_dict *dict = trace->dict;
    if (!open->text && append_text(open, td_dict_text(dict, open->extra.text),
                                   td_dict_text_bytes(dict, open->extra.text)) < 0)
        return td_fail_no_memory(err, TD_WHILE_BUILDING);
    if (append_text(open, td_dict_text(dict, string), td_dict_text_bytes(dict, string)) < 0)
        return td_fail_no_memory(err, TD_WHILE_BUILDING);
    return 0;
}

static int add_value(struct td_trace *trace, struct track *track, uint64_t value, struct td_err *err)
{
    char text[24];
    int n = snprintf(text, sizeof text, "%" PRIu64, value);
    uint32_t string = td_dict_passing_string(trace->dict, text, (size_t)n);
    return string == UINT32_MAX ? td_fail_no_memory(err, TD_WHILE_BUILDING)
                                : add_text(trace, track, string, err);
}

void td_trace_follow(struct td_trace *trace)
{
    trace->followed = true;
}

static int add_message(struct td_trace *trace, const struct td_event *e, struct td_err *err)
{
    const int64_t row[TD_MESSAGE_COLUMN_COUNT] = {
        [TD_MESSAGE_TIME] = e->time_ns,
        [TD_MESSAGE_TRACK] = e->track,
        [TD_MESSAGE_TEXT] = e->subject,
        [TD_MESSAGE_COLOR] = e->color,
        [TD_MESSAGE_STACK] = TD_EVENT_MESSAGE_STACK(e->value.u64),
        [TD_MESSAGE_SOURCE] = TD_EVENT_MESSAGE_SOURCE(e->value.u64),
        [TD_MESSAGE_SEVERITY] = TD_EVENT_MESSAGE_SEVERITY(e->value.u64),
    };
    note_time(trace, e->time_ns);
    td_trace_note_time_(trace, TD_TABLE_MESSAGE, e->time_ns);
    /* Only the reader of files changes messages. */
    struct td_series *messages = td_trace_fill_table(trace, TD_TABLE_MESSAGE);
    if (messages && !messages->count)
        td_series_tighten(messages);
    return append_row(messages, row, err);
}

static int add_point(struct td_trace *trace, const struct td_event *e, struct td_err *err)
{
    int64_t row[TD_POINT_COLUMN_COUNT] = {[TD_POINT_TIME] = e->time_ns};
    memcpy(&row[TD_POINT_VALUE], &e->value.f64, sizeof e->value.f64);
    note_time(trace, e->time_ns);
    td_trace_note_time_(trace, TD_TABLE_POINT, e->time_ns);
    return append_row(td_trace_fill_list(trace, TD_TABLE_POINT, e->subject), row, err);
}

static int add_frame(struct td_trace *trace, const struct td_event *e, struct td_err *err)
{
    struct td_series *set = td_trace_fill_list(trace, TD_TABLE_FRAME, e->subject);
    note_time(trace, e->time_ns);
    td_trace_note_time_(trace, TD_TABLE_FRAME, e->time_ns);
    if (e->kind == TD_EVENT_FRAME_END) {
        if (set && set->count && td_series_get_last(set, TD_FRAME_END) < 0 &&
            td_series_get_last(set, TD_FRAME_START) <= e->time_ns)
            td_series_set_last(set, TD_FRAME_END, e->time_ns);
        else
            td_trace_clamp_(trace, 1);
        return set ? 0 : td_fail_no_memory(err, TD_WHILE_BUILDING);
    }
    const int64_t row[TD_FRAME_COLUMN_COUNT] = {e->time_ns, -1, -1};
    return append_row(set, row, err);
}

static int add_app_info(struct td_trace *trace, uint32_t string, struct td_err *err)
{
    const int64_t row[TD_APP_INFO_COLUMN_COUNT] = {string};
    return append_row(td_trace_fill_table(trace, TD_TABLE_APP_INFO), row, err);
}

/* Numbers that the dictionary does not have would index past tables later. */
static int check_numbers(const struct td_trace *trace, const struct td_event *e, struct td_err *err)
{
    int ok = 1;
    switch (e->kind) {
    case TD_EVENT_PLOT:
        return e->subject < td_dict_plot_count(trace->dict)
                   ? 0
                   : td_fail(err, TD_E_USAGE, "event of unknown plot %" PRIu32, e->subject);
    case TD_EVENT_FRAME:
    case TD_EVENT_FRAME_START:
    case TD_EVENT_FRAME_END:
        ok = e->subject < td_dict_frame_set_count(trace->dict);
        return ok ? 0 : td_fail(err, TD_E_USAGE, "event of unknown frame set %" PRIu32, e->subject);
    case TD_EVENT_APP_INFO:
        return 0;
    default:
        ok = e->track < td_dict_track_count(trace->dict);
        return ok ? 0 : td_fail(err, TD_E_USAGE, "event of unknown track %" PRIu32, e->track);
    }
}

/* Readers of a growing trace get the stack with the zone's begin, all else with its end. */
static int set_stack(struct td_trace *trace, struct track *track, struct open_zone *open, uint32_t stack,
                     struct td_err *err)
{
    open->extra.stack = stack;
    if (!trace->followed || track->mode != MODE_NESTED)
        return 0;
    uint32_t extra = td_trace_extra_(trace, &(struct extra){.stack = stack});
    if (!extra)
        return td_fail_no_memory(err, TD_WHILE_BUILDING);
    td_series_set_last(track->fill.rows[track->fill.depth - 1], TD_ZONE_EXTRA, extra);
    return 0;
}

static int zone_event(struct td_trace *trace, struct track *track, const struct td_event *e,
                      struct td_err *err)
{
    struct open_zone *open;
    switch (e->kind) {
    case TD_EVENT_ZONE:
        return complete_zone(trace, track, e, err);
    case TD_EVENT_SETTLED:
        return settle_zones(trace, track, e->track, err);
    case TD_EVENT_ZONE_BEGIN:
        return begin_zone(trace, track, e, err);
    case TD_EVENT_ZONE_END:
        if (track->open_count)
            return td_trace_close_(trace, track, e->time_ns, err);
        td_trace_clamp_(trace, 1);
        return 0;
    case TD_EVENT_ZONE_TEXT:
        return add_text(trace, track, e->subject, err);
    case TD_EVENT_ZONE_VALUE:
        return add_value(trace, track, e->value.u64, err);
    default:
        open = innermost(trace, track);
        if (open && e->kind == TD_EVENT_ZONE_NAME)
            open->extra.name = e->subject;
        else if (open && e->kind == TD_EVENT_ZONE_STACK)
            return set_stack(trace, track, open, e->subject, err);
        else if (open)
            open->extra.color = e->subject & 0xffffff;
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
        return add_app_info(trace, e->subject, err);
    case TD_EVENT_CRASH:
        td_trace_set_crash(trace,
                           &(struct td_crash){e->time_ns, e->track, e->subject, (uint32_t)e->value.u64});
        return 0;
    default:
        if (e->kind >= TD_EVENT_KINDS)
            return td_fail(err, TD_E_USAGE, "event of unknown kind %" PRIu32, e->kind);
        struct track *track = td_trace_track_(trace, e->track);
        return track ? zone_event(trace, track, e, err) : td_fail_no_memory(err, TD_WHILE_BUILDING);
    }
}

int td_trace_events_(void *self, const struct td_event *events, size_t count, struct td_err *err)
{
    struct td_trace *trace = self;
    struct td_err own = {0};
    if (trace->finished)
        return td_fail(err, TD_E_USAGE, "events for a finished trace");
    for (size_t i = 0; i < count; i++) {
        int rc = one_event(trace, &events[i], &own);
        if (rc < 0)
            return td_fail(err, rc, "%s", own.text);
    }
    return 0;
}
