#include "host/report/ops/core_walk.h"
#include "host/base/grow.h"
#include "proto/track.h"
#include "proto/track_text.h"

#include <stdlib.h>
#include <string.h>

static bool ends_with(const char *name, const char *end)
{
    const size_t n = strlen(name), m = strlen(end);
    return n >= m && !strcmp(name + n - m, end);
}

static enum td_zone_class classify(const struct td_dict *dict, uint32_t srcloc)
{
    const uint32_t flags = td_dict_get_srcloc(dict, srcloc)->flags;
    const char *name = td_dict_zone_name(dict, srcloc);
    if (flags & TD_SRCLOC_LOST)
        return TD_ZONE_CLASS_LOST;
    if (flags & TD_SRCLOC_WAIT)
        return TD_ZONE_CLASS_WAIT;
    return ends_with(name, "-KERNEL") ? TD_ZONE_CLASS_KERNEL
           : ends_with(name, "-FW")   ? TD_ZONE_CLASS_FW
                                      : TD_ZONE_CLASS_OTHER;
}

enum td_zone_class td_zone_classify(struct td_zone_classes *classes, const struct td_dict *dict,
                                    uint32_t srcloc)
{
    const size_t had = classes->room;
    if (srcloc >= had) {
        if (td_grow(&classes->of, &classes->room, (size_t)srcloc + 1, 1) < 0)
            return TD_ZONE_CLASS_UNKNOWN;
        memset(classes->of + had, 0, classes->room - had);
    }
    if (!classes->of[srcloc])
        classes->of[srcloc] = (uint8_t)classify(dict, srcloc);
    return (enum td_zone_class)classes->of[srcloc];
}

void td_zone_classes_free(struct td_zone_classes *classes)
{
    free(classes->of);
    *classes = (struct td_zone_classes){0};
}

bool td_core_place_of(const struct td_dict *dict, uint32_t track, struct td_core_place *place)
{
    const struct td_track *t = td_dict_get_track(dict, track);
    if (!td_track_is_core(t))
        return false;
    const bool plain = t->kind == TD_TRACK_CORE;
    const char *name = td_dict_text(dict, t->name), *word = strrchr(name, ' ');
    *place = (struct td_core_place){.track = track,
                                    .device = plain ? t->chip : td_track_chip(t->thread),
                                    .x = plain ? t->x : (uint16_t)td_track_x(t->thread),
                                    .y = plain ? t->y : (uint16_t)td_track_y(t->thread),
                                    .lane = (plain ? t->core : (uint8_t)td_track_core(t->thread)) & 31};
    strncat(place->name, word ? word + 1 : name, sizeof place->name - 1);
    place->risc = td_op_risc_find(place->name);
    return true;
}

static void find_next(struct td_core_walk *w)
{
    w->has_next = td_walk_next(&w->walk, &w->step);
}

int td_core_walk_begin(struct td_core_walk *w, const struct td_trace *trace,
                       const struct td_core_place *place, size_t first, bool closed_only)
{
    *w = (struct td_core_walk){.place = *place, .trace = trace};
    if (td_walk_begin(&w->walk, trace, place->track) < 0)
        return TD_E_NOMEM;
    if (!w->walk.row_count)
        return 0;
    struct td_walk_row *row = &w->walk.rows[0];
    row->next = row->next > first ? row->next : first;
    if (closed_only)
        while (row->end > row->next && td_trace_zone(trace, place->track, 0, row->end - 1).end_ns == TD_OPEN)
            row->end--;
    if (row->next < row->end)
        find_next(w);
    return 0;
}

void td_core_walk_end(struct td_core_walk *w)
{
    td_walk_end(&w->walk);
    w->has_next = false;
}

