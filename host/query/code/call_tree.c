#include "host/query/code/call_tree.h"
#include "host/base/compare.h"
#include "host/base/grow.h"
#include "host/base/wrap.h"
#include "host/event/map.h"
#include "host/trace/tables.h"

#include <stdlib.h>

struct maker {
    const struct td_trace *trace;
    const struct td_call_tree_choice *choice;
    const struct td_stack_counts *counts;
    struct td_call_tree *tree;
    struct td_levels levels;
    struct td_map map; /* parent and function -> node */
    size_t capacity;
};

static uint64_t key_of(const struct maker *m, const struct td_level *level)
{
    uint64_t key = m->choice->same == TD_SAME_SYMBOL ? td_level_key(level) : level->function;
    if (!key)
        key = level->address;
    return m->choice->same == TD_SAME_PLACE ? td_mix64(key ^ td_mix64(level->address)) ^ level->line : key;
}

static bool is_node(const struct maker *m, const struct td_call_node *node, const struct td_level *level)
{
    if (node->name != level->function)
        return false;
    if (m->choice->same == TD_SAME_SYMBOL && (level->symbol || node->symbol))
        return node->symbol == level->symbol;
    if (m->choice->same == TD_SAME_PLACE && (node->line != level->line || node->file != level->file))
        return false;
    return (m->choice->same != TD_SAME_PLACE && level->function) || node->address == level->address;
}

/* The child of `parent` for this level. Hashes of two children may be equal: then the next place is looked at. */
static int64_t find_child(struct maker *m, uint32_t parent, const struct td_level *level)
{
    uint64_t hash = td_mix64(key_of(m, level)) + parent;
    uint32_t node;
    while ((node = td_map_get(&m->map, hash, TD_CALL_NONE)) != TD_CALL_NONE) {
        if (m->tree->at[node].parent == parent && is_node(m, &m->tree->at[node], level))
            return node;
        hash = td_mix64(hash + 1);
    }
    struct td_call_tree *tree = m->tree;
    if (tree->count >= TD_CALL_NONE ||
        td_grow(&tree->at, &m->capacity, tree->count + 1, sizeof *tree->at) < 0 ||
        td_map_add(&m->map, hash, (uint32_t)tree->count) < 0)
        return TD_E_NOMEM;
    tree->at[tree->count] = (struct td_call_node){.symbol = level->symbol,
                                                  .address = level->address,
                                                  .name = level->function,
                                                  .file = level->file,
                                                  .line = level->line,
                                                  .image = level->image,
                                                  .is_inlined = level->is_inlined,
                                                  .is_kernel = level->is_kernel,
                                                  .parent = parent,
                                                  .child = TD_CALL_NONE,
                                                  .next = TD_CALL_NONE,
                                                  .depth = tree->at[parent].depth + 1};
    return (int64_t)tree->count++;
}

/* Where the tree begins in the stack: the level of the chosen function. SIZE_MAX: the stack does not have it. */
static size_t begin_of(const struct maker *m)
{
    const struct td_levels *l = &m->levels;
    if (!m->choice->key)
        return m->choice->inwards ? l->count - 1 : 0;
    size_t found = SIZE_MAX;
    bool is_first = true;
    for (size_t i = 0; i < l->count; i++) {
        if (l->at[i].is_inlined && !m->choice->inlines)
            continue;
        if (td_level_key(&l->at[i]) == m->choice->key) {
            found = i; /* inwards: the outermost */
            if (!m->choice->inwards)
                break;
        }
        if (is_first && !m->choice->anywhere && found == SIZE_MAX)
            break;
        is_first = false;
    }
    return found;
}

static void add_weight(struct maker *m, uint32_t node, uint32_t stack)
{
    struct td_call_node *n = &m->tree->at[node];
    n->total += m->counts->at[stack];
    if (m->counts->bytes)
        n->bytes = td_wrap_add(n->bytes, m->counts->bytes[stack]);
}

