#include "host/viewer/timeline/layout_internal.h"
#include "host/trace/tables.h"
#include "host/query/code/ghosts.h"
#include "proto/track.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static bool has_samples(const struct layout_builder *b, uint32_t track)
{
    return b->as.samples && td_series_count(td_trace_list(b->trace, TD_TABLE_SAMPLE, track));
}

static bool has_switches(const struct layout_builder *b, uint32_t track)
{
    return b->as.switches && td_switches_of(b->as.switches, track);
}

static bool track_has_content(const struct layout_builder *b, uint32_t track)
{
    return td_trace_track_zones(b->trace, track) || td_messages_count(b->messages, b->trace, track) ||
           (b->as.fibers && td_fiber_runs_of(b->as.fibers, track)) || has_samples(b, track) ||
           has_switches(b, track);
}

/* Sort order: threads, rows of GPU contexts, cores. */
static int track_rank(const struct td_track *track)
{
    return td_track_is_core(track) ? 2 : track->kind == TD_TRACK_GPU;
}

/* The order that the user wants. */
static uint32_t wanted_rank(const struct layout_builder *b, uint32_t track)
{
    return b->as.rank && track < b->as.tracks ? b->as.rank[track] : UINT32_MAX;
}

static uint64_t tile_key(const struct td_track *t)
{
    return (uint64_t)t->chip << 32 | (uint64_t)t->y << 16 | t->x;
}

static const char *group_name(const struct layout_builder *b, uint32_t track)
{
    return b->as.group && track < b->as.tracks ? b->as.group[track] : "";
}

static bool has_named_groups(const struct layout_builder *b)
{
    return b->as.grouping == TD_GROUPING_KIND || b->as.grouping == TD_GROUPING_KERNEL;
}

/* Tiles stay together in the grouping by place: then their first core gives the order. */
static int compare_cores(const struct layout_builder *b, uint32_t m, uint32_t n)
{
    const struct td_track *s = td_dict_get_track(b->dict, m), *t = td_dict_get_track(b->dict, n);
    uint32_t p = wanted_rank(b, m), q = wanted_rank(b, n);
    if (has_named_groups(b)) {
        int names = strcmp(group_name(b, m), group_name(b, n));
        if (names)
            return names;
    }
    if (b->as.grouping == TD_GROUPING_PLACE && b->as.rank) {
        if (s->chip != t->chip)
            return s->chip < t->chip ? -1 : 1;
        p = td_map_get(&b->tile_rank, tile_key(s), UINT32_MAX);
        q = td_map_get(&b->tile_rank, tile_key(t), UINT32_MAX);
    }
    if (p != q)
        return p < q ? -1 : 1;
    uint64_t place = tile_key(s) << 8 | s->core, other = tile_key(t) << 8 | t->core;
    return place < other ? -1 : place > other;
}

/* The main thread, then threads by name, where numbers in names count as numbers, then those without a name by
 * their id. */
static int compare_threads(const struct td_trace *trace, const struct td_track *s, const struct td_track *t)
{
    const struct td_dict *dict = td_trace_dict(trace);
    const uint64_t pid = td_trace_get_info(trace)->pid;
    const bool main[2] = {pid && s->thread == pid, pid && t->thread == pid};
    const char *name[2] = {td_dict_text(dict, s->name), td_dict_text(dict, t->name)};
    if (main[0] != main[1])
        return main[0] ? -1 : 1;
    if (!*name[0] != !*name[1])
        return *name[0] ? -1 : 1;
    const int order = strverscmp(name[0], name[1]);
    return order ? order : s->thread < t->thread ? -1 : s->thread > t->thread;
}

