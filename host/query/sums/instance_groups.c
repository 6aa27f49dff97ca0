#include "host/query/sums/instance_groups.h"
#include "host/base/grow.h"
#include "host/base/percentile.h"
#include "host/base/wrap.h"
#include "host/event/map.h"
#include "host/trace/tables.h"
#include "host/trace/walk.h"
#include "host/query/sums/relatives.h"
#include "host/query/code/stack_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOST_KEY     (UINT64_C(1) << 60) /* of tracks that are no cores */
#define GPU_KEY      (UINT64_C(2) << 60)
#define OWN_NAME     (UINT64_C(1) << 60) /* the key is a string, not a location */
#define AHEAD        16u                 /* instances that are fetched before they are needed */
#define STACK_FRAMES 8                   /* of a label */
#define ASK_JOB      65536u              /* instances between two looks at the job */

const char *td_instance_by_title(enum td_instance_by grouping)
{
    static const char *const titles[] = {
#define TD_X(id, title) title,
        TD_INSTANCE_BYS(TD_X)
#undef TD_X
    };
    return titles[grouping];
}

/* ---- keys: instances with equal keys are a group ---- */

static uint64_t key_of_track(const struct td_track *t, uint32_t number, enum td_instance_by grouping)
{
    if (grouping == TD_INSTANCE_BY_TRACK)
        return number;
    if (t->kind != TD_TRACK_CORE)
        return t->kind == TD_TRACK_GPU || t->context ? GPU_KEY : HOST_KEY;
    if (grouping == TD_INSTANCE_BY_KIND)
        return t->core;
    return (uint64_t)t->chip << 32 | (grouping == TD_INSTANCE_BY_TILE ? (uint64_t)t->x << 16 | t->y : 0);
}

static uint64_t name_key(const struct td_zone *zone)
{
    return zone->name ? OWN_NAME | zone->name : zone->srcloc;
}

static uint64_t key_of_zone(const struct td_zone *zone, enum td_instance_by grouping)
{
    if (grouping == TD_INSTANCE_BY_TEXT)
        return zone->text;
    if (grouping == TD_INSTANCE_BY_PLACE)
        return zone->srcloc;
    return grouping == TD_INSTANCE_BY_STACK ? zone->stack : name_key(zone);
}

struct group_reader {
    const struct td_trace *trace;
    enum td_instance_by grouping;
    uint64_t parent;        /* where the next zone's is looked for in the row above */
    struct td_zones *zones; /* of the present part */
};

static uint64_t read_key(struct group_reader *r, struct td_zone_ref ref)
{
    if (r->grouping == TD_INSTANCE_BY_PARENT) {
        const struct td_zone_ref parent = td_zone_parent_from(r->trace, ref, &r->parent);
        if (!td_ref_valid(parent))
            return UINT64_MAX;
        const struct td_zone zone = td_trace_zone(r->trace, parent.track, parent.row, parent.index);
        return name_key(&zone);
    }
    struct td_zones *z = r->zones;
    const unsigned columns = 1u << TD_ZONE_SRCLOC | 1u << TD_ZONE_EXTRA;
    struct td_zone zone = {0};
    if ((ref.index < z->first || ref.index >= z->first + z->count) &&
        !td_trace_zones_read(r->trace, ref.track, ref.row, ref.index, columns, z))
        return UINT64_MAX;
    zone.srcloc = (uint32_t)z->column[TD_ZONE_SRCLOC][ref.index - z->first];
    td_trace_zone_extra(r->trace, z->column[TD_ZONE_EXTRA][ref.index - z->first], &zone);
    return key_of_zone(&zone, r->grouping);
}

/* ---- groups ---- */

struct group_maker {
    struct td_instance_groups *made;
    size_t capacity;
    struct td_map map;
    uint64_t last; /* key */
    uint32_t last_group;
    uint32_t *seen; /* of each group: the last part with a zone of it, counted from 1 */
};

