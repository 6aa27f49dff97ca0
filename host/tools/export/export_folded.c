/* Folded stacks, as flamegraph.pl of Brendan Gregg reads them: a line "TRACK;OUTER;INNER NUMBER" for each stack. Of zones
 * the number is their own time in ns, of samples it counts them. Only the stacks of one track are kept at a time. */
#include "host/base/grow.h"
#include "host/event/map.h"
#include "host/tools/export/export_walk.h"
#include "host/tools/files/text_output.h"
#include "host/trace/fill.h"
#include "host/trace/self_time.h"
#include "host/trace/tables.h"

#include <inttypes.h>

#define NO_NODE UINT32_MAX

struct folded_node {
    uint32_t parent, name;
    uint64_t value;
};

struct folded {
    const struct td_trace *trace;
    FILE *to;
    char track[TD_TRACK_LONG_NAME_BYTES];
    struct td_map known; /* (parent, name) or a call stack: its number in `node` */
    struct folded_node *node;
    size_t count, room;
    /* The zones that were entered. */
    struct folded_level {
        uint32_t node;
        int64_t children_ns;
    } * level;
    size_t depth, level_room;
    uint32_t *path; /* of the line that is printed */
    size_t path_room;
};

/* NO_NODE: no memory. */
static uint32_t node_of(struct folded *f, uint64_t key, uint32_t parent, uint32_t name)
{
    const uint32_t known = td_map_get(&f->known, key, NO_NODE);
    if (known != NO_NODE)
        return known;
    if (f->count == NO_NODE || td_map_add(&f->known, key, (uint32_t)f->count) < 0 ||
        TD_APPEND(f->node, f->count, f->room, (struct folded_node){.parent = parent, .name = name}) < 0)
        return NO_NODE;
    return (uint32_t)f->count - 1;
}

/* A semicolon would end the name. */
static void print_name(const struct folded *f, const char *name)
{
    if (!*name)
        name = TD_DICT_UNKNOWN;
    for (; *name; name++)
        putc(*name == ';' ? ':' : (unsigned char)*name < ' ' ? ' ' : *name, f->to);
}

/* ---- zones ---- */

static int enter_zone(struct folded *f, const struct td_zone *zone)
{
    const uint32_t parent = f->depth ? f->level[f->depth - 1].node : NO_NODE;
    const uint32_t name = export_zone_name(f->trace, zone);
    const uint32_t node = node_of(f, (uint64_t)parent << 32 | name, parent, name);
    if (node == NO_NODE)
        return TD_E_NOMEM;
    return TD_APPEND(f->level, f->depth, f->level_room, (struct folded_level){.node = node});
}

static int visit_zone(void *self, const struct td_step *step)
{
    struct folded *f = self;
    if (!step->leaves)
        return enter_zone(f, &step->zone);
    const struct folded_level *level = &f->level[--f->depth];
    if (step->zone.end_ns == TD_OPEN)
        return 0; /* its own time is not known */
    const int64_t length_ns = step->zone.end_ns - step->zone.start_ns;
    f->node[level->node].value += (uint64_t)td_self_time(length_ns, level->children_ns);
    if (f->depth)
        f->level[f->depth - 1].children_ns += length_ns;
    return 0;
}

static int print_zones(struct folded *f)
{
    for (size_t i = 0; i < f->count; i++) {
        size_t names = 0;
        if (!f->node[i].value)
            continue;
        for (uint32_t at = (uint32_t)i; at != NO_NODE; at = f->node[at].parent)
            if (TD_APPEND(f->path, names, f->path_room, f->node[at].name) < 0)
                return TD_E_NOMEM;
        print_name(f, f->track);
        while (names) {
            putc(';', f->to);
            print_name(f, td_dict_text(td_trace_dict(f->trace), f->path[--names]));
        }
        fprintf(f->to, " %" PRIu64 "\n", f->node[i].value);
    }
    return 0;
}

static int fold_zones(const struct export_work *work, struct folded *f, struct td_err *err)
{
    uint64_t done = 0;
    int rc = 0;
    for (uint32_t t = 0; rc == 0 && t < td_dict_track_count(td_trace_dict(work->trace)); t++) {
        char room[TD_TRACK_LONG_NAME_BYTES];
        snprintf(f->track, sizeof f->track, "%s", td_track_long_name(work->trace, t, room));
        rc = export_each_zone(work, t, &done, visit_zone, f, err);
        if (rc == 0 && print_zones(f) < 0)
            rc = td_fail_no_memory(err, NULL);
        td_map_finish(&f->known);
        f->known = (struct td_map){0};
        f->count = 0;
    }
    return rc;
}

/* ---- samples ---- */

/* The function, then those that were inlined there. */
static void print_frame(const struct folded *f, uint64_t frame)
{
    const struct td_series *lines = td_trace_table(f->trace, TD_TABLE_STACK_LINE);
    uint64_t first, end;
    if (td_trace_frame_lines(f->trace, frame, &first, &end) < 0 || first == end) {
        fprintf(f->to, ";0x%" PRIx64, td_frame_address(frame));
        return;
    }
    while (end-- > first) {
        putc(';', f->to);
        print_name(f, td_dict_text(td_trace_dict(f->trace),
                                   (uint32_t)td_series_get(lines, end, TD_STACK_LINE_FUNCTION)));
    }
}

static void print_samples(const struct folded *f)
{
    const struct td_series *entries = td_trace_table(f->trace, TD_TABLE_STACK_ENTRY);
    for (size_t i = 0; i < f->count; i++) {
        uint64_t first = 0, count = 0;
        if (f->node[i].name)
            td_trace_stack(f->trace, f->node[i].name, &first, &count);
        print_name(f, f->track);
        while (count--)
            print_frame(f, (uint64_t)td_series_get(entries, first + count, TD_STACK_ENTRY_FRAME));
        fprintf(f->to, " %" PRIu64 "\n", f->node[i].value);
    }
}

static int fold_samples(const struct export_work *work, struct folded *f, struct td_err *err)
{
    for (uint32_t t = 0; t < td_dict_track_count(td_trace_dict(work->trace)); t++) {
        const struct td_series *samples = td_trace_list(work->trace, TD_TABLE_SAMPLE, t);
        char room[TD_TRACK_LONG_NAME_BYTES];
        snprintf(f->track, sizeof f->track, "%s", td_track_long_name(work->trace, t, room));
        for (uint64_t i = 0; i < td_series_count(samples); i++) {
            const uint32_t stack = (uint32_t)td_series_get(samples, i, TD_SAMPLE_STACK);
            const uint32_t node = node_of(f, stack, NO_NODE, stack);
            if (node == NO_NODE)
                return td_fail_no_memory(err, NULL);
            f->node[node].value++;
        }
        print_samples(f);
        td_map_finish(&f->known);
        f->known = (struct td_map){0};
        f->count = 0;
    }
    return 0;
}

int export_folded(const struct export_work *work, struct td_err *err)
{
    struct text_output output;
    int rc = text_output_open(&output, work->path, TD_OUT_KEEP_OLD, false, err);
    struct folded f = {.trace = work->trace, .to = output.to};
    rc = rc ? rc : (work->samples ? fold_samples : fold_zones)(work, &f, err);
    td_map_finish(&f.known);
    free(f.node);
    free(f.level);
    free(f.path);
    return text_output_close(&output, rc, err);
}