static int compare_tracks(const void *a, const void *b, void *self)
{
    const struct layout_builder *builder = self;
    const struct td_dict *dict = builder->dict;
    uint32_t m = *(const uint32_t *)a, n = *(const uint32_t *)b;
    const struct td_track *s = td_dict_get_track(dict, m), *t = td_dict_get_track(dict, n);
    if (track_rank(s) != track_rank(t))
        return track_rank(s) < track_rank(t) ? -1 : 1;
    if (td_track_is_core(s)) {
        int cores = compare_cores(builder, m, n);
        if (cores)
            return cores;
    } else if (wanted_rank(builder, m) != wanted_rank(builder, n) && s->kind != TD_TRACK_GPU) {
        return wanted_rank(builder, m) < wanted_rank(builder, n) ? -1 : 1;
    } else if (s->context != t->context) {
        return s->context < t->context ? -1 : 1;
    } else if (s->group_hint != t->group_hint) {
        return s->group_hint < t->group_hint ? -1 : 1;
    } else {
        const int order = compare_threads(builder->trace, s, t);
        if (order)
            return order;
    }
    return m < n ? -1 : m > n;
}

static int rank_tiles(struct layout_builder *b)
{
    for (uint32_t i = 0; b->as.rank && b->as.grouping == TD_GROUPING_PLACE && i < b->order_count; i++) {
        const struct td_track *t = td_dict_get_track(b->dict, b->order[i]);
        if (td_track_is_core(t) &&
            wanted_rank(b, b->order[i]) < td_map_get(&b->tile_rank, tile_key(t), UINT32_MAX) &&
            td_map_set(&b->tile_rank, tile_key(t), wanted_rank(b, b->order[i])) < 0)
            return TD_E_NOMEM;
    }
    return 0;
}

static int order_tracks(struct layout_builder *b)
{
    uint32_t tracks = td_dict_track_count(b->dict);
    b->order = malloc(((size_t)tracks + 1) * sizeof *b->order);
    if (!b->order)
        return TD_E_NOMEM;
    for (uint32_t t = 0; t < tracks; t++)
        if (track_has_content(b, t))
            b->order[b->order_count++] = t;
    if (rank_tiles(b) < 0)
        return TD_E_NOMEM;
    qsort_r(b->order, b->order_count, sizeof *b->order, compare_tracks, b);
    return 0;
}

static void label_track(const struct layout_builder *b, struct td_node *node)
{
    const struct td_track *track = td_dict_get_track(b->dict, node->number);
    const char *name = td_dict_text(b->dict, track->name);
    char place[64];
    int n = snprintf(place, sizeof place, TD_TRACK_NAME_FORMAT, track->chip, track->x, track->y, "");
    if (td_track_is_core(track) && !strncmp(name, place, (size_t)n))
        name += n;
    if (td_track_is_core(track) && b->as.grouping != TD_GROUPING_PLACE)
        snprintf(node->label, sizeof node->label, "%u/%u,%u %.80s", track->chip, track->x, track->y, name);
    else if (*name)
        td_layout_copy_label(node->label, sizeof node->label, name);
    else if (td_track_is_core(track))
        snprintf(node->label, sizeof node->label, "core %u", track->core);
    else if (track->kind == TD_TRACK_GPU && !track->thread)
        snprintf(node->label, sizeof node->label, "queue");
    else if (track->kind == TD_TRACK_GPU)
        snprintf(node->label, sizeof node->label, "row %" PRIu64, track->thread);
    else
        snprintf(node->label, sizeof node->label, "thread %" PRIu64, track->thread);
    if (track->line) {
        const size_t used = strlen(node->label);
        snprintf(node->label + used, sizeof node->label - used, ", line %" PRIu32, track->line + 1);
    }
    if (track->unsynced)
        snprintf(node->detail, sizeof node->detail, "clock not synchronised");
}

/* The rows of a track's ghost zones, after it: of each track, or of those without zones, unless it has a choice of its
 * own. */