/* The number of the group with that key, UINT32_MAX: no memory. */
static uint32_t group_of(struct group_maker *m, uint64_t key, struct td_zone_ref sample)
{
    if (key == m->last)
        return m->last_group;
    uint32_t group = td_map_get(&m->map, key, UINT32_MAX);
    if (group == UINT32_MAX && m->made->count == TD_INSTANCE_GROUPS) {
        m->made->joined = true;
        group = TD_INSTANCE_GROUPS - 1;
    } else if (group == UINT32_MAX) {
        group = (uint32_t)m->made->count;
        if (td_grow(&m->made->group, &m->capacity, m->made->count + 1, sizeof *m->made->group) < 0 ||
            td_map_add(&m->map, key, group) < 0)
            return UINT32_MAX;
        m->made->group[m->made->count++] =
            (struct td_instance_group){.sample = sample, .first_ns = INT64_MAX};
    }
    m->last = key;
    return m->last_group = group;
}

/* The zones of a part rise in time: its first one of a group may be the first one of all. */
static void note_first(struct group_maker *m, const struct td_trace *trace, size_t part, uint32_t group,
                       struct td_zone_ref ref)
{
    struct td_instance_group *g = &m->made->group[group];
    if (m->seen[group] == part + 1)
        return;
    m->seen[group] = (uint32_t)part + 1;
    const int64_t start_ns = td_trace_zone(trace, ref.track, ref.row, ref.index).start_ns;
    if (start_ns >= g->first_ns)
        return;
    g->first_ns = start_ns;
    g->sample = ref;
}

/* All instances are one group. */
static int assign_all(struct group_maker *m, const struct td_trace *trace,
                      const struct td_instances *instances)
{
    for (size_t p = 0; p < instances->parts; p++) {
        const struct td_zone_ref first = td_instances_ref(instances, instances->part[p].at);
        if (group_of(m, 0, first) == UINT32_MAX)
            return TD_E_NOMEM;
        note_first(m, trace, p, 0, first);
    }
    return 0;
}

static int assign(struct group_maker *m, struct group_reader *r, const struct td_instances *instances,
                  struct td_job *job)
{
    const struct td_dict *dict = td_trace_dict(r->trace);
    const bool by_track = r->grouping <= TD_INSTANCE_BY_CHIP;
    for (size_t p = 0; p < instances->parts; p++) {
        const struct td_instance_part *part = &instances->part[p];
        const size_t end = td_instances_part_end(instances, p);
        struct td_zone_ref ref = {part->track, part->row, 0};
        uint64_t key =
            by_track ? key_of_track(td_dict_get_track(dict, part->track), part->track, r->grouping) : 0;
        if (job && td_job_cancelled(job))
            return TD_E_STOPPED;
        if (job)
            td_job_set_progress(job, p / 2, instances->parts);
        if (!p || part->track != part[-1].track || part->row != part[-1].row)
            r->parent = 0;
        r->zones->count = 0;
        for (size_t i = part->at; i < end; i++) {
            ref.index = part->first + instances->offset[i];
            uint32_t group = group_of(m, by_track ? key : read_key(r, ref), ref);
            if (group == UINT32_MAX)
                return TD_E_NOMEM;
            note_first(m, r->trace, p, group, ref);
            m->made->of[i] = (uint16_t)group;
        }
    }
    return 0;
}

/* The ranks within a group that its figures are read at. */
#define FIGURES 6
static const double fractions[FIGURES] = {0, .25, .5, .75, .99, 1};

static int64_t *figure(struct td_instance_group *g, int number)
{
    int64_t *const figures[FIGURES] = {&g->min_ns,  &g->low_ns, &g->median_ns,
                                       &g->high_ns, &g->p99_ns, &g->max_ns};
    return figures[number];
}

struct group_figures {
    uint16_t *by_rank; /* the group of each instance, from the shortest that is counted on */
    uint32_t *met;     /* of each group: instances so far */
    uint32_t *wanted;  /* the rank of the next figure */
    uint8_t *next;     /* that figure */
    struct td_job *job;
};

/* Cells of equal width in the logarithm of the length. */
static int begin_shapes(struct td_instance_groups *g, const struct td_instances *instances)
{
    if (g->count > TD_SHAPED_GROUPS || g->high <= g->low)
        return 0;
    const double least = (double)td_instances_length(instances, g->low),
                 end = (double)td_instances_length(instances, g->high - 1) + 1;
    for (int i = 0; i <= TD_SHAPE_CELLS; i++)
        g->shape_edge[i] = (int64_t)fmin(ceil(least * pow(end / least, (double)i / TD_SHAPE_CELLS)), 9.2e18);
    g->shape_edge[TD_SHAPE_CELLS] = INT64_MAX; /* pow() may round to less */
    g->shape = calloc(g->count + 1, sizeof *g->shape);
    return g->shape ? 0 : TD_E_NOMEM;
}

