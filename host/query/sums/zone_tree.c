/* The outermost zones of tracks are cut into parts. Each thread makes a tree of the parts that it takes; the trees are
 * joined at the end. */
#include "host/query/sums/zone_tree.h"
#include "host/base/grow.h"
#include "host/base/parallel.h"
#include "host/base/wrap.h"
#include "host/event/map.h"
#include "host/trace/self_time.h"
#include "host/trace/walk.h"

#include <stdlib.h>

#define PART_ZONES    16384u /* at most, in the outermost row of a part */
#define CACHED        4096u
#define ZONES_A_CHECK 65536u

struct tree_part {
    uint32_t track;
    uint64_t first, end; /* zones of the outermost row */
};

struct tree_level {
    uint32_t node;
    int64_t children_ns;
};

struct tree_cache {
    uint64_t key; /* parent and name */
    uint32_t node;
};

struct tree_worker {
    struct td_call_node *node;
    size_t count, capacity;
    struct td_map map; /* parent and name -> node */
    struct tree_cache cache[CACHED];
    struct tree_level *level;
    size_t depth, level_capacity;
    uint64_t cut;
};

struct tree_work {
    const struct td_trace *trace;
    const struct td_zone_tree_choice *choice;
    const struct td_progress *progress;
    struct tree_part *part;
    size_t parts, part_capacity;
    struct tree_worker **workers;
    uint32_t *names; /* of each location */
    uint32_t locations;
    uint64_t zones, done; /* done: atomic */
};

/* ---- a thread's tree ---- */

static struct tree_worker *make_worker(void)
{
    struct tree_worker *w = calloc(1, sizeof *w);
    const struct td_call_node root = {.parent = TD_CALL_NONE, .child = TD_CALL_NONE, .next = TD_CALL_NONE};
    if (w && TD_APPEND(w->node, w->count, w->capacity, root) < 0) {
        free(w);
        return NULL;
    }
    for (size_t i = 0; w && i < CACHED; i++)
        w->cache[i].key = UINT64_MAX;
    return w;
}

static void free_worker(struct tree_worker *w)
{
    if (!w)
        return;
    free(w->node);
    free(w->level);
    td_map_finish(&w->map);
    free(w);
}

/* The child of `parent` with that name, made if it is new, like `as`. TD_CALL_NONE: no memory. */
static uint32_t find_node(struct tree_worker *w, uint32_t parent, const struct td_call_node *as,
                          uint32_t most)
{
    const uint64_t key = (uint64_t)parent << 32 | (as->lane ? as->lane : as->name);
    struct tree_cache *cached = &w->cache[(key ^ key >> 32) * UINT64_C(0x9e3779b97f4a7c15) >> 52];
    if (cached->key == key)
        return cached->node;
    uint32_t node = td_map_get(&w->map, key, TD_CALL_NONE);
    if (node == TD_CALL_NONE) {
        if (most && w->count >= most)
            return parent;
        struct td_call_node made = *as;
        made.parent = parent;
        made.child = made.next = TD_CALL_NONE;
        made.depth = w->node[parent].depth + 1;
        node = (uint32_t)w->count;
        if (w->count >= TD_CALL_NONE || td_map_add(&w->map, key, node) < 0 ||
            TD_APPEND(w->node, w->count, w->capacity, made) < 0)
            return TD_CALL_NONE;
    }
    *cached = (struct tree_cache){key, node};
    return node;
}

/* The place does not depend on the order of threads. */
static void count_zone(struct td_call_node *node, uint32_t place)
{
    node->zones++;
    node->place = place < node->place ? place : node->place;
}

static int enter_zone(const struct tree_work *work, struct tree_worker *w, const struct td_zone *zone)
{
    const struct td_dict *dict = td_trace_dict(work->trace);
    const uint32_t parent = w->level[w->depth - 1].node;
    struct td_call_node as = {.name = zone->name, .place = zone->srcloc};
    if (!as.name)
        as.name = zone->srcloc < work->locations ? work->names[zone->srcloc]
                                                 : td_dict_zone_string(dict, zone->srcloc);
    const uint32_t node = find_node(w, parent, &as, work->choice->most_nodes);
    if (node == TD_CALL_NONE)
        return TD_E_NOMEM;
    if (node == parent)
        w->cut++;
    else
        count_zone(&w->node[node], zone->srcloc);
    return TD_APPEND(w->level, w->depth, w->level_capacity, (struct tree_level){.node = node});
}

static void leave_zone(const struct td_zone_tree_choice *choice, struct tree_worker *w,
                       const struct td_zone *zone)
{
    struct tree_level *level = &w->level[--w->depth];
    if (zone->end_ns == TD_OPEN)
        return; /* its own time is not known */
    const int64_t start = zone->start_ns > choice->from_ns ? zone->start_ns : choice->from_ns,
                  end = zone->end_ns < choice->to_ns ? zone->end_ns : choice->to_ns;
    int64_t length = 0;
    if (end > start && __builtin_sub_overflow(end, start, &length))
        length = INT64_MAX;
    w->node[level->node].self += (uint64_t)td_self_time(length, level->children_ns);
    level[-1].children_ns = td_wrap_add(level[-1].children_ns, length);
}

static int step_progress(struct tree_work *work, uint64_t zones)
{
    const uint64_t done = __atomic_add_fetch(&work->done, zones, __ATOMIC_RELAXED);
    return td_samples_step(work->progress, done < work->zones ? done : work->zones, work->zones);
}