/* Allocations without a call stack are of the root. */
static int add_stack(struct maker *m, uint32_t stack)
{
    if (td_levels_read(&m->levels, m->trace, stack) < 0)
        return TD_E_NOMEM;
    const bool is_there =
        !m->choice->bytes ||
        (m->levels.count && m->levels.at[0].address - m->choice->address < m->choice->bytes);
    size_t i = m->levels.count && is_there ? begin_of(m) : SIZE_MAX;
    if (i == SIZE_MAX && !m->counts->bytes)
        return 0;
    uint32_t node = 0;
    add_weight(m, 0, stack);
    for (; i < m->levels.count; m->choice->inwards ? i-- : i++) { /* inwards: wraps to SIZE_MAX after 0 */
        if (m->levels.at[i].is_inlined && !m->choice->inlines)
            continue;
        int64_t child = find_child(m, node, &m->levels.at[i]);
        if (child < 0)
            return TD_E_NOMEM;
        node = (uint32_t)child;
        add_weight(m, node, stack);
    }
    m->tree->at[node].self += m->counts->at[stack];
    if (m->counts->bytes)
        m->tree->at[node].own_bytes = td_wrap_add(m->tree->at[node].own_bytes, m->counts->bytes[stack]);
    m->tree->end[stack] = node;
    return 0;
}

struct ranked {
    int64_t bytes;
    uint64_t total;
    uint32_t node, parent;
    uint32_t name; /* of zones, whose nodes threads number in any order; else 0 */
};

TD_COMPARE(by_parent_and_total, struct ranked,
           TD_UP(parent) TD_DOWN(bytes) TD_DOWN(total) TD_UP(name) TD_UP(node))

int td_call_tree_link(struct td_call_tree *tree)
{
    struct ranked *ranked = malloc(tree->count * sizeof *ranked);
    if (!ranked)
        return TD_E_NOMEM;
    for (size_t i = 1; i < tree->count; i++) {
        const struct td_call_node *n = &tree->at[i];
        ranked[i - 1] = (struct ranked){n->bytes, n->total, (uint32_t)i, n->parent, n->zones ? n->name : 0};
    }
    for (size_t i = 0; i < tree->count; i++)
        tree->at[i].child = tree->at[i].next = TD_CALL_NONE;
    qsort(ranked, tree->count - 1, sizeof *ranked, by_parent_and_total);
    for (size_t i = tree->count - 1; i-- > 0;) { /* each becomes the first child of its parent */
        struct td_call_node *parent = &tree->at[ranked[i].parent];
        tree->at[ranked[i].node].next = parent->child;
        parent->child = ranked[i].node;
    }
    free(ranked);
    return 0;
}

int td_call_tree_make(const struct td_trace *trace, const struct td_stack_counts *counts,
                      const struct td_call_tree_choice *choice, const struct td_progress *progress,
                      struct td_call_tree *tree, struct td_err *err)
{
    *tree =
        (struct td_call_tree){.end = calloc(counts->stacks + 1, sizeof *tree->end), .stacks = counts->stacks};
    struct maker m = {.trace = trace, .choice = choice, .counts = counts, .tree = tree};
    int rc = tree->end ? td_grow(&tree->at, &m.capacity, 1, sizeof *tree->at) : TD_E_NOMEM;
    if (rc == 0) {
        tree->at[0] =
            (struct td_call_node){.parent = TD_CALL_NONE, .child = TD_CALL_NONE, .next = TD_CALL_NONE};
        tree->count = 1;
    }
    for (size_t s = !counts->bytes; s < counts->stacks && rc == 0; s++) {
        if (s % 1024 == 1)
            rc = td_samples_step(progress, s, counts->stacks);
        if (rc == 0 && counts->at[s])
            rc = add_stack(&m, (uint32_t)s);
    }
    rc = rc ? rc : td_call_tree_link(tree);
    td_levels_free(&m.levels);
    td_map_finish(&m.map);
    return rc == 0              ? 0
           : rc == TD_E_STOPPED ? td_fail(err, rc, "stopped")
                                : td_fail_no_memory(err, "for a tree of calls");
}