static void add_ghosts(struct layout_builder *b, int of, uint32_t track, int level, int parent)
{
    const enum td_row_switch own = td_row_ghosts(b->as.own, track);
    const bool has_zones = td_trace_rows(b->trace, track) > 0;
    const bool set = b->as.ghosts == TD_GHOSTS_EMPTY ? !has_zones : b->as.ghosts != TD_GHOSTS_OFF;
    if (b->no_memory || own == TD_ROW_OFF || (own == TD_ROW_AS_SET && !set) || !b->as.stack_depths ||
        !td_series_count(td_trace_list(b->trace, TD_TABLE_SAMPLE, track)))
        return;
    const uint32_t rows = td_ghosts_rows(b->trace, track, b->as.stack_depths, b->as.stack_count);
    if (!rows)
        return;
    if (b->as.ghosts == TD_GHOSTS_INSTEAD)
        b->layout->nodes[of].rows = 0;
    const bool is_device = b->layout->nodes[of].is_device;
    struct td_node *node = td_layout_add_node(b, TD_NODE_GHOSTS, level, parent, track);
    node->rows = rows;
    node->below = 1;
    node->is_device = is_device;
    snprintf(node->label, sizeof node->label, "sampled functions");
}

static void add_track(struct layout_builder *b, uint32_t track, int level, int parent)
{
    const int number = b->layout->count;
    struct td_node *node = td_layout_add_node(b, TD_NODE_TRACK, level, parent, track);
    node->rows = td_trace_rows(b->trace, track);
    node->has_messages = td_messages_count(b->messages, b->trace, track) > 0;
    node->has_runs = b->as.fibers && td_fiber_runs_of(b->as.fibers, track);
    node->tracks = node->rows > 0;
    node->is_device = td_track_is_core(td_dict_get_track(b->dict, track));
    node->has_samples = has_samples(b, track);
    node->has_switches = has_switches(b, track);
    label_track(b, node);
    add_ghosts(b, number, track, level, parent);
    td_layout_add_waited(b, track, level, parent);
    td_layout_add_plots(b, track, level, parent);
}

/* Adds a group for each GPU context; its rows are tracks `first` to `end` - 1 of the order. */
static void add_contexts(struct layout_builder *b, uint32_t first, uint32_t end)
{
    const struct td_series *contexts = td_trace_table(b->trace, TD_TABLE_GPU_CONTEXT);
    while (first < end) {
        uint32_t context = td_dict_get_track(b->dict, b->order[first])->context, rows = 0;
        const char *name = "";
        int group = td_layout_add_group(b, 0, -1, false);
        for (; first < end && td_dict_get_track(b->dict, b->order[first])->context == context;
             first++, rows++)
            add_track(b, b->order[first], 1, group);
        struct td_node *node = td_layout_end_group(b, group);
        if (context && context <= td_series_count(contexts))
            name = td_dict_text(b->dict, (uint32_t)td_series_get(contexts, context - 1, TD_GPU_CONTEXT_NAME));
        if (*name)
            td_layout_copy_label(node->label, sizeof node->label, name);
        else
            snprintf(node->label, sizeof node->label, "GPU context %" PRIu32, context ? context - 1 : 0);
        snprintf(node->detail, sizeof node->detail, "GPU, %u row%s", rows, rows == 1 ? "" : "s");
    }
}

static void label_group(struct td_node *group, const char *what, int inner, const char *inner_what)
{
    td_layout_copy_label(group->label, sizeof group->label, what);
    group->inner = inner;
    group->inner_what = inner_what;
}

static void add_host(struct layout_builder *b, uint32_t threads)
{
    if (!threads)
        return;
    const int group = td_layout_add_group(b, 0, -1, false);
    for (uint32_t i = 0; i < threads; i++)
        add_track(b, b->order[i], 1, group);
    label_group(td_layout_end_group(b, group), "Host", (int)threads, "thread");
}

/* Cores are sorted by group: one ends where the next begins. */
static void add_core_groups(struct layout_builder *b, uint32_t first)
{
    while (first < b->order_count) {
        const char *name = group_name(b, b->order[first]);
        int group = td_layout_add_group(b, 0, -1, true), cores = 0;
        for (; first < b->order_count &&
               (!has_named_groups(b) || !strcmp(name, group_name(b, b->order[first])));
             first++, cores++)
            add_track(b, b->order[first], 1, group);
        label_group(td_layout_end_group(b, group),
                    !has_named_groups(b) ? "Cores"
                    : *name              ? name
                                         : "(no kernel)",
                    cores, "core");
    }
}

