/* A file of speedscope (https://www.speedscope.app/file-format-schema.json): an evented profile for each track. */
#include "host/base/grow.h"
#include "host/base/json.h"
#include "host/event/map.h"
#include "host/tools/export/export_walk.h"
#include "host/tools/files/text_output.h"

struct scope_frame {
    uint32_t srcloc, name;
};

struct speedscope {
    const struct td_trace *trace;
    struct td_json json;
    struct td_map known; /* (source location, own name): its number in `frame` */
    struct scope_frame *frame;
    size_t frames, frame_room;
    /* The zones of the track that were entered. */
    struct scope_level {
        uint32_t frame;
        int64_t end_ns;
    } * level;
    size_t depth, level_room;
    int64_t first_ns, last_ns;
    bool has_events; /* the track's profile was begun */
};

/* UINT32_MAX: no memory. */
static uint32_t frame_of(struct speedscope *s, const struct td_zone *zone)
{
    const uint64_t key = (uint64_t)zone->srcloc << 32 | zone->name;
    const uint32_t known = td_map_get(&s->known, key, UINT32_MAX);
    if (known != UINT32_MAX)
        return known;
    if (td_map_add(&s->known, key, (uint32_t)s->frames) < 0 ||
        TD_APPEND(s->frame, s->frames, s->frame_room,
                  (struct scope_frame){.srcloc = zone->srcloc, .name = zone->name}) < 0)
        return UINT32_MAX;
    return (uint32_t)s->frames - 1;
}

static void print_event(struct speedscope *s, const char *type, uint32_t frame, int64_t at_ns)
{
    td_json_object(&s->json, NULL);
    td_json_string(&s->json, "type", type);
    td_json_uint(&s->json, "frame", frame);
    td_json_int(&s->json, "at", at_ns);
    td_json_end_object(&s->json);
    s->last_ns = at_ns;
}

static void begin_profile(struct speedscope *s, const struct td_zone *zone)
{
    td_json_object(&s->json, NULL);
    td_json_string(&s->json, "type", "evented");
    td_json_string(&s->json, "unit", "nanoseconds");
    td_json_array(&s->json, "events");
    s->has_events = true;
    s->first_ns = s->last_ns = zone->start_ns;
}

/* The format wants times that never decrease, and zones within those around them. */
static int visit_zone(void *self, const struct td_step *step)
{
    struct speedscope *s = self;
    const struct td_zone *zone = &step->zone;
    if (step->leaves) {
        const struct scope_level *level = &s->level[--s->depth];
        print_event(s, "C", level->frame, level->end_ns > s->last_ns ? level->end_ns : s->last_ns);
        return 0;
    }
    if (!s->has_events)
        begin_profile(s, zone);
    int64_t end_ns = zone->end_ns == TD_OPEN ? td_trace_get_info(s->trace)->last_time_ns : zone->end_ns;
    if (s->depth && end_ns > s->level[s->depth - 1].end_ns)
        end_ns = s->level[s->depth - 1].end_ns;
    const uint32_t frame = frame_of(s, zone);
    if (frame == UINT32_MAX || TD_APPEND(s->level, s->depth, s->level_room,
                                         (struct scope_level){.frame = frame, .end_ns = end_ns}) < 0)
        return TD_E_NOMEM;
    int64_t at_ns = zone->start_ns > s->last_ns ? zone->start_ns : s->last_ns;
    if (at_ns > end_ns && end_ns > s->last_ns)
        at_ns = end_ns;
    print_event(s, "O", frame, at_ns);
    return 0;
}

static void end_profile(struct speedscope *s, uint32_t track)
{
    char room[TD_TRACK_LONG_NAME_BYTES];
    if (!s->has_events)
        return;
    td_json_end_array(&s->json);
    td_json_string(&s->json, "name", td_track_long_name(s->trace, track, room));
    td_json_int(&s->json, "startValue", s->first_ns);
    td_json_int(&s->json, "endValue", s->last_ns);
    td_json_end_object(&s->json);
    s->has_events = false;
}

static void print_frames(struct speedscope *s)
{
    const struct td_dict *dict = td_trace_dict(s->trace);
    td_json_object(&s->json, "shared");
    td_json_array(&s->json, "frames");
    for (size_t i = 0; i < s->frames; i++) {
        const struct td_zone zone = {.srcloc = s->frame[i].srcloc, .name = s->frame[i].name};
        const struct td_srcloc *place = td_dict_get_srcloc(dict, zone.srcloc);
        const uint32_t name = export_zone_name(s->trace, &zone);
        td_json_object(&s->json, NULL);
        td_json_text(&s->json, "name", td_dict_text(dict, name), td_dict_text_bytes(dict, name));
        if (place->file)
            td_json_text(&s->json, "file", td_dict_text(dict, place->file),
                         td_dict_text_bytes(dict, place->file));
        if (place->line)
            td_json_uint(&s->json, "line", place->line);
        td_json_end_object(&s->json);
    }
    td_json_end_array(&s->json);
    td_json_end_object(&s->json);
}

static int print_all(const struct export_work *work, struct speedscope *s, struct td_err *err)
{
    const struct td_trace_info *info = td_trace_get_info(s->trace);
    uint64_t done = 0;
    int rc = 0;
    td_json_object(&s->json, NULL);
    td_json_string(&s->json, "$schema", "https://www.speedscope.app/file-format-schema.json");
    td_json_string(&s->json, "exporter", "tendril");
    if (info->capture_name && *info->capture_name)
        td_json_string(&s->json, "name", info->capture_name);
    td_json_array(&s->json, "profiles");
    for (uint32_t t = 0; rc == 0 && t < td_dict_track_count(td_trace_dict(s->trace)); t++) {
        rc = export_each_zone(work, t, &done, visit_zone, s, err);
        end_profile(s, t);
    }
    td_json_end_array(&s->json);
    print_frames(s);
    td_json_end_object(&s->json);
    return rc;
}

int export_speedscope(const struct export_work *work, struct td_err *err)
{
    struct text_output output;
    int rc = text_output_open(&output, work->path, TD_OUT_KEEP_OLD, false, err);
    struct speedscope s = {.trace = work->trace, .json = {.to = output.to, .one_line = 1}};
    rc = rc ? rc : print_all(work, &s, err);
    td_map_finish(&s.known);
    free(s.frame);
    free(s.level);
    return text_output_close(&output, rc, err);
}