/* ---- of samples ---- */

/* Puts the nodes of `tree`, which has no root of its own any more, below a new node of `all`. */
static int add_lane(struct td_call_tree *all, size_t *capacity, uint32_t lane,
                    const struct td_call_tree *tree)
{
    const uint32_t top = (uint32_t)all->count;
    if (all->count + tree->count >= TD_CALL_NONE ||
        td_grow(&all->at, capacity, all->count + tree->count, sizeof *all->at) < 0)
        return TD_E_NOMEM;
    for (size_t i = 0; i < tree->count; i++) {
        struct td_call_node *n = &all->at[all->count++];
        *n = tree->at[i];
        n->parent = i ? n->parent + top : 0;
        n->depth++;
    }
    all->at[top].lane = lane + 1;
    all->at[0].total += all->at[top].total;
    return 0;
}

static int make_of_samples(const struct td_trace *trace, const struct td_samples_choice *choice,
                           const struct td_call_tree_choice *as, const struct td_progress *progress,
                           struct td_call_tree *tree)
{
    struct td_stack_counts counts = {0};
    int rc = td_stack_counts_make(trace, choice, progress, &counts, NULL);
    rc = rc ? rc : td_call_tree_make(trace, &counts, as, progress, tree, NULL);
    if (rc == 0) { /* samples without a call stack */
        tree->at[0].total += counts.at[0];
        tree->at[0].self += counts.at[0];
    }
    td_stack_counts_free(&counts);
    return rc;
}

int td_sample_tree_make(const struct td_trace *trace, const struct td_samples_choice *choice, bool by_track,
                        const struct td_progress *progress, struct td_call_tree *tree)
{
    static const struct td_call_tree_choice as = {.inwards = true, .inlines = true, .same = TD_SAME_NAME};
    const uint32_t count =
        choice->tracks ? (uint32_t)choice->track_count : td_dict_track_count(td_trace_dict(trace));
    size_t capacity = 0;
    int rc = 0;
    *tree = (struct td_call_tree){0};
    if (!by_track)
        return make_of_samples(trace, choice, &as, progress, tree);
    if (td_grow(&tree->at, &capacity, 1, sizeof *tree->at) < 0)
        return TD_E_NOMEM;
    tree->at[tree->count++] =
        (struct td_call_node){.parent = TD_CALL_NONE, .child = TD_CALL_NONE, .next = TD_CALL_NONE};
    for (uint32_t i = 0; i < count && rc == 0; i++) {
        const uint32_t track = choice->tracks ? choice->tracks[i] : i;
        struct td_samples_choice one = *choice;
        struct td_call_tree of_track = {0};
        one.tracks = &track;
        one.track_count = 1;
        rc = td_samples_step(progress, i, count);
        if (rc == 0 && td_samples_of_track(trace, &one, track)) {
            rc = make_of_samples(trace, &one, &as, progress, &of_track);
            rc = rc ? rc : add_lane(tree, &capacity, track, &of_track);
        }
        td_call_tree_free(&of_track);
    }
    return rc ? rc : td_call_tree_link(tree);
}

uint32_t td_call_tree_next(const struct td_call_tree *tree, uint32_t node, uint32_t top, bool inside)
{
    if (inside && tree->at[node].child != TD_CALL_NONE)
        return tree->at[node].child;
    for (; node != top; node = tree->at[node].parent)
        if (tree->at[node].next != TD_CALL_NONE)
            return tree->at[node].next;
    return TD_CALL_NONE;
}

bool td_call_tree_passes(const struct td_call_tree *tree, uint32_t stack, uint32_t node)
{
    uint32_t at = tree->end[stack];
    while (at > node) /* parents have lower numbers */
        at = tree->at[at].parent;
    return at == node;
}

void td_call_tree_free(struct td_call_tree *tree)
{
    free(tree->at);
    free(tree->end);
    *tree = (struct td_call_tree){0};
}