static int count_groups(struct td_instance_groups *g, const struct td_instances *instances,
                        struct group_figures *f)
{
    int cell = 0; /* lengths rise */
    for (size_t r = g->low; r < g->high; r++) {
        uint32_t number = instances->order[r];
        const size_t ahead = r + AHEAD < g->high ? r + AHEAD : r;
        if (g->of)
            __builtin_prefetch(&g->of[instances->order[ahead]]);
        if (instances->length)
            __builtin_prefetch(&instances->length[instances->order[ahead]]);
        uint16_t at = g->of ? g->of[number] : 0;
        f->by_rank[r - g->low] = at;
        const int64_t length = td_instances_length_of(instances, number);
        g->group[at].count++;
        g->group[at].total_ns = td_wrap_add(g->group[at].total_ns, length);
        while (g->shape && length >= g->shape_edge[cell + 1])
            cell++;
        if (g->shape)
            g->shape[at][cell]++;
        if (r % ASK_JOB == 0 && f->job && td_job_cancelled(f->job))
            return TD_E_STOPPED;
    }
    return 0;
}

/* Meets the instances in order of length, and so the ranks of each group in turn. */
static void read_figures(struct td_instance_groups *g, const struct td_instances *instances,
                         struct group_figures *f)
{
    for (size_t r = g->low; r < g->high; r++) {
        const size_t at = f->by_rank[r - g->low];
        struct td_instance_group *group = &g->group[at];
        for (; f->wanted[at] <= f->met[at] && f->next[at] < FIGURES;) {
            *figure(group, f->next[at]++) = td_instances_length_of(instances, instances->order[r]);
            if (f->next[at] < FIGURES)
                f->wanted[at] = (uint32_t)td_percentile_rank(group->count, fractions[f->next[at]]);
        }
        f->met[at]++;
    }
}

static int measure(struct td_instance_groups *g, const struct td_instances *instances, struct td_job *job)
{
    struct group_figures f = {.job = job};
    f.by_rank = malloc((g->high > g->low ? g->high - g->low : 1) * sizeof *f.by_rank);
    f.met = calloc(g->count + 1, sizeof *f.met);
    f.wanted = calloc(g->count + 1, sizeof *f.wanted);
    f.next = calloc(g->count + 1, sizeof *f.next);
    int rc = f.by_rank && f.met && f.wanted && f.next ? begin_shapes(g, instances) : TD_E_NOMEM;
    rc = rc ? rc : count_groups(g, instances, &f);
    if (rc == 0)
        read_figures(g, instances, &f);
    free(f.by_rank);
    free(f.met);
    free(f.wanted);
    free(f.next);
    return rc;
}

/* The instances of a part are of one track, and so of one group. */
static int keep_parts(struct td_instance_groups *g, const struct td_instances *instances)
{
    g->of_part = malloc((instances->parts + 1) * sizeof *g->of_part);
    if (!g->of_part)
        return TD_E_NOMEM;
    for (size_t p = 0; p < instances->parts; p++)
        g->of_part[p] = g->of[instances->part[p].at];
    free(g->of);
    g->of = NULL;
    return 0;
}

static int make_groups(struct td_instance_groups *g, const struct td_trace *trace,
                       const struct td_instances *instances, struct td_job *job)
{
    struct group_maker maker = {.made = g, .last = UINT64_MAX - 1};
    struct td_zones *zones = calloc(1, sizeof *zones);
    struct group_reader reader = {.trace = trace, .grouping = g->grouping, .zones = zones};
    maker.seen = calloc(TD_INSTANCE_GROUPS + 1, sizeof *maker.seen);
    int rc = zones && maker.seen ? 0 : TD_E_NOMEM;
    if (rc == 0 && g->grouping == TD_INSTANCE_BY_NONE) {
        rc = assign_all(&maker, trace, instances);
    } else if (rc == 0) {
        g->of = malloc((instances->count + 1) * sizeof *g->of);
        rc = g->of ? assign(&maker, &reader, instances, job) : TD_E_NOMEM;
    }
    td_map_finish(&maker.map);
    free(zones);
    free(maker.seen);
    rc = rc ? rc : measure(g, instances, job);
    return rc == 0 && g->of && g->grouping <= TD_INSTANCE_BY_CHIP ? keep_parts(g, instances) : rc;
}