/* Takes the identity of a launch from the lines of its zone's text. False: it has no id. */
static bool read_identity(struct td_core_walk *w, uint32_t text, struct td_op_launch *launch)
{
    static const char flow[] = "flow in " TD_FLOW_LAUNCH " #";
    const struct td_dict *dict = td_trace_dict(w->trace);
    const size_t prefix = sizeof TD_OP_NAME_TEXT_PREFIX - 1;
    const char *all = td_dict_text(dict, text), *line;
    const size_t bytes = td_dict_text_bytes(dict, text);
    size_t at = 0, count;
    bool has_op = false, has_flow = false;
    while (text && td_text_line(all, bytes, &at, &line, &count)) {
        uint32_t trace = 0, replay = 0, id = 0;
        if (td_op_text_read(line, count, &id)) {
            launch->run_id = id;
            has_op = true;
        } else if (td_text_number(line, count, flow, &id)) {
            launch->run_id = has_op ? launch->run_id : id;
            has_flow = true;
        } else if (td_replay_text_read(line, count, &trace, &replay)) {
            launch->trace = trace;
            launch->replay = replay;
        } else if (count > prefix && !memcmp(line, TD_OP_NAME_TEXT_PREFIX, prefix)) {
            snprintf(w->op_name, sizeof w->op_name, "%.*s", (int)(count - prefix), line + prefix);
            launch->name = w->op_name;
        }
    }
    return has_op || has_flow;
}

static int64_t end_of(const struct td_zone *zone)
{
    return zone->end_ns == TD_OPEN ? TD_OP_NO_TIME : zone->end_ns;
}

/* Sums of the compute kernels' waits, which are messages: "NAME: TICKS ticks ...". */
static void read_wait_sum(const struct td_core_walk *w, const char *text, struct td_op_launch *launch)
{
    static const char front[] = "CB-COMPUTE-WAIT-FRONT: ", back[] = "CB-COMPUTE-RESERVE-BACK: ";
    if (w->place.risc == TD_OP_TRISC0 && !strncmp(text, front, sizeof front - 1))
        launch->cb_wait_front = strtoll(text + sizeof front - 1, NULL, 10);
    else if (w->place.risc == TD_OP_TRISC2 && !strncmp(text, back, sizeof back - 1))
        launch->cb_reserve_back = strtoll(text + sizeof back - 1, NULL, 10);
}

/* Messages up to the time. Those of a launch's last moment may be just after it. */
static int read_messages(struct td_core_walk *w, int64_t until, const struct td_core_marks *marks,
                         struct td_op_launch *launch, struct td_err *err)
{
    int rc = 0;
    if (!td_trace_is_finished(w->trace))
        return 0;
    const size_t count = td_trace_track_messages(w->trace, w->place.track);
    for (; rc == 0 && w->message < count; w->message++) {
        const size_t index = td_trace_track_message(w->trace, w->place.track, w->message);
        const struct td_message m = td_trace_message(w->trace, index);
        if (m.time_ns > until)
            break;
        read_wait_sum(w, td_dict_text(td_trace_dict(w->trace), m.text), launch);
        if (marks && marks->message)
            rc = marks->message(marks->self, &w->place, launch, &m, err);
    }
    return rc;
}

static struct td_op_launch no_launch(const struct td_core_place *place)
{
    return (struct td_op_launch){.device = place->device,
                                 .trace = TD_OP_NO_TRACE,
                                 .replay = TD_OP_NO_TRACE,
                                 .track = place->track,
                                 .x = place->x,
                                 .y = place->y,
                                 .lane = place->lane,
                                 .risc = place->risc,
                                 .fw_start = TD_OP_NO_TIME,
                                 .fw_end = TD_OP_NO_TIME,
                                 .kernel_start = TD_OP_NO_TIME,
                                 .kernel_end = TD_OP_NO_TIME,
                                 .cb_wait_front = -1,
                                 .cb_reserve_back = -1};
}

/* An imported zone whose file has no end of it lasts to the end of its core. */
static bool lacks_end(const struct td_dict *dict, const struct td_zone *zone)
{
    return zone->text && strstr(td_dict_text(dict, zone->text), TD_NO_END_TEXT);
}