static int walk_part(struct tree_work *work, struct tree_worker *w, const struct tree_part *part)
{
    struct td_walk walk;
    struct td_step step;
    uint64_t zones = 0;
    const struct td_call_node lane = {.lane = part->track + 1};
    const uint32_t top = work->choice->by_track ? find_node(w, 0, &lane, 0) : 0;
    w->depth = 0;
    if (top == TD_CALL_NONE ||
        TD_APPEND(w->level, w->depth, w->level_capacity, (struct tree_level){.node = top}) < 0 ||
        td_walk_begin(&walk, work->trace, part->track) < 0)
        return TD_E_NOMEM;
    td_walk_limit(&walk, work->choice->from_ns, work->choice->to_ns, part->first, part->end);
    int rc = 0;
    while (rc == 0 && td_walk_next(&walk, &step)) {
        if (!step.leaves)
            rc = enter_zone(work, w, &step.zone);
        else
            leave_zone(work->choice, w, &step.zone);
        if (!step.leaves && ++zones == ZONES_A_CHECK) {
            rc = rc ? rc : step_progress(work, zones);
            zones = 0;
        }
    }
    td_walk_end(&walk);
    return rc ? rc : step_progress(work, zones);
}

static int run_part(void *self, size_t item, unsigned number)
{
    struct tree_work *work = self;
    if (!work->workers[number])
        work->workers[number] = make_worker();
    return work->workers[number] ? walk_part(work, work->workers[number], &work->part[item]) : TD_E_NOMEM;
}

/* ---- all of them ---- */

static int add_parts(struct tree_work *work, uint32_t track)
{
    const struct td_zone_tree_choice *choice = work->choice;
    const uint64_t end = td_trace_row_zones(work->trace, track, 0);
    uint64_t first =
        choice->from_ns == INT64_MIN ? 0 : td_trace_zone_after(work->trace, track, 0, choice->from_ns);
    work->zones += td_trace_track_zones(work->trace, track);
    for (; first < end; first += PART_ZONES) {
        if (choice->to_ns != INT64_MAX &&
            td_trace_zone(work->trace, track, 0, first).start_ns >= choice->to_ns)
            return 0;
        const uint64_t last = end - first > PART_ZONES ? first + PART_ZONES : end;
        if (TD_APPEND(work->part, work->parts, work->part_capacity, (struct tree_part){track, first, last}) <
            0)
            return TD_E_NOMEM;
    }
    return 0;
}

/* Adds the nodes of `from` to those of `to`. */
static int join_worker(struct tree_worker *to, const struct tree_worker *from)
{
    uint32_t *number = malloc(from->count * sizeof *number);
    int rc = number ? 0 : TD_E_NOMEM;
    for (size_t i = 0; rc == 0 && i < from->count; i++) {
        const struct td_call_node *n = &from->node[i];
        struct td_call_node as = {.name = n->name, .lane = n->lane, .place = n->place};
        number[i] = i ? find_node(to, number[n->parent], &as, 0) : 0;
        if (number[i] == TD_CALL_NONE) {
            rc = TD_E_NOMEM;
            break;
        }
        struct td_call_node *sum = &to->node[number[i]];
        sum->self += n->self;
        sum->zones += n->zones;
        sum->place = n->place < sum->place ? n->place : sum->place;
    }
    to->cut += from->cut;
    free(number);
    return rc;
}

static int join_workers(const struct tree_work *work, unsigned workers, struct td_call_tree *tree,
                        uint64_t *cut)
{
    struct tree_worker *all = work->workers[0] ? work->workers[0] : make_worker();
    int rc = all ? 0 : TD_E_NOMEM;
    work->workers[0] = all;
    for (unsigned i = 1; i < workers && rc == 0; i++)
        if (work->workers[i])
            rc = join_worker(all, work->workers[i]);
    if (rc < 0)
        return rc;
    *tree = (struct td_call_tree){.at = all->node, .count = all->count};
    all->node = NULL;
    if (cut)
        *cut = all->cut;
    for (size_t i = tree->count; i-- > 0;) { /* parents have lower numbers */
        struct td_call_node *n = &tree->at[i];
        const struct td_srcloc *place = td_dict_get_srcloc(td_trace_dict(work->trace), n->place);
        n->total += n->self;
        if (i)
            tree->at[n->parent].total += n->total;
        if (i && !n->lane) {
            n->file = place->file;
            n->line = place->line;
        }
    }
    return td_call_tree_link(tree);
}

int td_zone_tree_make(const struct td_trace *trace, const struct td_zone_tree_choice *choice,
                      const struct td_progress *progress, struct td_call_tree *tree, uint64_t *cut)
{
    const unsigned workers = td_parallel_threads(0);
    const uint32_t tracks = td_dict_track_count(td_trace_dict(trace));
    struct tree_work work = {.trace = trace, .choice = choice, .progress = progress};
    *tree = (struct td_call_tree){0};
    work.workers = calloc(workers, sizeof(struct tree_worker *));
    work.locations = td_dict_srcloc_count(td_trace_dict(trace));
    work.names = malloc(((size_t)work.locations + 1) * sizeof *work.names);
    int rc = work.workers && work.names ? 0 : TD_E_NOMEM;
    for (uint32_t s = 0; rc == 0 && s < work.locations; s++)
        work.names[s] = td_dict_zone_string(td_trace_dict(trace), s);
    for (uint32_t t = 0; rc == 0 && t < tracks; t++)
        if (td_lane_chosen(choice->lanes, t))
            rc = add_parts(&work, t);
    rc = rc ? rc : td_parallel(workers, work.parts, run_part, &work);
    rc = rc ? rc : join_workers(&work, workers, tree, cut);
    for (unsigned i = 0; work.workers && i < workers; i++)
        free_worker(work.workers[i]);
    free(work.workers);
    free(work.names);
    free(work.part);
    return rc;
}