/* Cores are sorted by chip and tile: a group ends where the next begins. */
static void add_tiles(struct layout_builder *b, uint32_t first)
{
    int chip = -1, tile = -1, tiles = 0, cores = 0;
    const struct td_track *last = NULL;
    char chip_name[32] = "", tile_name[32] = "";
    for (uint32_t i = first; i <= b->order_count; i++) {
        const struct td_track *t = i < b->order_count ? td_dict_get_track(b->dict, b->order[i]) : NULL;
        bool new_chip = !t || !last || t->chip != last->chip;
        if (tile >= 0 && (new_chip || t->x != last->x || t->y != last->y)) {
            label_group(td_layout_end_group(b, tile), tile_name, cores, "core");
            tile = -1;
        }
        if (chip >= 0 && new_chip) {
            label_group(td_layout_end_group(b, chip), chip_name, tiles, "tile");
            chip = -1;
        }
        if (!t)
            break;
        if (chip < 0) {
            tiles = 0;
            snprintf(chip_name, sizeof chip_name, "Chip %u", t->chip);
            chip = td_layout_add_group(b, 0, -1, true);
        }
        if (tile < 0) {
            cores = 0;
            tiles++;
            snprintf(tile_name, sizeof tile_name, "Tile %u,%u", t->x, t->y);
            tile = td_layout_add_group(b, 1, chip, true);
        }
        cores++;
        add_track(b, b->order[i], 2, tile);
        last = t;
    }
}

static void add_nodes(struct layout_builder *b)
{
    uint32_t threads = 0, cores = 0;
    for (uint32_t i = 0; i < b->order_count; i++) {
        int of = track_rank(td_dict_get_track(b->dict, b->order[i]));
        threads += of == 0;
        cores += of < 2;
    }
    td_layout_add_frames(b);
    td_layout_add_sections(b);
    td_layout_add_cpus(b);
    add_host(b, threads);
    td_layout_add_shared_plots(b);
    td_layout_add_locks(b);
    if (!b->as.no_contexts)
        add_contexts(b, threads, cores);
    if (b->as.grouping == TD_GROUPING_PLACE)
        add_tiles(b, cores);
    else
        add_core_groups(b, cores);
}

/* The lists that td_layout_place() fills, and the nodes of the tracks. */
static int make_lists(struct layout_builder *b)
{
    struct td_layout *layout = b->layout;
    layout->tracks = td_dict_track_count(b->dict);
    layout->shown = malloc(((size_t)layout->count + 1) * sizeof *layout->shown);
    layout->pins = malloc(((size_t)layout->count + 1) * sizeof *layout->pins);
    layout->of_track = malloc(((size_t)layout->tracks + 1) * sizeof *layout->of_track);
    if (!layout->shown || !layout->pins || !layout->of_track)
        return TD_E_NOMEM;
    for (uint32_t t = 0; t < layout->tracks; t++)
        layout->of_track[t] = -1;
    for (int i = 0; i < layout->count; i++)
        if (layout->nodes[i].kind == TD_NODE_TRACK && layout->nodes[i].number < layout->tracks)
            layout->of_track[layout->nodes[i].number] = i;
    return 0;
}

int td_layout_build(struct td_layout *layout, const struct td_trace *trace,
                    const struct td_messages *messages, const struct td_arrangement *as, struct td_err *err)
{
    *layout = (struct td_layout){0};
    struct layout_builder b = {.trace = trace,
                               .messages = messages,
                               .dict = td_trace_dict(trace),
                               .as = as ? *as : (struct td_arrangement){0},
                               .layout = layout};
    int rc = order_tracks(&b);
    if (rc == 0)
        rc = td_plot_owners_make(&b.plots, b.dict, b.order, b.order_count);
    if (rc == 0)
        rc = td_layout_find_waits(&b);
    if (rc == 0)
        add_nodes(&b);
    rc = rc == 0 && !b.no_memory ? make_lists(&b) : TD_E_NOMEM;
    td_map_finish(&b.tile_rank);
    free(b.order);
    free(b.waits.at);
    td_plot_owners_free(&b.plots);
    if (rc < 0) {
        td_layout_free(layout);
        return td_fail_no_memory(err, "while arranging the tracks");
    }
    return 0;
}
