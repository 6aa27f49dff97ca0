/* A trace of Chrome (JSON), for Perfetto's window and chrome://tracing: zones as complete events, messages as instant
 * events, plots as counters, flows as arrows. A path that ends in .gz is packed. Times are in us, with three places. */
#include "host/base/json.h"
#include "host/query/flows/flow.h"
#include "host/tools/export/export_walk.h"
#include "host/tools/files/text_output.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct chrome_out {
    const struct td_trace *trace;
    const struct td_dict *dict;
    struct td_json json;
    uint32_t track;
};

static void print_string(struct chrome_out *c, const char *key, uint32_t string)
{
    td_json_text(&c->json, key, td_dict_text(c->dict, string), td_dict_text_bytes(c->dict, string));
}

/* ---- processes and threads: the program is process 1, chip N is process N + 2 ---- */

static uint64_t process_of(const struct td_track *track)
{
    return track->kind == TD_TRACK_CORE ? track->chip + UINT64_C(2) : 1;
}

static void begin_event(struct chrome_out *c, const char *phase, uint32_t track)
{
    td_json_object(&c->json, NULL);
    td_json_string(&c->json, "ph", phase);
    td_json_uint(&c->json, "pid", process_of(td_dict_get_track(c->dict, track)));
    td_json_uint(&c->json, "tid", track + UINT64_C(1));
}

static void print_process(struct chrome_out *c, uint64_t process, const char *name)
{
    td_json_object(&c->json, NULL);
    td_json_string(&c->json, "ph", "M");
    td_json_uint(&c->json, "pid", process);
    td_json_string(&c->json, "name", "process_name");
    td_json_object(&c->json, "args");
    td_json_string(&c->json, "name", name);
    td_json_end_object(&c->json);
    td_json_end_object(&c->json);
}

/* Chips get their names with the first of their cores. */
static void print_names(struct chrome_out *c)
{
    const struct td_trace_info *info = td_trace_get_info(c->trace);
    const uint32_t tracks = td_dict_track_count(c->dict);
    uint64_t named = 1;
    print_process(c, 1, info->program && *info->program ? info->program : "program");
    for (uint32_t t = 0; t < tracks; t++) {
        const struct td_track *track = td_dict_get_track(c->dict, t);
        char room[TD_TRACK_LONG_NAME_BYTES];
        if (process_of(track) != named && process_of(track) != 1) {
            char chip[32];
            named = process_of(track);
            snprintf(chip, sizeof chip, "chip %u", track->chip);
            print_process(c, named, chip);
        }
        begin_event(c, "M", t);
        td_json_string(&c->json, "name", "thread_name");
        td_json_object(&c->json, "args");
        td_json_string(&c->json, "name", td_track_long_name(c->trace, t, room));
        if (track->kind == TD_TRACK_CORE) {
            td_json_uint(&c->json, "chip", track->chip);
            td_json_uint(&c->json, "x", track->x);
            td_json_uint(&c->json, "y", track->y);
            td_json_uint(&c->json, "core", track->core);
        }
        td_json_end_object(&c->json);
        td_json_end_object(&c->json);
    }
}

/* ---- events ---- */

static void print_place(struct chrome_out *c, const struct td_srcloc *place)
{
    char *text = NULL;
    if (!place->file || asprintf(&text, "%s:%" PRIu32, td_dict_text(c->dict, place->file), place->line) < 0)
        return;
    td_json_string(&c->json, "loc", text);
    free(text);
}

static int visit_zone(void *self, const struct td_step *step)
{
    struct chrome_out *c = self;
    const struct td_zone *zone = &step->zone;
    if (step->leaves)
        return 0;
    const bool open = zone->end_ns == TD_OPEN;
    begin_event(c, open ? "B" : "X", c->track);
    td_json_thousandths(&c->json, "ts", zone->start_ns);
    if (!open)
        td_json_thousandths(&c->json, "dur", zone->end_ns - zone->start_ns);
    print_string(c, "name", export_zone_name(c->trace, zone));
    print_place(c, td_dict_get_srcloc(c->dict, zone->srcloc));
    if (zone->text) {
        td_json_object(&c->json, "args");
        print_string(c, "text", zone->text);
        td_json_end_object(&c->json);
    }
    td_json_end_object(&c->json);
    return 0;
}