/* What a zone that is entered says of its launch. *wait_row: the row of the wait that the walk is in, or
 * UINT32_MAX. */
static void take_zone(struct td_op_launch *launch, enum td_zone_class class, const struct td_step *step,
                      uint32_t *wait_row)
{
    const int64_t start = step->zone.start_ns, end = end_of(&step->zone);
    if (class == TD_ZONE_CLASS_FW && step->row == 0) {
        launch->fw_start = start;
        launch->fw_end = end;
    } else if (class == TD_ZONE_CLASS_KERNEL && step->row <= 1 && launch->kernel_start == TD_OP_NO_TIME) {
        launch->kernel_start = start;
        launch->kernel_end = end;
    } else if (class == TD_ZONE_CLASS_WAIT && *wait_row == UINT32_MAX) {
        *wait_row = step->row;
        launch->wait = td_wrap_add(launch->wait, td_op_length(start, end));
    }
}

/* An outermost zone of another name that has the id of an operation is its kernel's. */
static void take_other(struct td_op_launch *launch, enum td_zone_class class, const struct td_step *step)
{
    if (step->row || class != TD_ZONE_CLASS_OTHER || launch->fw_start != TD_OP_NO_TIME ||
        launch->kernel_start != TD_OP_NO_TIME)
        return;
    launch->kernel_start = step->zone.start_ns;
    launch->kernel_end = end_of(&step->zone);
}

int td_core_walk_read(struct td_core_walk *w, struct td_zone_classes *classes,
                      const struct td_core_marks *marks, struct td_op_launch *launch, bool *is_launch,
                      struct td_err *err)
{
    const struct td_dict *dict = td_trace_dict(w->trace);
    const int64_t end = w->step.zone.end_ns;
    uint32_t wait_row = UINT32_MAX;
    bool in = true;
    *launch = no_launch(&w->place);
    int rc = read_messages(w, td_wrap_sub(w->step.zone.start_ns, 1), marks, launch, err);
    *launch = no_launch(&w->place);
    const bool has_id = read_identity(w, w->step.zone.text, launch);
    launch->zone = w->step.index;
    while (rc == 0 && in) {
        struct td_step *step = &w->step;
        const enum td_zone_class class = td_zone_classify(classes, dict, step->zone.srcloc);
        if (class == TD_ZONE_CLASS_UNKNOWN)
            return td_fail_no_memory(err, NULL);
        if (lacks_end(dict, &step->zone))
            step->zone.end_ns = TD_OPEN;
        if (!step->leaves)
            take_zone(launch, class, step, &wait_row);
        else if (wait_row == step->row)
            wait_row = UINT32_MAX;
        else if (has_id)
            take_other(launch, class, step);
        if (marks && marks->zone && class != TD_ZONE_CLASS_LOST)
            rc = marks->zone(marks->self, &w->place, launch, &step->zone, step->leaves, err);
        in = !(step->leaves && step->row == 0);
        if (in && !td_walk_next(&w->walk, &w->step))
            return td_fail(err, TD_E_FORMAT, "a zone of %s has no end of its children", w->place.name);
    }
    *is_launch = launch->fw_start != TD_OP_NO_TIME || launch->kernel_start != TD_OP_NO_TIME;
    find_next(w);
    if (rc == 0)
        rc = read_messages(w, w->has_next && end != TD_OPEN ? end : INT64_MAX, marks, launch, err);
    if (rc == 0 && marks && marks->end)
        rc = marks->end(marks->self, &w->place, launch, err);
    return rc;
}

int td_core_walk_rest(struct td_core_walk *w, const struct td_core_marks *marks, struct td_err *err)
{
    struct td_op_launch launch = no_launch(&w->place);
    return read_messages(w, INT64_MAX, marks, &launch, err);
}