int td_instance_groups_make(struct td_instance_groups *groups, const struct td_trace *trace,
                            const struct td_instances *instances, enum td_instance_by grouping, size_t low,
                            size_t high, struct td_job *job)
{
    high = high < instances->count ? high : instances->count;
    *groups = (struct td_instance_groups){.grouping = grouping, .low = low, .high = high};
    int rc = make_groups(groups, trace, instances, job);
    if (rc < 0)
        td_instance_groups_free(groups);
    return rc;
}

void td_instance_groups_free(struct td_instance_groups *groups)
{
    free(groups->group);
    free(groups->of);
    free(groups->of_part);
    free(groups->shape);
    *groups = (struct td_instance_groups){0};
}

/* ---- labels ---- */

static void label_track(const struct td_dict *dict, const struct td_track *t, enum td_instance_by grouping,
                        char *text, size_t bytes)
{
    const char *name = td_dict_text(dict, t->name), *last = strrchr(name, ' ');
    if (grouping == TD_INSTANCE_BY_TRACK && *name)
        snprintf(text, bytes, "%s", name);
    else if (grouping == TD_INSTANCE_BY_TRACK)
        snprintf(text, bytes, "thread %" PRIu64, t->thread);
    else if (t->kind != TD_TRACK_CORE)
        snprintf(text, bytes, "%s", t->kind == TD_TRACK_GPU || t->context ? "GPU" : "host threads");
    else if (grouping == TD_INSTANCE_BY_KIND)
        snprintf(text, bytes, "%s", last ? last + 1 : name);
    else if (grouping == TD_INSTANCE_BY_TILE)
        snprintf(text, bytes, "chip %u tile %u,%u", t->chip, t->x, t->y);
    else
        snprintf(text, bytes, "chip %u", t->chip);
}

/* The end of its path first, which tells places apart in a narrow column. */
static void label_place(const struct td_dict *dict, const struct td_srcloc *place, char *text, size_t bytes)
{
    const char *file = td_dict_text(dict, place->file), *slash = strrchr(file, '/');
    const char *function = td_dict_text(dict, place->function);
    if (*file)
        snprintf(text, bytes, "%s:%" PRIu32 "  %s  %s", slash ? slash + 1 : file, place->line, function,
                 file);
    else
        snprintf(text, bytes, "%s", *function ? function : "no source");
}

void td_instance_group_label(const struct td_instance_groups *groups, const struct td_trace *trace,
                             const struct td_instance_group *group, char *text, size_t bytes)
{
    const struct td_dict *dict = td_trace_dict(trace);
    const struct td_zone_ref s = group->sample;
    const struct td_zone zone = td_trace_zone(trace, s.track, s.row, s.index);
    const struct td_zone_ref parent = td_zone_parent(trace, s);
    if (groups->joined && group == &groups->group[groups->count - 1]) {
        snprintf(text, bytes, "all others");
        return;
    }
    switch (groups->grouping) {
    case TD_INSTANCE_BY_NONE:
        snprintf(text, bytes, "all");
        break;
    case TD_INSTANCE_BY_TEXT:
        snprintf(text, bytes, "%s", zone.text ? td_dict_text(dict, zone.text) : "no text");
        break;
    case TD_INSTANCE_BY_NAME:
        snprintf(text, bytes, "%s", td_zone_label(dict, &zone));
        break;
    case TD_INSTANCE_BY_PLACE:
        label_place(dict, td_dict_get_srcloc(dict, zone.srcloc), text, bytes);
        break;
    case TD_INSTANCE_BY_STACK:
        snprintf(text, bytes, "no call stack");
        if (zone.stack)
            td_stack_text(trace, zone.stack, " < ", STACK_FRAMES, text, bytes);
        break;
    case TD_INSTANCE_BY_PARENT:
        snprintf(text, bytes, "no parent");
        if (td_ref_valid(parent)) {
            const struct td_zone p = td_trace_zone(trace, parent.track, parent.row, parent.index);
            snprintf(text, bytes, "%s", td_zone_label(dict, &p));
        }
        break;
    default:
        label_track(dict, td_dict_get_track(dict, s.track), groups->grouping, text, bytes);
    }
}