static void print_messages(struct chrome_out *c)
{
    for (size_t i = 0; i < td_trace_messages(c->trace); i++) {
        const struct td_message message = td_trace_message(c->trace, i);
        begin_event(c, "i", message.track);
        td_json_string(&c->json, "s", "t");
        td_json_thousandths(&c->json, "ts", message.time_ns);
        print_string(c, "name", message.text);
        td_json_end_object(&c->json);
    }
}

static void print_counters(struct chrome_out *c)
{
    for (uint32_t p = 0; p < td_dict_plot_count(c->dict); p++)
        for (size_t i = 0; i < td_trace_plot_points(c->trace, p); i++) {
            const struct td_plot_point point = td_trace_plot_point(c->trace, p, i);
            if (!isfinite(point.value))
                continue; /* JSON has no such numbers */
            td_json_object(&c->json, NULL);
            td_json_string(&c->json, "ph", "C");
            td_json_uint(&c->json, "pid", 1);
            td_json_thousandths(&c->json, "ts", point.time_ns);
            print_string(c, "name", td_dict_get_plot(c->dict, p)->name);
            td_json_object(&c->json, "args");
            td_json_double(&c->json, "value", point.value);
            td_json_end_object(&c->json);
            td_json_end_object(&c->json);
        }
}

static void print_flow_end(struct chrome_out *c, const struct td_flow_end *end, const char *name, uint64_t id)
{
    begin_event(c, td_flow_is_out(end) ? "s" : "f", end->zone.track);
    if (!td_flow_is_out(end))
        td_json_string(&c->json, "bp", "e");
    td_json_string(&c->json, "cat", "flow");
    td_json_string(&c->json, "name", name);
    td_json_uint(&c->json, "id", id);
    td_json_thousandths(&c->json, "ts", end->start_ns);
    td_json_end_object(&c->json);
}

/* Programs may use an id again, and for several receivers. Here, each arrow has its own. */
static int print_flows(struct chrome_out *c, struct td_err *err)
{
    struct td_flows flows = {0};
    const int rc = td_flows_build(&flows, c->trace, err);
    for (size_t i = 0; rc == 0 && i < flows.count; i++) {
        struct td_flow_pair pair;
        char room[300];
        if (!td_flows_pair(&flows, i, &pair))
            continue;
        const char *name = td_flow_name(c->trace, pair.to, room, sizeof room);
        print_flow_end(c, pair.from, name, i);
        print_flow_end(c, pair.to, name, i);
    }
    td_flows_free(&flows);
    return rc;
}

static int print_all(const struct export_work *work, struct chrome_out *c, struct td_err *err)
{
    uint64_t done = 0;
    int rc = 0;
    td_json_object(&c->json, NULL);
    td_json_string(&c->json, "displayTimeUnit", "ns");
    td_json_array(&c->json, "traceEvents");
    print_names(c);
    for (c->track = 0; rc == 0 && c->track < td_dict_track_count(c->dict); c->track++)
        rc = export_each_zone(work, c->track, &done, visit_zone, c, err);
    if (rc == 0) {
        print_messages(c);
        print_counters(c);
        rc = print_flows(c, err);
    }
    td_json_end_array(&c->json);
    td_json_end_object(&c->json);
    return rc;
}

int export_chrome(const struct export_work *work, struct td_err *err)
{
    struct text_output output;
    int rc = text_output_open(&output, work->path, TD_OUT_KEEP_OLD, text_output_is_gzip(work->path), err);
    struct chrome_out c = {
        .trace = work->trace, .dict = td_trace_dict(work->trace), .json = {.to = output.to, .one_line = 1}};
    rc = rc ? rc : print_all(work, &c, err);
    return text_output_close(&output, rc, err);
}
